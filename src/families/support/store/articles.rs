//! Articles: all of them for support, the published ones, with an index of their own, for everybody.

use std::collections::HashMap;

use rusqlite::{Row, params};

use super::Match;
use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::tool::table::Entry;

/// A row of `articles`.
#[derive(Clone, Debug)]
pub struct Article {
    pub seq: i64,
    pub article_id: String,
    pub title: String,
    pub content: String,
    pub summary: String,
    pub category: Option<String>,
    pub tags: String,
    pub author: Option<String>,
    pub status: String,
    pub view_count: i64,
    pub helpful_votes: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Which articles are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    All,
    Published,
}

macro_rules! by_sight {
    ($sight:expr, $before:literal, $after:literal) => {
        match $sight {
            Sight::All => concat!($before, "articles_text", $after),
            Sight::Published => concat!($before, "articles_published_text", $after),
        }
    };
}

/// A search in one of the two indexes. What is looked for is named once, so that both read alike.
macro_rules! search {
    ($index:literal) => {
        concat!(
            "SELECT seq, score FROM (
                 SELECT a.seq AS seq, bm25(",
            $index,
            ", 6.0, 3.0, 1.0) AS score
                 FROM ",
            $index,
            " CROSS JOIN articles a ON a.seq = ",
            $index,
            ".rowid
                 WHERE ",
            $index,
            " MATCH ?1 AND (?5 IS NULL OR a.category = ?5 COLLATE NOCASE))
             WHERE score > ?2 OR (score = ?2 AND seq < ?3) ORDER BY score, seq DESC LIMIT ?4"
        )
    };
}

/// The matches from the best on, after one.
pub fn best(
    tx: &ReadTx<'_>,
    sight: Sight,
    expression: &str,
    category: Option<&str>,
    after: Option<Match>,
    limit: i64,
) -> Result<Vec<Match>> {
    let (rank, seq) =
        after.map_or((f64::NEG_INFINITY, i64::MAX), |after| (after.rank.unwrap_or(0.0), after.seq));
    let sql = match sight {
        Sight::All => search!("articles_text"),
        Sight::Published => search!("articles_published_text"),
    };
    tx.rows(sql, params![expression, rank, seq, limit, category], |row| {
        Ok(Match { seq: row.get(0)?, rank: row.get(1)? })
    })
}

/// The newest matches below a row, where there are too many to put them in order.
pub fn newest(
    tx: &ReadTx<'_>,
    sight: Sight,
    expression: &str,
    category: Option<&str>,
    below: i64,
    limit: i64,
) -> Result<Vec<Match>> {
    let sql = by_sight!(
        sight,
        "SELECT a.seq FROM articles a
         WHERE a.seq < ?2 AND (?4 IS NULL OR a.category = ?4 COLLATE NOCASE) AND a.seq IN (SELECT rowid FROM ",
        "(?1)) ORDER BY a.seq DESC LIMIT ?3"
    );
    tx.rows(sql, params![expression, below, limit, category], |row| {
        Ok(Match { seq: row.get(0)?, rank: None })
    })
}

/// How many match, up to a number.
pub fn count(tx: &ReadTx<'_>, sight: Sight, expression: &str, most: i64) -> Result<i64> {
    let sql = by_sight!(sight, "SELECT count(*) FROM (SELECT 1 FROM ", "(?1) LIMIT ?2)");
    Ok(tx.row(sql, params![expression, most], |row| row.get(0))?.unwrap_or(0))
}

/// How well one row fits now.
pub fn rank(tx: &ReadTx<'_>, sight: Sight, expression: &str, seq: i64) -> Result<Option<Match>> {
    let sql = match sight {
        Sight::All => {
            "SELECT rowid, bm25(articles_text, 6.0, 3.0, 1.0) FROM articles_text
             WHERE articles_text MATCH ?1 AND rowid = ?2"
        }
        Sight::Published => {
            "SELECT rowid, bm25(articles_published_text, 6.0, 3.0, 1.0) FROM articles_published_text
             WHERE articles_published_text MATCH ?1 AND rowid = ?2"
        }
    };
    tx.row(sql, params![expression, seq], |row| Ok(Match { seq: row.get(0)?, rank: row.get(1)? }))
}

/// Where the words stand in the rows of so many matches: once through all matches, because the index would
/// look for each single row from the first one on.
pub fn snippets(tx: &ReadTx<'_>, expression: &str, matches: &[Match]) -> Result<HashMap<i64, String>> {
    let seqs = serde_json::Value::from(matches.iter().map(|found| found.seq).collect::<Vec<_>>());
    let found = tx.rows(
        "SELECT rowid, snippet(articles_text, -1, '**', '**', ' … ', 16) FROM articles_text
         WHERE articles_text MATCH ?1 AND +rowid IN (SELECT value FROM json_each(?2))",
        params![expression, seqs.to_string()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(found.into_iter().collect())
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT seq, article_id, title, content, summary, category, tags, author, status, view_count,
                    helpful_votes, created_at, updated_at
             FROM articles ",
            $rest
        )
    };
}

pub fn at(tx: &ReadTx<'_>, seq: i64) -> Result<Option<Article>> {
    tx.row(columns!("WHERE seq = ?1"), [seq], read)
}

pub fn find(tx: &ReadTx<'_>, sight: Sight, article_id: &str) -> Result<Option<Article>> {
    tx.row(
        columns!("WHERE article_id = upper(?1) AND (?2 OR status = 'published')"),
        params![article_id, sight == Sight::All],
        read,
    )
}

fn read(row: &Row<'_>) -> rusqlite::Result<Article> {
    Ok(Article {
        seq: row.get(0)?,
        article_id: row.get(1)?,
        title: row.get(2)?,
        content: row.get(3)?,
        summary: row.get(4)?,
        category: row.get(5)?,
        tags: row.get(6)?,
        author: row.get(7)?,
        status: row.get(8)?,
        view_count: row.get(9)?,
        helpful_votes: row.get(10)?,
        created_at: Timestamp(row.get(11)?),
        updated_at: Timestamp(row.get(12)?),
    })
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO articles (article_id, title, content, summary, category, tags, author, status, view_count,
                               helpful_votes, created_at, updated_at)
         VALUES (upper(?1), ?2, ?3, coalesce(?4, ''), ?5, coalesce(?6, '[]'), ?7, ?8, coalesce(?9, 0),
                 coalesce(?10, 0), coalesce(?11, ?13), coalesce(?12, ?11, ?13))
         ON CONFLICT (article_id) DO UPDATE SET
             title = coalesce(excluded.title, title), content = coalesce(excluded.content, content),
             summary = coalesce(?4, summary), category = coalesce(excluded.category, category),
             tags = coalesce(?6, tags), author = coalesce(excluded.author, author),
             status = coalesce(excluded.status, status), view_count = coalesce(?9, view_count),
             helpful_votes = coalesce(?10, helpful_votes), updated_at = excluded.updated_at",
        params![
            e["article_id"],
            e["title"],
            e["content"],
            e["summary"],
            e["category"],
            e["tags"],
            e["author"],
            e["status"],
            e["view_count"],
            e["helpful_votes"],
            e["created_at"],
            e["updated_at"],
            now.0
        ],
    )?;
    Ok(())
}

pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT seq, article_id, title, content, summary, category, tags, author, status, view_count, helpful_votes,
                created_at, updated_at
         FROM articles WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=12).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count_all(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM articles", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM articles", []).map(drop)
}
