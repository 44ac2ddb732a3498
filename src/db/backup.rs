//! Backup and restore through SQLite's online backup, so that nobody has to stop working.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params, params_from_iter};

use super::{busy, migrations, open};
use crate::clock::{Clock, Stopwatch};
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

/// What SQLite keeps beside a file while it is open, or after a crash.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

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
    let target = |error| Error::io(error, format!("write `{}`", partial.display()));
    paths::private_file().write(true).open(partial).map_err(target)?;
    let mut to = open::connect(partial, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // One view from the first page to the last: otherwise every commit of somebody else would make
    // the copy begin again, and a busy file would never be copied.
    let view = View::open(from)?;
    let copying = Backup::new(from, &mut to)?;
    run(&copying, report)?;
    drop(copying);
    drop(view);
    // One plain file that can be copied anywhere, without a write-ahead log beside it.
    to.pragma_update(None, "journal_mode", "delete")?;
    check(&to, partial)
}

/// A read transaction, held until it is dropped.
struct View<'c>(Option<&'c Connection>);

impl<'c> View<'c> {
    fn open(connection: &'c Connection) -> Result<Self> {
        // Inside a transaction already, as a migration is, the view is there.
        if !connection.is_autocommit() {
            return Ok(View(None));
        }
        connection.execute_batch("BEGIN")?;
        let view = View(Some(connection));
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(view)
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.0 {
            let _ = connection.execute_batch("COMMIT");
        }
    }
}

fn run(copying: &Backup<'_, '_>, report: Report<'_>) -> Result<()> {
    let mut waiting: Option<Stopwatch> = None;
    loop {
        let step = copying.step(PAGES)?;
        let progress = copying.progress();
        report(Progress { done: progress.pagecount - progress.remaining, total: progress.pagecount });
        match step {
            StepResult::Done => return Ok(()),
            StepResult::Busy | StepResult::Locked => {
                if waiting.get_or_insert_with(Stopwatch::start).elapsed() > busy::DEADLINE {
                    return Err(busy());
                }
                busy::pause();
            }
            _ => waiting = None,
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
    /// Whether the old file was damaged, and what could be read of its sequences was all there was.
    pub was_damaged: bool,
}

/// Puts a backup in place of the data file, for processes that have it open, too.
///
/// The copy holds the write lock from its first page to its last. While it does, the counters are
/// read from the file that is about to go and raised in the one that comes, so that no number can
/// be handed out in between and none is ever handed out twice.
pub fn restore(file: &Path, source: &Path, clock: &Clock, report: Report<'_>) -> Result<Restored> {
    let staged = with_suffix(file, ".restoring");
    let _ = fs::remove_file(&staged);
    let outcome = stage(source, &staged).and_then(|from| match state_of(file) {
        State::Absent => place(file, from),
        State::Sound => replace(file, &from, clock, report),
        State::Damaged => set_aside(file, from, clock),
    });
    let _ = fs::remove_file(&staged);
    outcome
}

/// What a restore finds in its place.
enum State {
    Absent,
    Sound,
    Damaged,
}

fn state_of(file: &Path) -> State {
    if !file.exists() {
        return State::Absent;
    }
    match open::reader(file).and_then(|found| check(&found, file)) {
        Err(error) if error.kind() == Kind::Unusable => State::Damaged,
        _ => State::Sound,
    }
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

/// Gives the staged copy its name. A log that an earlier file has left behind would be replayed into
/// it, so what lies beside goes first.
fn place(file: &Path, from: Connection) -> Result<Restored> {
    let staged = from.path().map(PathBuf::from).unwrap_or_default();
    drop(from);
    let failed = |error| Error::io(error, format!("write `{}`", file.display()));
    for beside in COMPANIONS.map(|suffix| with_suffix(file, suffix)) {
        match fs::remove_file(beside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    fs::rename(staged, file).and_then(|()| paths::flush_folder_of(file)).map_err(failed)?;
    Ok(Restored { kept: None, counters_kept: 0, was_damaged: false })
}

/// Moves a damaged file away, with what lies beside it, and puts the backup in its place. Of its
/// sequences, what can still be read is kept.
fn set_aside(file: &Path, from: Connection, clock: &Clock) -> Result<Restored> {
    let counters_kept = open::reader(file).and_then(|damaged| raise_counters(&damaged, &from)).unwrap_or(0);
    let kept = file.with_extension(format!("damaged.{}.db", clock.now().file_stamp()));
    let failed = |error| Error::io(error, format!("move `{}` away", file.display()));
    fs::rename(file, &kept).map_err(failed)?;
    for suffix in COMPANIONS {
        let _ = fs::rename(with_suffix(file, suffix), with_suffix(&kept, suffix));
    }
    place(file, from)?;
    Ok(Restored { kept: Some(kept), counters_kept, was_damaged: true })
}

fn replace(file: &Path, from: &Connection, clock: &Clock, report: Report<'_>) -> Result<Restored> {
    let kept = file.with_extension(format!("before-restore.{}.bak", clock.now().file_stamp()));
    let before = open::reader(file)?;
    let mut to = open::connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    open::refuse_foreign(&to, file)?;
    // A plain copy of a backup has no write-ahead log; without one, reading the old file would wait
    // for the very lock that writing the new one holds.
    to.pragma_update(None, "journal_mode", "wal")?;
    let copying = Backup::new(from, &mut to)?;
    lock(&copying)?;
    copy_checked(&before, &kept, &mut |_| {})?;
    // Changes made through the source's own connection reach the running copy as well.
    let counters_kept = raise_counters(&before, from)?;
    drop(before);
    run(&copying, report)?;
    Ok(Restored { kept: Some(kept), counters_kept, was_damaged: false })
}

/// The first step takes the write lock of the data file, or fails after the usual wait.
fn lock(copying: &Backup<'_, '_>) -> Result<()> {
    match copying.step(1)? {
        StepResult::Busy | StepResult::Locked => Err(busy()),
        _ => Ok(()),
    }
}

fn busy() -> Error {
    Error::new(Kind::Busy, "the data file is busy: other processes are writing to it")
        .hint("nothing was changed; run the command again")
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
    // What was handed out one by one stays handed out.
    carry(
        before,
        from,
        "id_given",
        "SELECT project_id, prefix, number, given_at FROM id_given",
        "INSERT OR IGNORE INTO id_given (project_id, prefix, number, given_at) VALUES (?1, ?2, ?3, ?4)",
    )?;
    // An older backup must not take away what proves a person.
    carry(
        before,
        from,
        "pins",
        "SELECT login, hash, failed, closed_until FROM pins",
        "INSERT OR REPLACE INTO pins (login, hash, failed, closed_until) VALUES (?1, ?2, ?3, ?4)",
    )?;
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

/// Brings rows along as they are. An older file knows nothing of the table.
fn carry(before: &Connection, from: &Connection, table: &str, select: &str, insert: &str) -> Result<()> {
    if !before.table_exists(None, table)? {
        return Ok(());
    }
    let mut statement = before.prepare(select)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let values = (0..columns).map(|column| row.get::<_, Value>(column));
        from.execute(insert, params_from_iter(values.collect::<rusqlite::Result<Vec<_>>>()?))?;
    }
    Ok(())
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
