//! Indexing a tree of documents as it lies there. Nothing in it is rewritten.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::described::{Described, NoArtifact, id_in_name};
use super::document::Document;
use super::kinds::{APPROVED, BUILT_IN, Kinds};
use super::store::{self, Approval, Artifact, Event, New};
use crate::clock::Timestamp;
use crate::db::{WriteTx, journal, sequences};
use crate::error::{Error, Result};
use crate::paths::markdown_below;

/// Larger files are no documents.
const LARGEST: u64 = 4 * 1024 * 1024;
/// So many rows share a transaction.
pub const CHUNK: usize = 500;

/// A document that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Below the tree's root.
    pub path: String,
    pub described: Described,
    sha256: String,
    size_bytes: i64,
    modified_ns: i64,
}

impl Found {
    pub fn version(&self) -> i64 {
        self.described.version.unwrap_or(1)
    }
}

/// What a tree holds.
#[derive(Debug, Default)]
pub struct Tree {
    /// In the order of a project's life, then by number and version.
    pub documents: Vec<Found>,
    /// Markdown files that are no documents of the workflow.
    pub others: Vec<String>,
    /// By file: what could not be read, and what a careful reader would ask about.
    pub problems: Vec<(String, String)>,
}

/// What became of a document in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    New,
    Changed,
    Unchanged,
    Refused,
}

