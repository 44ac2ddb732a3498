//! All SQL of docs: the index of documents.

use rusqlite::{Row, params};

use super::places::Kind;
use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// What a row knows of its file, without the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indexed {
    pub doc: i64,
    pub path: String,
    pub kind: Kind,
    pub id: String,
    pub title: String,
    pub uri: Option<String>,
    pub sha256: String,
    pub stamp: String,
    pub present: bool,
    pub recorded_sha256: Option<String>,
    pub tampered_at: Option<Timestamp>,
}

/// A document as it was found.
#[derive(Clone, Debug)]
pub struct Found {
    pub path: String,
    pub kind: Kind,
    pub id: String,
    pub title: String,
    pub uri: Option<String>,
    pub body: String,
    pub sha256: String,
    pub stamp: String,
    /// The bytes it must keep: given for what is approved, its own for what is immutable and at rest.
    pub must_keep: Option<String>,
}

/// What putting a document into the index has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    Same,
    Changed,
    /// Changed although it must not.
    Tampered,
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT doc, path, kind, id, title, uri, sha256, stamp, present, recorded_sha256, tampered_at
             FROM documents ",
            $rest
        )
    };
}

/// Everything that is or was below a root.
pub fn all(tx: &ReadTx<'_>, root: &str) -> Result<Vec<Indexed>> {
    tx.rows(columns!("WHERE root = ?1"), [root], indexed)
}

/// What lies below a root by kinds, in the order it came; artifacts have a list of their own.
pub fn page(tx: &ReadTx<'_>, root: &str, after: i64, limit: i64) -> Result<Vec<Indexed>> {
    tx.rows(
        columns!(
            "WHERE root = ?1 AND doc > ?2 AND present = 1 AND kind IN ('adr', 'task', 'state')
               AND path NOT LIKE 'docs/archive/%' ORDER BY doc LIMIT ?3"
        ),
        params![root, after, limit],
        indexed,
    )
}

/// The documents that have been changed although they must not, the oldest first.
pub fn tampered(tx: &ReadTx<'_>, root: &str) -> Result<Vec<Indexed>> {
    tx.rows(
        columns!("WHERE root = ?1 AND tampered_at IS NOT NULL AND present = 1 ORDER BY tampered_at, doc"),
        [root],
        indexed,
    )
}

/// How many of them there are below any root.
pub fn count_tampered(tx: &ReadTx<'_>) -> Result<i64> {
    let counted =
        tx.row("SELECT count(*) FROM documents WHERE tampered_at IS NOT NULL AND present = 1", [], |row| {
            row.get(0)
        })?;
    Ok(counted.unwrap_or(0))
}

fn find(tx: &ReadTx<'_>, root: &str, path: &str) -> Result<Option<Indexed>> {
    tx.row(columns!("WHERE root = ?1 AND path = ?2"), [root, path], indexed)
}

