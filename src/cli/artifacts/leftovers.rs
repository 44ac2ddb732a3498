//! Temporary files of our own that an ended process has left behind.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::open::Desk;
use crate::db::journal;
use crate::error::Result;
use crate::families::artifacts::layout::Layout;

/// Younger ones may belong to somebody who is still writing.
const ABANDONED_AFTER_MS: i64 = 60 * 60 * 1000;

/// Removes what is abandoned in some folders and in those where new documents go.
pub(super) fn remove(desk: &Desk, folders: &BTreeSet<PathBuf>, layout: &Layout) -> Result<usize> {
    if desk.session.read_only {
        return Ok(0);
    }
    // One folder may be reached by several names.
    let real = |folder: &Path| folder.canonicalize().ok();
    let mut visited: BTreeSet<PathBuf> = folders.iter().filter_map(|folder| real(folder)).collect();
    let below = fs::read_dir(layout.base()).into_iter().flatten().flatten().map(|entry| entry.path());
    visited.extend(below.filter(|path| path.is_dir() && !path.is_symlink()).filter_map(|path| real(&path)));
    let promised = desk.office.db.read(journal::promised)?;
    let promised: BTreeSet<PathBuf> =
        promised.iter().filter_map(|(file, _)| Some(real(file.parent()?)?.join(file.file_name()?))).collect();
    let now = desk.office.clock.now().0;
    let mut removed = 0;
    for entry in visited.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let name = entry.file_name();
        let Some(target) = name.to_str().and_then(target_of) else { continue };
        let written = entry.metadata().ok().filter(fs::Metadata::is_file);
        let written = written.and_then(|found| journal::modified_ns(&found).ok());
        let old = written.is_some_and(|at| now - at / 1_000_000 > ABANDONED_AFTER_MS);
        if old && !promised.contains(&entry.path().with_file_name(target)) {
            removed += usize::from(fs::remove_file(entry.path()).is_ok());
        }
    }
    Ok(removed)
}

/// The file that a temporary one was meant to become: `.NAME.<16 hex>.tmp`.
fn target_of(name: &str) -> Option<&str> {
    let (target, random) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    let ours = random.len() == 16
        && random.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    (ours && !target.is_empty()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_temporary_files_are_known_by_their_names() {
        assert_eq!(target_of(".PRD-006_v1.md.00ff00ff00ff00ff.tmp"), Some("PRD-006_v1.md"));
        for other in [
            "PRD-006_v1.md.00ff00ff00ff00ff.tmp",
            ".PRD-006_v1.md.00ff00ff00ff00f.tmp",
            ".PRD-006_v1.md.00FF00FF00FF00FF.tmp",
            ".PRD-006_v1.md.swp",
            "..00ff00ff00ff00ff.tmp",
            ".00ff00ff00ff00ff.tmp",
        ] {
            assert_eq!(target_of(other), None, "{other}");
        }
    }
}
