//! The bare statements of a page of the queue: its tasks, then the inputs of each, read into
//! values of their own.

use rusqlite::types::Value;
use rusqlite::{Params, params};

use super::Outcome;
use super::bare::Bare;
use super::site::PROJECT;

/// One more than is shown tells whether there is another page.
const READ: i64 = 51;
const SHOWN: usize = 50;

/// Which listing, and after which row.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub listing: Listing,
    pub after: i64,
}

#[derive(Clone, Copy, Debug)]
pub enum Listing {
    All,
    Pending,
    DependsOn(&'static str),
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

impl Page {
    pub const FIRST: Page = Page { listing: Listing::All, after: 0 };

    pub fn read(self, bare: &Bare) -> Outcome<()> {
        rows(bare, "BEGIN", [], 0)?;
        let tasks = self.tasks(bare)?;
        for task in tasks.iter().take(SHOWN) {
            rows(
                bare,
                "SELECT name, classification, artifact_type, artifact_id, resource_path, resource_uri, status
                 FROM queue_inputs WHERE task_seq = ?1 ORDER BY position",
                [&task[0]],
                7,
            )?;
        }
        rows(bare, "COMMIT", [], 0)?;
        if tasks.len() < SHOWN { Err("there is no full page".into()) } else { Ok(()) }
    }

    fn tasks(self, bare: &Bare) -> Outcome<Vec<Vec<Value>>> {
        let Page { listing, after } = self;
        match listing {
            Listing::All => rows(
                bare,
                columns!(
                    "FROM queue_tasks t INDEXED BY queue_tasks_by_project
                     WHERE t.project_id = ?1 AND t.seq > ?2 ORDER BY t.seq LIMIT ?3"
                ),
                params![PROJECT, after, READ],
                14,
            ),
            Listing::Pending => rows(
                bare,
                columns!(
                    "FROM queue_tasks t INDEXED BY queue_tasks_by_status
                     WHERE t.project_id = ?1 AND t.status = 'pending' AND t.seq > ?2 ORDER BY t.seq LIMIT ?3"
                ),
                params![PROJECT, after, READ],
                14,
            ),
            Listing::DependsOn(artifact) => rows(
                bare,
                columns!(
                    "FROM queue_inputs i JOIN queue_tasks t ON t.seq = i.task_seq
                     WHERE i.project_id = ?1 AND i.artifact_id = ?4 AND i.task_seq > ?2
                     GROUP BY i.task_seq ORDER BY i.task_seq LIMIT ?3"
                ),
                params![PROJECT, after, READ, artifact],
                14,
            ),
        }
    }
}

fn rows(bare: &Bare, sql: &str, params: impl Params, columns: usize) -> Outcome<Vec<Vec<Value>>> {
    let mut statement = bare.connection().prepare_cached(sql)?;
    let read = statement.query_map(params, |row| (0..columns).map(|column| row.get(column)).collect())?;
    Ok(read.collect::<Result<_, _>>()?)
}
