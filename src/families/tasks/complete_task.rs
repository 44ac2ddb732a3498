use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::queue::{self, Status, UpdatedTask};
use super::store::todo;
use super::{personal, scope};
use crate::error::Result;
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx, WriteTool};

/// Completes a personal task, or a claimed one of a queue.
pub struct CompleteTask;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// TASK-nnn of a queue, or a personal UUID
    #[schemars(length(min = 1, max = 64))]
    task_id: String,
    /// Personal: whose list
    #[schemars(length(min = 1, max = 100))]
    user_id: Option<String>,
    /// Queue: default is the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    /// Queue
    #[schemars(length(max = 2000))]
    completion_notes: Option<String>,
}

/// Both answers in one object: the fields of the scope that was meant.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_task: Option<UpdatedTask>,
}

impl Tool for CompleteTask {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "complete_task";
    const TITLE: &'static str = "Complete a task";
    const DESCRIPTION: &'static str = "Completes a personal to-do with {user_id, task_id}, or a claimed queue \
        task with {task_id: TASK-nnn}.";
    const ACCESS: Access = Access::Everyone;

    fn errors(arguments: &JsonObject) -> ErrorForm {
        scope::errors_of(arguments)
    }
}

impl WriteTool for CompleteTask {
    type Prepared = ();

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        let of_queue = args.project_id.is_some() || args.completion_notes.is_some();
        match &args.user_id {
            Some(user_id) if !of_queue => {
                scope::check_user(cx, user_id)?;
                let task = personal::find(cx.tx, user_id, &args.task_id)?;
                todo::complete(cx.write, user_id, &task.task_id, cx.now)?;
                Ok(Output {
                    task_id: Some(task.task_id),
                    title: Some(task.title),
                    status: Some("completed".to_owned()),
                    ..Output::default()
                })
            }
            None if of_queue || queue::is_task_id(&args.task_id) => {
                let project = cx.session.project_or(args.project_id.as_deref())?;
                let notes = args.completion_notes.as_deref();
                let updated = queue::move_on(cx, project, &args.task_id, Status::Completed, notes)?;
                Ok(Output { success: Some(true), updated_task: Some(updated), ..Output::default() })
            }
            _ => Err(scope::unclear("`user_id` and a UUID", "a `task_id` such as TASK-012")),
        }
    }
}
