//! `schema.sql` is what the migrations add up to.

use std::collections::BTreeMap;
use std::path::Path;

use backoffice::clock::Clock;
use backoffice::db::migrations;
use backoffice::db::{Db, Mode};
use rusqlite::Connection;

#[expect(clippy::disallowed_methods, reason = "looks at a file from outside")]
fn raw(file: &Path) -> Connection {
    Connection::open(file).unwrap()
}

/// Every table, index and trigger by name, without comments and with single spaces; where a column was
/// added later, the commas stand elsewhere.
fn objects(connection: &Connection) -> BTreeMap<String, String> {
    let mut statement =
        connection.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).unwrap();
    let plain = |sql: String| -> String {
        let code = sql.lines().map(|line| line.split("--").next().unwrap_or(line));
        let spaced =
            code.collect::<Vec<_>>().join("\n").replace(',', " , ").replace('(', " ( ").replace(')', " ) ");
        spaced.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    rows.map(Result::unwrap).map(|(name, sql)| (name, plain(sql))).collect()
}

fn migrated(file: &Path) -> Connection {
    drop(Db::open(file, Mode::Full, &Clock::System, "olivia").unwrap());
    raw(file)
}

#[test]
fn the_migrations_add_up_to_the_schema() {
    let folder = tempfile::tempdir().unwrap();
    let stated = raw(&folder.path().join("stated.db"));
    stated.execute_batch(include_str!("../schema.sql")).unwrap();
    let migrated = migrated(&folder.path().join("migrated.db"));
    assert_eq!(objects(&migrated), objects(&stated));
    let rows: i64 = stated.query_row("SELECT count(*) FROM people", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0, "schema.sql holds no rows");
}

#[test]
fn every_table_is_strict_and_every_migration_says_why() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sql) in objects(&migrated(&folder.path().join("a.db"))) {
        // SQLite makes its own tables for a full-text index.
        let indexes = ["documents_text_", "invoices_vendors_", "tickets_text_", "articles_"];
        let own = indexes.iter().any(|index| name.starts_with(index) && name != "articles");
        assert!(own || !sql.starts_with("CREATE TABLE") || sql.contains("STRICT"), "{name}");
    }
    for (expected, step) in (1..).zip(migrations::ALL) {
        assert_eq!(step.version, expected);
        assert!(step.sql.starts_with("-- "), "step {expected} does not say why it is there");
    }
}

#[test]
fn an_old_file_is_copied_before_it_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let old = raw(&file);
    old.execute_batch(migrations::ALL[0].sql).unwrap();
    old.execute_batch(
        "PRAGMA application_id = 0x424F4646; PRAGMA user_version = 1;
         INSERT INTO sequences VALUES ('shop', 'US', 41, 0);",
    )
    .unwrap();
    drop(old);
    let new = migrated(&file);
    let version: i32 = new.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(Some(version), migrations::ALL.last().map(|step| step.version));
    let kept: i64 = new.query_row("SELECT last_assigned FROM sequences", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 41);
    let copies: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains(".v1."))
        .collect();
    let copy = raw(copies.first().expect("a copy beside the file"));
    let version: i32 = copy.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 1, "the copy is as the file was");
}

#[test]
fn a_sequence_never_falls_whoever_writes() {
    let folder = tempfile::tempdir().unwrap();
    let file = migrated(&folder.path().join("a.db"));
    file.execute_batch("INSERT INTO sequences VALUES ('shop', 'US', 5, 0)").unwrap();
    let error = file.execute_batch("UPDATE sequences SET last_assigned = 4").unwrap_err();
    assert_eq!(error.to_string(), "a sequence never falls");
}
