use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::queue::{self, Status, UpdatedTask};
use crate::error::Result;
use crate::tool::{Access, Tool, WriteCx, WriteTool};

/// Moves a queue task on.
pub struct UpdateTaskStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// TASK-nnn
    #[schemars(length(min = 1, max = 32))]
    task_id: String,
    /// Default: the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    status: Status,
    #[schemars(length(max = 2000))]
    completion_notes: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    updated_task: UpdatedTask,
}

impl Tool for UpdateTaskStatus {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "update_task_status";
    const TITLE: &'static str = "Update a queue task's status";
    const DESCRIPTION: &'static str =
        "Moves a queue task on: pending → in_progress → completed. Nothing else is allowed.";
    const ACCESS: Access = Access::Everyone;
}

impl WriteTool for UpdateTaskStatus {
    type Prepared = ();

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        let project = cx.session.project_or(args.project_id.as_deref())?;
        let notes = args.completion_notes.as_deref();
        let updated_task = queue::move_on(cx, project, &args.task_id, args.status, notes)?;
        Ok(Output { success: true, updated_task })
    }
}
