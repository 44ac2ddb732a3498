//! Days off: what somebody has of each kind in a year. In hundredths of days.

use rusqlite::params;

use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::tool::table::Entry;

/// A row of `time_off`.
#[derive(Clone, Debug)]
pub struct Balance {
    pub type_code: String,
    pub entitlement: i64,
    pub used: i64,
    pub pending: i64,
    pub carryover: i64,
}

pub fn of(tx: &ReadTx<'_>, employee: i64, year: i64) -> Result<Vec<Balance>> {
    tx.rows(
        "SELECT type_code, entitlement, used, pending, carryover FROM time_off WHERE employee = ?1 AND year = ?2",
        [employee, year],
        |row| {
            Ok(Balance {
                type_code: row.get(0)?,
                entitlement: row.get(1)?,
                used: row.get(2)?,
                pending: row.get(3)?,
                carryover: row.get(4)?,
            })
        },
    )
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, employee: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO time_off (employee, year, type_code, entitlement, used, pending, carryover)
         VALUES (?1, ?2, ?3, ?4, coalesce(?5, 0), coalesce(?6, 0), coalesce(?7, 0))
         ON CONFLICT (employee, year, type_code) DO UPDATE SET
             entitlement = coalesce(excluded.entitlement, entitlement), used = coalesce(?5, used),
             pending = coalesce(?6, pending), carryover = coalesce(?7, carryover)",
        params![
            employee,
            e["year"],
            e["type_code"],
            e["entitlement"],
            e["used"],
            e["pending"],
            e["carryover"]
        ],
    )?;
    Ok(())
}

/// By employee; the key counts the rows, because they have no number of their own.
pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT * FROM (SELECT row_number() OVER (ORDER BY t.employee, t.year, t.type_code) AS place, e.number,
                               t.year, t.type_code, t.entitlement, t.used, t.pending, t.carryover
                        FROM time_off t JOIN employees e ON e.seq = t.employee)
         WHERE place > ?1 ORDER BY place LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=7).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM time_off", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM time_off", []).map(drop)
}
