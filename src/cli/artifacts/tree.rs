//! `backoffice artifacts tree [ROOT]`: which document came from which.

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::{counted, unknown};
use crate::cli::completions::artifacts;
use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::style::{Style, fit, printable};
use crate::error::Result;
use crate::families::artifacts::kinds::{BUILT_IN, Kind};
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
    forest.roots.iter().for_each(|root| draw(output, root, "", "", false));
    if !forest.orphans.is_empty() {
        if !forest.roots.is_empty() {
            output.line("");
        }
        let heading = output.paint(Style::Strong, "Without a known parent");
        output.line(&heading);
        draw_below(output, &forest.orphans, "", true);
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

/// A document behind its branch, and everything below it; an orphan names the parents it looks for.
fn draw(output: &mut Output, node: &Node, branch: &str, below: &str, orphan: bool) {
    let artifact = &node.artifact;
    let name = format!("{} v{}", printable(&artifact.artifact_id), artifact.version);
    let status = printable(&artifact.status);
    let taken = console::measure_text_width(branch) + name.len() + console::measure_text_width(&status) + 4;
    let mut title = printable(&artifact.title);
    if orphan && !node.parents.is_empty() {
        title = format!("{title} (of {})", printable(&node.parents.join(", ")));
    }
    let title = output.width.map_or(title.clone(), |width| fit(&title, width.saturating_sub(taken).max(8)));
    let line = format!(
        "{}{}  {}  {title}",
        output.paint(Style::Faint, branch),
        output.paint(Style::Strong, &name),
        output.paint(Style::of(&artifact.status), &status)
    );
    output.line(&line);
    draw_below(output, &node.children, below, false);
}

fn draw_below(output: &mut Output, nodes: &[Node], before: &str, orphans: bool) {
    for (at, node) in nodes.iter().enumerate() {
        let last = at + 1 == nodes.len();
        let branch = format!("{before}{}", if last { "└─ " } else { "├─ " });
        let below = format!("{before}{}", if last { "   " } else { "│  " });
        draw(output, node, &branch, &below, orphans);
    }
}

/// How many there are of each type, in the order of a project's life.
fn summary(forest: &Forest) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for kind in
        BUILT_IN.iter().map(Kind::type_name).chain(forest.every().map(|node| node.artifact.kind.as_str()))
    {
        if !counts.iter().any(|(known, _)| *known == kind) {
            counts.push((kind, forest.every().filter(|node| node.artifact.kind == kind).count()));
        }
    }
    let kinds = counts.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{kind} {count}"));
    let orphans = match forest.orphans.len() {
        0 => String::new(),
        orphans => format!("; {orphans} without a known parent"),
    };
    let all = counted(forest.every().count(), "document");
    format!("{all}: {}{orphans}", kinds.collect::<Vec<_>>().join(", "))
}
