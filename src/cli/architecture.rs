//! `backoffice architecture`: what all decisions of the repository add up to.

use clap::Args;
use serde_json::{Value, json};

use super::output::{Output, text};
use super::style::{Style, printable};
use super::{Globals, open, preflight};
use crate::config::Environment;
use crate::error::Result;

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice architecture", "backoffice architecture --sources --json"])]
pub(super) struct ArchitectureArgs {
    /// Also show which decision has set each value
    #[arg(long)]
    sources: bool,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &ArchitectureArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    preflight::root(&desk)?;
    let answer = desk.call("read_architecture", json!({ "with_sources": args.sources }))?;
    if output.json {
        output.value(&answer);
        return Ok(());
    }
    show_conflicts(output, &answer);
    let mut rows = Vec::new();
    for (category, fields) in members(&answer["architecture"]["categories"]) {
        for (field, value) in members(fields) {
            let source = &answer["sources"][category][field];
            let mut row = vec![printable(category), printable(field), text(value)];
            if args.sources {
                row.push(text(source));
            }
            rows.push(row);
        }
    }
    if rows.is_empty() {
        output
            .note("nothing is decided yet; `backoffice preflight \"INTENTION\"` records the first decision");
        return Ok(());
    }
    let headings = ["CATEGORY", "FIELD", "VALUE", "SET BY"];
    output.fitted_table(&headings[..if args.sources { 4 } else { 3 }], &rows, 2, |_, _| Style::Plain);
    output.note("`backoffice adr why CATEGORY.FIELD` shows how a value came about");
    Ok(())
}

/// What branches have decided without knowing of each other.
fn show_conflicts(output: &mut Output, answer: &Value) {
    let conflicts = answer["conflicts"].as_array().map(Vec::as_slice).unwrap_or_default();
    for conflict in conflicts {
        let name = format!("{}.{}", text(&conflict["category"]), text(&conflict["field"]));
        let heading = output.paint(Style::Bad, &format!("conflict  {name}"));
        output.line(&heading);
        for side in conflict["sides"].as_array().into_iter().flatten() {
            output.line(&format!("  {}  (ADR {})", text(&side["value"]), text(&side["set_by"])));
        }
    }
    if !conflicts.is_empty() {
        output.line("");
        output.note(
            "the next `backoffice preflight` asks which of these values hold; until then, the last one does",
        );
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