/// The text of a row, and the text it must have if that is another one.
pub fn texts(tx: &ReadTx<'_>, doc: i64) -> Result<(String, Option<String>)> {
    let texts = tx.row("SELECT body, recorded FROM documents WHERE doc = ?1", [doc], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(texts.unwrap_or_default())
}

/// Puts a document into the index.
pub fn put(tx: &WriteTx<'_>, root: &str, found: &Found, now: Timestamp) -> Result<Put> {
    let Some(known) = find(tx, root, &found.path)? else { return insert(tx, root, found, now) };
    let must_keep = match found.kind {
        // The store of artifacts says what is approved, every time.
        Kind::Artifact => found.must_keep.clone(),
        _ => known.recorded_sha256.clone().or_else(|| found.must_keep.clone()),
    };
    let same = known.present && known.sha256 == found.sha256;
    let breaks = must_keep.as_ref().is_some_and(|kept| *kept != found.sha256);
    if same && known.title == found.title && breaks == known.tampered_at.is_some() {
        tx.execute(
            "UPDATE documents SET stamp = ?2, id = ?3, uri = ?4, recorded_sha256 = ?5 WHERE doc = ?1",
            params![known.doc, found.stamp, found.id, found.uri, must_keep],
        )?;
        return Ok(Put::Same);
    }
    tx.execute(
        "UPDATE documents SET stamp = ?2, id = ?3, uri = ?4, recorded_sha256 = ?5,
             recorded = CASE WHEN ?5 IS NULL OR ?5 = ?6 THEN NULL WHEN sha256 = ?5 THEN body ELSE recorded END,
             tampered_at = CASE WHEN ?7 THEN coalesce(tampered_at, ?8) END,
             kind = ?9, title = ?10, body = ?11, sha256 = ?6, present = 1, change = ?12,
             listed_change = CASE present WHEN 1 THEN listed_change ELSE ?12 END
         WHERE doc = ?1",
        params![
            known.doc,
            found.stamp,
            found.id,
            found.uri,
            must_keep,
            found.sha256,
            breaks,
            now.0,
            found.kind.word(),
            found.title,
            found.body,
            next_change(tx, root)?
        ],
    )?;
    Ok(if breaks && known.tampered_at.is_none() { Put::Tampered } else { Put::Changed })
}

fn insert(tx: &WriteTx<'_>, root: &str, found: &Found, now: Timestamp) -> Result<Put> {
    // Renamed, perhaps: what it must keep, it must keep under every name.
    let before = match found.kind {
        Kind::Artifact | Kind::State => None,
        _ => tx.row(
            "SELECT recorded_sha256, CASE sha256 WHEN recorded_sha256 THEN body ELSE recorded END
             FROM documents
             WHERE root = ?1 AND id = ?2 AND id <> '' AND present = 0 AND recorded_sha256 IS NOT NULL
             ORDER BY change DESC LIMIT 1",
            [root, &found.id],
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?)),
        )?,
    };
    let before = before.filter(|_| found.must_keep.is_some());
    let (must_keep, recorded) = match before {
        Some((kept, text)) => (Some(kept), text),
        None => (found.must_keep.clone(), None),
    };
    let breaks = must_keep.as_ref().is_some_and(|kept| *kept != found.sha256);
    let change = next_change(tx, root)?;
    tx.execute(
        "INSERT INTO documents (root, path, kind, id, title, uri, body, sha256, stamp, present,
             recorded_sha256, recorded, tampered_at, change, listed_change)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1, ?10, ?11, ?12, ?13, ?13)",
        params![
            root,
            found.path,
            found.kind.word(),
            found.id,
            found.title,
            found.uri,
            found.body,
            found.sha256,
            found.stamp,
            must_keep,
            recorded.filter(|_| breaks),
            breaks.then_some(now.0),
            change
        ],
    )?;
    Ok(if breaks { Put::Tampered } else { Put::Changed })
}

/// Puts a document into the index that we write ourselves: whatever lay there once, on another branch
/// perhaps, these are the bytes it must keep.
pub fn write(tx: &WriteTx<'_>, root: &str, found: &Found, now: Timestamp) -> Result<()> {
    put(tx, root, found, now)?;
    tx.execute(
        "UPDATE documents SET recorded_sha256 = sha256, recorded = NULL, tampered_at = NULL
         WHERE root = ?1 AND path = ?2",
        [root, &found.path],
    )?;
    Ok(())
}

/// A file is gone. What it must keep is kept, in case it returns.
pub fn leave(tx: &WriteTx<'_>, root: &str, doc: i64) -> Result<()> {
    let change = next_change(tx, root)?;
    tx.execute(
        "UPDATE documents SET present = 0, stamp = '', change = ?2, listed_change = ?2,
             body = CASE WHEN recorded_sha256 IS NULL THEN '' ELSE body END
         WHERE doc = ?1 AND present = 1",
        params![doc, change],
    )?;
    Ok(())
}

/// A document that came to rest must keep its bytes from now on.
pub fn record(tx: &WriteTx<'_>, doc: i64, sha256: &str) -> Result<()> {
    tx.execute(
        "UPDATE documents SET recorded_sha256 = sha256
         WHERE doc = ?1 AND sha256 = ?2 AND recorded_sha256 IS NULL",
        params![doc, sha256],
    )?;
    Ok(())
}

/// A person stands by the bytes a document has now. `false` means that it has others meanwhile.
pub fn adopt(tx: &WriteTx<'_>, root: &str, doc: i64, sha256: &str) -> Result<bool> {
    let change = next_change(tx, root)?;
    let adopted = tx.execute(
        "UPDATE documents SET recorded_sha256 = sha256, recorded = NULL, tampered_at = NULL, change = ?3
         WHERE doc = ?1 AND sha256 = ?2 AND present = 1 AND tampered_at IS NOT NULL",
        params![doc, sha256, change],
    )?;
    Ok(adopted == 1)
}

