use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::queue::TaskView;
use super::store::queue;
use crate::error::Result;
use crate::tool::{Access, Tool, WriteCx, WriteTool};

const LEASE_MINUTES: i64 = 30;

/// Claims the task of a project that has waited longest.
pub struct GetNextTask;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Default: the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    /// Who works on it; default: this connection
    #[schemars(length(min = 1, max = 100))]
    worker: Option<String>,
    /// Default 30
    #[schemars(range(min = 1, max = 240))]
    lease_minutes: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    task: Option<TaskView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Tool for GetNextTask {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "get_next_task";
    const TITLE: &'static str = "Claim the next task";
    const DESCRIPTION: &'static str = "Claims the oldest pending task of a project's queue, so that no other \
        worker gets it. Finish it with complete_task; if its lease runs out it becomes pending again.";
    const ACCESS: Access = Access::Everyone;
}

impl WriteTool for GetNextTask {
    type Prepared = ();

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        let project = cx.session.project_or(args.project_id.as_deref())?;
        let Some(mut task) = queue::next_pending(cx.tx, project)? else {
            let message = Some("No pending tasks for project".to_owned());
            return Ok(Output { success: true, task: None, message });
        };
        let worker = args.worker.as_deref().unwrap_or(&cx.session.client);
        let minutes = args.lease_minutes.unwrap_or(LEASE_MINUTES);
        queue::claim(cx.write, task.seq, worker, minutes, cx.now)?;
        cx.session.works_as(worker);
        task.status = "in_progress".to_owned();
        task.worker = Some(worker.to_owned());
        task.lease_expires_at = Some(cx.now.plus_minutes(minutes));
        task.started_at = Some(cx.now);
        task.updated_at = cx.now;
        Ok(Output { success: true, task: Some(TaskView::load(cx.tx, task)?), message: None })
    }
}