/// Reads a tree on all cores; `each` hears how many of how many files are done.
pub fn read(root: &Path, kinds: &Kinds, each: &(dyn Fn(usize, usize) + Sync)) -> Result<Tree> {
    let mut tree = Tree::default();
    let mut files = Vec::new();
    if root.is_file() {
        files.push(root.to_owned());
    } else if root.is_dir() {
        let (found, unreadable) = markdown_below(root);
        files = found;
        let told = |folder: &PathBuf| (folder.display().to_string(), "the folder cannot be read".to_owned());
        tree.problems.extend(unreadable.iter().map(told));
    } else {
        return Err(Error::not_found(format!("there is no folder `{}`", root.display())));
    }
    let root = if root.is_file() { root.parent().unwrap_or(root) } else { root };
    let done = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len().max(1));
    let looked: Vec<(String, Result<Found, String>)> = std::thread::scope(|scope| {
        let share = files.len().div_ceil(threads).max(1);
        let workers: Vec<_> = files
            .chunks(share)
            .map(|share| {
                let (done, total) = (&done, files.len());
                scope.spawn(move || {
                    let look = |file: &PathBuf| {
                        let path =
                            file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
                        let found = look(file, &path, kinds);
                        each(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                        (path, found)
                    };
                    share.iter().map(look).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    for (path, found) in looked {
        match found {
            Ok(found) => {
                let remarks = found.described.remarks.iter().map(|remark| (path.clone(), remark.clone()));
                tree.problems.extend(remarks);
                tree.documents.push(found);
            }
            Err(why) if why.is_empty() => tree.others.push(path),
            Err(why) => tree.problems.push((path, why)),
        }
    }
    tree.put_in_order();
    Ok(tree)
}

/// Why a file is none of ours; nothing said means that it never claimed to be.
fn look(file: &Path, path: &str, kinds: &Kinds) -> Result<Found, String> {
    let unreadable = |error: io::Error| format!("it cannot be read: {error}");
    let mut opened = File::open(file).map_err(unreadable)?;
    let facts = opened.metadata().map_err(unreadable)?;
    if facts.len() > LARGEST {
        return Err("it is larger than 4 MiB".to_owned());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or_default());
    opened.read_to_end(&mut bytes).map_err(unreadable)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let name = path.rsplit('/').next();
    let described = Described::of(&Document::read(text), name, kinds).map_err(|no| match no {
        NoArtifact::NoId if name.is_some_and(|name| id_in_name(name).is_some()) => {
            "it is named like a document, and has no Metadata block".to_owned()
        }
        NoArtifact::NoId => String::new(),
        NoArtifact::UnknownType => "its ID has a prefix of no known type".to_owned(),
    })?;
    Ok(Found {
        path: path.to_owned(),
        described,
        sha256: journal::hash(&bytes),
        size_bytes: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
        modified_ns: journal::modified_ns(&facts).unwrap_or(0),
    })
}

impl Tree {
    /// Sorts, and keeps one file for each version of a document.
    fn put_in_order(&mut self) {
        let order = |found: &Found| {
            let kind = BUILT_IN.iter().position(|kind| kind.name == found.described.kind.name);
            let number = found.described.id().map(|id| id.number);
            (
                kind.unwrap_or(BUILT_IN.len()),
                number,
                found.described.artifact_id.clone(),
                found.version(),
                // Of two files for one version the one with the plain name counts.
                found.path.len(),
                found.path.clone(),
            )
        };
        self.documents.sort_by_cached_key(order);
        let mut seen: BTreeMap<(String, i64), String> = BTreeMap::new();
        let problems = &mut self.problems;
        self.documents.retain(|found| {
            let key = (found.described.artifact_id.clone(), found.version());
            if let Some(first) = seen.get(&key) {
                problems.push((found.path.clone(), format!("{} v{} is in {first} already", key.0, key.1)));
                return false;
            }
            seen.insert(key, found.path.clone());
            true
        });
        self.problems.sort();
    }

    /// The highest number of each prefix, so that none of them is handed out.
    pub fn highest(&self) -> BTreeMap<String, i64> {
        let mut highest = BTreeMap::new();
        for id in self
            .documents
            .iter()
            .flat_map(|found| found.described.id().into_iter().chain(found.described.named.clone()))
        {
            let number = highest.entry(id.prefix).or_insert(id.number);
            *number = id.number.max(*number);
        }
        highest
    }
}

/// Who brings documents into the index.
#[derive(Clone, Debug)]
pub struct Who {
    pub caller: String,
    pub client: String,
}

/// Puts documents of a tree into the index.
pub fn index(
    tx: &WriteTx<'_>,
    project: &str,
    base: &str,
    documents: &[Found],
    who: &Who,
    now: Timestamp,
) -> Result<Vec<(Outcome, Option<String>)>> {
    documents.iter().map(|found| index_one(tx, project, base, found, who, now)).collect()
}

fn index_one(
    tx: &WriteTx<'_>,
    project: &str,
    base: &str,
    found: &Found,
    who: &Who,
    now: Timestamp,
) -> Result<(Outcome, Option<String>)> {
    let described = &found.described;
    if let Some(other) = store::file_of(tx, base, &found.path)?.filter(|other| other.project_id != project) {
        return Ok((Outcome::Refused, Some(format!("it belongs to the project `{}`", other.project_id))));
    }
    let known = store::find(tx, project, &described.artifact_id, Some(found.version()))?;
    if let Some(known) = &known {
        let here = known.base == base && known.path == found.path;
        if known.sha256 == found.sha256 && (here || Path::new(&known.base).join(&known.path).exists()) {
            return Ok((Outcome::Unchanged, None));
        }
        if let Some(why) = objection(known, found, here) {
            return Ok((Outcome::Refused, Some(why)));
        }
    }
    let new = New {
        artifact_id: described.artifact_id.clone(),
        kind: described.kind.type_name().to_owned(),
        version: found.version(),
        title: described.title().to_owned(),
        status: described.status().to_owned(),
        base: base.to_owned(),
        path: found.path.clone(),
        sha256: found.sha256.clone(),
        size_bytes: found.size_bytes,
        modified_ns: found.modified_ns,
        parents: described.metadata.parents.iter().map(ToString::to_string).collect(),
    };
    let seq = store::put(tx, project, &new, known.as_ref().map(|known| known.seq), now)?;
    let (event, outcome) = match known {
        Some(_) => (Event::Reindexed, Outcome::Changed),
        None => (Event::Imported, Outcome::New),
    };
    let names = (who.caller.as_str(), who.client.as_str());
    store::remember(tx, seq, event, names, &new.status, &new.sha256, None, now)?;
    if new.status == APPROVED {
        let approval =
            Approval { sha256: new.sha256, at: now, by: who.caller.clone(), through: "import".to_owned() };
        store::approve(tx, seq, &approval)?;
    }
    Ok((outcome, None))
}

/// Why a file does not take the place of what is known.
fn objection(known: &Artifact, found: &Found, here: bool) -> Option<String> {
    let name = format!("{} v{}", known.artifact_id, known.version);
    if known.approval.is_some() {
        return Some(format!("{name} is approved, and these are other bytes"));
    }
    let elsewhere = Path::new(&known.base).join(&known.path);
    (!here && elsewhere.exists())
        .then(|| format!("{name} is known from {}", elsewhere.display()))
        .filter(|_| known.sha256 != found.sha256)
}

/// Lets the sequences begin after the numbers of a tree.
pub fn raise_counters(
    tx: &WriteTx<'_>,
    project: &str,
    highest: &BTreeMap<String, i64>,
    now: Timestamp,
) -> Result<Vec<String>> {
    let mut raised = Vec::new();
    for (prefix, number) in highest {
        // Dates and hashes look like numbers; a sequence never comes back from there.
        if !sequences::is_far(tx, project, prefix, *number)?
            && sequences::raise(tx, project, prefix, *number, now)?
        {
            raised.push(prefix.clone());
        }
    }
    Ok(raised)
}
