//! Brings the index in step with the files: what has another size or time is read, what has other
//! bytes is indexed, what is gone leaves.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::joins::Held;
use super::places::{self, Document};
use super::store::{self, Found, Indexed, Put};
use crate::clock::Timestamp;
use crate::db::{WriteTx, audit, journal};
use crate::error::{Error, Result};
use crate::families::STORED;
use crate::paths::Stamp;
use crate::tool::follow::Around;

/// So much of a document is searched; its hash is that of all of it.
const MOST_TEXT: usize = 1 << 20;
/// No document is larger; what is, is no document.
const LARGEST: u64 = 64 << 20;
/// The writer is free for others after so many documents or bytes.
const AT_ONCE: usize = 64;
const BYTES_AT_ONCE: usize = 512 * 1024;
/// A file that was written this recently may still be being written.
const AT_REST: Duration = Duration::from_secs(2);
/// A promise that is older is not about to be kept: it is looked after from time to time.
const STUCK: Duration = Duration::from_secs(30);

/// A document that has to be put into the index, with what its file holds.
#[derive(Debug)]
struct Read {
    found: Found,
    document: Document,
    stamp: Stamp,
}

pub fn look(around: &Around<'_>) -> Result<Option<Duration>> {
    let Some(root) = around.root.to_str() else { return Ok(None) };
    let now = around.clock.now();
    let (rows, known, promised, oldest) = around.db.read(|tx| {
        let known = STORED.known(tx, around.root, around.project)?;
        Ok((store::all(tx, root)?, known, journal::promised(tx)?, journal::oldest_promise(tx)?))
    })?;
    let Some(documents) = places::documents(around.root, known) else { return Ok(None) };
    let waits = |file: &Path| is_waited_for(&promised, file);
    let documents = documents.into_iter().filter(|document| !waits(&document.file));
    // What has grown too large is no document any more.
    let documents: Vec<(Document, Stamp)> =
        documents.filter_map(|document| stamp(&document.file).map(|stamp| (document, stamp))).collect();
    let there: HashSet<&str> = documents.iter().map(|(document, _)| document.path.as_str()).collect();
    let gone = rows.iter().filter(|row| row.present && !there.contains(row.path.as_str()));
    let gone = gone.filter(|row| !waits(&around.root.join(&row.path)));
    let gone: Vec<i64> = gone.map(|row| row.doc).collect();
    for part in gone.chunks(AT_ONCE) {
        let (root, part) = (root.to_owned(), part.to_vec());
        around.db.write(move |tx| part.iter().try_for_each(|doc| store::leave(tx, &root, *doc)))?;
    }
    let rows: HashMap<&str, &Indexed> = rows.iter().map(|row| (row.path.as_str(), row)).collect();
    let mut part = Part::new(around, root, now);
    let mut unsettled = false;
    for (document, stamp) in documents {
        let row = rows.get(document.path.as_str()).copied();
        let at_rest = is_at_rest(&stamp, now);
        let is_immutable = document.must_rest() && row.is_none_or(|row| !row.id.is_empty());
        unsettled |= is_immutable && !at_rest;
        match row {
            Some(row) if row.stamp == stamp.to_string() && row.present && is_current(row, &document) => {
                if is_immutable && at_rest && row.recorded_sha256.is_none() {
                    part.record(row.doc, row.sha256.clone());
                }
            }
            _ => part.put(document, row, stamp, at_rest)?,
        }
    }
    part.write()?;
    let promise = promised.iter().any(|(target, _)| target.starts_with(around.root)).then_some(oldest);
    let promise = promise.flatten().map(|since| if age(since, now) < STUCK { AT_REST } else { STUCK });
    Ok(unsettled.then_some(AT_REST).into_iter().chain(promise).min())
}

fn age(since: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(now.0.abs_diff(since.0))
}

/// Whether a file is about to be put in place: between a commit and its rename it is not what its
/// rows say.
fn is_waited_for(promised: &[(PathBuf, Option<String>)], file: &Path) -> bool {
    let mut befores =
        promised.iter().filter(|(target, _)| target == file).map(|(_, before)| before).peekable();
    if befores.peek().is_none() {
        return false;
    }
    let held = fs::read(file).ok().map(|bytes| journal::hash(&bytes));
    befores.any(|before| *before == held)
}

/// Whether a row still says of a document what its name and the artifacts' store say.
fn is_current(row: &Indexed, document: &Document) -> bool {
    let Some(known) = &document.known else { return row.kind == document.kind };
    row.recorded_sha256 == known.approved_sha256 && row.uri.as_ref() == Some(&known.uri)
}

fn stamp(file: &Path) -> Option<Stamp> {
    let found = file.symlink_metadata().ok().filter(|found| found.is_file() && found.len() <= LARGEST)?;
    Some(Stamp::of(&found))
}

/// Whether a file was written some time ago. One from the future was: a clock has jumped. One from the
/// next moment was not: it is being written while we look.
fn is_at_rest(stamp: &Stamp, now: Timestamp) -> bool {
    age(Timestamp(stamp.modified_ns / 1_000_000), now) >= AT_REST
}

/// What is written at once.
struct Part<'a> {
    around: &'a Around<'a>,
    root: &'a str,
    now: Timestamp,
    reads: Vec<Read>,
    at_rest: Vec<(i64, String)>,
    bytes: usize,
}

impl<'a> Part<'a> {
    fn new(around: &'a Around<'a>, root: &'a str, now: Timestamp) -> Self {
        Part { around, root, now, reads: Vec::new(), at_rest: Vec::new(), bytes: 0 }
    }

