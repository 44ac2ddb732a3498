//! What the queue's verbs share: how a task is shown, found and moved on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::inputs::Input;
use super::store::queue::{self as store, QueueTask};
use crate::clock::Timestamp;
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::id::ArtifactId;
use crate::tool::WriteCx;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Pending,
    InProgress,
    Completed,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::InProgress => "in_progress",
            Status::Completed => "completed",
        }
    }
}

/// A task as it is shown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskView {
    task_id: String,
    project_id: String,
    artifact_id: String,
    generator: String,
    status: String,
    description: String,
    inputs: Vec<Input>,
    created_at: String,
    updated_at: String,
    started_at: Option<String>,
    completed_at: Option<String>,
    completion_notes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_expires_at: Option<String>,
}

impl TaskView {
    pub fn load(tx: &ReadTx<'_>, task: QueueTask) -> Result<Self> {
        let written = |at: Option<Timestamp>| at.map(Timestamp::rfc3339);
        Ok(TaskView {
            task_id: task_id(task.number),
            inputs: store::inputs(tx, task.seq)?,
            project_id: task.project_id,
            artifact_id: task.artifact_id,
            generator: task.generator,
            status: task.status,
            description: task.description,
            created_at: task.created_at.rfc3339(),
            updated_at: task.updated_at.rfc3339(),
            started_at: written(task.started_at),
            completed_at: written(task.completed_at),
            completion_notes: task.completion_notes,
            worker: task.worker,
            lease_expires_at: written(task.lease_expires_at),
        })
    }

    /// Roughly what it takes on the wire.
    pub fn size(&self) -> usize {
        let inputs = self
            .inputs
            .iter()
            .map(|input| 180 + input.name.len() + input.resource_path.len() + input.mcp_resource_uri.len());
        let notes = self.completion_notes.as_ref().map_or(0, String::len);
        400 + self.description.len() + notes + inputs.sum::<usize>()
    }
}

pub fn task_id(number: i64) -> String {
    ArtifactId::new("TASK", number).to_string()
}

/// Whether a text names a queue task.
pub fn is_task_id(text: &str) -> bool {
    ArtifactId::parse(text).is_some_and(|id| id.prefix == "TASK")
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct UpdatedTask {
    task_id: String,
    status: String,
    completed_at: Option<String>,
    completion_notes: Option<String>,
}

/// Moves a task on: pending → in_progress → completed, and nothing else.
pub fn move_on(
    cx: &WriteCx<'_>,
    project: &str,
    id: &str,
    to: Status,
    notes: Option<&str>,
) -> Result<UpdatedTask> {
    let number = ArtifactId::parse(id).filter(|id| id.prefix == "TASK").map(|id| id.number);
    let number = number.ok_or_else(|| {
        Error::invalid(format!("`task_id` is \"{id}\", expected TASK and three digits or more"))
            .detail("field", "task_id")
    })?;
    let task = store::find(cx.tx, project, number)?.ok_or_else(|| {
        Error::not_found(format!("there is no task {id} in project `{project}`"))
            .hint("list_tasks shows the tasks of a project")
    })?;
    match (task.status.as_str(), to) {
        ("pending", Status::InProgress) => store::start(cx.write, task.seq, &cx.session.client, cx.now)?,
        ("in_progress", Status::Completed) => {
            store::complete(cx.write, task.seq, &cx.session.client, notes, cx.now)?;
        }
        (from, to) => {
            let error = Error::invalid(format!("Invalid status transition: {from} → {}", to.as_str()))
                .reason("invalid_transition");
            return Err(match from {
                "pending" => error.hint("claim it with get_next_task first, or set it to in_progress"),
                _ => error,
            });
        }
    }
    Ok(UpdatedTask {
        task_id: task_id(number),
        status: to.as_str().to_owned(),
        completed_at: (to == Status::Completed).then(|| cx.now.rfc3339()),
        completion_notes: notes.filter(|_| to == Status::Completed).map(str::to_owned),
    })
}
