//! The end of a session: what was created and why, and the prompt for an agent.

use serde_json::{Value, json};

use super::questions::{detected, notes};
use super::{Preflight, prompt};
use crate::cli::output::{Output, text};
use crate::cli::style::Style;
use crate::error::Result;

/// Shows what a completed session has come to. The prompt is for people to hand on, so that it is written
/// here and by no tool.
pub(super) fn report(office: &Preflight, output: &mut Output, mut turn: Value) -> Result<()> {
    let created: Vec<String> =
        turn["artifacts_created"].as_array().into_iter().flatten().map(|one| text(&one["path"])).collect();
    let written = prompt::write(&office.root, &created);
    if let Ok(written) = &written {
        turn["agent_prompt"] = json!({ "path": prompt::PATH, "text": written });
    }
    if output.json {
        output.value(&turn);
    } else {
        show(output, &turn);
    }
    // The documents are there all the same.
    written.map(drop)
}

fn show(output: &mut Output, turn: &Value) {
    for (label, value) in detected(turn) {
        output.note(&format!("detected  {label}: {value}"));
    }
    for created in turn["artifacts_created"].as_array().into_iter().flatten() {
        let kind = output.paint(Style::Faint, &format!("{:<10}", text(&created["type"])));
        output.line(&format!("{kind}  {}", text(&created["path"])));
    }
    if let Some(path) = turn["agent_prompt"]["path"].as_str() {
        let kind = output.paint(Style::Faint, &format!("{:<10}", "prompt"));
        output.line(&format!("{kind}  {path}"));
    }
    output.note(&text(&turn["summary"]));
    output.note(&format!("reason: {}", text(&turn["decision_reason"])));
    notes(output, turn);
}