    fn record(&mut self, doc: i64, sha256: String) {
        self.at_rest.push((doc, sha256));
    }

    fn put(&mut self, document: Document, row: Option<&Indexed>, stamp: Stamp, at_rest: bool) -> Result<()> {
        let Ok(bytes) = fs::read(&document.file) else { return Ok(()) };
        // Written while it was read: the next look, which the writing has called for, sees it whole.
        if self::stamp(&document.file).as_ref() != Some(&stamp) {
            return Ok(());
        }
        let sha256 = journal::hash(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (uid, heading) = places::said(&text);
        let name = document.path.rsplit('/').next().unwrap_or_default();
        let id = document.id.clone().or(uid.map(str::to_owned)).unwrap_or_default();
        let must_keep = match (&document.known, document.must_rest() && !id.is_empty()) {
            (Some(known), _) => known.approved_sha256.clone(),
            (None, true) if at_rest || row.is_some_and(|row| row.recorded_sha256.is_some()) => {
                Some(sha256.clone())
            }
            _ => None,
        };
        let found = Found {
            path: document.path.clone(),
            kind: document.kind,
            id,
            title: title(&document, heading).unwrap_or(name).to_owned(),
            uri: document.uri.clone(),
            body: start_of(&text, MOST_TEXT).to_owned(),
            sha256,
            stamp: stamp.to_string(),
            must_keep,
        };
        self.bytes += found.body.len();
        self.reads.push(Read { found, document, stamp });
        if self.reads.len() >= AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        let (reads, at_rest) = (std::mem::take(&mut self.reads), std::mem::take(&mut self.at_rest));
        self.bytes = 0;
        if reads.is_empty() && at_rest.is_empty() {
            return Ok(());
        }
        let (root, now) = (self.root.to_owned(), self.now);
        self.around.db.write(move |tx| {
            for (doc, sha256) in &at_rest {
                store::record(tx, *doc, sha256)?;
            }
            reads.into_iter().try_for_each(|read| index(tx, &root, read, now))
        })
    }
}

/// A draft says itself what it is; the store's title is that of the bytes it knows.
fn title<'t>(document: &'t Document, heading: Option<&'t str>) -> Option<&'t str> {
    let known = document.known.as_ref().filter(|known| known.approved_sha256.is_some());
    known.and(document.title.as_deref()).or(heading).or(document.title.as_deref())
}

fn index(tx: &WriteTx<'_>, root: &str, read: Read, now: Timestamp) -> Result<()> {
    let Read { mut found, document, stamp } = read;
    // Replaced since it was read, or about to be: the next look sees what it holds then.
    let until_placed = journal::held_until_placed(tx, &document.file)?;
    if until_placed.iter().flatten().any(|held| *held == found.sha256)
        || self::stamp(&document.file).as_ref() != Some(&stamp)
    {
        return Ok(());
    }
    if let Some(known) = &document.known {
        // It may have been approved since.
        found.must_keep = STORED.approved(tx, known.key)?;
    }
    let put = store::put(tx, root, &found, now)?;
    if put == Put::Tampered {
        tracing::warn!(event = "document_tampered", path = %found.path, id = %found.id);
        audit::append(tx, &noticed(now))?;
    }
    match &document.known {
        Some(known) if known.approved_sha256.is_none() && known.sha256 != found.sha256 => {
            let held = Held {
                text: &found.body,
                sha256: &found.sha256,
                bytes: stamp.bytes,
                modified_ns: stamp.modified_ns,
            };
            STORED.edited(tx, known.key, &held, now)
        }
        _ => Ok(()),
    }
}

/// That somebody has changed what must not change is part of what has happened.
fn noticed(now: Timestamp) -> audit::Entry {
    audit::Entry {
        id: 0,
        at: now,
        caller: "unknown".to_owned(),
        client: "files".to_owned(),
        tool: "document_tampered".to_owned(),
        outcome: "noticed".to_owned(),
        correlation_id: None,
        run_us: 0,
        receipt: None,
    }
}

fn start_of(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// Puts a document into the index that is being written in this very transaction, so that it is
/// known from its first moment what it must keep.
pub fn written(tx: &WriteTx<'_>, root: &Path, path: &str, text: &str, now: Timestamp) -> Result<()> {
    let (Some(root), Some(kind)) = (root.to_str(), places::kind_of(path)) else { return Ok(()) };
    if !places::is_at_rest(path) {
        return Err(Error::internal("only what is never changed is recorded as it is written"));
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let sha256 = journal::hash(text.as_bytes());
    let found = Found {
        path: path.to_owned(),
        kind,
        id: places::uid_in(name).unwrap_or_default().to_owned(),
        title: places::said(text).1.unwrap_or(name).to_owned(),
        uri: Some(format!("{}{}", places::URI, path.trim_start_matches("docs/"))),
        body: start_of(text, MOST_TEXT).to_owned(),
        must_keep: Some(sha256.clone()),
        sha256,
        stamp: String::new(),
    };
    store::write(tx, root, &found, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_during_the_look_is_not_at_rest() {
        let now = Timestamp(1_800_000_000_000);
        for (since_ms, expected) in
            [(0, false), (1_999, false), (2_000, true), (-1, false), (-3_600_000, true)]
        {
            let mut stamp = Stamp::default();
            stamp.modified_ns = (now.0 - since_ms) * 1_000_000;
            assert_eq!(is_at_rest(&stamp, now), expected, "{since_ms}");
        }
    }
}
