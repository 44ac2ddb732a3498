//! Invoices, the newest first. Every statement names the department, or all of them.

use rusqlite::{Row, params};

use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::families::finance::rows::Rows;
use crate::money::Cents;
use crate::tool::table::Entry;

/// A row of `invoices`, with the department's name.
#[derive(Clone, Debug)]
pub struct Invoice {
    pub seq: i64,
    pub invoice_id: String,
    pub number: String,
    pub vendor_name: String,
    pub vendor_id: Option<String>,
    pub amount: Cents,
    pub currency: String,
    pub description: Option<String>,
    pub department: String,
    pub status: String,
    pub invoice_date: String,
    pub due_date: String,
    pub paid_date: Option<String>,
    pub submitted_by: Option<String>,
    pub submitted_at: Option<Timestamp>,
    pub approved_by: Option<String>,
    pub approved_at: Option<Timestamp>,
}

/// What a listing shows and where it goes on.
#[derive(Debug)]
pub struct Filter<'a> {
    pub department: Option<&'a str>,
    /// The stored status, and the dates between which an invoice of it is due.
    pub status: Option<&'a str>,
    pub due_from: &'a str,
    pub due_before: &'a str,
    pub below: i64,
    pub limit: i64,
}

macro_rules! columns {
    ($from:literal, $rest:literal) => {
        concat!(
            "SELECT i.seq, i.invoice_id, i.number, i.vendor_name, i.vendor_id, i.amount, i.currency, i.description,
                    d.name, i.status, i.invoice_date, i.due_date, i.paid_date, i.submitted_by, i.submitted_at,
                    i.approved_by, i.approved_at
             FROM ",
            $from,
            " CROSS JOIN departments d ON d.code = i.department ",
            $rest
        )
    };
}

pub fn page(tx: &ReadTx<'_>, filter: &Filter<'_>) -> Result<Vec<Invoice>> {
    let Filter { department, status, due_from, due_before, below, limit } = *filter;
    match (department, status) {
        (None, None) => tx.rows(
            // Otherwise SQLite takes the narrow index first, and a row is looked for twice.
            columns!(
                "invoices i NOT INDEXED",
                "WHERE i.seq < ?1 AND i.deleted_at IS NULL ORDER BY i.seq DESC LIMIT ?2"
            ),
            params![below, limit],
            read,
        ),
        (Some(department), None) => tx.rows(
            columns!(
                "invoices i INDEXED BY invoices_by_department",
                "WHERE i.department = ?3 AND i.seq < ?1 AND i.deleted_at IS NULL ORDER BY i.seq DESC LIMIT ?2"
            ),
            params![below, limit, department],
            read,
        ),
        (None, Some(status)) => tx.rows(
            columns!(
                "invoices i INDEXED BY invoices_by_status",
                "WHERE i.status = ?3 AND i.seq < ?1 AND i.due_date >= ?4 AND i.due_date < ?5
                   AND i.deleted_at IS NULL
                 ORDER BY i.seq DESC LIMIT ?2"
            ),
            params![below, limit, status, due_from, due_before],
            read,
        ),
        (Some(department), Some(status)) => tx.rows(
            columns!(
                "invoices i INDEXED BY invoices_by_department_and_status",
                "WHERE i.department = ?6 AND i.status = ?3 AND i.seq < ?1 AND i.due_date >= ?4
                   AND i.due_date < ?5 AND i.deleted_at IS NULL
                 ORDER BY i.seq DESC LIMIT ?2"
            ),
            params![below, limit, status, due_from, due_before, department],
            read,
        ),
    }
}

/// Those whose vendor's name contains a text of three characters or more: the matches first, then what
/// is known of each from a narrow index, and only of those shown the rows.
pub fn of_vendor(tx: &ReadTx<'_>, phrase: &str, filter: &Filter<'_>) -> Result<Vec<Invoice>> {
    tx.rows(
        columns!(
            "(SELECT n.seq
              FROM invoices_vendors CROSS JOIN invoices n INDEXED BY invoices_narrow ON n.seq = invoices_vendors.rowid
              WHERE invoices_vendors MATCH ?1 AND invoices_vendors.rowid < ?2 AND n.deleted_at IS NULL
                AND (?4 IS NULL OR n.department = ?4) AND (?5 IS NULL OR n.status = ?5)
                AND n.due_date >= ?6 AND n.due_date < ?7
              ORDER BY invoices_vendors.rowid DESC LIMIT ?3) AS found
             CROSS JOIN invoices i ON i.seq = found.seq",
            "ORDER BY i.seq DESC"
        ),
        params![
            phrase,
            filter.below,
            filter.limit,
            filter.department,
            filter.status,
            filter.due_from,
            filter.due_before
        ],
        read,
    )
}

