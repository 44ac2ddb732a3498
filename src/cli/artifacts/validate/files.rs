//! The files that are meant: those that are named, and the Markdown in folders that are.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::paths::markdown_below;

/// A file to check.
#[derive(Debug)]
pub(super) struct File {
    pub path: PathBuf,
    /// As somebody would type it.
    pub shown: String,
    /// Whether it was named itself, and must be a document then.
    pub named: bool,
}

/// Every file below some paths, each of them once.
pub(super) fn below(paths: &[PathBuf]) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let (found, unreadable) = markdown_below(path);
            if let Some(folder) = unreadable.first() {
                return Err(Error::invalid(format!("the folder `{}` cannot be read", folder.display())));
            }
            let unnamed = |path: PathBuf| File { shown: shown(&path), path, named: false };
            files.extend(found.into_iter().map(unnamed));
        } else if path.exists() {
            files.push(File { path: path.clone(), shown: shown(path), named: true });
        } else {
            return Err(Error::invalid(format!("there is no file or folder `{}`", path.display())));
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.path.canonicalize().unwrap_or_else(|_| file.path.clone())));
    Ok(files)
}

fn shown(path: &Path) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}
