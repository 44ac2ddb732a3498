//! The audit trail: who called what, and how it ended. Never what was said.

use rusqlite::{Row, params};

use super::tx::{ReadTx, WriteTx};
use crate::clock::Timestamp;
use crate::error::Result;

/// One line of the trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// 0 until it is written.
    pub id: i64,
    pub at: Timestamp,
    pub caller: String,
    pub client: String,
    pub tool: String,
    /// `ok`, or the kind of the error.
    pub outcome: String,
    pub correlation_id: Option<String>,
    pub run_us: i64,
    /// What a person decided, how, and about which rows: JSON, ids only.
    pub receipt: Option<String>,
}

pub fn append(tx: &WriteTx<'_>, entry: &Entry) -> Result<()> {
    tx.execute(
        "INSERT INTO audit (at, caller, client, tool, outcome, correlation_id, run_us, receipt)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            entry.at.0,
            entry.caller,
            entry.client,
            entry.tool,
            entry.outcome,
            entry.correlation_id,
            entry.run_us,
            entry.receipt
        ],
    )?;
    Ok(())
}

/// Which entries a listing shows, and where it goes on.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub caller: Option<String>,
    pub tool: Option<String>,
    pub outcome: Option<String>,
    pub correlation_id: Option<String>,
    pub since: Option<Timestamp>,
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, at, caller, client, tool, outcome, correlation_id, run_us, receipt FROM audit ",
            $rest
        )
    };
}

/// The newest entries that fit, newest first.
pub fn newest(tx: &ReadTx<'_>, filter: &Filter, limit: i64) -> Result<Vec<Entry>> {
    tx.rows(
        columns!(
            "WHERE (?1 IS NULL OR caller = ?1) AND (?2 IS NULL OR tool = ?2) AND (?3 IS NULL OR outcome = ?3)
               AND (?4 IS NULL OR correlation_id = ?4) AND (?5 IS NULL OR at >= ?5)
             ORDER BY id DESC LIMIT ?6"
        ),
        params![
            filter.caller,
            filter.tool,
            filter.outcome,
            filter.correlation_id,
            filter.since.map(|since| since.0),
            limit
        ],
        read,
    )
}

/// The entries after one, oldest first.
pub fn after(tx: &ReadTx<'_>, id: i64, limit: i64) -> Result<Vec<Entry>> {
    tx.rows(columns!("WHERE id > ?1 ORDER BY id LIMIT ?2"), [id, limit], read)
}

/// The id of the newest entry, 0 if there is none.
pub fn last_id(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT max(id) FROM audit", [], |row| row.get::<_, Option<i64>>(0))?.flatten().unwrap_or(0))
}

fn read(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: row.get(0)?,
        at: Timestamp(row.get(1)?),
        caller: row.get(2)?,
        client: row.get(3)?,
        tool: row.get(4)?,
        outcome: row.get(5)?,
        correlation_id: row.get(6)?,
        run_us: row.get(7)?,
        receipt: row.get(8)?,
    })
}
