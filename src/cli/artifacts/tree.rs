//! `backoffice artifacts tree [ROOT]`: which document came from which.

use std::collections::BTreeMap;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::{counted, unknown};
use crate::cli::completions::artifacts;
use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::style::{Style, fit, printable};
use crate::error::Result;
use crate::families::artifacts::tree::{self, Forest, Node};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts tree",
    "backoffice artifacts tree EPIC-006",
    "backoffice artifacts tree --json",
])]
pub(super) struct TreeArgs {
    /// Only this document and what is below it
    #[arg(value_name = "ROOT", add = ArgValueCompleter::new(artifacts))]
    root: Option<String>,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &TreeArgs) -> Result<()> {
    let project = &desk.session.project;
    let mut forest = desk.office.db.read(|tx| tree::read(tx, project))?;
    if let Some(root) = &args.root {
        let node = forest.find(root).ok_or_else(|| unknown(root))?;
        forest = Forest { roots: vec![node], orphans: Vec::new() };
    }
    if output.json {
        let nested = |nodes: &[Node]| nodes.iter().map(value).collect::<Vec<_>>();
        output.value(&json!({
            "project_id": project, "roots": nested(&forest.roots), "orphans": nested(&forest.orphans),
        }));
        return Ok(());
    }
    if forest.every().next().is_none() {
        output.note("there are no documents yet; `backoffice artifacts import PATH` brings a folder of them");
        return Ok(());
    }
    forest.roots.iter().for_each(|root| draw(output, root, "", ""));
    if !forest.orphans.is_empty() {
        if !forest.roots.is_empty() {
            output.line("");
        }
        let heading = output.paint(Style::Strong, "Without a known parent");
        output.line(&heading);
        draw_below(output, &forest.orphans, "");
    }
    output.note(&format!("\n{}", summary(&forest)));
    Ok(())
}

fn value(node: &Node) -> Value {
    let artifact = &node.artifact;
    json!({
        "artifact_id": artifact.artifact_id, "type": artifact.kind, "title": artifact.title,
        "status": artifact.status, "version": artifact.version,
        "children": node.children.iter().map(value).collect::<Vec<_>>(),
    })
}

/// A document behind its branch, and everything below it.
fn draw(output: &mut Output, node: &Node, branch: &str, below: &str) {
    let artifact = &node.artifact;
    let name = format!("{} v{}", printable(&artifact.artifact_id), artifact.version);
    let status = printable(&artifact.status);
    let taken = console::measure_text_width(branch) + name.len() + console::measure_text_width(&status) + 4;
    let title = printable(&artifact.title);
    let title = output.width.map_or(title.clone(), |width| fit(&title, width.saturating_sub(taken).max(8)));
    let line = format!(
        "{}{}  {}  {title}",
        output.paint(Style::Faint, branch),
        output.paint(Style::Strong, &name),
        output.paint(Style::of(&artifact.status), &status)
    );
    output.line(&line);
    draw_below(output, &node.children, below);
}

fn draw_below(output: &mut Output, nodes: &[Node], before: &str) {
    for (at, node) in nodes.iter().enumerate() {
        let last = at + 1 == nodes.len();
        let branch = format!("{before}{}", if last { "└─ " } else { "├─ " });
        let below = format!("{before}{}", if last { "   " } else { "│  " });
        draw(output, node, &branch, &below);
    }
}

/// How many there are of each type, in the order of the tree.
fn summary(forest: &Forest) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in forest.every() {
        *counts.entry(&node.artifact.kind).or_default() += 1;
    }
    let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let all = counted(counts.values().sum(), "document");
    let orphans = match forest.orphans.len() {
        0 => String::new(),
        orphans => format!("; {orphans} without a known parent"),
    };
    format!("{all}: {}{orphans}", kinds.join(", "))
}
