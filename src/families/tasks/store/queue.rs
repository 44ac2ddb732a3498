//! A project's queue: tasks, their inputs, what happened to them.

use rusqlite::{Row, params};

use super::super::inputs::{CheckedTask, Classification, Input};
use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// A row of `queue_tasks`.
#[derive(Clone, Debug)]
pub struct QueueTask {
    pub seq: i64,
    pub number: i64,
    pub project_id: String,
    pub artifact_id: String,
    pub generator: String,
    pub status: String,
    pub description: String,
    pub worker: Option<String>,
    pub lease_expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub completion_notes: Option<String>,
}

/// Which tasks a listing shows, and where it goes on.
#[derive(Debug)]
pub struct Filter<'a> {
    pub project: &'a str,
    pub status: Option<&'a str>,
    pub artifact_id: Option<&'a str>,
    pub depends_on: Option<&'a str>,
    pub missing_mandatory: bool,
    pub after: i64,
    pub limit: i64,
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT t.seq, t.number, t.project_id, t.artifact_id, t.generator, t.status, t.description, t.worker,
                    t.lease_expires_at, t.created_at, t.updated_at, t.started_at, t.completed_at,
                    t.completion_notes ",
            $rest
        )
    };
}

pub fn insert(
    tx: &WriteTx<'_>,
    project: &str,
    number: i64,
    task: &CheckedTask,
    now: Timestamp,
) -> Result<()> {
    let lacking = !task.inputs.iter().any(|input| input.classification == Classification::Mandatory);
    tx.execute(
        "INSERT INTO queue_tasks (project_id, number, artifact_id, generator, status, description,
             correlation_id, missing_mandatory, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, 'pending', ?5, ?6, ?7, ?8, ?8)",
        params![
            project,
            number,
            task.artifact_id,
            task.generator,
            task.description,
            task.correlation_id,
            lacking,
            now.0
        ],
    )?;
    let seq = tx.last_insert_rowid();
    for (position, input) in (0_i64..).zip(&task.inputs) {
        tx.execute(
            "INSERT INTO queue_inputs (task_seq, position, project_id, name, classification, artifact_type,
                 artifact_id, resource_path, resource_uri, status)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                seq,
                position,
                project,
                input.name,
                word(input.classification),
                input.artifact_type,
                input.artifact_id,
                input.resource_path,
                input.mcp_resource_uri,
                input.status
            ],
        )?;
    }
    record(tx, seq, "added", None, now)
}

pub fn is_open(tx: &ReadTx<'_>, project: &str, artifact_id: &str) -> Result<bool> {
    let open = tx.row(
        "SELECT 1 FROM queue_tasks WHERE project_id = ?1 AND artifact_id = ?2 AND status <> 'completed'",
        params![project, artifact_id],
        |_| Ok(()),
    )?;
    Ok(open.is_some())
}

/// Whether an artifact was ever queued, also long ago.
pub fn was_queued(tx: &ReadTx<'_>, project: &str, artifact_id: &str) -> Result<bool> {
    let queued = tx.row(
        "SELECT 1 FROM queue_tasks WHERE project_id = ?1 AND artifact_id = ?2",
        params![project, artifact_id],
        |_| Ok(()),
    )?;
    Ok(queued.is_some())
}

/// Whether an artifact was queued to be made from another one.
pub fn depends_on(tx: &ReadTx<'_>, project: &str, artifact_id: &str, input: &str) -> Result<bool> {
    let depends = tx.row(
        "SELECT 1 FROM queue_tasks t JOIN queue_inputs i ON i.task_seq = t.seq
         WHERE t.project_id = ?1 AND t.artifact_id = ?2 AND i.artifact_id = ?3",
        params![project, artifact_id, input],
        |_| Ok(()),
    )?;
    Ok(depends.is_some())
}

pub fn find(tx: &ReadTx<'_>, project: &str, number: i64) -> Result<Option<QueueTask>> {
    tx.row(
        columns!("FROM queue_tasks t WHERE t.project_id = ?1 AND t.number = ?2"),
        params![project, number],
        read,
    )
}

/// The task that has waited longest.
pub fn next_pending(tx: &ReadTx<'_>, project: &str) -> Result<Option<QueueTask>> {
    tx.row(
        columns!(
            "FROM queue_tasks t WHERE t.project_id = ?1 AND t.status = 'pending' ORDER BY t.seq LIMIT 1"
        ),
        [project],
        read,
    )
}

