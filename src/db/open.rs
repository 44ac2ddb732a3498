//! Opens SQLite: the one place, with the settings every connection needs, and the refusals.

use std::fs;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{busy, migrations};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::paths;

/// Marks a file as ours ("BOFF"), so that another program's database is never touched.
pub(super) const APPLICATION_ID: i32 = 0x424F_4646;
/// Statements kept ready; more than all families use together.
const STATEMENTS: usize = 256;

/// Opens the file for the writer: created if absent, checked, migrated.
pub(super) fn writer(file: &Path, clock: &Clock) -> Result<Connection> {
    // Several processes may create the file at once, and SQLite does not ask the busy handler when
    // it turns the write-ahead log on: whoever comes too early tries again.
    busy::retry(|| prepared(file, clock))
}

fn prepared(file: &Path, clock: &Clock) -> Result<Connection> {
    refuse_what_cannot_be_written(file)?;
    let fresh = !file.exists();
    let connection = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    refuse_foreign(&connection, file)?;
    if fresh {
        paths::make_private(file)?;
    }
    migrations::refuse_newer(&connection, file, &migrations::ALL)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    migrations::apply(&connection, file, &migrations::ALL, clock)?;
    Ok(connection)
}

/// Opens the file for a reader, which cannot write by any statement.
pub(super) fn reader(file: &Path) -> Result<Connection> {
    let connection = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Opens any SQLite file with our settings, without looking at what it holds.
#[expect(clippy::disallowed_methods, reason = "this is the one place that opens SQLite")]
pub(super) fn connect(file: &Path, access: OpenFlags) -> Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags)?;
    connection.busy_handler(Some(busy::wait))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Statements are planned once, not again for every value that is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

fn refuse_what_cannot_be_written(file: &Path) -> Result<()> {
    match fs::metadata(file) {
        Ok(found) if found.is_dir() => {
            Err(Error::unusable(format!("`{}` is a folder, not a data file", file.display()))
                .hint("move it away, or name another data folder with --home"))
        }
        Ok(found) if found.permissions().readonly() => {
            Err(Error::unusable(format!("the data file `{}` is read-only", file.display()))
                .hint("give yourself write permission on it, or name another data folder with --home"))
        }
        _ => Ok(()),
    }
}

/// Refuses a database that some other program made: ours carries our mark from its first commit.
pub(super) fn refuse_foreign(connection: &Connection, file: &Path) -> Result<()> {
    // In this order: another process may be creating the file, and its mark comes with its tables.
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let mark: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if mark == APPLICATION_ID || (mark == 0 && tables == 0) {
        return Ok(());
    }
    Err(Error::unusable(format!("`{}` is a SQLite file of another program", file.display()))
        .hint("it was not touched; move it away, or name another data folder with --home"))
}
