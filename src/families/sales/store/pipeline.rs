//! What a quarter is to bring, and what it has brought.

use rusqlite::params;

use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::money::Cents;
use crate::tool::table::Entry;

/// The deals of a stage in a quarter.
#[derive(Clone, Debug)]
pub struct StageSum {
    pub stage: String,
    pub count: i64,
    pub value: Cents,
    /// The value times the probability, summed.
    pub weighted: Cents,
}

/// Open deals count for the quarter they are expected in, closed ones for the one they were closed in.
pub fn of(tx: &ReadTx<'_>, from: &str, before: &str) -> Result<Vec<StageSum>> {
    tx.rows(
        "SELECT stage, count(*), sum(value), sum(value * probability / 100)
         FROM (SELECT stage, value, probability,
                      CASE WHEN stage IN ('CLOSED_WON', 'CLOSED_LOST')
                           THEN coalesce(actual_close_date, expected_close_date)
                           ELSE expected_close_date END AS day
               FROM deals
               WHERE customer NOT IN (SELECT seq FROM customers WHERE deleted_at IS NOT NULL))
         WHERE day >= ?1 AND day < ?2
         GROUP BY stage",
        [from, before],
        |row| {
            Ok(StageSum {
                stage: row.get(0)?,
                count: row.get(1)?,
                value: Cents(row.get(2)?),
                weighted: Cents(row.get(3)?),
            })
        },
    )
}

pub fn target(tx: &ReadTx<'_>, quarter: &str) -> Result<Option<Cents>> {
    tx.row("SELECT target FROM sales_targets WHERE quarter = ?1", [quarter], |row| row.get(0).map(Cents))
}

pub fn put(tx: &WriteTx<'_>, e: &Entry) -> Result<()> {
    tx.execute(
        "INSERT INTO sales_targets (quarter, target) VALUES (?1, ?2)
         ON CONFLICT (quarter) DO UPDATE SET
             target = excluded.target",
        params![e["quarter"], e["target"]],
    )?;
    Ok(())
}

pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT * FROM (SELECT row_number() OVER (ORDER BY quarter) AS place, quarter, target FROM sales_targets)
         WHERE place > ?1 ORDER BY place LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, vec![row.get(1)?, row.get(2)?])),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM sales_targets", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM sales_targets", []).map(drop)
}
