//! The file journal: files and rows that change together.
//!
//! 1. [`Batch::stage`] writes the new bytes beside their targets, off the writer.
//! 2. [`Batch::promise`] puts a promise into the transaction that changes the rows, if no target
//!    has changed since it was staged and nobody else has promised one.
//! 3. After the commit, [`Batch::keep`] renames the staged files into place and forgets the promise.
//!
//! Killed before the commit, nothing has happened; killed after it, the next [`settle`] keeps the
//! promise. It may run any number of times and in several processes at once: the hashes tell what
//! is left to do.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use rusqlite::params;
use sha2::{Digest, Sha256};

use super::tx::{ReadTx, WriteTx};
use super::{Db, Work};
use crate::clock::Timestamp;
use crate::error::{Error, Kind, Result};
use crate::fault;
use crate::paths::flush_folder_of;

/// How long whoever made a promise takes to keep it, at the most.
const IN_PROGRESS_MS: i64 = 2_000;

/// Files that change together, or not at all.
#[derive(Debug, Default)]
pub struct Batch {
    files: Vec<Staged>,
    /// The promise, once a transaction holds it.
    promise: OnceLock<i64>,
}

/// What a file is to hold. Hashes that are known need not be taken again.
#[derive(Clone, Copy, Debug)]
pub struct Content<'a> {
    pub target: &'a Path,
    pub bytes: &'a [u8],
    pub sha256: Option<&'a str>,
    /// The hash of what was read from the target, `Some(None)` if there was no file; unless it is
    /// told, what lies there now counts.
    pub before: Option<Option<&'a str>>,
}

impl<'a> Content<'a> {
    pub fn of(target: &'a Path, bytes: &'a [u8]) -> Self {
        Content { target, bytes, sha256: None, before: None }
    }
}

/// A file that waits beside its target.
#[derive(Debug)]
struct Staged {
    target: PathBuf,
    staged: PathBuf,
    /// The hash of what the target held, `None` if it did not exist.
    before: Option<String>,
    after: String,
    /// When the staged bytes were written; a rename keeps it.
    modified_ns: i64,
}

/// What became of a promised file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Placed,
    /// It was in place already.
    AlreadyThere,
    /// Somebody changed the target after the commit; their version stays, ours lies beside it.
    SetAside,
    /// The staged file is gone and the target does not hold it: somebody has cleaned up.
    Lost,
}

impl Batch {
    /// Writes and flushes each file beside its target; nothing visible changes yet.
    pub fn stage<'a>(files: impl IntoIterator<Item = Content<'a>>) -> Result<Self> {
        let mut batch = Batch::default();
        for content in files {
            // What is staged already goes with the batch if this one fails.
            batch.files.push(stage(content)?);
            fault::point("staged");
        }
        Ok(batch)
    }

    /// Promises the files in the transaction that changes the rows. Refuses if a target has changed
    /// since it was staged.
    pub fn promise(&self, tx: &WriteTx<'_>, operation: &str, now: Timestamp) -> Result<()> {
        tx.execute("INSERT INTO journal (operation, created_at) VALUES (?1, ?2)", params![operation, now.0])?;
        let id = tx.last_insert_rowid();
        for (position, file) in (0_i64..).zip(&self.files) {
            if hash_of(&file.target)? != file.before || !promises_of(tx, &file.target)?.is_empty() {
                return Err(Error::conflict(format!("`{}` has changed meanwhile", file.target.display()))
                    .reason("file_changed")
                    .hint("read it again and repeat the call"));
            }
            tx.execute(
                "INSERT INTO journal_files (journal_id, position, target, staged, sha256_before, sha256_after)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![id, position, text(&file.target)?, text(&file.staged)?, file.before, file.after],
            )?;
        }
        let _ = self.promise.set(id);
        Ok(())
    }

    /// Puts the files in place after the commit. That the promise is kept is written down in
    /// passing: should it get lost, the hashes tell the next start.
    pub fn keep(&self, db: &Db) -> Result<()> {
        let Some(id) = self.promise.get().copied() else { return Ok(()) };
        fault::point("committed");
        let outcomes = place(id, &self.files, Staging::Ours, &mut |_| Ok(()))?;
        fault::point("kept");
        db.submit(Box::new(Forget(id)));
        if outcomes.contains(&Kept::Lost) {
            return Err(Error::internal("a staged file is gone").reason("journal_file_lost"));
        }
        Ok(())
    }

    /// Takes the staged files away: nothing was committed.
    pub fn abandon(&self) {
        self.files.iter().for_each(Staged::discard);
    }

    /// When the bytes of a file were written, as the file system has it.
    pub fn modified_ns(&self, target: &Path) -> Option<i64> {
        self.files.iter().find(|file| file.target == target).map(|file| file.modified_ns)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // What is promised may be committed, and is the next start's then.
        if self.promise.get().is_none() {
            self.abandon();
        }
    }
}

