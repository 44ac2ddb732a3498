//! Backup and restore through SQLite's online backup, so that nobody has to stop working.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, params};

use super::{busy, migrations, open};
use crate::clock::Clock;
use crate::error::{Error, Kind, Result};
use crate::paths;

/// Pages copied between two looks at the progress.
const PAGES: i32 = 512;

/// How far a copy has come, in pages.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub done: i32,
    pub total: i32,
}

type Report<'a> = &'a mut dyn FnMut(Progress);

/// Copies the data file to `target`, which must not exist; the copy is checked before it gets its name.
pub fn backup(file: &Path, target: &Path, report: Report<'_>) -> Result<()> {
    if !file.exists() {
        return Err(Error::not_found(format!("there is no data file `{}` yet", file.display())));
    }
    copy_checked(&open::reader(file)?, target, report)
}

/// Copies an open database to a new file; the copy is checked before it gets its name.
pub(super) fn copy_checked(from: &Connection, target: &Path, report: Report<'_>) -> Result<()> {
    if target.exists() {
        return Err(Error::conflict(format!("`{}` already exists", target.display()))
            .hint("name a file that does not exist yet"));
    }
    let partial = with_suffix(target, ".partial");
    let copied = copy_to(from, &partial, report);
    let placed = copied.and_then(|()| {
        let name = target.display();
        fs::File::open(&partial)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&partial, target))
            .map_err(|error| Error::io(error, format!("write `{name}`")))
    });
    if placed.is_err() {
        let _ = fs::remove_file(&partial);
    }
    placed
}

fn copy_to(from: &Connection, partial: &Path, report: Report<'_>) -> Result<()> {
    let _ = fs::remove_file(partial);
    let access = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut to = open::connect(partial, access)?;
    paths::make_private(partial)?;
    let copying = Backup::new(from, &mut to)?;
    run(&copying, report)?;
    drop(copying);
    // One plain file that can be copied anywhere, without a write-ahead log beside it.
    to.pragma_update(None, "journal_mode", "delete")?;
    check(&to, partial)
}

fn run(copying: &Backup<'_, '_>, report: Report<'_>) -> Result<()> {
    loop {
        let step = copying.step(PAGES)?;
        let progress = copying.progress();
        report(Progress { done: progress.pagecount - progress.remaining, total: progress.pagecount });
        match step {
            StepResult::Done => return Ok(()),
            StepResult::Busy | StepResult::Locked => busy::pause(),
            _ => {}
        }
    }
}

/// Runs SQLite's full check.
pub fn check(connection: &Connection, file: &Path) -> Result<()> {
    let mut statement = connection.prepare("PRAGMA integrity_check(5)")?;
    let found = statement.query_map([], |row| row.get::<_, String>(0))?;
    let found: Vec<String> = found.collect::<rusqlite::Result<_>>()?;
    if found == ["ok"] {
        return Ok(());
    }
    Err(Error::unusable(format!("`{}` is damaged: {}", file.display(), found.join("; "))))
}

/// What a restore did.
#[derive(Debug)]
pub struct Restored {
    /// The file as it was before, kept beside.
    pub kept: Option<PathBuf>,
    /// Sequences that the backup would have turned back.
    pub counters_kept: usize,
}

/// Puts a backup in place of the data file, for processes that have it open, too.
///
/// The copy holds the write lock from its first page to its last. While it does, the counters are
/// read from the file that is about to go and raised in the one that comes, so that no number can
/// be handed out in between and none is ever handed out twice.
pub fn restore(file: &Path, source: &Path, clock: &Clock, report: Report<'_>) -> Result<Restored> {
    let staged = with_suffix(file, ".restoring");
    let _ = fs::remove_file(&staged);
    let outcome = stage(source, &staged)
        .and_then(|from| if file.exists() { replace(file, &from, clock, report) } else { place(file, from) });
    let _ = fs::remove_file(&staged);
    outcome
}

/// Copies the backup, checks it and brings it to this version's schema, all away from the data file.
fn stage(source: &Path, staged: &Path) -> Result<Connection> {
    if !source.is_file() {
        return Err(Error::not_found(format!("there is no backup `{}`", source.display())));
    }
    let reader = open::connect(source, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let marked: i32 = reader.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if marked != open::APPLICATION_ID {
        return Err(Error::unusable(format!("`{}` is not a backup of backoffice", source.display()))
            .hint("nothing was changed; name a file made by `backoffice backup`"));
    }
    check(&reader, source)?;
    copy_to(&reader, staged, &mut |_| {})?;
    let from = open::connect(staged, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    migrations::apply_uncopied(&from, source)?;
    Ok(from)
}

fn place(file: &Path, from: Connection) -> Result<Restored> {
    let staged = from.path().map(PathBuf::from).unwrap_or_default();
    drop(from);
    fs::rename(staged, file).map_err(|error| Error::io(error, format!("write `{}`", file.display())))?;
    Ok(Restored { kept: None, counters_kept: 0 })
}

fn replace(file: &Path, from: &Connection, clock: &Clock, report: Report<'_>) -> Result<Restored> {
    let kept = file.with_extension(format!("before-restore.{}.bak", clock.now().file_stamp()));
    let before = open::reader(file)?;
    let mut to = open::connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    open::refuse_foreign(&to, file)?;
    let copying = Backup::new(from, &mut to)?;
    lock(&copying)?;
    copy_checked(&before, &kept, &mut |_| {})?;
    // Changes made through the source's own connection reach the running copy as well.
    let counters_kept = raise_counters(&before, from)?;
    drop(before);
    run(&copying, report)?;
    Ok(Restored { kept: Some(kept), counters_kept })
}

/// The first step takes the write lock of the data file, or fails after the usual wait.
fn lock(copying: &Backup<'_, '_>) -> Result<()> {
    match copying.step(1)? {
        StepResult::Busy | StepResult::Locked => {
            Err(Error::new(Kind::Busy, "the data file is busy: other processes are writing to it")
                .hint("nothing was changed; run the command again"))
        }
        _ => Ok(()),
    }
}

fn raise_counters(before: &Connection, from: &Connection) -> Result<usize> {
    let mut statement =
        before.prepare("SELECT project_id, prefix, last_assigned, updated_at FROM sequences")?;
    let mut rows = statement.query([])?;
    let mut raised = 0;
    while let Some(row) = rows.next()? {
        raised += from.execute(
            "INSERT INTO sequences (project_id, prefix, last_assigned, updated_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (project_id, prefix) DO UPDATE
             SET last_assigned = excluded.last_assigned, updated_at = excluded.updated_at
             WHERE excluded.last_assigned > last_assigned",
            params![
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, i64>(3)?
            ],
        )?;
    }
    // Row numbers are keys of cursors: they do not come back either.
    let mut statement = before.prepare("SELECT name, seq FROM sqlite_sequence")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (table, last) = (row.get::<_, String>(0)?, row.get::<_, i64>(1)?);
        let known = from
            .execute("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", params![table, last])?;
        if known == 0 {
            from.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", params![table, last])?;
        }
    }
    Ok(raised)
}

pub(super) fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Checks a data file as a whole, without opening it for work.
pub fn check_file(file: &Path) -> Result<()> {
    check(&open::reader(file)?, file)
}
