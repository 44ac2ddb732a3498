//! Repositories that a person has registered.

use std::path::PathBuf;

use rusqlite::params;

use super::tx::{ReadTx, WriteTx};
use crate::clock::Timestamp;
use crate::error::Result;

/// A registered repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    pub root: PathBuf,
    pub project: String,
    pub added_at: Timestamp,
}

/// Registers a repository; `false` if it was there already.
pub fn add(tx: &WriteTx<'_>, root: &str, project: &str, now: Timestamp) -> Result<bool> {
    let added = tx.execute(
        "INSERT INTO repositories (root, project_id, added_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        params![root, project, now.0],
    )?;
    Ok(added > 0)
}

/// Forgets a repository; `false` if it was not registered.
pub fn remove(tx: &WriteTx<'_>, root: &str) -> Result<bool> {
    Ok(tx.execute("DELETE FROM repositories WHERE root = ?1", [root])? > 0)
}

/// All of them, by their place.
pub fn all(tx: &ReadTx<'_>) -> Result<Vec<Registered>> {
    tx.rows("SELECT root, project_id, added_at FROM repositories ORDER BY root", [], |row| {
        Ok(Registered {
            root: PathBuf::from(row.get::<_, String>(0)?),
            project: row.get(1)?,
            added_at: Timestamp(row.get(2)?),
        })
    })
}
