//! Whether the file at a path is still the one that was opened.
//!
//! Somebody may remove or replace the data file while it is open. SQLite would go on writing into a
//! file that has no name any more, and every number given from then on would be given again.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::paths::mark;

/// A file by its path and by what it is.
#[derive(Debug)]
pub(super) struct SameFile {
    path: PathBuf,
    mark: Option<(u64, u64)>,
}

impl SameFile {
    pub fn at(path: &Path) -> Self {
        SameFile { path: path.to_owned(), mark: mark(path) }
    }

    /// Refuses to go on once the path leads to another file, or nowhere.
    pub fn check(&self) -> Result<()> {
        if mark(&self.path) == self.mark {
            return Ok(());
        }
        Err(Error::unusable(format!(
            "the data file `{}` was moved or removed while it was open",
            self.path.display()
        ))
        .hint("nothing was changed; start backoffice again"))
    }
}