/// A document gets back what it must say. `false` means that it has other bytes meanwhile.
pub fn revert(tx: &WriteTx<'_>, root: &str, doc: i64, sha256: &str) -> Result<bool> {
    let change = next_change(tx, root)?;
    let reverted = tx.execute(
        "UPDATE documents SET body = recorded, sha256 = recorded_sha256, recorded = NULL, tampered_at = NULL,
             stamp = '', change = ?3
         WHERE doc = ?1 AND sha256 = ?2 AND recorded IS NOT NULL AND tampered_at IS NOT NULL",
        params![doc, sha256, change],
    )?;
    Ok(reverted == 1)
}

fn next_change(tx: &ReadTx<'_>, root: &str) -> Result<i64> {
    Ok(last_change(tx, root)? + 1)
}

pub fn last_change(tx: &ReadTx<'_>, root: &str) -> Result<i64> {
    let last = tx.row("SELECT max(change) FROM documents WHERE root = ?1", [root], |row| {
        row.get::<_, Option<i64>>(0)
    })?;
    Ok(last.flatten().unwrap_or(0))
}

/// What has changed below a root after a change: the change, whether the list is another, the row.
pub fn change_after(tx: &ReadTx<'_>, root: &str, change: i64) -> Result<Vec<(i64, bool, Indexed)>> {
    tx.rows(
        "SELECT doc, path, kind, id, title, uri, sha256, stamp, present, recorded_sha256, tampered_at,
             change, listed_change > ?2
         FROM documents WHERE root = ?1 AND change > ?2 ORDER BY change",
        params![root, change],
        |row| Ok((row.get(11)?, row.get(12)?, indexed(row)?)),
    )
}

/// A document that was found by words, the best first.
#[derive(Clone, Debug)]
pub struct Hit {
    pub doc: i64,
    pub kind: String,
    pub id: String,
    pub title: String,
    pub path: String,
    pub uri: Option<String>,
    pub snippet: String,
    /// The smaller the better.
    pub rank: i64,
}

/// Finds documents below a root; `after` is the rank and the row of the last one seen.
pub fn search(
    tx: &ReadTx<'_>,
    root: &str,
    query: &str,
    kinds: &[Kind],
    after: Option<(i64, i64)>,
    limit: i64,
) -> Result<Vec<Hit>> {
    let wanted = |kind: Kind| kinds.contains(&kind);
    let (rank, doc) = after.unwrap_or((i64::MIN, 0));
    let mut hits = tx.rows(
        "SELECT doc, kind, id, title, path, uri, rank FROM (
             SELECT d.doc, d.kind, d.id, d.title, d.path, d.uri,
                 CAST(bm25(documents_text, 4.0, 1.0) * 1000000 AS INTEGER) AS rank
             FROM documents_text JOIN documents d ON d.doc = documents_text.rowid
             WHERE documents_text MATCH ?1 AND d.root = ?2
               AND ((d.kind = 'adr' AND ?3) OR (d.kind = 'task' AND ?4) OR (d.kind = 'artifact' AND ?5)))
         WHERE rank > ?6 OR (rank = ?6 AND doc > ?7) ORDER BY rank, doc LIMIT ?8",
        params![query, root, wanted(Kind::Adr), wanted(Kind::Task), wanted(Kind::Artifact), rank, doc, limit],
        |row| {
            Ok(Hit {
                doc: row.get(0)?,
                kind: row.get(1)?,
                id: row.get(2)?,
                title: row.get(3)?,
                path: row.get(4)?,
                uri: row.get(5)?,
                snippet: String::new(),
                rank: row.get(6)?,
            })
        },
    )?;
    // Only for what is shown: an excerpt means reading the whole text again.
    for hit in &mut hits {
        let snippet = tx.row(
            "SELECT snippet(documents_text, -1, '', '', ' … ', 24) FROM documents_text
             WHERE documents_text MATCH ?1 AND rowid = ?2",
            params![query, hit.doc],
            |row| row.get(0),
        )?;
        hit.snippet = snippet.unwrap_or_default();
    }
    Ok(hits)
}

fn indexed(row: &Row<'_>) -> rusqlite::Result<Indexed> {
    Ok(Indexed {
        doc: row.get(0)?,
        path: row.get(1)?,
        kind: Kind::parse(&row.get::<_, String>(2)?).unwrap_or(Kind::Artifact),
        id: row.get(3)?,
        title: row.get(4)?,
        uri: row.get(5)?,
        sha256: row.get(6)?,
        stamp: row.get(7)?,
        present: row.get(8)?,
        recorded_sha256: row.get(9)?,
        tampered_at: row.get::<_, Option<i64>>(10)?.map(Timestamp),
    })
}
