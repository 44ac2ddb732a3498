//! `backoffice artifacts show ID`: what is known of a document, then all it says.

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::list::{status_of, style_of};
use crate::cli::completions::artifacts;
use crate::cli::open::Desk;
use crate::cli::output::{Output, text};
use crate::cli::style::{Style, printable_line};
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts show PRD-006",
    "backoffice artifacts show PRD-006 --version 1 --section Metadata",
    "backoffice artifacts show PRD-006 --json",
])]
pub(super) struct ShowArgs {
    /// Such as PRD-006, or the name of a research document
    #[arg(value_name = "ID", add = ArgValueCompleter::new(artifacts))]
    artifact_id: String,
    /// A version; default: the latest
    #[arg(long, value_name = "N")]
    version: Option<i64>,
    /// Only the section with this heading
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &ShowArgs) -> Result<()> {
    let (content, metadata) = read(desk, args)?;
    if output.json {
        output.value(&json!({ "content": content, "metadata": metadata }));
        return Ok(());
    }
    describe(output, &metadata);
    output.line("");
    for line in content.trim_start_matches('\u{feff}').lines() {
        output.line(&printable_line(line));
    }
    Ok(())
}

/// All of a document; the tool hands out a long one in parts.
fn read(desk: &Desk, args: &ShowArgs) -> Result<(String, Value)> {
    let (mut content, mut offset, mut known) = (String::new(), None, None);
    loop {
        let arguments = json!({
            "artifact_id": args.artifact_id, "version": args.version, "section": args.section,
            "offset": offset,
        });
        let mut answer = desk.call("read_artifact", arguments)?;
        let metadata = answer["metadata"].take();
        if known.get_or_insert_with(|| metadata["sha256"].clone()) != &metadata["sha256"] {
            return Err(Error::conflict(format!("`{}` changed while it was read", args.artifact_id))
                .hint("try again"));
        }
        content.push_str(answer["content"].as_str().unwrap_or_default());
        offset = answer["next_offset"].as_u64();
        if offset.is_none() {
            return Ok((content, metadata));
        }
    }
}

fn describe(output: &mut Output, metadata: &Value) {
    let name = format!("{} v{}", text(&metadata["artifact_id"]), text(&metadata["version"]));
    let heading = format!("{}  {}", output.paint(Style::Strong, &name), text(&metadata["title"]));
    output.line(&heading);
    let parents: Vec<String> = metadata["parent_ids"].as_array().into_iter().flatten().map(text).collect();
    let status = status_of(metadata);
    let approved = metadata["approved_at"].is_string().then(|| {
        let [at, by, through] =
            ["approved_at", "approved_by", "approved_through"].map(|field| text(&metadata[field]));
        format!("{at} by {by} through {through}")
    });
    let rows = [
        ("type", Some(text(&metadata["type"]))),
        ("status", Some(output.paint(style_of(&status), &status))),
        ("parents", Some(parents.join(", ")).filter(|parents| !parents.is_empty())),
        ("file", Some(text(&metadata["path"]))),
        ("resource", Some(text(&metadata["resource_uri"]))),
        ("size", Some(format!("{} bytes", text(&metadata["size_bytes"])))),
        ("sha256", Some(text(&metadata["sha256"]))),
        ("approved", approved),
    ];
    for (label, value) in rows {
        if let Some(value) = value {
            output.line(&format!("  {label:<9} {value}"));
        }
    }
}
