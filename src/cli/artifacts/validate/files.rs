//! The files that are meant: those that are named, and the Markdown in folders that are.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::families::ids::scan::PASSED_OVER;

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
            collect(path, &mut files)?;
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

/// As an import walks: links are not followed, hidden folders and those of other programs not entered.
fn collect(folder: &Path, files: &mut Vec<File>) -> Result<()> {
    let unreadable = |error: std::io::Error| {
        Error::invalid(format!("the folder `{}` cannot be read", folder.display())).because(error)
    };
    let listed = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries: Vec<fs::DirEntry> = listed.collect::<std::io::Result<_>>().map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        let path = entry.path();
        if kind.is_dir() && !PASSED_OVER.contains(&name) {
            collect(&path, files)?;
        } else if kind.is_file() && name.to_lowercase().ends_with(".md") {
            files.push(File { shown: shown(&path), path, named: false });
        }
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}
