//! Finds the numbers that documents already use, so that the sequences can begin after them: in the
//! working folder, in every worktree, and on every local branch of a repository.

mod document;
mod git;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::id::ArtifactId;
use crate::paths::{Repository, walk};

/// The highest number of a prefix and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highest {
    pub number: i64,
    pub source: String,
}

/// What a scan has seen.
#[derive(Debug, Default)]
pub struct Scan {
    pub highest: BTreeMap<String, Highest>,
    pub documents: usize,
    pub worktrees: usize,
    pub branches: usize,
    /// Folders that could not be looked into.
    pub unreadable: Vec<PathBuf>,
}

/// Scans a folder; if it belongs to a repository, the whole of it. `seen` hears each document.
pub fn scan(folder: &Path, seen: &mut dyn FnMut(&str)) -> Result<Scan> {
    let mut scan = Scan::default();
    let Some(repository) = Repository::around(folder) else {
        if !folder.is_dir() {
            return Err(Error::not_found(format!("there is no folder `{}`", folder.display())));
        }
        scan.files(folder, seen);
        return Ok(scan);
    };
    let root = &repository.root;
    for worktree in git::worktrees(root)? {
        scan.worktrees += 1;
        scan.files(&worktree, seen);
    }
    let mut blobs = Vec::new();
    for branch in git::branches(root)? {
        scan.branches += 1;
        let name = branch.trim_start_matches("refs/heads/");
        for blob in git::documents(root, &branch)? {
            let place = format!("{} on {name}", blob.path);
            seen(&place);
            scan.documents += 1;
            scan.name(&blob.path, &place);
            blobs.push(blob);
        }
    }
    git::read_each(root, &blobs, |blob, text| scan.text(text, &blob.path))?;
    Ok(scan)
}

impl Scan {
    fn files(&mut self, root: &Path, seen: &mut dyn FnMut(&str)) {
        let mut unreadable = Vec::new();
        let mut each = |path: &Path, name: &str| {
            if !document::is_document(name) {
                return;
            }
            let place = path.strip_prefix(root).unwrap_or(path).display().to_string();
            seen(&place);
            self.documents += 1;
            self.name(name, &place);
            if let Ok(bytes) = fs::read(path) {
                self.text(&String::from_utf8_lossy(&bytes), &place);
            }
        };
        walk(root, &mut each, &mut unreadable);
        self.unreadable.extend(unreadable);
    }

    fn name(&mut self, path: &str, place: &str) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if let Some(id) = document::id_in_name(name) {
            self.found(id, place);
        }
    }

    fn text(&mut self, text: &str, place: &str) {
        for id in document::ids_in_text(text) {
            self.found(id, &format!("metadata of {place}"));
        }
    }

    fn found(&mut self, id: ArtifactId, place: &str) {
        let higher = self.highest.get(&id.prefix).is_none_or(|known| known.number < id.number);
        if higher {
            self.highest.insert(id.prefix, Highest { number: id.number, source: place.to_owned() });
        }
    }
}
