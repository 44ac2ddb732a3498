//! The data file: what is refused and left alone, what is copied before it is changed.

use std::fs;
use std::path::Path;

use backoffice::clock::Clock;
use backoffice::db::{Db, Mode, audit};
use backoffice::error::{Error, Kind};
use rusqlite::Connection;

fn open(file: &Path) -> Result<Db, Error> {
    Db::open(file, Mode::Full, &Clock::System, "olivia")
}

#[expect(clippy::disallowed_methods, reason = "stands for another program that opens the file")]
fn raw(file: &Path) -> Connection {
    Connection::open(file).unwrap()
}

/// What is refused must not be changed by as much as a byte.
fn refused(file: &Path) -> Error {
    let before = fs::read(file).unwrap();
    let error = open(file).unwrap_err();
    assert_eq!(fs::read(file).unwrap(), before, "the file was touched");
    assert_eq!(error.kind(), Kind::Unusable, "{error:?}");
    assert!(error.hint_text().is_some(), "{error:?}");
    error
}

#[test]
fn a_newer_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    drop(open(&file).unwrap());
    raw(&file).pragma_update(None, "user_version", 999).unwrap();
    assert!(
        refused(&file).message().contains("was written by a newer backoffice (schema 999, this one knows ")
    );
}

#[test]
fn another_programs_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    raw(&file).execute_batch("CREATE TABLE theirs (x)").unwrap();
    assert!(refused(&file).message().ends_with("is a SQLite file of another program"));
}

#[test]
fn garbage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    fs::write(&file, "not a database at all, but long enough to be looked at".repeat(100)).unwrap();
    assert_eq!(refused(&file).message(), "the data file is damaged or is not a SQLite database");
}

#[test]
fn a_read_only_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    drop(open(&file).unwrap());
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    assert!(refused(&file).message().ends_with("is read-only"));
}

#[test]
fn a_folder_in_its_place_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = open(folder.path()).unwrap_err();
    assert!(error.message().ends_with("is a folder, not a data file"), "{error:?}");
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let mut client = crate::client::Client::start(home.path(), &[]);
    client.value("get_next_available_id", serde_json::json!({"artifact_type": "US"}));
    let data = home.path().join("data");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    let mut seen = Vec::new();
    for entry in fs::read_dir(&data).unwrap().chain(fs::read_dir(data.join("logs")).unwrap()) {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
        seen.push(path);
    }
    assert!(seen.len() >= 4, "the file, its two companions, the log: {seen:?}");
}

/// Another process that holds the lock for good ends in an error that says: call again.
#[test]
fn a_lock_that_never_ends_is_a_retryable_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let db = open(&file).unwrap();
    let holder = raw(&file);
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = db.write(|_| Ok(())).unwrap_err();
    assert_eq!((error.kind(), &error.details()["retryable"]), (Kind::Busy, &serde_json::json!(true)));
    holder.execute_batch("ROLLBACK").unwrap();
    db.write(|_| Ok(())).unwrap();
}

fn entry(tool: String) -> audit::Entry {
    audit::Entry {
        id: 0,
        at: Clock::System.now(),
        caller: "olivia".to_owned(),
        client: "test".to_owned(),
        tool,
        outcome: "ok".to_owned(),
        correlation_id: None,
        run_us: 1,
        receipt: None,
    }
}

/// A full disk: SQLite may grow by a few pages and no more.
#[test]
fn a_full_disk_fails_the_call_and_keeps_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let db = open(&file).unwrap();
    db.write(|tx| {
        let pages: i64 = tx.row("PRAGMA page_count", [], |row| row.get(0))?.unwrap();
        tx.row(&format!("PRAGMA max_page_count = {}", pages + 4), [], |_| Ok(())).map(drop)
    })
    .unwrap();
    let big = entry("x".repeat(200_000));
    let error = db.write(move |tx| audit::append(tx, &big)).unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Storage, "the disk is full"));
    let small = entry("small".to_owned());
    db.write(move |tx| audit::append(tx, &small)).unwrap();
    let trail = db.read(|tx| audit::newest(tx, &audit::Filter::default(), 10)).unwrap();
    assert_eq!(trail.iter().map(|entry| entry.tool.as_str()).collect::<Vec<_>>(), ["small"]);
    drop(db);
    backoffice::db::backup::check_file(&file).unwrap();
}

/// A server went on writing into a file without a name, and its numbers were given again.
#[cfg(unix)]
#[test]
fn a_file_that_is_moved_away_is_noticed_before_anything_is_promised() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let db = open(&file).unwrap();
    let take =
        |db: &Db| db.write(|tx| backoffice::db::sequences::take(tx, "p", "US", 1, Clock::System.now()));
    assert_eq!(take(&db).unwrap(), 1);
    fs::rename(&file, folder.path().join("moved.db")).unwrap();
    let error = take(&db).unwrap_err();
    assert_eq!(error.kind(), Kind::Unusable);
    assert!(error.message().ends_with("was moved or removed while it was open"), "{error:?}");
    drop(open(&file).unwrap());
    assert!(take(&db).is_err(), "another file in its place is no better");
}

#[test]
fn a_newer_backup_in_its_place_is_not_touched_either() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("a.db"), folder.path().join("copy.db"));
    drop(open(&file).unwrap());
    backoffice::db::backup::backup(&file, &copy, &mut |_| {}).unwrap();
    raw(&copy).pragma_update(None, "user_version", 999).unwrap();
    refused(&copy);
}

/// Without an idle moment the log used to grow as long as several processes wrote.
#[test]
fn the_log_stays_bounded_while_two_write_without_a_pause() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let writers = [open(&file).unwrap(), open(&file).unwrap()];
    std::thread::scope(|scope| {
        for db in &writers {
            scope.spawn(move || {
                for _ in 0..800 {
                    let entry = entry("x".repeat(60_000));
                    db.write(move |tx| audit::append(tx, &entry)).unwrap();
                }
            });
        }
    });
    let log = fs::metadata(folder.path().join("a.db-wal")).unwrap().len();
    assert!(log < 48 * 1024 * 1024, "{log} bytes for 96 MB written");
}