/// The same for one or two characters, which the index does not know; almost every page has matches.
pub fn of_vendor_like(tx: &ReadTx<'_>, pattern: &str, filter: &Filter<'_>) -> Result<Vec<Invoice>> {
    tx.rows(
        columns!(
            "invoices i NOT INDEXED",
            "WHERE i.vendor_name LIKE ?1 ESCAPE '\\' AND i.seq < ?2 AND i.deleted_at IS NULL
               AND (?4 IS NULL OR i.department = ?4) AND (?5 IS NULL OR i.status = ?5)
               AND i.due_date >= ?6 AND i.due_date < ?7
             ORDER BY i.seq DESC LIMIT ?3"
        ),
        params![
            pattern,
            filter.below,
            filter.limit,
            filter.department,
            filter.status,
            filter.due_from,
            filter.due_before
        ],
        read,
    )
}

/// By UUID or number, among the rows of a caller.
pub fn find(tx: &ReadTx<'_>, rows: &Rows, reference: &str) -> Result<Option<Invoice>> {
    tx.row(
        columns!(
            "invoices i",
            "WHERE (i.invoice_id = lower(?1) OR i.number = upper(?1)) AND i.deleted_at IS NULL
               AND (?2 IS NULL OR i.department = ?2)"
        ),
        params![reference, rows.department()],
        read,
    )
}

pub fn is_there(tx: &ReadTx<'_>, seq: i64) -> Result<bool> {
    Ok(tx.row("SELECT 1 FROM invoices WHERE seq = ?1", [seq], |_| Ok(()))?.is_some())
}

pub fn fingerprint(tx: &ReadTx<'_>, seq: i64) -> Result<String> {
    tx.fingerprint("SELECT * FROM invoices WHERE seq = ?1", [seq])
}

/// Takes an invoice out of sight.
pub fn delete(tx: &WriteTx<'_>, seq: i64, by: &str, reason: Option<&str>, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE invoices SET deleted_at = ?2, deleted_by = ?3, delete_reason = ?4 WHERE seq = ?1",
        params![seq, now.0, by, reason],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Invoice> {
    Ok(Invoice {
        seq: row.get(0)?,
        invoice_id: row.get(1)?,
        number: row.get(2)?,
        vendor_name: row.get(3)?,
        vendor_id: row.get(4)?,
        amount: Cents(row.get(5)?),
        currency: row.get(6)?,
        description: row.get(7)?,
        department: row.get(8)?,
        status: row.get(9)?,
        invoice_date: row.get(10)?,
        due_date: row.get(11)?,
        paid_date: row.get(12)?,
        submitted_by: row.get(13)?,
        submitted_at: row.get::<_, Option<i64>>(14)?.map(Timestamp),
        approved_by: row.get(15)?,
        approved_at: row.get::<_, Option<i64>>(16)?.map(Timestamp),
    })
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, department: &str) -> Result<()> {
    tx.execute(
        "INSERT INTO invoices (invoice_id, number, vendor_name, vendor_id, amount, currency, description, department,
                               status, invoice_date, due_date, paid_date, submitted_by, submitted_at, approved_by,
                               approved_at)
         VALUES (?1, upper(?2), ?3, ?4, ?5, coalesce(?6, 'USD'), ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
         ON CONFLICT (invoice_id) DO UPDATE SET
             number = coalesce(excluded.number, number),
             vendor_name = coalesce(excluded.vendor_name, vendor_name),
             vendor_id = coalesce(excluded.vendor_id, vendor_id), amount = coalesce(excluded.amount, amount),
             currency = coalesce(?6, currency), description = coalesce(excluded.description, description),
             department = coalesce(excluded.department, department),
             status = coalesce(excluded.status, status),
             invoice_date = coalesce(excluded.invoice_date, invoice_date),
             due_date = coalesce(excluded.due_date, due_date),
             paid_date = coalesce(excluded.paid_date, paid_date),
             submitted_by = coalesce(excluded.submitted_by, submitted_by),
             submitted_at = coalesce(excluded.submitted_at, submitted_at),
             approved_by = coalesce(excluded.approved_by, approved_by),
             approved_at = coalesce(excluded.approved_at, approved_at), deleted_at = NULL, deleted_by = NULL,
             delete_reason = NULL",
        params![
            e["invoice_id"],
            e["number"],
            e["vendor_name"],
            e["vendor_id"],
            e["amount"],
            e["currency"],
            e["description"],
            department,
            e["status"],
            e["invoice_date"],
            e["due_date"],
            e["paid_date"],
            e["submitted_by"],
            e["submitted_at"],
            e["approved_by"],
            e["approved_at"]
        ],
    )?;
    Ok(())
}

/// Those in sight, as a file holds them.
pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT seq, invoice_id, number, vendor_name, vendor_id, amount, currency, description, department, status,
                invoice_date, due_date, submitted_by, submitted_at, approved_by, approved_at, paid_date
         FROM invoices WHERE seq > ?1 AND deleted_at IS NULL ORDER BY seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=16).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM invoices WHERE deleted_at IS NULL", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM invoices", []).map(drop)
}
