//! Migrations: numbered steps whose sum is `schema.sql`.

use std::path::Path;

use rusqlite::Connection;

use super::open::APPLICATION_ID;
use super::{backup, open};
use crate::clock::Clock;
use crate::error::{Error, Result};

/// One step, from the version before it to its own.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    pub version: i32,
    pub sql: &'static str,
}

/// Every step in order. A released step is never edited; a change is a new step that says why.
pub const ALL: [Migration; 13] = [
    Migration { version: 1, sql: include_str!("migrations/0001_core.sql") },
    Migration { version: 2, sql: include_str!("migrations/0002_ids.sql") },
    Migration { version: 3, sql: include_str!("migrations/0003_tasks.sql") },
    Migration { version: 4, sql: include_str!("migrations/0004_repositories.sql") },
    Migration { version: 5, sql: include_str!("migrations/0005_artifacts.sql") },
    Migration { version: 6, sql: include_str!("migrations/0006_preflight.sql") },
    Migration { version: 7, sql: include_str!("migrations/0007_preflight_model.sql") },
    Migration { version: 8, sql: include_str!("migrations/0008_docs.sql") },
    Migration { version: 9, sql: include_str!("migrations/0009_confirmations.sql") },
    Migration { version: 10, sql: include_str!("migrations/0010_hr.sql") },
    Migration { version: 11, sql: include_str!("migrations/0011_finance.sql") },
    Migration { version: 12, sql: include_str!("migrations/0012_sales.sql") },
    Migration { version: 13, sql: include_str!("migrations/0013_support.sql") },
];

/// Brings a file up to the newest version, all steps in one transaction, after copying it.
pub(super) fn apply(connection: &Connection, file: &Path, steps: &[Migration], clock: &Clock) -> Result<()> {
    apply_with(connection, file, steps, &mut |found| {
        let stamp = clock.now().file_stamp();
        let copy = file.with_extension(format!("v{found}.{stamp}.bak"));
        tracing::info!(event = "migration_copy", from_version = found);
        backup::copy_checked(&open::reader(file)?, &copy, &mut |_| {})
    })
}

/// The same for a file that is a copy already; `name` is what to call it in an error.
pub(super) fn apply_uncopied(connection: &Connection, name: &Path) -> Result<()> {
    apply_with(connection, name, &ALL, &mut |_| Ok(()))
}

type Copy<'a> = &'a mut dyn FnMut(i32) -> Result<()>;

fn apply_with(connection: &Connection, file: &Path, steps: &[Migration], copy: Copy<'_>) -> Result<()> {
    let newest = steps.last().map_or(0, |step| step.version);
    if refuse_newer(connection, file, steps)? == newest {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let migrated = migrate(connection, file, steps, copy);
    let end = if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" };
    connection.execute_batch(end)?;
    migrated
}

/// Runs with the write lock held, so the version is read again: another process may have been first.
fn migrate(connection: &Connection, file: &Path, steps: &[Migration], copy: Copy<'_>) -> Result<()> {
    let found = refuse_newer(connection, file, steps)?;
    let newest = steps.last().map_or(0, |step| step.version);
    if found > 0 && found < newest {
        copy(found)?;
    }
    for step in steps.iter().filter(|step| step.version > found) {
        connection.execute_batch(step.sql)?;
        connection.pragma_update(None, "user_version", step.version)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(())
}

fn version(connection: &Connection) -> Result<i32> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// The version of a file, if this program knows it.
pub(super) fn refuse_newer(connection: &Connection, file: &Path, steps: &[Migration]) -> Result<i32> {
    let (found, known) = (version(connection)?, steps.last().map_or(0, |step| step.version));
    if found <= known {
        return Ok(found);
    }
    let name = file.display();
    Err(Error::unusable(format!(
        "`{name}` was written by a newer backoffice (schema {found}, this one knows {known})"
    ))
    .hint("it was not touched; update backoffice, or name another data folder with --home"))
}