pub fn claim(tx: &WriteTx<'_>, seq: i64, worker: &str, minutes: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE queue_tasks SET status = 'in_progress', worker = ?2, lease_minutes = ?3,
             lease_expires_at = ?4, started_at = ?5, updated_at = ?5
         WHERE seq = ?1",
        params![seq, worker, minutes, now.plus_minutes(minutes).0, now.0],
    )?;
    record(tx, seq, "claimed", Some(worker), now)
}

pub fn start(tx: &WriteTx<'_>, seq: i64, worker: &str, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE queue_tasks SET status = 'in_progress', worker = ?2, started_at = ?3, updated_at = ?3
         WHERE seq = ?1",
        params![seq, worker, now.0],
    )?;
    record(tx, seq, "started", Some(worker), now)
}

pub fn complete(tx: &WriteTx<'_>, seq: i64, worker: &str, notes: Option<&str>, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE queue_tasks SET status = 'completed', lease_expires_at = NULL, completed_at = ?2,
             updated_at = ?2, completion_notes = ?3
         WHERE seq = ?1",
        params![seq, now.0, notes],
    )?;
    record(tx, seq, "completed", Some(worker), now)
}

pub fn next_lease_end(tx: &ReadTx<'_>) -> Result<Option<Timestamp>> {
    let next = tx.row(
        "SELECT min(lease_expires_at) FROM queue_tasks WHERE lease_expires_at IS NOT NULL",
        [],
        |row| row.get::<_, Option<i64>>(0),
    )?;
    Ok(next.flatten().map(Timestamp))
}

/// Returns tasks whose lease has run out to the queue, and records it.
pub fn return_expired(tx: &WriteTx<'_>, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO queue_events (task_seq, at, event, worker)
         SELECT seq, ?1, 'lease_expired', worker FROM queue_tasks WHERE lease_expires_at <= ?1",
        [now.0],
    )?;
    tx.execute(
        "UPDATE queue_tasks SET status = 'pending', worker = NULL, lease_minutes = NULL,
             lease_expires_at = NULL, started_at = NULL, updated_at = ?1
         WHERE lease_expires_at <= ?1",
        [now.0],
    )?;
    Ok(())
}

/// Gives the workers' leases their full length again; what has run out stays run out.
pub fn renew_leases(tx: &WriteTx<'_>, workers: &[String], now: Timestamp) -> Result<()> {
    for worker in workers {
        tx.execute(
            "UPDATE queue_tasks SET lease_expires_at = ?2 + lease_minutes * 60000
             WHERE worker = ?1 AND lease_expires_at > ?2",
            params![worker, now.0],
        )?;
    }
    Ok(())
}

/// One statement and one index for each filter that narrows; what else is asked is a condition on
/// the rows it finds.
const BY_INPUT: &str = columns!(
    "FROM queue_inputs i JOIN queue_tasks t ON t.seq = i.task_seq
     WHERE i.project_id = ?1 AND i.artifact_id = ?6 AND i.task_seq > ?2
       AND (?4 IS NULL OR t.status = ?4) AND (?5 IS NULL OR t.artifact_id = ?5)
       AND (NOT ?7 OR t.missing_mandatory = 1)
     GROUP BY i.task_seq ORDER BY i.task_seq LIMIT ?3"
);
const BY_ARTIFACT: &str = columns!(
    "FROM queue_tasks t INDEXED BY queue_tasks_by_artifact
     WHERE t.project_id = ?1 AND t.artifact_id = ?5 AND t.seq > ?2
       AND (?4 IS NULL OR t.status = ?4) AND ?6 IS NULL AND (NOT ?7 OR t.missing_mandatory = 1)
     ORDER BY t.seq LIMIT ?3"
);
const LACKING: &str = columns!(
    "FROM queue_tasks t INDEXED BY queue_tasks_lacking
     WHERE t.project_id = ?1 AND t.missing_mandatory = 1 AND t.seq > ?2
       AND (?4 IS NULL OR t.status = ?4) AND ?5 IS NULL AND ?6 IS NULL AND ?7
     ORDER BY t.seq LIMIT ?3"
);
const BY_STATUS: &str = columns!(
    "FROM queue_tasks t INDEXED BY queue_tasks_by_status
     WHERE t.project_id = ?1 AND t.status = ?4 AND t.seq > ?2
       AND ?5 IS NULL AND ?6 IS NULL AND NOT ?7
     ORDER BY t.seq LIMIT ?3"
);
const BY_PROJECT: &str = columns!(
    "FROM queue_tasks t INDEXED BY queue_tasks_by_project
     WHERE t.project_id = ?1 AND t.seq > ?2
       AND ?4 IS NULL AND ?5 IS NULL AND ?6 IS NULL AND NOT ?7
     ORDER BY t.seq LIMIT ?3"
);

