//! The bare statements of the same work: what SQLite alone costs, without a server, a dispatch or
//! a hand-off. The SQL is that of the stores, on a connection with the writer's settings.

use std::path::{Path, PathBuf};

use backoffice::clock::Clock;
use backoffice::id::Ids;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, Params, params};

use super::Outcome;
use super::jobs::{BATCH_OF_TASKS, next_artifact};
use super::site::{INPUT_FILES, OWNER, PROJECT};

/// Name, classification, type, id, file and status of what a task needs.
pub type Input<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, &'a str);

#[derive(Debug)]
pub struct Bare {
    connection: Connection,
    repository: PathBuf,
}

impl Bare {
    #[expect(clippy::disallowed_methods, reason = "what is measured here is SQLite without our layers")]
    pub fn open(file: &Path, repository: &Path) -> Outcome<Self> {
        let connection = Connection::open(file)?;
        connection.set_prepared_statement_cache_capacity(256);
        // Without it SQLite prepares many a cached statement anew at every use: rusqlite clears the
        // bindings, and the planner has looked at them.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        for (name, value) in [("synchronous", "full"), ("foreign_keys", "on"), ("wal_autocheckpoint", "8000")]
        {
            connection.pragma_update(None, name, value)?;
        }
        Ok(Bare { connection, repository: repository.canonicalize()? })
    }

    /// Copies the log back, as the writer does in idle moments.
    pub fn rest(&self) -> Outcome<()> {
        Ok(self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
    }

    pub fn next_id(&self) -> Outcome<()> {
        self.write("get_next_available_id", |now| {
            self.take("US", 1, now)?;
            Ok(())
        })
    }

    pub fn reserve_three(&self) -> Outcome<()> {
        self.write("reserve_id_range", |now| {
            let first = self.take("HLS", 3, now)?;
            self.insert_reservation(&Ids::Random.uuid(), first, 3, now)
        })
    }

    pub fn insert_reservation(&self, id: &str, first: i64, count: i64, now: i64) -> Outcome<()> {
        self.execute(
            "INSERT INTO id_reservations
                 (reservation_id, project_id, prefix, first_number, count, state, reserved_at, expires_at)
             VALUES (?1, ?2, 'HLS', ?3, ?4, 'active', ?5, ?6)",
            params![id, PROJECT, first, count, now, now + 900_000],
        )
    }

    pub fn add_ten_tasks(&self) -> Outcome<()> {
        let artifacts: Vec<String> = (0..BATCH_OF_TASKS).map(|_| next_artifact()).collect();
        // All ten tasks have the same two inputs, which need to be looked for once.
        for file in INPUT_FILES {
            let found = self.repository.join(file).canonicalize()?;
            if !found.starts_with(&self.repository) || !found.is_file() {
                return Err(format!("{file} is not there").into());
            }
        }
        self.write("add_task", |now| {
            for artifact in &artifacts {
                self.find(
                    "SELECT 1 FROM queue_tasks
                     WHERE project_id = ?1 AND artifact_id = ?2 AND status <> 'completed'",
                    params![PROJECT, artifact],
                )?;
            }
            let first = self.take_numbers("TASK", BATCH_OF_TASKS, now)?;
            let [prd, research] = INPUT_FILES;
            let inputs = [
                ("prd", "mandatory", "prd", "PRD-006", prd, "Approved"),
                ("business_research", "recommended", "research", "N/A", research, "Finalized"),
            ];
            (first..)
                .zip(&artifacts)
                .try_for_each(|(number, artifact)| self.insert_task(number, artifact, &inputs, now))
        })
    }

    /// A task, what it needs, and that it was added.
    pub fn insert_task(&self, number: i64, artifact: &str, inputs: &[Input<'_>], now: i64) -> Outcome<()> {
        let description = format!("Generate {artifact} from PRD-006");
        self.execute(
            "INSERT INTO queue_tasks (project_id, number, artifact_id, generator, status, description,
                 correlation_id, missing_mandatory, created_at, updated_at)
             VALUES (?1, ?2, ?3, 'hls-generator', 'pending', ?4, NULL, 0, ?5, ?5)",
            params![PROJECT, number, artifact, description, now],
        )?;
        let seq = self.connection.last_insert_rowid();
        for (position, (name, class, kind, id, path, status)) in (0..).zip(inputs) {
            let uri = format!("mcp://resources/{path}");
            self.execute(
                "INSERT INTO queue_inputs (task_seq, position, project_id, name, classification, artifact_type,
                     artifact_id, resource_path, resource_uri, status)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![seq, position, PROJECT, name, class, kind, id, path, uri, status],
            )?;
        }
        self.execute(
            "INSERT INTO queue_events (task_seq, at, event, worker) VALUES (?1, ?2, 'added', NULL)",
            params![seq, now],
        )
    }

    /// The next numbers of a type that a caller named.
    fn take(&self, prefix: &str, count: i64, now: i64) -> Outcome<i64> {
        self.find("SELECT name, prefix FROM id_types WHERE project_id = ?1 ORDER BY name", [PROJECT])?;
        self.take_numbers(prefix, count, now)
    }

    pub fn take_numbers(&self, prefix: &str, count: i64, now: i64) -> Outcome<i64> {
        let last = self.find(
            "SELECT last_assigned FROM sequences WHERE project_id = ?1 AND prefix = ?2",
            params![PROJECT, prefix],
        )?;
        let sql = match last {
            Some(_) => {
                "UPDATE sequences SET last_assigned = ?3, updated_at = ?4
                 WHERE project_id = ?1 AND prefix = ?2"
            }
            None => {
                "INSERT INTO sequences (project_id, prefix, last_assigned, updated_at)
                 VALUES (?1, ?2, ?3, ?4)"
            }
        };
        let new = last.unwrap_or(0) + count;
        self.execute(sql, params![PROJECT, prefix, new, now])?;
        Ok(new - count + 1)
    }

    /// One transaction with its audit row.
    pub fn write(&self, tool: &str, work: impl FnOnce(i64) -> Outcome<()>) -> Outcome<()> {
        self.transaction(|now| {
            work(now)?;
            self.execute(
                "INSERT INTO audit (at, caller, client, tool, outcome, correlation_id, run_us)
                 VALUES (?1, ?2, 'mcp-12345-abcd', ?3, 'ok', NULL, 100)",
                params![now, OWNER, tool],
            )
        })
    }

    pub fn transaction(&self, work: impl FnOnce(i64) -> Outcome<()>) -> Outcome<()> {
        self.execute("BEGIN IMMEDIATE", [])?;
        work(Clock::System.now().0)?;
        self.execute("COMMIT", [])
    }

    pub fn execute(&self, sql: &str, params: impl Params) -> Outcome<()> {
        self.connection.prepare_cached(sql)?.execute(params)?;
        Ok(())
    }

    pub fn find(&self, sql: &str, params: impl Params) -> Outcome<Option<i64>> {
        let found = self.connection.prepare_cached(sql)?.query_row(params, |row| row.get(0)).optional()?;
        Ok(found.flatten())
    }

    /// For the pages, which are queries of their own, and for the rows that were just added.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}
