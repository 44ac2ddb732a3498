//! PINs that prove a person: their hashes, and how often each was guessed wrongly in a row.

use rusqlite::params;

use super::tx::{ReadTx, WriteTx};
use crate::clock::Timestamp;
use crate::error::Result;

/// A row of `pins`.
#[derive(Clone)]
pub struct Pin {
    pub login: String,
    pub hash: String,
    pub failed: u32,
    pub closed_until: Timestamp,
}

impl std::fmt::Debug for Pin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pin")
            .field("login", &self.login)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

/// The PIN that speaks for a person: their own, or else the owner's.
pub fn of(tx: &ReadTx<'_>, login: &str) -> Result<Option<Pin>> {
    tx.row(
        "SELECT pins.login, hash, failed, closed_until FROM pins JOIN people USING (login)
         WHERE login = ?1 OR is_owner = 1 ORDER BY login = ?1 DESC",
        [login],
        |row| {
            let closed_until = Timestamp(row.get(3)?);
            Ok(Pin { login: row.get(0)?, hash: row.get(1)?, failed: row.get(2)?, closed_until })
        },
    )
}

/// Whether anybody has one.
pub fn any(tx: &ReadTx<'_>) -> Result<bool> {
    Ok(tx.row("SELECT 1 FROM pins", [], |_| Ok(()))?.is_some())
}

pub fn set(tx: &WriteTx<'_>, login: &str, hash: &str) -> Result<()> {
    tx.execute(
        "INSERT INTO pins (login, hash) VALUES (?1, ?2)
         ON CONFLICT (login) DO UPDATE SET hash = excluded.hash, failed = 0, closed_until = 0",
        params![login, hash],
    )?;
    Ok(())
}

pub fn remove(tx: &WriteTx<'_>, login: &str) -> Result<bool> {
    Ok(tx.execute("DELETE FROM pins WHERE login = ?1", [login])? > 0)
}

/// Counts a guess, and closes the PIN for a while.
pub fn guessed(tx: &WriteTx<'_>, login: &str, failed: u32, closed_until: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE pins SET failed = ?2, closed_until = ?3 WHERE login = ?1",
        params![login, failed, closed_until.0],
    )?;
    Ok(())
}
