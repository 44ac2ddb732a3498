//! Random keys that are born with the file and never leave it.

use super::tx::ReadTx;
use crate::error::{Error, Result};

/// What cursors are sealed with.
pub const CURSORS: &str = "cursors";

pub fn key(tx: &ReadTx<'_>, name: &str) -> Result<Vec<u8>> {
    let found = tx.row("SELECT value FROM secrets WHERE name = ?1", [name], |row| row.get(0))?;
    found.ok_or_else(|| Error::internal(format!("the data file has lost its key `{name}`")))
}
