//! Personal to-dos. Every statement names the user: another one's row does not exist here.

use rusqlite::{Row, params};

use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// A row of `todos`.
#[derive(Clone, Debug)]
pub struct Todo {
    pub seq: i64,
    pub task_id: String,
    pub title: String,
    pub description: Option<String>,
    pub status: String,
    pub priority: String,
    pub created_at: Timestamp,
}

pub fn insert(tx: &WriteTx<'_>, user_id: &str, todo: &Todo) -> Result<()> {
    tx.execute(
        "INSERT INTO todos (task_id, user_id, title, description, status, priority, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, 'pending', ?5, ?6, ?6)",
        params![todo.task_id, user_id, todo.title, todo.description, todo.priority, todo.created_at.0],
    )?;
    Ok(())
}

pub fn find(tx: &ReadTx<'_>, user_id: &str, task_id: &str) -> Result<Option<Todo>> {
    tx.row(
        "SELECT seq, task_id, title, description, status, priority, created_at
         FROM todos WHERE task_id = ?2 AND user_id = ?1",
        params![user_id, task_id],
        read,
    )
}

/// Finds a user's task by the number that people see and type.
pub fn by_number(tx: &ReadTx<'_>, user_id: &str, number: i64) -> Result<Option<Todo>> {
    tx.row(
        "SELECT seq, task_id, title, description, status, priority, created_at
         FROM todos WHERE seq = ?2 AND user_id = ?1",
        params![user_id, number],
        read,
    )
}

pub fn update(tx: &WriteTx<'_>, user_id: &str, todo: &Todo, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE todos SET title = ?3, description = ?4, priority = ?5, updated_at = ?6
         WHERE task_id = ?2 AND user_id = ?1",
        params![user_id, todo.task_id, todo.title, todo.description, todo.priority, now.0],
    )?;
    Ok(())
}

pub fn complete(tx: &WriteTx<'_>, user_id: &str, task_id: &str, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE todos SET status = 'completed', completed_at = ?3, updated_at = ?3
         WHERE task_id = ?2 AND user_id = ?1 AND status = 'pending'",
        params![user_id, task_id, now.0],
    )?;
    Ok(())
}

pub fn delete(tx: &WriteTx<'_>, user_id: &str, task_id: &str) -> Result<bool> {
    let deleted =
        tx.execute("DELETE FROM todos WHERE task_id = ?2 AND user_id = ?1", params![user_id, task_id])?;
    Ok(deleted > 0)
}

/// In the order they were added, after the key of the page before.
pub fn page(
    tx: &ReadTx<'_>,
    user_id: &str,
    status: Option<&str>,
    after: i64,
    limit: i64,
) -> Result<Vec<Todo>> {
    match status {
        None => tx.rows(
            "SELECT seq, task_id, title, description, status, priority, created_at
             FROM todos WHERE user_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
            params![user_id, after, limit],
            read,
        ),
        Some(status) => tx.rows(
            "SELECT seq, task_id, title, description, status, priority, created_at
             FROM todos WHERE user_id = ?1 AND status = ?4 AND seq > ?2 ORDER BY seq LIMIT ?3",
            params![user_id, after, limit, status],
            read,
        ),
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Todo> {
    Ok(Todo {
        seq: row.get(0)?,
        task_id: row.get(1)?,
        title: row.get(2)?,
        description: row.get(3)?,
        status: row.get(4)?,
        priority: row.get(5)?,
        created_at: Timestamp(row.get(6)?),
    })
}

pub fn count_open(tx: &ReadTx<'_>, user_id: &str) -> Result<i64> {
    let count =
        tx.row("SELECT count(*) FROM todos WHERE user_id = ?1 AND status = 'pending'", [user_id], |row| {
            row.get(0)
        })?;
    Ok(count.unwrap_or(0))
}
