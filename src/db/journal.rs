//! The file journal: files and rows that change together.
//!
//! 1. [`stage`] writes the new bytes beside their target, off the writer.
//! 2. [`record`] puts a promise into the transaction that changes the rows, if no target has
//!    changed since it was staged.
//! 3. After the commit, [`settle`] renames the staged files into place and clears the promise.
//!
//! Killed before the commit, nothing has happened; killed after it, the next [`settle`] keeps the
//! promise. It may run any number of times: the hashes tell what is left to do.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rusqlite::params;
use sha2::{Digest, Sha256};

use super::Db;
use super::tx::{ReadTx, WriteTx};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::paths::flush_folder_of;

/// A file that waits beside its target.
#[derive(Debug)]
pub struct Staged {
    target: PathBuf,
    staged: PathBuf,
    /// The hash of what the target held, `None` if it did not exist.
    before: Option<String>,
    after: String,
}

/// What became of a promised file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Placed,
    /// It was in place already.
    AlreadyThere,
    /// Somebody changed the target after the commit; their version stays, ours lies beside it.
    SetAside,
    /// The staged file is gone and the target does not hold it; only a person can help.
    Lost,
}

/// Writes and flushes `bytes` beside `target`; nothing visible changes yet.
pub fn stage(target: &Path, bytes: &[u8]) -> Result<Staged> {
    let folder = target.parent().ok_or_else(|| Error::internal("a journalled file needs a folder"))?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let doing = || format!("write beside `{}`", target.display());
    fs::create_dir_all(folder).map_err(|error| Error::io(error, doing()))?;
    let staged = folder.join(format!(".{name}.{:016x}.tmp", fastrand::u64(..)));
    let file = Staged { target: target.to_owned(), staged, before: hash_of(target)?, after: hash(bytes) };
    let written = File::create_new(&file.staged).and_then(|mut out| {
        out.write_all(bytes)?;
        out.sync_all()
    });
    match written {
        Ok(()) => Ok(file),
        Err(error) => {
            file.discard();
            Err(Error::io(error, doing()))
        }
    }
}

impl Staged {
    /// Takes the staged file away again, when the transaction is not going to happen.
    pub fn discard(&self) {
        let _ = fs::remove_file(&self.staged);
    }
}

/// Promises the files in the transaction that changes the rows. Refuses if a target has changed
/// since it was staged.
pub fn record(tx: &WriteTx<'_>, operation: &str, files: &[Staged], now: Timestamp) -> Result<()> {
    tx.execute("INSERT INTO journal (operation, created_at) VALUES (?1, ?2)", params![operation, now.0])?;
    let id = tx.last_insert_rowid();
    for (position, file) in (0_i64..).zip(files) {
        if hash_of(&file.target)? != file.before {
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
    Ok(())
}

/// Keeps every promise that is open and clears it. Run on start, after a commit that recorded
/// files, and before the next file operation.
pub fn settle(db: &Db) -> Result<Vec<Kept>> {
    settle_with(db, &mut |_| Ok(()))
}

/// The paths that are being put in place, so that a watcher can tell our changes from others'.
pub fn promised(tx: &ReadTx<'_>) -> Result<Vec<PathBuf>> {
    tx.rows("SELECT target FROM journal_files ORDER BY journal_id, position", [], |row| {
        row.get::<_, String>(0).map(PathBuf::from)
    })
}

/// A point at which tests let the process die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    BeforeRename,
    AfterRename,
    BeforeClear,
}

fn settle_with(db: &Db, at: &mut dyn FnMut(Point) -> Result<()>) -> Result<Vec<Kept>> {
    let open = db.read(|tx| {
        tx.rows("SELECT id FROM journal ORDER BY id", [], |row| row.get::<_, i64>(0))?
            .into_iter()
            .map(|id| Ok((id, files_of(tx, id)?)))
            .collect::<Result<Vec<_>>>()
    })?;
    let mut kept = Vec::new();
    for (id, files) in open {
        let mut outcomes = Vec::new();
        for file in &files {
            outcomes.push(keep(file, at)?);
        }
        if outcomes.contains(&Kept::Lost) {
            tracing::error!(event = "journal_file_lost", journal_id = id);
        } else {
            at(Point::BeforeClear)?;
            db.write(move |tx| tx.execute("DELETE FROM journal WHERE id = ?1", [id]).map(drop))?;
        }
        kept.extend(outcomes);
    }
    Ok(kept)
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
            })
        },
    )
}

fn keep(file: &Staged, at: &mut dyn FnMut(Point) -> Result<()>) -> Result<Kept> {
    let doing = || format!("put `{}` in place", file.target.display());
    let held = hash_of(&file.target)?;
    if held.as_deref() == Some(&file.after) {
        file.discard();
        return Ok(Kept::AlreadyThere);
    }
    if hash_of(&file.staged)?.as_deref() != Some(&file.after) {
        // Another process may have kept the same promise between the two looks.
        let kept = hash_of(&file.target)?.as_deref() == Some(&file.after);
        return Ok(if kept { Kept::AlreadyThere } else { Kept::Lost });
    }
    if held != file.before {
        let beside = format!("{}.backoffice-conflict", text(&file.target)?);
        fs::rename(&file.staged, beside).map_err(|error| Error::io(error, doing()))?;
        tracing::warn!(event = "journal_file_set_aside", path = %file.target.display());
        return Ok(Kept::SetAside);
    }
    at(Point::BeforeRename)?;
    fs::rename(&file.staged, &file.target)
        .and_then(|()| flush_folder_of(&file.target))
        .map_err(|error| Error::io(error, doing()))?;
    at(Point::AfterRename)?;
    Ok(Kept::Placed)
}

fn hash_of(file: &Path) -> Result<Option<String>> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(hash(&bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(error, format!("read `{}`", file.display()))),
    }
}

/// SHA-256 in lower-case hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::invalid(format!("`{}` is not Unicode", path.display())))
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
