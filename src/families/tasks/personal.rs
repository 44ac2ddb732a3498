//! What the personal verbs share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::queue;
use super::store::todo::{self, Todo};
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::id::is_uuid;

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
pub enum Priority {
    High,
    Medium,
    Low,
}

impl Priority {
    pub fn as_str(self) -> &'static str {
        match self {
            Priority::High => "High",
            Priority::Medium => "Medium",
            Priority::Low => "Low",
        }
    }
}

/// A title says something.
pub fn check_title(title: &str) -> Result<String> {
    let trimmed = title.trim();
    if trimmed.is_empty() {
        return Err(Error::invalid("`title` is blank, expected 1 to 255 characters").detail("field", "title"));
    }
    Ok(trimmed.to_owned())
}

/// Finds a user's own task. Another user's is as unknown as one that never existed.
pub fn find(tx: &ReadTx<'_>, user_id: &str, task_id: &str) -> Result<Todo> {
    if queue::is_task_id(task_id) {
        return Err(Error::invalid(format!(
            "`{task_id}` is a task of a project's queue, not a personal one"
        ))
        .hint("queue tasks are completed with complete_task and never deleted"));
    }
    if !is_uuid(task_id) {
        return Err(Error::invalid("`task_id` is not a UUID").detail("field", "task_id"));
    }
    let found = todo::find(tx, user_id, &task_id.to_lowercase())?;
    found.ok_or_else(|| Error::not_found("Task not found").hint("list_tasks shows the tasks of a user"))
}
