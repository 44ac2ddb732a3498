//! The audit trail: who called what, and how it ended. Never what was said.

use rusqlite::params;

use super::tx::{ReadTx, WriteTx};
use crate::clock::Timestamp;
use crate::error::Result;

/// One line of the trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub at: Timestamp,
    pub caller: String,
    pub client: String,
    pub tool: String,
    /// `ok`, or the kind of the error.
    pub outcome: String,
    pub correlation_id: Option<String>,
    pub run_us: i64,
}

pub fn append(tx: &WriteTx<'_>, entry: &Entry) -> Result<()> {
    tx.execute(
        "INSERT INTO audit (at, caller, client, tool, outcome, correlation_id, run_us)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            entry.at.0,
            entry.caller,
            entry.client,
            entry.tool,
            entry.outcome,
            entry.correlation_id,
            entry.run_us
        ],
    )?;
    Ok(())
}

/// The newest entries, newest first.
pub fn newest(tx: &ReadTx<'_>, limit: i64) -> Result<Vec<Entry>> {
    tx.rows(
        "SELECT at, caller, client, tool, outcome, correlation_id, run_us
         FROM audit ORDER BY id DESC LIMIT ?1",
        [limit],
        |row| {
            Ok(Entry {
                at: Timestamp(row.get(0)?),
                caller: row.get(1)?,
                client: row.get(2)?,
                tool: row.get(3)?,
                outcome: row.get(4)?,
                correlation_id: row.get(5)?,
                run_us: row.get(6)?,
            })
        },
    )
}
