//! All SQL of ids. The sequences are `db::sequences`.

use rusqlite::{Row, params};

use super::model::NamedType;
use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// A row of `id_reservations`.
#[derive(Clone, Debug)]
pub struct Reservation {
    pub seq: i64,
    pub reservation_id: String,
    pub project_id: String,
    pub prefix: String,
    pub first_number: i64,
    pub count: i64,
    pub state: String,
    pub reserved_at: Timestamp,
    pub expires_at: Timestamp,
}

pub fn added_types(tx: &ReadTx<'_>, project: &str) -> Result<Vec<NamedType>> {
    tx.rows("SELECT name, prefix FROM id_types WHERE project_id = ?1 ORDER BY name", [project], |row| {
        Ok(NamedType { name: row.get(0)?, prefix: row.get(1)? })
    })
}

pub fn add_type(tx: &WriteTx<'_>, project: &str, added: &NamedType) -> Result<()> {
    tx.execute(
        "INSERT INTO id_types (project_id, prefix, name) VALUES (?1, ?2, ?3)",
        params![project, added.prefix, added.name],
    )?;
    Ok(())
}

pub fn insert(tx: &WriteTx<'_>, reservation: &Reservation) -> Result<()> {
    tx.execute(
        "INSERT INTO id_reservations
             (reservation_id, project_id, prefix, first_number, count, state, reserved_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 'active', ?6, ?7)",
        params![
            reservation.reservation_id,
            reservation.project_id,
            reservation.prefix,
            reservation.first_number,
            reservation.count,
            reservation.reserved_at.0,
            reservation.expires_at.0
        ],
    )?;
    Ok(())
}

pub fn find(tx: &ReadTx<'_>, reservation_id: &str) -> Result<Option<Reservation>> {
    tx.row(
        "SELECT seq, reservation_id, project_id, prefix, first_number, count, state, reserved_at, expires_at
         FROM id_reservations WHERE reservation_id = ?1",
        [reservation_id],
        read,
    )
}

pub fn decide(tx: &WriteTx<'_>, reservation_id: &str, state: &str, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE id_reservations SET state = ?2, decided_at = ?3 WHERE reservation_id = ?1 AND state = 'active'",
        params![reservation_id, state, now.0],
    )?;
    Ok(())
}

/// Remembers a number that was handed out by itself.
pub fn remember_given(
    tx: &WriteTx<'_>,
    project: &str,
    prefix: &str,
    number: i64,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "INSERT OR IGNORE INTO id_given (project_id, prefix, number, given_at) VALUES (?1, ?2, ?3, ?4)",
        params![project, prefix, number, now.0],
    )?;
    Ok(())
}

/// Whether a number was handed out, by itself or in a range, whatever became of the range.
pub fn was_given(tx: &ReadTx<'_>, project: &str, prefix: &str, number: i64) -> Result<bool> {
    let given = tx.row(
        "SELECT 1 FROM id_given WHERE project_id = ?1 AND prefix = ?2 AND number = ?3
         UNION ALL
         SELECT 1 FROM id_reservations
         WHERE project_id = ?1 AND prefix = ?2 AND first_number <= ?3 AND first_number + count > ?3",
        params![project, prefix, number],
        |_| Ok(()),
    )?;
    Ok(given.is_some())
}

/// Which reservations a listing shows, and where it goes on.
#[derive(Debug)]
pub struct Filter<'a> {
    pub project: &'a str,
    pub prefix: Option<&'a str>,
    pub state: Option<&'a str>,
    pub below: i64,
    pub limit: i64,
    pub now: Timestamp,
}

/// `state` as it is now: a connection that cannot write cannot sweep, and must not show as active
/// what has run out.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT seq, reservation_id, project_id, prefix, first_number, count,
                    iif(state = 'active' AND expires_at <= ?4, 'expired', state), reserved_at, expires_at
             FROM id_reservations ",
            $rest
        )
    };
}

/// Newest first, below the key of the page before. Each filter has its own statement and index.
pub fn page(tx: &ReadTx<'_>, filter: &Filter<'_>) -> Result<Vec<Reservation>> {
    let Filter { project, prefix, state, below, limit, now } = *filter;
    match (prefix, state) {
        (None, None) => tx.rows(
            columns!("WHERE project_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3"),
            params![project, below, limit, now.0],
            read,
        ),
        (Some(prefix), None) => tx.rows(
            columns!("WHERE project_id = ?1 AND prefix = ?5 AND seq < ?2 ORDER BY seq DESC LIMIT ?3"),
            params![project, below, limit, now.0, prefix],
            read,
        ),
        (_, Some("expired")) => {
            // What has run out and is not swept yet is expired, too.
            let mut rows = in_state(tx, filter, "expired", false)?;
            rows.extend(in_state(tx, filter, "active", true)?);
            rows.sort_by_key(|row| std::cmp::Reverse(row.seq));
            rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(rows)
        }
        (_, Some(state)) => in_state(tx, filter, state, false),
    }
}

/// A page by the state that is stored; of the active ones, those that have run out or those that
/// have not.
fn in_state(tx: &ReadTx<'_>, filter: &Filter<'_>, stored: &str, run_out: bool) -> Result<Vec<Reservation>> {
    let Filter { project, prefix, below, limit, now, .. } = *filter;
    tx.rows(
        columns!(
            "WHERE project_id = ?1 AND state = ?5 AND (?5 <> 'active' OR (expires_at <= ?4) = ?7)
               AND (?6 IS NULL OR prefix = ?6) AND seq < ?2
             ORDER BY seq DESC LIMIT ?3"
        ),
        params![project, below, limit, now.0, stored, prefix, run_out],
        read,
    )
}

pub fn next_expiry(tx: &ReadTx<'_>) -> Result<Option<Timestamp>> {
    let next = tx.row("SELECT min(expires_at) FROM id_reservations WHERE state = 'active'", [], |row| {
        row.get::<_, Option<i64>>(0)
    })?;
    Ok(next.flatten().map(Timestamp))
}

/// Marks what has run out; it does not forget it, and its numbers stay used.
pub fn expire(tx: &WriteTx<'_>, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE id_reservations SET state = 'expired', decided_at = ?1 WHERE state = 'active' AND expires_at <= ?1",
        [now.0],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Reservation> {
    Ok(Reservation {
        seq: row.get(0)?,
        reservation_id: row.get(1)?,
        project_id: row.get(2)?,
        prefix: row.get(3)?,
        first_number: row.get(4)?,
        count: row.get(5)?,
        state: row.get(6)?,
        reserved_at: Timestamp(row.get(7)?),
        expires_at: Timestamp(row.get(8)?),
    })
}
