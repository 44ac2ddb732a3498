//! Budgets of departments. Every statement names the department, or all of them.

use rusqlite::{Row, params};

use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::money::Cents;
use crate::tool::table::Entry;

/// A row of `budgets`, with the department's name.
#[derive(Clone, Debug)]
pub struct Budget {
    pub seq: i64,
    pub budget_id: String,
    pub department: String,
    pub fiscal_year: i64,
    pub status: String,
    pub allocated: [Cents; 4],
    pub spent: [Cents; 4],
    pub submitted_by: Option<String>,
    pub submitted_at: Option<Timestamp>,
    pub approved_by: Option<String>,
    pub approved_at: Option<Timestamp>,
    pub notes: Option<String>,
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT b.seq, b.budget_id, d.name, b.fiscal_year, b.status, b.q1_allocated, b.q2_allocated,
                    b.q3_allocated, b.q4_allocated, b.q1_spent, b.q2_spent, b.q3_spent, b.q4_spent, b.submitted_by,
                    b.submitted_at, b.approved_by, b.approved_at, b.notes
             FROM budgets b JOIN departments d ON d.code = b.department ",
            $rest
        )
    };
}

pub fn find(tx: &ReadTx<'_>, department: &str, year: i64) -> Result<Option<Budget>> {
    tx.row(columns!("WHERE b.department = ?1 AND b.fiscal_year = ?2"), params![department, year], read)
}

/// What a listing shows; without a department, those of all.
#[derive(Debug)]
pub struct Filter<'a> {
    pub department: Option<&'a str>,
    pub year: i64,
    pub status: Option<&'a str>,
}

/// By department, after the one given.
pub fn page(tx: &ReadTx<'_>, filter: &Filter<'_>, after: &str, limit: i64) -> Result<Vec<Budget>> {
    tx.rows(
        columns!(
            "WHERE b.fiscal_year = ?1 AND b.department > ?4 AND (?2 IS NULL OR b.department = ?2)
               AND (?3 IS NULL OR b.status = ?3)
             ORDER BY b.department LIMIT ?5"
        ),
        params![filter.year, filter.department, filter.status, after, limit],
        read,
    )
}

/// The place of a row in the order of the list.
pub fn place(tx: &ReadTx<'_>, seq: i64) -> Result<Option<String>> {
    tx.row("SELECT department FROM budgets WHERE seq = ?1", [seq], |row| row.get(0))
}

/// What all rows of a listing come to, by quarter: allocated, then spent.
pub fn totals(tx: &ReadTx<'_>, filter: &Filter<'_>) -> Result<([Cents; 4], [Cents; 4])> {
    let sums = tx.row(
        "SELECT total(q1_allocated), total(q2_allocated), total(q3_allocated), total(q4_allocated),
                total(q1_spent), total(q2_spent), total(q3_spent), total(q4_spent)
         FROM budgets WHERE fiscal_year = ?1 AND (?2 IS NULL OR department = ?2) AND (?3 IS NULL OR status = ?3)",
        params![filter.year, filter.department, filter.status],
        |row| {
            let sum = |column| row.get::<_, f64>(column).map(|sum| Cents(sum as i64));
            Ok(([sum(0)?, sum(1)?, sum(2)?, sum(3)?], [sum(4)?, sum(5)?, sum(6)?, sum(7)?]))
        },
    )?;
    Ok(sums.unwrap_or_default())
}

pub fn fingerprint(tx: &ReadTx<'_>, seq: i64) -> Result<String> {
    tx.fingerprint("SELECT * FROM budgets WHERE seq = ?1", [seq])
}

/// What is approved, and by whom.
#[derive(Debug)]
pub struct Approval<'a> {
    pub allocated: [Cents; 4],
    pub by: &'a str,
    pub at: Timestamp,
    pub notes: Option<&'a str>,
}

pub fn approve(tx: &WriteTx<'_>, seq: i64, approval: &Approval<'_>) -> Result<()> {
    let [q1, q2, q3, q4] = approval.allocated;
    tx.execute(
        "UPDATE budgets SET status = 'approved', q1_allocated = ?2, q2_allocated = ?3, q3_allocated = ?4,
                q4_allocated = ?5, approved_by = ?6, approved_at = ?7, notes = coalesce(?8, notes)
         WHERE seq = ?1",
        params![seq, q1.0, q2.0, q3.0, q4.0, approval.by, approval.at.0, approval.notes],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Budget> {
    let cents = |column| row.get(column).map(Cents);
    Ok(Budget {
        seq: row.get(0)?,
        budget_id: row.get(1)?,
        department: row.get(2)?,
        fiscal_year: row.get(3)?,
        status: row.get(4)?,
        allocated: [cents(5)?, cents(6)?, cents(7)?, cents(8)?],
        spent: [cents(9)?, cents(10)?, cents(11)?, cents(12)?],
        submitted_by: row.get(13)?,
        submitted_at: row.get::<_, Option<i64>>(14)?.map(Timestamp),
        approved_by: row.get(15)?,
        approved_at: row.get::<_, Option<i64>>(16)?.map(Timestamp),
        notes: row.get(17)?,
    })
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, department: &str) -> Result<()> {
    tx.execute(
        "INSERT INTO budgets (budget_id, department, fiscal_year, status, q1_allocated, q2_allocated, q3_allocated,
                              q4_allocated, q1_spent, q2_spent, q3_spent, q4_spent, submitted_by, submitted_at,
                              approved_by, approved_at, notes)
         VALUES (?1, ?2, ?3, ?4, coalesce(?5, 0), coalesce(?6, 0), coalesce(?7, 0), coalesce(?8, 0),
                 coalesce(?9, 0), coalesce(?10, 0), coalesce(?11, 0), coalesce(?12, 0), ?13, ?14, ?15, ?16, ?17)
         ON CONFLICT (department, fiscal_year) DO UPDATE SET
             budget_id = coalesce(excluded.budget_id, budget_id), status = coalesce(excluded.status, status),
             q1_allocated = coalesce(?5, q1_allocated), q2_allocated = coalesce(?6, q2_allocated),
             q3_allocated = coalesce(?7, q3_allocated), q4_allocated = coalesce(?8, q4_allocated),
             q1_spent = coalesce(?9, q1_spent), q2_spent = coalesce(?10, q2_spent),
             q3_spent = coalesce(?11, q3_spent), q4_spent = coalesce(?12, q4_spent),
             submitted_by = coalesce(excluded.submitted_by, submitted_by),
             submitted_at = coalesce(excluded.submitted_at, submitted_at),
             approved_by = coalesce(excluded.approved_by, approved_by),
             approved_at = coalesce(excluded.approved_at, approved_at),
             notes = coalesce(excluded.notes, notes)",
        params![
            e["budget_id"],
            department,
            e["fiscal_year"],
            e["status"],
            e["q1_allocated"],
            e["q2_allocated"],
            e["q3_allocated"],
            e["q4_allocated"],
            e["q1_spent"],
            e["q2_spent"],
            e["q3_spent"],
            e["q4_spent"],
            e["submitted_by"],
            e["submitted_at"],
            e["approved_by"],
            e["approved_at"],
            e["notes"]
        ],
    )?;
    Ok(())
}

pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT seq, budget_id, department, fiscal_year, status, submitted_by, submitted_at, approved_by, approved_at,
                notes, q1_allocated, q2_allocated, q3_allocated, q4_allocated, q1_spent, q2_spent, q3_spent, q4_spent
         FROM budgets WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=17).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM budgets", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM budgets", []).map(drop)
}
