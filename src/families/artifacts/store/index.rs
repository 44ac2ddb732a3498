//! The index: a row for each version of each document.

use rusqlite::{Row, params};

use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// A row of `artifacts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    pub seq: i64,
    pub project_id: String,
    pub artifact_id: String,
    /// The name of its type.
    pub kind: String,
    pub version: i64,
    pub title: String,
    pub status: String,
    pub base: String,
    pub path: String,
    pub sha256: String,
    pub size_bytes: i64,
    pub modified_ns: i64,
    pub approval: Option<Approval>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Which bytes were approved, when, by whom, and through what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    pub sha256: String,
    pub at: Timestamp,
    pub by: String,
    pub through: String,
}

/// A version as it is put into the index.
#[derive(Clone, Debug)]
pub struct New {
    pub artifact_id: String,
    pub kind: String,
    pub version: i64,
    pub title: String,
    pub status: String,
    pub base: String,
    pub path: String,
    pub sha256: String,
    pub size_bytes: i64,
    pub modified_ns: i64,
    /// The nearest first.
    pub parents: Vec<String>,
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT a.seq, a.project_id, a.artifact_id, a.kind, a.version, a.title, a.status, a.base, a.path,
                    a.sha256, a.size_bytes, a.modified_ns, a.approved_sha256, a.approved_at, a.approved_by,
                    a.approved_through, a.created_at, a.updated_at ",
            $rest
        )
    };
}
pub(super) use columns;

/// A version of a document; without a number, the latest.
pub fn find(
    tx: &ReadTx<'_>,
    project: &str,
    artifact_id: &str,
    version: Option<i64>,
) -> Result<Option<Artifact>> {
    match version {
        Some(version) => tx.row(
            columns!("FROM artifacts a WHERE a.project_id = ?1 AND a.artifact_id = ?2 AND a.version = ?3"),
            params![project, artifact_id, version],
            read,
        ),
        None => tx.row(
            columns!(
                "FROM artifacts a WHERE a.project_id = ?1 AND a.artifact_id = ?2 ORDER BY a.version DESC LIMIT 1"
            ),
            params![project, artifact_id],
            read,
        ),
    }
}

/// A version by its row.
pub fn by_seq(tx: &ReadTx<'_>, seq: i64) -> Result<Option<Artifact>> {
    tx.row(columns!("FROM artifacts a WHERE a.seq = ?1"), [seq], read)
}

/// Every version of a document, the latest first.
pub fn versions(tx: &ReadTx<'_>, project: &str, artifact_id: &str) -> Result<Vec<Artifact>> {
    tx.rows(
        columns!("FROM artifacts a WHERE a.project_id = ?1 AND a.artifact_id = ?2 ORDER BY a.version DESC"),
        params![project, artifact_id],
        read,
    )
}

pub fn is_known(tx: &ReadTx<'_>, project: &str, artifact_id: &str) -> Result<bool> {
    let known = tx.row(
        "SELECT 1 FROM artifacts WHERE project_id = ?1 AND artifact_id = ?2",
        params![project, artifact_id],
        |_| Ok(()),
    )?;
    Ok(known.is_some())
}

/// Whether any document of a type is kept.
pub fn keeps(tx: &ReadTx<'_>, project: &str, kind: &str) -> Result<bool> {
    let kept = tx.row(
        "SELECT 1 FROM artifacts WHERE project_id = ?1 AND kind = ?2 AND is_latest = 1 LIMIT 1",
        params![project, kind],
        |_| Ok(()),
    )?;
    Ok(kept.is_some())
}

/// The document that lies in a file.
pub fn file_of(tx: &ReadTx<'_>, base: &str, path: &str) -> Result<Option<Artifact>> {
    tx.row(columns!("FROM artifacts a WHERE a.base = ?1 AND a.path = ?2"), params![base, path], read)
}

/// The latest research documents, the newest first.
pub fn research(tx: &ReadTx<'_>, project: &str) -> Result<Vec<Artifact>> {
    tx.rows(
        columns!(
            "FROM artifacts a WHERE a.project_id = ?1 AND a.kind = 'research' AND a.is_latest = 1
             ORDER BY a.seq DESC LIMIT 100"
        ),
        [project],
        read,
    )
}

/// Ids that begin with a text, for whoever is typing one.
pub fn ids_beginning(tx: &ReadTx<'_>, project: &str, typed: &str, limit: i64) -> Result<Vec<String>> {
    tx.rows(
        "SELECT DISTINCT artifact_id FROM artifacts
         WHERE project_id = ?1 AND artifact_id >= ?2 AND artifact_id < ?2 || char(1114111)
         ORDER BY artifact_id LIMIT ?3",
        params![project, typed, limit],
        |row| row.get(0),
    )
}

/// Every version of every document, in the order they came into the index.
pub fn every(tx: &ReadTx<'_>, project: &str, after: i64, limit: i64) -> Result<Vec<Artifact>> {
    tx.rows(
        columns!("FROM artifacts a WHERE a.project_id = ?1 AND a.seq > ?2 ORDER BY a.seq LIMIT ?3"),
        params![project, after, limit],
        read,
    )
}

