//! What a person can ask for with one pick.

use serde_json::Value;

use crate::error::Result;
use crate::tool::offer::{Prompt, PromptArgument};
use crate::tool::{JsonObject, ReadCx};

pub(super) static PROMPTS: [Prompt; 1] = [Prompt {
    name: "work_the_queue",
    title: "Work the queue",
    description: "Claim the next task of a project, do it, complete it, and go on until none is left",
    arguments: &[PromptArgument {
        name: "project_id",
        description: "The project; without it, the one of this repository",
        required: false,
    }],
    needs: "get_next_task",
    get: work_the_queue,
}];

fn work_the_queue(_: &ReadCx<'_>, arguments: &JsonObject) -> Result<String> {
    let project = arguments.get("project_id").and_then(Value::as_str);
    let scope = project.map_or(String::new(), |project| format!(" with project_id `{project}`"));
    Ok(format!(
        "Work through the task queue. Call get_next_task{scope}; if `task` is null, say that the queue is \
         empty and stop. Otherwise read every input of the task (`resource_path`), generate the document \
         `artifact_id` as its generator asks, save it, then call complete_task with the task's id and one \
         sentence of completion_notes. Go on with the next task. If a task cannot be done, leave it claimed, \
         say why, and stop: it returns to the queue when its lease runs out."
    ))
}
