//! Tickets. A search takes the matches first, looks at what is known of them in a narrow index, and
//! reads the rows of those alone that are shown.

use std::collections::HashMap;

use rusqlite::{Row, params};

use super::Match;
use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::sensitive::Sensitive;
use crate::tool::table::Entry;

/// A row of `tickets`.
#[derive(Clone, Debug)]
pub struct Ticket {
    pub seq: i64,
    pub ticket_id: String,
    pub subject: String,
    pub description: String,
    pub status: String,
    pub priority: String,
    pub customer_id: Option<String>,
    pub customer_name: Option<String>,
    pub customer_email: Sensitive<Option<String>>,
    pub assigned_to: Option<String>,
    pub category: Option<String>,
    pub tags: String,
    pub created_by: String,
    pub resolution: Option<String>,
    pub resolution_type: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
    pub closed_at: Option<Timestamp>,
}

/// What a search shows and where it goes on.
#[derive(Debug)]
pub struct Search<'a> {
    /// In the index's language, with whose tickets are looked at.
    pub expression: &'a str,
    pub status: Option<&'a str>,
    pub priority: Option<&'a str>,
    pub customer_id: Option<&'a str>,
    pub limit: i64,
}

impl Search<'_> {
    fn is_filtered(&self) -> bool {
        self.status.is_some() || self.priority.is_some() || self.customer_id.is_some()
    }
}

/// Who opened a ticket, as a word of the index.
pub fn opener(login: &str) -> String {
    let hex: String = login.bytes().map(|byte| format!("{byte:02X}")).collect();
    format!("opener : by{hex}")
}

/// How many match, up to a number.
pub fn count(tx: &ReadTx<'_>, expression: &str, most: i64) -> Result<i64> {
    let count = tx.row(
        "SELECT count(*) FROM (SELECT 1 FROM tickets_text WHERE tickets_text MATCH ?1 LIMIT ?2)",
        params![expression, most],
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}

/// The matches from the newest on, below a row, and where the words stand in each: in this order the index
/// comes by them one after the other, and looking for a row again would begin at the first of a word's rows.
pub fn newest(tx: &ReadTx<'_>, search: &Search<'_>, below: i64) -> Result<Vec<(Match, String)>> {
    let read = |row: &Row<'_>| Ok((Match { seq: row.get(0)?, rank: None }, row.get(1)?));
    match search.is_filtered() {
        false => tx.rows(
            "SELECT rowid, snippet(tickets_text, -1, '**', '**', ' … ', 16) FROM tickets_text
             WHERE tickets_text MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3",
            params![search.expression, below, search.limit],
            read,
        ),
        true => tx.rows(
            "SELECT n.seq, snippet(tickets_text, -1, '**', '**', ' … ', 16)
             FROM tickets_text CROSS JOIN tickets n INDEXED BY tickets_narrow ON n.seq = tickets_text.rowid
             WHERE tickets_text MATCH ?1 AND tickets_text.rowid < ?2 AND (?4 IS NULL OR n.status = ?4)
               AND (?5 IS NULL OR n.priority = ?5) AND (?6 IS NULL OR n.customer_id = ?6)
             ORDER BY tickets_text.rowid DESC LIMIT ?3",
            params![
                search.expression,
                below,
                search.limit,
                search.status,
                search.priority,
                search.customer_id
            ],
            read,
        ),
    }
}

/// The matches from the best on, after one.
pub fn best(tx: &ReadTx<'_>, search: &Search<'_>, after: Option<Match>) -> Result<Vec<Match>> {
    let (rank, seq) =
        after.map_or((f64::NEG_INFINITY, i64::MAX), |after| (after.rank.unwrap_or(0.0), after.seq));
    let read = |row: &Row<'_>| Ok(Match { seq: row.get(0)?, rank: row.get(1)? });
    match search.is_filtered() {
        false => tx.rows(
            "SELECT seq, score
             FROM (SELECT rowid AS seq, bm25(tickets_text, 4.0, 1.0, 0.0) AS score
                   FROM tickets_text WHERE tickets_text MATCH ?1)
             WHERE score > ?2 OR (score = ?2 AND seq < ?3) ORDER BY score, seq DESC LIMIT ?4",
            params![search.expression, rank, seq, search.limit],
            read,
        ),
        true => tx.rows(
            "SELECT seq, score
             FROM (SELECT n.seq AS seq, bm25(tickets_text, 4.0, 1.0, 0.0) AS score
                   FROM tickets_text CROSS JOIN tickets n INDEXED BY tickets_narrow ON n.seq = tickets_text.rowid
                   WHERE tickets_text MATCH ?1 AND (?5 IS NULL OR n.status = ?5)
                     AND (?6 IS NULL OR n.priority = ?6) AND (?7 IS NULL OR n.customer_id = ?7))
             WHERE score > ?2 OR (score = ?2 AND seq < ?3) ORDER BY score, seq DESC LIMIT ?4",
            params![
                search.expression,
                rank,
                seq,
                search.limit,
                search.status,
                search.priority,
                search.customer_id
            ],
            read,
        ),
    }
}

/// How well one row fits now.
pub fn rank(tx: &ReadTx<'_>, expression: &str, seq: i64) -> Result<Option<Match>> {
    tx.row(
        "SELECT rowid, bm25(tickets_text, 4.0, 1.0, 0.0) FROM tickets_text WHERE tickets_text MATCH ?1 AND rowid = ?2",
        params![expression, seq],
        |row| Ok(Match { seq: row.get(0)?, rank: row.get(1)? }),
    )
}

/// Where the words stand in the rows of so many matches: once through all matches, because the index would
/// look for each single row from the first one on.
pub fn snippets(tx: &ReadTx<'_>, expression: &str, matches: Vec<Match>) -> Result<Vec<(Match, String)>> {
    let seqs = serde_json::Value::from(matches.iter().map(|found| found.seq).collect::<Vec<_>>());
    let found: HashMap<i64, String> = tx
        .rows(
            "SELECT rowid, snippet(tickets_text, -1, '**', '**', ' … ', 16) FROM tickets_text
             WHERE tickets_text MATCH ?1 AND +rowid IN (SELECT value FROM json_each(?2))",
            params![expression, seqs.to_string()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?
        .into_iter()
        .collect();
    let with = |one: Match| (one, found.get(&one.seq).cloned().unwrap_or_default());
    Ok(matches.into_iter().map(with).collect())
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT seq, ticket_id, subject, description, status, priority, customer_id, customer_name, customer_email,
                    assigned_to, category, tags, created_by, resolution, resolution_type, created_at, updated_at,
                    resolved_at, closed_at
             FROM tickets ",
            $rest
        )
    };
}

pub fn at(tx: &ReadTx<'_>, seq: i64) -> Result<Option<Ticket>> {
    tx.row(columns!("WHERE seq = ?1"), [seq], read)
}

pub fn find(tx: &ReadTx<'_>, ticket_id: &str) -> Result<Option<Ticket>> {
    tx.row(columns!("WHERE ticket_id = upper(?1)"), [ticket_id], read)
}

pub fn fingerprint(tx: &ReadTx<'_>, seq: i64) -> Result<String> {
    tx.fingerprint("SELECT * FROM tickets WHERE seq = ?1", [seq])
}

/// How a ticket ended.
#[derive(Debug)]
pub struct End<'a> {
    pub resolution: &'a str,
    pub resolution_type: &'a str,
    pub customer_notified: bool,
    pub by: &'a str,
}

