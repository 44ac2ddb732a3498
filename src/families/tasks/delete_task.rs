use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store::todo;
use super::{personal, scope};
use crate::error::Result;
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx, WriteTool};

/// Deletes a personal task.
pub struct DeleteTask;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    #[schemars(length(min = 1, max = 100))]
    user_id: String,
    #[schemars(length(min = 1, max = 64))]
    task_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    message: String,
}

impl Tool for DeleteTask {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "delete_task";
    const TITLE: &'static str = "Delete a personal task";
    const DESCRIPTION: &'static str =
        "Deletes a personal to-do for good. Queue tasks are completed, not deleted.";
    const ACCESS: Access = Access::Everyone;

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Status
    }
}

impl WriteTool for DeleteTask {
    type Prepared = ();
    const DESTRUCTIVE: bool = true;

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        scope::check_user(cx, &args.user_id)?;
        let task = personal::find(cx.tx, &args.user_id, &args.task_id)?;
        todo::delete(cx.write, &args.user_id, &task.task_id)?;
        Ok(Output { success: true, message: "Task deleted successfully".to_owned() })
    }
}
