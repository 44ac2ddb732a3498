//! A queue of a million tasks, written straight into the file.

use std::fs::File;

use backoffice::paths::Home;
use rusqlite::Connection;

use super::Outcome;
use super::report::say;
use super::site::{INPUT_FILES, PROJECT, Site};

pub const ROWS: i64 = 1_000_000;
/// What six of ten tasks depend on.
pub const COMMON_INPUT: &str = "PRD-006";

/// Six of ten tasks are pending, six of ten depend on one document: a filtered listing has more
/// than 10,000 pages, too.
pub fn large_home(site: &Site) -> Outcome<Home> {
    say(&format!("        writing {ROWS} tasks …"));
    let home = site.home("large")?;
    let file = home.database();
    #[expect(clippy::disallowed_methods, reason = "a million rows through the tools would take minutes")]
    let connection = Connection::open(&file)?;
    // Nothing else has the file open, and an interrupted fill is thrown away with its folder.
    for (name, value) in [("journal_mode", "off"), ("synchronous", "off"), ("cache_size", "-400000")] {
        connection.pragma_update(None, name, value)?;
    }
    connection.execute_batch("BEGIN")?;
    connection.execute(TASKS, (PROJECT, ROWS))?;
    let [common, other] = INPUT_FILES;
    connection.execute(INPUTS, (COMMON_INPUT, common, other))?;
    connection.execute(
        "INSERT INTO sequences (project_id, prefix, last_assigned, updated_at) VALUES (?1, 'TASK', ?2, 0)",
        (PROJECT, ROWS),
    )?;
    connection.execute_batch("COMMIT")?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    drop(connection);
    File::open(&file)?.sync_all()?;
    Ok(home)
}

const TASKS: &str = "
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO queue_tasks (project_id, number, artifact_id, generator, status, description,
        missing_mandatory, created_at, updated_at, completed_at)
    SELECT ?1, i, format('US-%07d', i), 'backlog-story-generator', iif(i % 5 < 3, 'pending', 'completed'),
        format('Generate US-%07d from its inputs', i), 0, 1760000000000 + i, 1760000000000 + i,
        iif(i % 5 < 3, NULL, 1760000000000 + i)
    FROM n";

const INPUTS: &str = "
    INSERT INTO queue_inputs (task_seq, position, project_id, name, classification, artifact_type,
        artifact_id, resource_path, resource_uri, status)
    SELECT seq, 0, project_id, 'prd', 'mandatory', 'prd',
        iif(seq % 10 < 6, ?1, format('PRD-%03d', 7 + seq % 900)),
        iif(seq % 10 < 6, ?2, ?3), 'mcp://resources/' || iif(seq % 10 < 6, ?2, ?3), 'Approved'
    FROM queue_tasks";