pub fn parents(tx: &ReadTx<'_>, seq: i64) -> Result<Vec<String>> {
    tx.rows(
        "SELECT parent_id FROM artifact_parents WHERE artifact_seq = ?1 ORDER BY position",
        [seq],
        |row| row.get(0),
    )
}

/// Puts a version into the index and returns its row: a new one, or that which is known of this very
/// version, as the same transaction has found it.
pub fn put(tx: &WriteTx<'_>, project: &str, new: &New, known: Option<i64>, now: Timestamp) -> Result<i64> {
    let change = next_change(tx)?;
    let values = params![
        project,
        new.artifact_id,
        new.kind,
        new.version,
        new.title,
        new.status,
        new.base,
        new.path,
        new.sha256,
        new.size_bytes,
        new.modified_ns,
        now.0,
        change
    ];
    let seq = match known {
        Some(seq) => {
            tx.execute(
                "UPDATE artifacts SET kind = ?3, title = ?5, status = ?6, base = ?7, path = ?8, sha256 = ?9,
                     size_bytes = ?10, modified_ns = ?11, updated_at = ?12, change = ?13
                 WHERE project_id = ?1 AND artifact_id = ?2 AND version = ?4",
                values,
            )?;
            tx.execute("DELETE FROM artifact_parents WHERE artifact_seq = ?1", [seq])?;
            seq
        }
        None => {
            tx.execute(
                "UPDATE artifacts SET is_latest = 0
                 WHERE project_id = ?1 AND artifact_id = ?2 AND version < ?3 AND is_latest = 1",
                params![project, new.artifact_id, new.version],
            )?;
            tx.execute(
                "INSERT INTO artifacts (project_id, artifact_id, kind, version, is_latest, title, status, base,
                     path, sha256, size_bytes, modified_ns, created_at, updated_at, change, created_change)
                 VALUES (?1, ?2, ?3, ?4, NOT EXISTS (
                         SELECT 1 FROM artifacts WHERE project_id = ?1 AND artifact_id = ?2 AND version > ?4),
                     ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13, ?13)",
                values,
            )?;
            tx.last_insert_rowid()
        }
    };
    for (position, parent) in (0_i64..).zip(&new.parents) {
        tx.execute(
            "INSERT INTO artifact_parents (artifact_seq, position, project_id, parent_id) VALUES (?1, ?2, ?3, ?4)",
            params![seq, position, project, parent],
        )?;
    }
    Ok(seq)
}

/// Binds an approval to the bytes of a version.
pub fn approve(tx: &WriteTx<'_>, seq: i64, approval: &Approval) -> Result<()> {
    tx.execute(
        "UPDATE artifacts SET approved_sha256 = ?2, approved_at = ?3, approved_by = ?4, approved_through = ?5
         WHERE seq = ?1",
        params![seq, approval.sha256, approval.at.0, approval.by, approval.through],
    )?;
    Ok(())
}

/// Binds an approval to the bytes that a version has by now.
pub fn adopt(tx: &WriteTx<'_>, seq: i64, approval: &Approval) -> Result<()> {
    approve(tx, seq, approval)?;
    tx.execute(
        "UPDATE artifacts SET sha256 = ?2, modified_ns = 0, updated_at = ?3, change = ?4 WHERE seq = ?1",
        params![seq, approval.sha256, approval.at.0, next_change(tx)?],
    )?;
    Ok(())
}

fn next_change(tx: &ReadTx<'_>) -> Result<i64> {
    let last = tx.row("SELECT max(change) FROM artifacts", [], |row| row.get::<_, Option<i64>>(0))?;
    Ok(last.flatten().unwrap_or(0) + 1)
}

/// The newest change of any project.
pub fn last_change(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(next_change(tx)? - 1)
}

/// What has changed in a project after a change: the row, its change, and whether it is new.
pub fn change_after(tx: &ReadTx<'_>, project: &str, change: i64) -> Result<Vec<(i64, bool, Artifact)>> {
    tx.rows(
        columns!(
            ", a.change, a.created_change > ?2 FROM artifacts a
             WHERE a.change > ?2 AND a.project_id = ?1 ORDER BY a.change"
        ),
        params![project, change],
        |row| Ok((row.get(18)?, row.get(19)?, read(row)?)),
    )
}

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Artifact> {
    let approval = match row.get::<_, Option<String>>(12)? {
        Some(sha256) => {
            Some(Approval { sha256, at: Timestamp(row.get(13)?), by: row.get(14)?, through: row.get(15)? })
        }
        None => None,
    };
    Ok(Artifact {
        seq: row.get(0)?,
        project_id: row.get(1)?,
        artifact_id: row.get(2)?,
        kind: row.get(3)?,
        version: row.get(4)?,
        title: row.get(5)?,
        status: row.get(6)?,
        base: row.get(7)?,
        path: row.get(8)?,
        sha256: row.get(9)?,
        size_bytes: row.get(10)?,
        modified_ns: row.get(11)?,
        approval,
        created_at: Timestamp(row.get(16)?),
        updated_at: Timestamp(row.get(17)?),
    })
}
