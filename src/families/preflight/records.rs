//! What preflight asks of whoever keeps the record of its documents.

use std::path::Path;

use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// A decision that was edited after it was taken. Until a person stands by the edit, what was decided
/// holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspended {
    /// Its name in `docs/adr`.
    pub file: String,
    /// What it said, if that is known.
    pub text: Option<String>,
}

pub trait Records: Sync {
    fn suspended(&self, tx: &ReadTx<'_>, root: &Path) -> Result<Vec<Suspended>>;

    /// A decision or an archived task is being written, in this very transaction.
    fn written(&self, tx: &WriteTx<'_>, root: &Path, path: &str, text: &str, now: Timestamp) -> Result<()>;
}