fn stage(content: Content<'_>) -> Result<Staged> {
    let Content { target, bytes, sha256, before } = content;
    let folder = target.parent().ok_or_else(|| Error::internal("a journalled file needs a folder"))?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let doing = || format!("write beside `{}`", target.display());
    create_folder(folder).map_err(|error| Error::io(error, doing()))?;
    let staged = folder.join(format!(".{name}.{:016x}.tmp", fastrand::u64(..)));
    let mut file = Staged {
        target: target.to_owned(),
        staged,
        before: before.map_or_else(|| hash_of(target), |known| Ok(known.map(str::to_owned)))?,
        after: sha256.map_or_else(|| hash(bytes), str::to_owned),
        modified_ns: 0,
    };
    let written = File::create_new(&file.staged).and_then(|mut out| {
        out.write_all(bytes)?;
        if let Ok(held) = fs::metadata(target) {
            out.set_permissions(held.permissions())?;
        }
        out.sync_all()?;
        modified_ns(&out.metadata()?)
    });
    match written {
        Ok(modified_ns) => {
            file.modified_ns = modified_ns;
            Ok(file)
        }
        Err(error) => {
            file.discard();
            Err(Error::io(error, doing()))
        }
    }
}

/// Creates a folder with its parents, so that they survive a power cut with what is put in them.
fn create_folder(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    folder.ancestors().take(8).try_for_each(flush_folder_of)
}

/// When a file was written last, in nanoseconds since 1970.
pub fn modified_ns(found: &fs::Metadata) -> std::io::Result<i64> {
    let since = found.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

impl Staged {
    fn discard(&self) {
        let _ = fs::remove_file(&self.staged);
    }
}

/// Writes down that a promise is kept; nobody waits for it.
struct Forget(i64);

impl Work for Forget {
    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        forget(tx, self.0)
    }

    fn failed(&mut self, _: &WriteTx<'_>, _: &Error) -> Result<()> {
        Ok(())
    }

    fn done(self: Box<Self>, outcome: Result<()>) {
        if let Err(error) = outcome {
            tracing::warn!(event = "journal_not_cleared", error = %error.chain());
        }
    }
}

fn forget(tx: &WriteTx<'_>, id: i64) -> Result<()> {
    tx.execute("DELETE FROM journal WHERE id = ?1", [id]).map(drop)
}

/// What files that are about to be replaced may hold until then; nothing for one that did not exist.
pub fn held_until_placed(tx: &ReadTx<'_>, target: &Path) -> Result<Vec<Option<String>>> {
    tx.rows("SELECT sha256_before FROM journal_files WHERE target = ?1", [text(target)?], |row| row.get(0))
}

/// The promises that are open for a file.
fn promises_of(tx: &ReadTx<'_>, target: &Path) -> Result<Vec<i64>> {
    tx.rows("SELECT journal_id FROM journal_files WHERE target = ?1", [text(target)?], |row| row.get(0))
}

/// Keeps what somebody has promised for a file, so that it can be read as it was meant.
pub fn settle_file(db: &Db, target: &Path) -> Result<()> {
    for id in db.read(|tx| promises_of(tx, target))? {
        settle_one(db, id, &mut |_| Ok(()))?;
    }
    Ok(())
}

/// Keeps every promise that is open and clears it. Run on start, after a commit that recorded
/// files, and before the next file operation.
pub fn settle(db: &Db) -> Result<Vec<Kept>> {
    settle_with(db, &mut |_| Ok(()))
}

/// Keeps what a process has promised that did not live to do it. Promises of the last moments are
/// being kept by those who made them.
pub fn settle_left_behind(db: &Db, now: Timestamp) -> Result<()> {
    let left = db.read(|tx| {
        tx.rows(
            "SELECT id FROM journal WHERE created_at NOT BETWEEN ?1 AND ?2",
            [now.0 - IN_PROGRESS_MS, now.0 + IN_PROGRESS_MS],
            |row| row.get::<_, i64>(0),
        )
    })?;
    left.into_iter().try_for_each(|id| settle_one(db, id, &mut |_| Ok(())).map(drop))
}

/// The files that are being put in place, with the hash of what they may hold until then, so that a
/// watcher can tell our changes from others'.
pub fn promised(tx: &ReadTx<'_>) -> Result<Vec<(PathBuf, Option<String>)>> {
    tx.rows("SELECT target, sha256_before FROM journal_files ORDER BY journal_id, position", [], |row| {
        Ok((PathBuf::from(row.get::<_, String>(0)?), row.get(1)?))
    })
}

/// When the oldest promise that is open was made.
pub fn oldest_promise(tx: &ReadTx<'_>) -> Result<Option<Timestamp>> {
    let oldest = tx.row("SELECT min(created_at) FROM journal", [], |row| row.get::<_, Option<i64>>(0))?;
    Ok(oldest.flatten().map(Timestamp))
}

/// Who has staged the files of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Staging {
    /// This very call: they hold what was written and flushed, or are gone.
    Ours,
    /// A process that may have died, on a disk that may have failed: their bytes are looked at.
    Found,
}