pub fn close(tx: &WriteTx<'_>, seq: i64, end: &End<'_>, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE tickets SET status = 'closed', resolution = ?2, resolution_type = ?3, customer_notified = ?4,
                closed_by = ?5, closed_at = ?6, updated_at = ?6, resolved_at = coalesce(resolved_at, ?6)
         WHERE seq = ?1",
        params![seq, end.resolution, end.resolution_type, end.customer_notified, end.by, now.0],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Ticket> {
    Ok(Ticket {
        seq: row.get(0)?,
        ticket_id: row.get(1)?,
        subject: row.get(2)?,
        description: row.get(3)?,
        status: row.get(4)?,
        priority: row.get(5)?,
        customer_id: row.get(6)?,
        customer_name: row.get(7)?,
        customer_email: Sensitive::new(row.get(8)?),
        assigned_to: row.get(9)?,
        category: row.get(10)?,
        tags: row.get(11)?,
        created_by: row.get(12)?,
        resolution: row.get(13)?,
        resolution_type: row.get(14)?,
        created_at: Timestamp(row.get(15)?),
        updated_at: Timestamp(row.get(16)?),
        resolved_at: row.get::<_, Option<i64>>(17)?.map(Timestamp),
        closed_at: row.get::<_, Option<i64>>(18)?.map(Timestamp),
    })
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO tickets (ticket_id, subject, description, status, priority, customer_id, customer_name,
                              customer_email, assigned_to, category, tags, created_by, resolution, resolution_type,
                              created_at, updated_at, resolved_at)
         VALUES (upper(?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce(?11, '[]'), lower(?12), ?13, ?14,
                 coalesce(?15, ?18), coalesce(?16, ?15, ?18), ?17)
         ON CONFLICT (ticket_id) DO UPDATE SET
             subject = coalesce(excluded.subject, subject),
             description = coalesce(excluded.description, description),
             status = coalesce(excluded.status, status), priority = coalesce(excluded.priority, priority),
             customer_id = coalesce(excluded.customer_id, customer_id),
             customer_name = coalesce(excluded.customer_name, customer_name),
             customer_email = coalesce(excluded.customer_email, customer_email),
             assigned_to = coalesce(excluded.assigned_to, assigned_to),
             category = coalesce(excluded.category, category), tags = coalesce(?11, tags),
             created_by = coalesce(excluded.created_by, created_by),
             resolution = coalesce(excluded.resolution, resolution),
             resolution_type = coalesce(excluded.resolution_type, resolution_type),
             updated_at = excluded.updated_at, resolved_at = coalesce(excluded.resolved_at, resolved_at)",
        params![
            e["ticket_id"],
            e["subject"],
            e["description"],
            e["status"],
            e["priority"],
            e["customer_id"],
            e["customer_name"],
            e["customer_email"],
            e["assigned_to"],
            e["category"],
            e["tags"],
            e["created_by"],
            e["resolution"],
            e["resolution_type"],
            e["created_at"],
            e["updated_at"],
            e["resolved_at"],
            now.0
        ],
    )?;
    Ok(())
}

pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT seq, ticket_id, subject, description, status, priority, customer_id, customer_name, customer_email,
                assigned_to, category, tags, created_by, resolution, resolution_type, created_at, updated_at,
                resolved_at
         FROM tickets WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=17).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count_all(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM tickets", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM tickets", []).map(drop)
}
