//! The bare statements of a search among tickets: the count that decides about the order, the matches,
//! and of each match its row and where the words stand in it.

use rusqlite::{Row, params};

use super::super::Outcome;
use super::super::bare::Bare;

/// One more than is shown tells whether there is another page.
const READ: i64 = 51;
const SHOWN: usize = 50;
pub const MOST_RANKED: i64 = 20_000;

/// What the tool finds for these words.
pub fn read(bare: &Bare, words: &str) -> Outcome<()> {
    execute(bare, "BEGIN")?;
    let expression = expression(words);
    let found = match count(bare, &expression)? <= MOST_RANKED {
        true => {
            let found = best(bare, &expression)?;
            snippets(bare, &expression, &found)?;
            found
        }
        false => newest(bare, &expression)?,
    };
    for seq in found.iter().take(SHOWN) {
        row(bare, *seq)?;
    }
    execute(bare, "COMMIT")
}

/// The matches alone.
pub fn matches(bare: &Bare, words: &str, ranked: bool) -> Outcome<()> {
    let expression = expression(words);
    if ranked {
        best(bare, &expression)?
    } else {
        newest(bare, &expression)?
    };
    Ok(())
}

/// How many tickets have all the words.
pub fn count_all(bare: &Bare, words: &str) -> Outcome<i64> {
    let sql = "SELECT count(*) FROM tickets_text WHERE tickets_text MATCH ?1";
    Ok(bare.find(sql, [expression(words)])?.unwrap_or(0))
}

fn expression(words: &str) -> String {
    let words: Vec<String> = words.split(' ').map(|word| format!("\"{word}\"")).collect();
    format!("{{subject description}} : ({})", words.join(" "))
}

fn count(bare: &Bare, expression: &str) -> Outcome<i64> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM tickets_text WHERE tickets_text MATCH ?1 LIMIT ?2)";
    Ok(bare.find(sql, params![expression, MOST_RANKED + 1])?.unwrap_or(0))
}

fn newest(bare: &Bare, expression: &str) -> Outcome<Vec<i64>> {
    let mut statement = bare.connection().prepare_cached(
        "SELECT rowid, snippet(tickets_text, -1, '**', '**', ' … ', 16) FROM tickets_text
         WHERE tickets_text MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![expression, i64::MAX, READ], |row| {
        row.get::<_, String>(1)?;
        row.get(0)
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn best(bare: &Bare, expression: &str) -> Outcome<Vec<i64>> {
    let mut statement = bare.connection().prepare_cached(
        "SELECT seq, score
         FROM (SELECT rowid AS seq, bm25(tickets_text, 4.0, 1.0, 0.0) AS score
               FROM tickets_text WHERE tickets_text MATCH ?1)
         WHERE score > ?2 OR (score = ?2 AND seq < ?3) ORDER BY score, seq DESC LIMIT ?4",
    )?;
    let first = params![expression, f64::NEG_INFINITY, i64::MAX, READ];
    let rows = statement.query_map(first, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn row(bare: &Bare, seq: i64) -> Outcome<()> {
    let mut statement = bare.connection().prepare_cached(
        "SELECT seq, ticket_id, subject, description, status, priority, customer_id, customer_name, customer_email,
                assigned_to, category, tags, created_by, resolution, resolution_type, created_at, updated_at,
                resolved_at, closed_at
         FROM tickets WHERE seq = ?1",
    )?;
    let columns = statement.column_count();
    let read = |row: &Row<'_>| -> rusqlite::Result<Vec<rusqlite::types::Value>> {
        (0..columns).map(|column| row.get(column)).collect()
    };
    statement.query_row([seq], read)?;
    Ok(())
}

fn snippets(bare: &Bare, expression: &str, seqs: &[i64]) -> Outcome<()> {
    let mut statement = bare.connection().prepare_cached(
        "SELECT rowid, snippet(tickets_text, -1, '**', '**', ' … ', 16) FROM tickets_text
         WHERE tickets_text MATCH ?1 AND +rowid IN (SELECT value FROM json_each(?2))",
    )?;
    let seqs = serde_json::Value::from(seqs).to_string();
    let rows = statement.query_map(params![expression, seqs], |row| row.get::<_, String>(1))?;
    rows.collect::<Result<Vec<_>, _>>()?;
    Ok(())
}

fn execute(bare: &Bare, sql: &str) -> Outcome<()> {
    bare.execute(sql, [])
}