/// A point at which tests let the process die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    BeforeRename,
    AfterRename,
    BeforeClear,
}

fn settle_with(db: &Db, at: &mut dyn FnMut(Point) -> Result<()>) -> Result<Vec<Kept>> {
    let open = db.read(|tx| tx.rows("SELECT id FROM journal ORDER BY id", [], |row| row.get::<_, i64>(0)))?;
    let mut kept = Vec::new();
    for id in open {
        match settle_one(db, id, at) {
            Ok(outcomes) => kept.extend(outcomes),
            // A folder that cannot be written must not keep the others waiting, nor this program.
            Err(error) if matches!(error.kind(), Kind::Storage | Kind::Forbidden | Kind::NotFound) => {
                tracing::error!(event = "journal_not_settled", journal_id = id, error = %error.chain());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(kept)
}

fn settle_one(db: &Db, id: i64, at: &mut dyn FnMut(Point) -> Result<()>) -> Result<Vec<Kept>> {
    let files = db.read(|tx| files_of(tx, id))?;
    let outcomes = place(id, &files, Staging::Found, at)?;
    // A promise that cannot be kept any more is given up: whoever compares rows with files finds what
    // is missing, and the file can be written again.
    at(Point::BeforeClear)?;
    db.write(move |tx| forget(tx, id))?;
    Ok(outcomes)
}

/// Puts the files of a promise in place, as far as they are not.
fn place(
    id: i64,
    files: &[Staged],
    staging: Staging,
    at: &mut dyn FnMut(Point) -> Result<()>,
) -> Result<Vec<Kept>> {
    let outcomes = files.iter().map(|file| keep(file, staging, at)).collect::<Result<Vec<_>>>()?;
    if outcomes.contains(&Kept::Lost) {
        tracing::error!(event = "journal_file_lost", journal_id = id);
    }
    let mut flushed: Vec<Option<&Path>> = Vec::new();
    for (file, _) in files.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == Kept::Placed) {
        // Files of one folder share its flush.
        if !flushed.contains(&file.target.parent()) {
            flushed.push(file.target.parent());
            flush_folder_of(&file.target).map_err(|error| Error::io(error, "flush a folder"))?;
        }
    }
    Ok(outcomes)
}

fn files_of(tx: &ReadTx<'_>, id: i64) -> Result<Vec<Staged>> {
    tx.rows(
        "SELECT target, staged, sha256_before, sha256_after
         FROM journal_files WHERE journal_id = ?1 ORDER BY position",
        [id],
        |row| {
            Ok(Staged {
                target: PathBuf::from(row.get::<_, String>(0)?),
                staged: PathBuf::from(row.get::<_, String>(1)?),
                before: row.get(2)?,
                after: row.get(3)?,
                modified_ns: 0,
            })
        },
    )
}

fn keep(file: &Staged, staging: Staging, at: &mut dyn FnMut(Point) -> Result<()>) -> Result<Kept> {
    let held = hash_of(&file.target)?;
    if held.as_deref() == Some(&file.after) {
        file.discard();
        return Ok(Kept::AlreadyThere);
    }
    if staging == Staging::Found && hash_of(&file.staged)?.as_deref() != Some(&file.after) {
        return gone(file);
    }
    if held != file.before {
        let beside = format!("{}.backoffice-conflict", text(&file.target)?);
        if let Some(kept) = renamed(file, Path::new(&beside))? {
            return Ok(kept);
        }
        tracing::warn!(event = "journal_file_set_aside", path = %file.target.display());
        return Ok(Kept::SetAside);
    }
    at(Point::BeforeRename)?;
    if let Some(kept) = renamed(file, &file.target)? {
        return Ok(kept);
    }
    at(Point::AfterRename)?;
    fault::point("renamed");
    Ok(Kept::Placed)
}

/// Renames a staged file; if that is not to be done any more, what has become of it.
fn renamed(file: &Staged, to: &Path) -> Result<Option<Kept>> {
    match fs::rename(&file.staged, to) {
        Ok(()) => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !file.staged.exists() => {
            gone(file).map(Some)
        }
        Err(error) => Err(Error::io(error, format!("put `{}` in place", file.target.display()))),
    }
}

/// A staged file that is not there: another process was quicker with the same promise, or it is lost.
fn gone(file: &Staged) -> Result<Kept> {
    let kept = hash_of(&file.target)?.as_deref() == Some(&file.after);
    Ok(if kept { Kept::AlreadyThere } else { Kept::Lost })
}

fn hash_of(file: &Path) -> Result<Option<String>> {
    // Reading a pipe waits for whoever writes it.
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(Error::io(std::io::Error::other("it is no file"), format!("read `{}`", file.display())));
    }
    match fs::read(file) {
        Ok(bytes) => Ok(Some(hash(&bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(error, format!("read `{}`", file.display()))),
    }
}

/// SHA-256 in lower-case hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::invalid(format!("`{}` is not Unicode", path.display())))
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
