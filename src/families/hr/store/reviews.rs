//! Reviews, one statement for each way of seeing them. Those to come are listed by date, those of the
//! past from the newest.

use rusqlite::{Row, params};

use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::families::hr::rows::Rows;
use crate::tool::table::Entry;

/// A row of `reviews`, with the names of the two people.
#[derive(Clone, Debug)]
pub struct Review {
    pub seq: i64,
    pub review_id: String,
    pub employee_id: String,
    pub employee_name: String,
    pub reviewer_name: Option<String>,
    pub period: String,
    pub due_date: String,
    pub review_date: Option<String>,
    /// Tenths.
    pub overall_rating: Option<i64>,
    pub goals_met: Option<i64>,
    pub strengths: Option<String>,
    pub areas_for_improvement: Option<String>,
    pub comments: Option<String>,
}

/// What a listing shows and where it goes on.
#[derive(Debug)]
pub struct Filter<'a> {
    pub rows: Rows,
    /// Those not held whose date is not after this one; without it, all.
    pub due_until: Option<&'a str>,
    pub after: Option<(String, i64)>,
    pub limit: i64,
}

macro_rules! columns {
    ($from:literal, $rest:literal) => {
        concat!(
            "SELECT r.seq, r.review_id, e.employee_id, e.first_name || ' ' || e.last_name,
                    v.first_name || ' ' || v.last_name, r.period, r.due_date, r.review_date, r.overall_rating,
                    r.goals_met, r.strengths, r.areas_for_improvement, r.comments
             FROM ",
            $from,
            " CROSS JOIN employees e ON e.seq = r.employee
             LEFT JOIN employees v ON v.seq = r.reviewer ",
            $rest
        )
    };
}

pub fn page(tx: &ReadTx<'_>, filter: &Filter<'_>) -> Result<Vec<Review>> {
    let limit = filter.limit;
    match filter.due_until {
        Some(until) => {
            let (date, seq) = filter.after.clone().unwrap_or_default();
            due(tx, filter.rows, until, (&date, seq), limit)
        }
        None => {
            let (date, seq) = filter.after.clone().unwrap_or_else(|| ("9999".to_owned(), i64::MAX));
            newest(tx, filter.rows, (&date, seq), limit)
        }
    }
}

fn due(
    tx: &ReadTx<'_>,
    rows: Rows,
    until: &str,
    (date, seq): (&str, i64),
    limit: i64,
) -> Result<Vec<Review>> {
    match rows {
        Rows::All => tx.rows(
            columns!(
                "reviews r INDEXED BY reviews_open",
                "WHERE r.review_date IS NULL AND r.due_date <= ?1 AND r.due_date >= ?2
                   AND (r.due_date, r.seq) > (?2, ?3) AND e.active = 1
                 ORDER BY r.due_date, r.seq LIMIT ?4"
            ),
            params![until, date, seq, limit],
            read,
        ),
        Rows::Chain(manager) => tx.rows(
            columns!(
                "employee_chain c CROSS JOIN reviews r INDEXED BY reviews_open_by_employee ON r.employee = c.employee",
                "WHERE c.manager = ?5 AND c.active = 1 AND c.depth > 0
                   AND r.review_date IS NULL AND r.due_date <= ?1 AND (r.due_date, r.seq) > (?2, ?3)
                 ORDER BY r.due_date, r.seq LIMIT ?4"
            ),
            params![until, date, seq, limit, manager],
            read,
        ),
        Rows::Own(own) => tx.rows(
            columns!(
                "reviews r INDEXED BY reviews_open_by_employee",
                "WHERE r.employee = ?5 AND r.review_date IS NULL AND r.due_date <= ?1
                   AND (r.due_date, r.seq) > (?2, ?3)
                 ORDER BY r.due_date, r.seq LIMIT ?4"
            ),
            params![until, date, seq, limit, own],
            read,
        ),
    }
}

fn newest(tx: &ReadTx<'_>, rows: Rows, (date, seq): (&str, i64), limit: i64) -> Result<Vec<Review>> {
    match rows {
        Rows::All => tx.rows(
            columns!(
                "reviews r INDEXED BY reviews_by_date",
                "WHERE (r.due_date, r.seq) < (?1, ?2) ORDER BY r.due_date DESC, r.seq DESC LIMIT ?3"
            ),
            params![date, seq, limit],
            read,
        ),
        Rows::Chain(manager) => tx.rows(
            columns!(
                "employee_chain c CROSS JOIN reviews r INDEXED BY reviews_by_employee ON r.employee = c.employee",
                "WHERE c.manager = ?4 AND c.active = 1 AND c.depth > 0 AND (r.due_date, r.seq) < (?1, ?2)
                 ORDER BY r.due_date DESC, r.seq DESC LIMIT ?3"
            ),
            params![date, seq, limit, manager],
            read,
        ),
        Rows::Own(own) => tx.rows(
            columns!(
                "reviews r INDEXED BY reviews_by_employee",
                "WHERE r.employee = ?4 AND (r.due_date, r.seq) < (?1, ?2)
                 ORDER BY r.due_date DESC, r.seq DESC LIMIT ?3"
            ),
            params![date, seq, limit, own],
            read,
        ),
    }
}

/// The place of a row in the order of a listing.
pub fn place(tx: &ReadTx<'_>, seq: i64) -> Result<Option<(String, i64)>> {
    tx.row("SELECT due_date, seq FROM reviews WHERE seq = ?1", [seq], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn read(row: &Row<'_>) -> rusqlite::Result<Review> {
    Ok(Review {
        seq: row.get(0)?,
        review_id: row.get(1)?,
        employee_id: row.get(2)?,
        employee_name: row.get(3)?,
        reviewer_name: row.get(4)?,
        period: row.get(5)?,
        due_date: row.get(6)?,
        review_date: row.get(7)?,
        overall_rating: row.get(8)?,
        goals_met: row.get(9)?,
        strengths: row.get(10)?,
        areas_for_improvement: row.get(11)?,
        comments: row.get(12)?,
    })
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, employee: i64, reviewer: Option<i64>) -> Result<()> {
    tx.execute(
        "INSERT INTO reviews (review_id, employee, reviewer, period, due_date, review_date, overall_rating,
                              goals_met, strengths, areas_for_improvement, comments)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (review_id) DO UPDATE SET
             employee = coalesce(excluded.employee, employee),
             reviewer = coalesce(excluded.reviewer, reviewer), period = coalesce(excluded.period, period),
             due_date = coalesce(excluded.due_date, due_date),
             review_date = coalesce(excluded.review_date, review_date),
             overall_rating = coalesce(excluded.overall_rating, overall_rating),
             goals_met = coalesce(excluded.goals_met, goals_met),
             strengths = coalesce(excluded.strengths, strengths),
             areas_for_improvement = coalesce(excluded.areas_for_improvement, areas_for_improvement),
             comments = coalesce(excluded.comments, comments)",
        params![
            e["review_id"],
            employee,
            reviewer,
            e["period"],
            e["due_date"],
            e["review_date"],
            e["overall_rating"],
            e["goals_met_percentage"],
            e["strengths"],
            e["areas_for_improvement"],
            e["comments"]
        ],
    )?;
    Ok(())
}

pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT r.seq, r.review_id, e.number, v.number, r.period, r.due_date, r.review_date, r.overall_rating,
                r.goals_met, r.strengths, r.areas_for_improvement, r.comments
         FROM reviews r JOIN employees e ON e.seq = r.employee LEFT JOIN employees v ON v.seq = r.reviewer
         WHERE r.seq > ?1 ORDER BY r.seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=11).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM reviews", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM reviews", []).map(drop)
}
