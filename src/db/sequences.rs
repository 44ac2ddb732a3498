//! Number sequences per project and prefix. They belong to no family: ids hands numbers out, queue
//! tasks count with the same ones, and a restored backup must not turn them back.

use rusqlite::params;

use super::tx::{ReadTx, WriteTx};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::LARGEST_NUMBER;

/// Takes the next `count` numbers and returns the first of them.
pub fn take(tx: &WriteTx<'_>, project: &str, prefix: &str, count: i64, now: Timestamp) -> Result<i64> {
    let last = last(tx, project, prefix)?;
    let new = last.unwrap_or(0) + count;
    if new > LARGEST_NUMBER {
        return Err(Error::conflict(format!("the sequence {prefix} of `{project}` is used up"))
            .reason("sequence_exhausted"));
    }
    match last {
        Some(_) => update(tx, project, prefix, new, now)?,
        None => insert(tx, project, prefix, new, now)?,
    }
    Ok(new - count + 1)
}

/// Makes sure that numbers up to `number` are never handed out. Never lowers a sequence.
pub fn raise(tx: &WriteTx<'_>, project: &str, prefix: &str, number: i64, now: Timestamp) -> Result<bool> {
    match last(tx, project, prefix)? {
        Some(last) if last >= number => Ok(false),
        Some(_) => {
            update(tx, project, prefix, number, now)?;
            Ok(true)
        }
        None => {
            insert(tx, project, prefix, number, now)?;
            Ok(true)
        }
    }
}

/// Nobody counts so far ahead; it is a date or a slip.
const FAR: i64 = 100_000;

/// Whether a number lies so far beyond a sequence that it cannot belong to it.
pub fn is_far(tx: &ReadTx<'_>, project: &str, prefix: &str, number: i64) -> Result<bool> {
    Ok(number > last(tx, project, prefix)?.unwrap_or(0) + FAR)
}

pub fn last(tx: &ReadTx<'_>, project: &str, prefix: &str) -> Result<Option<i64>> {
    tx.row(
        "SELECT last_assigned FROM sequences WHERE project_id = ?1 AND prefix = ?2",
        params![project, prefix],
        |row| row.get(0),
    )
}

/// Every sequence of a project, by prefix.
pub fn all(tx: &ReadTx<'_>, project: &str) -> Result<Vec<(String, i64)>> {
    tx.rows(
        "SELECT prefix, last_assigned FROM sequences WHERE project_id = ?1 ORDER BY prefix",
        [project],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

fn update(tx: &WriteTx<'_>, project: &str, prefix: &str, last: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE sequences SET last_assigned = ?3, updated_at = ?4 WHERE project_id = ?1 AND prefix = ?2",
        params![project, prefix, last, now.0],
    )?;
    Ok(())
}

fn insert(tx: &WriteTx<'_>, project: &str, prefix: &str, last: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO sequences (project_id, prefix, last_assigned, updated_at) VALUES (?1, ?2, ?3, ?4)",
        params![project, prefix, last, now.0],
    )?;
    Ok(())
}
