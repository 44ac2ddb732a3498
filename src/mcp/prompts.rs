//! Prompts: ready-made requests a person can pick in their client.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::tool::JsonObject;

const WORK_THE_QUEUE: &str = "work_the_queue";

/// The prompts whose tools this connection has.
pub(super) fn all(offers: impl Fn(&str) -> bool) -> Vec<Prompt> {
    if !offers("get_next_task") {
        return Vec::new();
    }
    let project = PromptArgument::new("project_id")
        .with_description("The project; without it, the one of this repository")
        .with_required(false);
    vec![
        Prompt::new(
            WORK_THE_QUEUE,
            Some("Claim the next task of a project, do it, complete it, and go on until none is left"),
            Some(vec![project]),
        )
        .with_title("Work the queue"),
    ]
}

pub(super) fn get(
    name: &str,
    arguments: &JsonObject,
    offers: impl Fn(&str) -> bool,
) -> Result<GetPromptResult> {
    if !all(offers).iter().any(|prompt| prompt.name == name) {
        return Err(Error::invalid(format!("unknown prompt `{name}`")).hint("list the prompts to see them"));
    }
    let project = arguments.get("project_id").and_then(Value::as_str);
    let scope = project.map_or(String::new(), |project| format!(" with project_id `{project}`"));
    let text = format!(
        "Work through the task queue. Call get_next_task{scope}; if `task` is null, say that the queue is \
         empty and stop. Otherwise read every input of the task (`resource_path`), generate the document \
         `artifact_id` as its generator asks, save it, then call complete_task with the task's id and one \
         sentence of completion_notes. Go on with the next task. If a task cannot be done, leave it claimed, \
         say why, and stop: it returns to the queue when its lease runs out."
    );
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}
