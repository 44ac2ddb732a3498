//! `backoffice artifacts list`: the latest version of each document.

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use crate::cli::completions::{artifact_statuses, artifact_types, artifacts};
use crate::cli::open::Desk;
use crate::cli::output::{Output, text};
use crate::cli::style::Style;
use crate::error::Result;

#[derive(Args, Debug, Default)]
#[command(after_help = examples![
    "backoffice artifacts list",
    "backoffice artifacts list --type backlog_story --status Backlog",
    "backoffice artifacts list --parent EPIC-006",
])]
pub(super) struct ListArgs {
    /// Long name or prefix, such as prd or US
    #[arg(long = "type", value_name = "TYPE", add = ArgValueCompleter::new(artifact_types))]
    kind: Option<String>,
    /// Such as Draft or Approved
    #[arg(long, add = ArgValueCompleter::new(artifact_statuses))]
    status: Option<String>,
    /// Any of its parents, such as EPIC-006
    #[arg(long, value_name = "ID", add = ArgValueCompleter::new(artifacts))]
    parent: Option<String>,
    /// Where the page before ended
    #[arg(long)]
    cursor: Option<String>,
}

/// The columns that have a meaning to the eye.
const STATUS: usize = 3;
const TITLE: usize = 4;

pub(super) fn run(desk: &Desk, output: &mut Output, args: &ListArgs) -> Result<()> {
    let arguments = json!({
        "type": args.kind, "status": args.status, "parent": args.parent, "cursor": args.cursor
    });
    let answer = desk.call("list_artifacts", arguments)?;
    if output.json {
        output.value(&answer);
        return Ok(());
    }
    let rows: Vec<Vec<String>> = answer["artifacts"].as_array().into_iter().flatten().map(cells).collect();
    if rows.is_empty() {
        let all = args.kind.is_none() && args.status.is_none() && args.parent.is_none();
        output.note(if all {
            "there are no documents yet; `backoffice artifacts import PATH` brings a folder of them"
        } else {
            "no document fits"
        });
        return Ok(());
    }
    let headings = ["ID", "TYPE", "V", "STATUS", "TITLE", "PARENTS"];
    output.fitted_table(&headings, &rows, TITLE, |column, text| match column {
        STATUS => style_of(text),
        _ => Style::Plain,
    });
    if let Some(cursor) = answer["next_cursor"].as_str() {
        output.note(&format!("more: --cursor {cursor}"));
    }
    Ok(())
}

fn cells(row: &Value) -> Vec<String> {
    let parents = row["parent_ids"].as_array().into_iter().flatten().map(text);
    vec![
        text(&row["artifact_id"]),
        text(&row["type"]),
        text(&row["version"]),
        status_of(row),
        text(&row["title"]),
        parents.collect::<Vec<_>>().join(", "),
    ]
}

/// A status, with what somebody has done to the document since.
pub(super) fn status_of(row: &Value) -> String {
    let status = text(&row["status"]);
    if row["tampered"] == true { format!("{status}{TAMPERED}") } else { status }
}

const TAMPERED: &str = ", tampered";

pub(super) fn style_of(status: &str) -> Style {
    if status.ends_with(TAMPERED) { Style::Bad } else { Style::of(status) }
}