/// In the order they were added.
pub fn page(tx: &ReadTx<'_>, filter: &Filter<'_>) -> Result<Vec<QueueTask>> {
    let Filter { project, status, artifact_id, depends_on, missing_mandatory, after, limit } = *filter;
    let statement = match filter {
        Filter { depends_on: Some(_), .. } => BY_INPUT,
        Filter { artifact_id: Some(_), .. } => BY_ARTIFACT,
        Filter { missing_mandatory: true, .. } => LACKING,
        Filter { status: Some(_), .. } => BY_STATUS,
        _ => BY_PROJECT,
    };
    let values = params![project, after, limit, status, artifact_id, depends_on, missing_mandatory];
    tx.rows(statement, values, read)
}

pub fn inputs(tx: &ReadTx<'_>, seq: i64) -> Result<Vec<Input>> {
    tx.rows(
        "SELECT name, classification, artifact_type, artifact_id, resource_path, resource_uri, status
         FROM queue_inputs WHERE task_seq = ?1 ORDER BY position",
        [seq],
        |row| {
            Ok(Input {
                name: row.get(0)?,
                classification: match row.get::<_, String>(1)?.as_str() {
                    "mandatory" => Classification::Mandatory,
                    "recommended" => Classification::Recommended,
                    _ => Classification::Conditional,
                },
                artifact_type: row.get(2)?,
                artifact_id: row.get(3)?,
                resource_path: row.get(4)?,
                mcp_resource_uri: row.get(5)?,
                status: row.get(6)?,
            })
        },
    )
}

fn record(tx: &WriteTx<'_>, seq: i64, event: &str, worker: Option<&str>, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO queue_events (task_seq, at, event, worker) VALUES (?1, ?2, ?3, ?4)",
        params![seq, now.0, event, worker],
    )?;
    Ok(())
}

fn word(classification: Classification) -> &'static str {
    match classification {
        Classification::Mandatory => "mandatory",
        Classification::Recommended => "recommended",
        Classification::Conditional => "conditional",
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<QueueTask> {
    let instant = |index| row.get::<_, Option<i64>>(index).map(|at| at.map(Timestamp));
    Ok(QueueTask {
        seq: row.get(0)?,
        number: row.get(1)?,
        project_id: row.get(2)?,
        artifact_id: row.get(3)?,
        generator: row.get(4)?,
        status: row.get(5)?,
        description: row.get(6)?,
        worker: row.get(7)?,
        lease_expires_at: instant(8)?,
        created_at: Timestamp(row.get(9)?),
        updated_at: Timestamp(row.get(10)?),
        started_at: instant(11)?,
        completed_at: instant(12)?,
        completion_notes: row.get(13)?,
    })
}

pub fn count_open(tx: &ReadTx<'_>, project: &str) -> Result<i64> {
    let count = tx.row(
        "SELECT count(*) FROM queue_tasks WHERE project_id = ?1 AND status IN ('pending', 'in_progress')",
        [project],
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::db::{Db, Mode};

    /// A listing that scans or sorts would be quick here and slow at a million tasks.
    #[test]
    fn every_listing_is_a_range_of_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(&folder.path().join("a.db"), Mode::Full, &Clock::System, "owner").unwrap();
        for statement in [BY_INPUT, BY_ARTIFACT, LACKING, BY_STATUS, BY_PROJECT] {
            let explain = format!("EXPLAIN QUERY PLAN {statement}");
            let none = params!["p", 0, 50, None::<&str>, None::<&str>, None::<&str>, false];
            let plan =
                db.read(|tx| tx.rows(&explain, none, |row| row.get::<_, String>(3))).unwrap().join("; ");
            assert!(plan.starts_with("SEARCH") && !plan.contains("SCAN") && !plan.contains("TEMP"), "{plan}");
        }
    }
}
