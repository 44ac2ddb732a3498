//! `backoffice artifacts approve ID`: shows what an approval does, asks, and does it.

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::{counted, show_diff};
use crate::cli::completions::artifacts;
use crate::cli::open::Desk;
use crate::cli::output::{Output, confirm, text};
use crate::cli::style::{Style, printable};
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts approve PRD-006 --preview",
    "backoffice artifacts approve PRD-006 --yes",
])]
pub(super) struct ApproveArgs {
    /// Such as PRD-006; its latest version counts
    #[arg(value_name = "ID", add = ArgValueCompleter::new(artifacts))]
    artifact_id: String,
    /// Only show what would happen
    #[arg(long, conflicts_with = "yes")]
    preview: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &ApproveArgs) -> Result<()> {
    if output.json && !args.yes && !args.preview {
        return Err(Error::conflict("nothing was changed")
            .hint("whoever reads JSON is not asked: add --yes to approve, or --preview to look first"));
    }
    if !args.yes {
        let planned = call(desk, args, true)?;
        show(output, &planned);
        if args.preview {
            return Ok(());
        }
        confirm(&format!("Approve {}?", args.artifact_id))?;
        // Whoever agreed has agreed to what they saw.
        if call(desk, args, true)?["preview"] != planned["preview"] {
            return Err(Error::conflict(format!("{} changed while you were asked", args.artifact_id))
                .hint("nothing was approved; run it again and look at what it shows now"));
        }
    }
    let done = call(desk, args, false)?;
    if output.json {
        output.value(&done);
        return Ok(());
    }
    let status = text(&done["new_status"]);
    let approved = output.paint(Style::of(&status), &status);
    output.line(&format!("{}  {approved}  {}", text(&done["artifact_id"]), text(&done["artifact_path"])));
    if args.yes {
        show_mapping(output, &done);
    }
    let tasks: Vec<String> = done["task_ids"].as_array().into_iter().flatten().map(text).collect();
    if !tasks.is_empty() {
        output.note(&format!("queued {}; `backoffice tasks next` claims the first", tasks.join(", ")));
    }
    Ok(())
}

fn call(desk: &Desk, args: &ApproveArgs, preview: bool) -> Result<Value> {
    let preview = if preview { json!(true) } else { Value::Null };
    desk.call("approve_artifact", json!({ "artifact_id": args.artifact_id, "preview": preview }))
}

/// What would happen: status, ids, tasks and the document's own change.
fn show(output: &mut Output, planned: &Value) {
    if output.json {
        return output.value(planned);
    }
    let [id, from, to, path] =
        ["artifact_id", "old_status", "new_status", "artifact_path"].map(|field| text(&planned[field]));
    let heading = output.paint(Style::Strong, &format!("{id}  {from} → {to}"));
    output.line(&format!("{heading}  {path}"));
    show_mapping(output, planned);
    // Research has no number; its name says what it is.
    let shown = |input: &Value| match text(&input["artifact_id"]) {
        id if id == "N/A" => text(&input["name"]),
        id => id,
    };
    let inputs = planned["preview"]["inputs"].as_array().into_iter().flatten();
    let inputs: Vec<String> = inputs.map(shown).collect();
    let tasks: Vec<Vec<String>> = planned["preview"]["tasks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|task| vec![text(&task["artifact_id"]), text(&task["generator"]), inputs.join(", ")])
        .collect();
    if !tasks.is_empty() {
        output.line("");
        output.table(&["TASK FOR", "GENERATOR", "INPUTS"], &tasks);
    }
    output.line("");
    show_diff(output, planned["preview"]["diff"].as_str().unwrap_or_default());
    for warning in planned["warnings"].as_array().into_iter().flatten() {
        output.note(&format!("warning: {}", text(warning)));
    }
    let parts = planned["sub_artifacts_detected"].as_array().map_or(0, Vec::len);
    output.note(&format!(
        "\n{}, {}; the numbers are those that come next now",
        counted(parts, "part"),
        counted(tasks.len(), "task")
    ));
}

fn show_mapping(output: &mut Output, answer: &Value) {
    let mapping: Vec<Vec<String>> = answer["id_mapping"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(placeholder, id)| vec![printable(placeholder), text(id)])
        .collect();
    if !mapping.is_empty() {
        output.line("");
        output.table(&["PLACEHOLDER", "BECOMES"], &mapping);
    }
}
