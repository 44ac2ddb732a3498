//! Where the business data of this file came from.

use rusqlite::params;

use super::tx::{ReadTx, WriteTx};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// There was a sample, and it was taken out.
    Cleared,
    /// Made for measurement.
    Generated,
    /// A person's own.
    Imported,
    Sample,
}

impl Origin {
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Cleared => "cleared",
            Origin::Generated => "generated",
            Origin::Imported => "imported",
            Origin::Sample => "sample",
        }
    }
}

/// Whether nobody has asked for any data yet.
pub fn is_untouched(tx: &ReadTx<'_>) -> Result<bool> {
    Ok(tx.row("SELECT 1 FROM data_origins", [], |_| Ok(()))?.is_none())
}

/// When data of an origin came, if any did.
pub fn since(tx: &ReadTx<'_>, origin: Origin) -> Result<Option<Timestamp>> {
    tx.row("SELECT at FROM data_origins WHERE origin = ?1", [origin.as_str()], |row| {
        row.get(0).map(Timestamp)
    })
}

pub fn note(tx: &WriteTx<'_>, origin: Origin, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO data_origins (origin, at) VALUES (?1, ?2)
         ON CONFLICT (origin) DO UPDATE SET at = excluded.at",
        params![origin.as_str(), now.0],
    )?;
    Ok(())
}

/// Everything is gone again.
pub fn cleared(tx: &WriteTx<'_>, now: Timestamp) -> Result<()> {
    tx.execute("DELETE FROM data_origins", [])?;
    note(tx, Origin::Cleared, now)
}
