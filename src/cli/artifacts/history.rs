//! `backoffice artifacts history ID`: what has happened to a document.

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::unknown;
use crate::cli::completions::artifacts;
use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::style::{Style, printable};
use crate::error::Result;
use crate::families::artifacts::store::{self, Past};

/// Status and hash are those until then; where a document begins, the hash is the one it began with.
#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts history PRD-006",
    "backoffice artifacts history PRD-006 --json",
])]
pub(super) struct HistoryArgs {
    /// Such as PRD-006, or the name of a research document
    #[arg(value_name = "ID", add = ArgValueCompleter::new(artifacts))]
    artifact_id: String,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &HistoryArgs) -> Result<()> {
    let project = &desk.session.project;
    let past = desk.office.db.read(|tx| {
        let past = store::history(tx, project, &args.artifact_id)?;
        if past.is_empty() && !store::is_known(tx, project, &args.artifact_id)? {
            return Err(unknown(&args.artifact_id));
        }
        Ok(past)
    })?;
    if output.json {
        let history: Vec<Value> = past.iter().map(value).collect();
        output.value(&json!({ "artifact_id": args.artifact_id, "history": history }));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = past.iter().map(cells).collect();
    let headings = ["WHEN", "V", "EVENT", "BEFORE", "BY", "THROUGH", "SHA-256 BEFORE"];
    output.painted_table(&headings, &rows, |column, text| match column {
        2 if text == "approved" => Style::Good,
        3 => Style::of(text),
        _ => Style::Plain,
    });
    if past.iter().any(|entry| entry.has_content) {
        output.note(&format!(
            "`backoffice artifacts diff {}` shows the newest change",
            printable(&args.artifact_id)
        ));
    }
    Ok(())
}

fn value(entry: &Past) -> Value {
    json!({
        "at": entry.at.rfc3339(), "version": entry.version, "event": entry.event, "status": entry.status,
        "by": entry.caller, "through": entry.client, "sha256": entry.sha256,
        "has_content": entry.has_content,
    })
}

fn cells(entry: &Past) -> Vec<String> {
    let before = if entry.has_content { printable(&entry.status) } else { "-".to_owned() };
    vec![
        entry.at.rfc3339(),
        entry.version.to_string(),
        printable(&entry.event),
        before,
        printable(&entry.caller),
        printable(&entry.client),
        entry.sha256.chars().take(12).collect(),
    ]
}
