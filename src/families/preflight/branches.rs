//! The UIDs that other branches use: the next one is after theirs, whichever clock they were made by.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::documents::{Uid, task};
use super::git;

/// So many repositories are remembered; more than anybody works in at once.
const REMEMBERED: usize = 16;
/// Folders whose files are named after their UIDs, and the document that holds its own.
const PLACES: [&str; 3] = ["docs/adr", "docs/archive/task", "docs/CURRENT_TASK.md"];

/// What the refs were, and what was found in them.
type Found = HashMap<PathBuf, (Vec<u8>, Option<Uid>)>;

/// The highest UID of all local and remote-tracking branches. As long as no branch has moved, git is asked
/// for nothing else; where it cannot be asked at all, the documents of the working folder have to do.
pub fn highest(root: &Path) -> Option<Uid> {
    static FOUND: OnceLock<Mutex<Found>> = OnceLock::new();
    let found = FOUND.get_or_init(Mutex::default);
    let refs = git::ask(root, &["for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes"]);
    let Some(refs) = refs else {
        tracing::warn!(event = "branches_not_read", root = %root.display());
        return None;
    };
    let known = found.lock().unwrap_or_else(PoisonError::into_inner).get(root).cloned();
    if let Some((_, uid)) = known.filter(|(then, _)| *then == refs) {
        return uid;
    }
    let Some(uid) = search(root, &refs) else {
        tracing::warn!(event = "branches_not_read", root = %root.display());
        return None;
    };
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    if found.len() >= REMEMBERED && !found.contains_key(root) {
        found.clear();
    }
    found.insert(root.to_owned(), (refs, uid.clone()));
    uid
}

/// Two questions, however many branches there are: which objects the places are, and what is in them.
/// Commits are named by their hashes, so that the name of a branch is never part of a question.
fn search(root: &Path, refs: &[u8]) -> Option<Option<Uid>> {
    let refs = String::from_utf8_lossy(refs);
    let commits: BTreeSet<&str> = refs.lines().filter(|name| is_hash(name)).collect();
    let questions: String =
        commits.iter().flat_map(|commit| PLACES.map(|place| format!("{commit}:{place}\n"))).collect();
    let answers = git::ask_with(root, &["cat-file", "--batch-check=%(objectname)"], questions.as_bytes())?;
    let answers = String::from_utf8_lossy(&answers).into_owned();
    let objects: BTreeSet<&str> = answers.lines().filter(|name| is_hash(name)).collect();
    let questions: String = objects.iter().map(|object| format!("{object}\n")).collect();
    let answers = git::ask_with(root, &["cat-file", "--batch"], questions.as_bytes())?;
    let mut rest = answers.as_slice();
    let mut highest = None;
    while let Some((object, after)) = Object::first(rest) {
        highest = highest.max(object.uid());
        rest = after;
    }
    Some(highest)
}

/// SHA-1 or SHA-256.
fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An object as `git cat-file --batch` prints it: hash, type, length, content.
struct Object<'o> {
    is_tree: bool,
    hash_bytes: usize,
    content: &'o [u8],
}

impl<'o> Object<'o> {
    fn first(answers: &'o [u8]) -> Option<(Self, &'o [u8])> {
        let end = answers.iter().position(|byte| *byte == b'\n')?;
        let (header, rest) = (std::str::from_utf8(&answers[..end]).ok()?, &answers[end + 1..]);
        let mut header = header.split(' ');
        let (hash, kind, length) = (header.next()?, header.next()?, header.next()?.parse::<usize>().ok()?);
        let object =
            Object { is_tree: kind == "tree", hash_bytes: hash.len() / 2, content: rest.get(..length)? };
        Some((object, rest.get(length + 1..).unwrap_or_default()))
    }

    fn uid(&self) -> Option<Uid> {
        if self.is_tree {
            return self.names().filter_map(|name| Uid::leading(&name)).max();
        }
        task::read(&String::from_utf8_lossy(self.content)).uid
    }

    /// The names in a folder: `mode name NUL hash`, again and again.
    fn names(&self) -> impl Iterator<Item = String> {
        let mut rest = self.content;
        std::iter::from_fn(move || {
            let end = rest.iter().position(|byte| *byte == 0)?;
            let entry = String::from_utf8_lossy(&rest[..end]);
            let name = entry.split_once(' ').map(|(_, name)| name.to_owned()).unwrap_or_default();
            rest = rest.get(end + 1 + self.hash_bytes..).unwrap_or_default();
            Some(name)
        })
    }
}

#[cfg(test)]
#[path = "branches_tests.rs"]
mod tests;
