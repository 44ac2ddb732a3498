//! What has happened to a document, with the bytes it had before.

use rusqlite::params;

use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Stored,
    Replaced,
    Approved,
    Imported,
    Reindexed,
}

impl Event {
    fn word(self) -> &'static str {
        match self {
            Event::Stored => "stored",
            Event::Replaced => "replaced",
            Event::Approved => "approved",
            Event::Imported => "imported",
            Event::Reindexed => "reindexed",
        }
    }
}

/// An entry, as it is shown.
#[derive(Clone, Debug)]
pub struct Past {
    pub id: i64,
    pub version: i64,
    pub at: Timestamp,
    pub event: String,
    pub caller: String,
    pub client: String,
    pub status: String,
    /// What the document said until then; nothing at its beginning.
    pub sha256: String,
    pub has_content: bool,
}

/// Remembers an event; `content` is what the document said until then.
#[expect(clippy::too_many_arguments, reason = "a row is a row")]
pub fn add(
    tx: &WriteTx<'_>,
    seq: i64,
    event: Event,
    (caller, client): (&str, &str),
    status: &str,
    sha256: &str,
    content: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "INSERT INTO artifact_history (artifact_seq, at, event, caller, client, status, sha256, content)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![seq, now.0, event.word(), caller, client, status, sha256, content],
    )?;
    Ok(())
}

/// Everything that happened to all versions of a document, the newest first.
pub fn of(tx: &ReadTx<'_>, project: &str, artifact_id: &str) -> Result<Vec<Past>> {
    tx.rows(
        "SELECT h.id, a.version, h.at, h.event, h.caller, h.client, h.status, h.sha256, h.content IS NOT NULL
         FROM artifacts a JOIN artifact_history h ON h.artifact_seq = a.seq
         WHERE a.project_id = ?1 AND a.artifact_id = ?2 ORDER BY h.id DESC",
        params![project, artifact_id],
        |row| {
            Ok(Past {
                id: row.get(0)?,
                version: row.get(1)?,
                at: Timestamp(row.get(2)?),
                event: row.get(3)?,
                caller: row.get(4)?,
                client: row.get(5)?,
                status: row.get(6)?,
                sha256: row.get(7)?,
                has_content: row.get(8)?,
            })
        },
    )
}

/// What a document said until an entry.
pub fn content_of(tx: &ReadTx<'_>, id: i64) -> Result<Option<String>> {
    let content = tx.row("SELECT content FROM artifact_history WHERE id = ?1", [id], |row| row.get(0))?;
    Ok(content.flatten())
}
