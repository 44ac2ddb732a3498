//! `backoffice artifacts diff ID`: two versions of a document, or its last change.

use std::fs;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::{layout, show_diff, unknown};
use crate::cli::completions::artifacts;
use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::style::printable;
use crate::error::{Error, Result};
use crate::families::artifacts::changes;
use crate::families::artifacts::layout::Layout;
use crate::families::artifacts::store::{self, Artifact};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts diff PRD-006",
    "backoffice artifacts diff PRD-006 --from 1 --to 2",
])]
pub(super) struct DiffArgs {
    /// Such as PRD-006, or the name of a research document
    #[arg(value_name = "ID", add = ArgValueCompleter::new(artifacts))]
    artifact_id: String,
    /// The version to begin with; default: the one before
    #[arg(long, value_name = "N")]
    from: Option<i64>,
    /// The version to end with; default: the latest
    #[arg(long, value_name = "N")]
    to: Option<i64>,
}

/// One of the two texts.
struct Side {
    version: i64,
    /// Whether it is what the version said once, not what it says now.
    earlier: bool,
    text: String,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &DiffArgs) -> Result<()> {
    let Some((from, to)) = sides(desk, args)? else {
        if output.json {
            output.value(&json!({ "artifact_id": args.artifact_id, "diff": "" }));
        }
        output.note(&format!("{} has said nothing else yet", printable(&args.artifact_id)));
        return Ok(());
    };
    let diff = changes::full(&format!("{}.md", args.artifact_id), &from.text, &to.text);
    if output.json {
        let side = |side: &Side| json!({ "version": side.version, "earlier": side.earlier });
        output.value(&json!({
            "artifact_id": args.artifact_id, "from": side(&from), "to": side(&to), "diff": diff,
        }));
        return Ok(());
    }
    let word = |side: &Side| {
        format!("v{}{}", side.version, if side.earlier { " before its last change" } else { "" })
    };
    output.note(&format!("{} → {}", word(&from), word(&to)));
    if diff.is_empty() {
        output.note("no difference");
    }
    show_diff(output, &diff);
    Ok(())
}

/// What is compared with what; nothing if there is only one text.
fn sides(desk: &Desk, args: &DiffArgs) -> Result<Option<(Side, Side)>> {
    let (project, id) = (&desk.session.project, &args.artifact_id);
    let layout = layout(desk)?;
    desk.office.db.read(|tx| {
        let versions = store::versions(tx, project, id)?;
        let Some(latest) = versions.first() else { return Err(unknown(id)) };
        if args.from.is_none() && args.to.is_none() {
            let past = store::history(tx, project, id)?;
            if let Some(entry) = past.iter().find(|entry| entry.has_content) {
                let text = store::content_of(tx, entry.id)?.unwrap_or_default();
                let before = Side { version: entry.version, earlier: true, text };
                return Ok(Some((before, now(&layout, chosen(id, &versions, entry.version)?)?)));
            }
        }
        let to = args.to.map_or(Ok(latest), |wanted| chosen(id, &versions, wanted))?;
        let from = match args.from {
            Some(wanted) => Some(chosen(id, &versions, wanted)?),
            None => versions.iter().find(|row| row.version < to.version),
        };
        from.map(|from| Ok((now(&layout, from)?, now(&layout, to)?))).transpose()
    })
}

fn chosen<'a>(id: &str, versions: &'a [Artifact], wanted: i64) -> Result<&'a Artifact> {
    versions.iter().find(|row| row.version == wanted).ok_or_else(|| {
        let there: Vec<Value> = versions.iter().map(|row| row.version.into()).collect();
        let shown: Vec<String> = there.iter().map(Value::to_string).collect();
        Error::not_found(format!("`{id}` has no version {wanted}"))
            .detail("versions", there)
            .hint(format!("there is {}", shown.join(", ")))
    })
}

/// What a version says now, in its file.
fn now(layout: &Layout, row: &Artifact) -> Result<Side> {
    let file = layout.locate(row)?;
    let bytes = fs::read(&file).map_err(|error| Error::io(error, format!("read `{}`", file.display())))?;
    Ok(Side { version: row.version, earlier: false, text: String::from_utf8_lossy(&bytes).into_owned() })
}
