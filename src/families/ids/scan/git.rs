//! What git knows beyond the working folder: the other worktrees, and the documents of every branch.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::document::is_document;
use crate::error::{Error, Result};

/// Larger files are no documents.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A document as a branch holds it.
#[derive(Debug)]
pub struct Blob {
    pub path: String,
    hash: String,
}

/// The folders of every worktree that still exists, this one among them.
pub fn worktrees(root: &Path) -> Result<Vec<PathBuf>> {
    let listed = git(root, &["worktree", "list", "--porcelain", "-z"])?;
    let folders = fields(&listed).filter_map(|field| field.strip_prefix("worktree ").map(PathBuf::from));
    Ok(folders.filter(|folder| folder.is_dir()).collect())
}

/// The local branches.
pub fn branches(root: &Path) -> Result<Vec<String>> {
    let listed = git(root, &["for-each-ref", "--format=%(refname)%00", "refs/heads"])?;
    Ok(fields(&listed).map(|name| name.trim_start().to_owned()).filter(|name| !name.is_empty()).collect())
}

/// The documents of a branch.
pub fn documents(root: &Path, branch: &str) -> Result<Vec<Blob>> {
    let listed = git(root, &["ls-tree", "-r", "-z", "--full-tree", branch])?;
    let blobs = fields(&listed).filter_map(|entry| {
        let (facts, path) = entry.split_once('\t')?;
        let mut facts = facts.split(' ').skip(1);
        let is_blob = facts.next() == Some("blob");
        let hash = facts.next()?.to_owned();
        (is_blob && is_document(path)).then(|| Blob { path: path.to_owned(), hash })
    });
    Ok(blobs.collect())
}

/// Reads the text of each distinct document once, however many branches hold it.
pub fn read_each(root: &Path, blobs: &[Blob], mut each: impl FnMut(&Blob, &str)) -> Result<()> {
    let mut seen = BTreeSet::new();
    let distinct: Vec<&Blob> = blobs.iter().filter(|blob| seen.insert(&blob.hash)).collect();
    let mut child = command(root, &["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| no_git(&error))?;
    let (Some(mut ask), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::internal("git has no pipes"));
    };
    let mut answers = BufReader::new(answers);
    let failed = |error| Error::io(error, "read documents from git");
    std::thread::scope(|scope| {
        // Asking and reading at once: git stops reading when nobody takes its answers.
        scope.spawn(|| {
            let asked = distinct.iter().try_for_each(|blob| writeln!(ask, "{}", blob.hash));
            drop(ask);
            asked
        });
        for blob in &distinct {
            let mut header = String::new();
            answers.read_line(&mut header).map_err(failed)?;
            let size: u64 =
                header.trim_end().rsplit(' ').next().and_then(|size| size.parse().ok()).unwrap_or(0);
            let mut content = Vec::new();
            let mut body = answers.by_ref().take(size + 1);
            body.by_ref().take(LARGEST).read_to_end(&mut content).map_err(failed)?;
            std::io::copy(&mut body, &mut std::io::sink()).map_err(failed)?;
            each(blob, &String::from_utf8_lossy(&content));
        }
        Ok::<(), Error>(())
    })?;
    child.wait().map_err(failed)?;
    Ok(())
}

fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(arguments).env("GIT_OPTIONAL_LOCKS", "0").stdout(Stdio::piped());
    command
}

fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = command(root, arguments).output().map_err(|error| no_git(&error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::conflict(format!("git cannot read `{}`", root.display())).hint(said.trim().to_owned()))
}

fn no_git(error: &std::io::Error) -> Error {
    Error::conflict(format!("cannot start git: {error}"))
        .hint("install git: numbers used on other branches must not be handed out again")
}

fn fields(listed: &str) -> impl Iterator<Item = &str> {
    listed.split('\0').filter(|field| !field.is_empty())
}
