use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::personal::{self, Priority};
use super::scope;
use super::store::todo;
use crate::error::{Error, Result};
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx, WriteTool};

/// Changes a personal task.
pub struct UpdateTask;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    #[schemars(length(min = 1, max = 100))]
    user_id: String,
    #[schemars(length(min = 1, max = 64))]
    task_id: String,
    #[schemars(length(min = 1, max = 255))]
    title: Option<String>,
    /// An empty text takes it away
    #[schemars(length(max = 2000))]
    description: Option<String>,
    priority: Option<Priority>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    task_id: String,
    title: String,
    description: Option<String>,
    status: String,
}

impl Tool for UpdateTask {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "update_task";
    const TITLE: &'static str = "Change a personal task";
    const DESCRIPTION: &'static str =
        "Changes title, description or priority of a personal to-do; give at least one of them.";
    const ACCESS: Access = Access::Everyone;

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Status
    }
}

impl WriteTool for UpdateTask {
    type Prepared = ();
    const IDEMPOTENT: bool = true;

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        scope::check_user(cx, &args.user_id)?;
        if args.title.is_none() && args.description.is_none() && args.priority.is_none() {
            return Err(Error::invalid("nothing to change").hint("give title, description or priority"));
        }
        let mut task = personal::find(cx.tx, &args.user_id, &args.task_id)?;
        if let Some(title) = &args.title {
            task.title = personal::check_title(title)?;
        }
        if let Some(description) = &args.description {
            task.description = Some(description.clone()).filter(|text| !text.is_empty());
        }
        if let Some(priority) = args.priority {
            task.priority = priority.as_str().to_owned();
        }
        todo::update(cx.write, &args.user_id, &task, cx.now)?;
        Ok(Output {
            task_id: task.task_id,
            title: task.title,
            description: task.description,
            status: task.status,
        })
    }
}
