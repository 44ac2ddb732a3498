//! Expense reports with their items. Who may see one is part of the statement that finds it.

use rusqlite::{Row, params};

use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::money::Cents;
use crate::tool::table::Entry;

/// A row of `expense_reports`, with the department's name.
#[derive(Clone, Debug)]
pub struct Report {
    pub seq: i64,
    pub report_id: String,
    pub number: String,
    pub employee_id: String,
    pub department: String,
    pub title: String,
    pub month: String,
    pub status: String,
    pub submitted_at: Option<Timestamp>,
    pub approved_by: Option<String>,
    pub approved_at: Option<Timestamp>,
    pub notes: Option<String>,
}

/// A row of `expense_items`.
#[derive(Clone, Debug)]
pub struct Item {
    pub expense_date: String,
    pub category: String,
    pub description: String,
    pub vendor: Option<String>,
    pub amount: Cents,
}

/// Whose reports are seen.
#[derive(Debug)]
pub struct Sight<'a> {
    pub all: bool,
    /// One's own.
    pub employee_id: Option<&'a str>,
    /// Those of the department one manages.
    pub department: Option<&'a str>,
}

pub fn find(tx: &ReadTx<'_>, sight: &Sight<'_>, employee_id: &str, month: &str) -> Result<Option<Report>> {
    tx.row(
        "SELECT r.seq, r.report_id, r.number, r.employee_id, d.name, r.title, r.month, r.status, r.submitted_at,
                r.approved_by, r.approved_at, r.notes
         FROM expense_reports r JOIN departments d ON d.code = r.department
         WHERE r.employee_id = ?1 AND r.month = ?2 AND (?3 OR r.employee_id = ?4 OR r.department = ?5)",
        params![employee_id, month, sight.all, sight.employee_id, sight.department],
        read,
    )
}

pub fn items(tx: &ReadTx<'_>, report: i64, limit: i64) -> Result<Vec<Item>> {
    tx.rows(
        "SELECT expense_date, category, description, vendor, amount FROM expense_items WHERE report = ?1
         ORDER BY expense_date, seq LIMIT ?2",
        [report, limit],
        |row| {
            Ok(Item {
                expense_date: row.get(0)?,
                category: row.get(1)?,
                description: row.get(2)?,
                vendor: row.get(3)?,
                amount: Cents(row.get(4)?),
            })
        },
    )
}

pub fn total(tx: &ReadTx<'_>, report: i64) -> Result<(i64, Cents)> {
    let sums =
        tx.row("SELECT count(*), total(amount) FROM expense_items WHERE report = ?1", [report], |row| {
            Ok((row.get(0)?, Cents(row.get::<_, f64>(1)? as i64)))
        })?;
    Ok(sums.unwrap_or_default())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Report> {
    Ok(Report {
        seq: row.get(0)?,
        report_id: row.get(1)?,
        number: row.get(2)?,
        employee_id: row.get(3)?,
        department: row.get(4)?,
        title: row.get(5)?,
        month: row.get(6)?,
        status: row.get(7)?,
        submitted_at: row.get::<_, Option<i64>>(8)?.map(Timestamp),
        approved_by: row.get(9)?,
        approved_at: row.get::<_, Option<i64>>(10)?.map(Timestamp),
        notes: row.get(11)?,
    })
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, employee_id: &str, department: &str) -> Result<()> {
    tx.execute(
        "INSERT INTO expense_reports (report_id, number, employee_id, department, title, month, status, submitted_at,
                                      approved_by, approved_at, notes)
         VALUES (?1, upper(?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (report_id) DO UPDATE SET
             number = coalesce(excluded.number, number),
             employee_id = coalesce(excluded.employee_id, employee_id),
             department = coalesce(excluded.department, department), title = coalesce(excluded.title, title),
             month = coalesce(excluded.month, month), status = coalesce(excluded.status, status),
             submitted_at = coalesce(excluded.submitted_at, submitted_at),
             approved_by = coalesce(excluded.approved_by, approved_by),
             approved_at = coalesce(excluded.approved_at, approved_at),
             notes = coalesce(excluded.notes, notes)",
        params![
            e["report_id"],
            e["number"],
            employee_id,
            department,
            e["title"],
            e["month"],
            e["status"],
            e["submitted_at"],
            e["approved_by"],
            e["approved_at"],
            e["notes"]
        ],
    )?;
    Ok(())
}

pub fn seq_of(tx: &ReadTx<'_>, reference: &str) -> Result<Option<i64>> {
    tx.row(
        "SELECT seq FROM expense_reports WHERE number = upper(?1) OR report_id = lower(?1)",
        [reference],
        |row| row.get(0),
    )
}

/// An item is known by its line; one without a line is another one, at the end.
pub fn put_item(tx: &WriteTx<'_>, e: &Entry, report: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO expense_items (report, line, expense_date, category, description, vendor, amount)
         VALUES (?1, coalesce(?2, (SELECT coalesce(max(line), 0) + 1 FROM expense_items WHERE report = ?1)),
                 ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (report, line) DO UPDATE SET
             expense_date = excluded.expense_date, category = excluded.category,
             description = excluded.description, vendor = coalesce(excluded.vendor, vendor),
             amount = excluded.amount",
        params![
            report,
            e["line"],
            e["expense_date"],
            e["category"],
            e["description"],
            e["vendor"],
            e["amount"]
        ],
    )?;
    Ok(())
}

pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT seq, report_id, number, employee_id, department, title, month, status, submitted_at, approved_by,
                approved_at, notes
         FROM expense_reports WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=11).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn item_rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT i.seq, r.number, i.expense_date, i.category, i.description, i.vendor, i.amount, i.line
         FROM expense_items i JOIN expense_reports r ON r.seq = i.report
         WHERE i.seq > ?1 ORDER BY i.seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=7).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM expense_reports", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM expense_reports", []).map(drop)
}

pub fn count_items(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM expense_items", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear_items(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM expense_items", []).map(drop)
}
