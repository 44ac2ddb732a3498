//! `backoffice tools`: what there is, as a table, as Markdown for the README, or as JSON.

use clap::Args;
use serde_json::{Value, json};

use super::output::Output;
use super::{Globals, open};
use crate::config::Environment;
use crate::error::Result;
use crate::families;
use crate::tool::{Access, ToolDef, ToolKind};

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice tools", "backoffice tools --toolsets ids --json"])]
pub(super) struct ToolsArgs {
    /// Print the table of the README
    #[arg(long)]
    markdown: bool,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &ToolsArgs,
) -> Result<()> {
    if args.markdown {
        output.line(markdown().trim_end());
        return Ok(());
    }
    let desk = open::desk(globals, environment, "cli")?;
    let offered: Vec<_> = desk.office.offered(&desk.session).collect();
    if output.json {
        let tools = offered.iter().map(|(family, tool)| {
            json!({
                "name": tool.name, "toolset": family.name, "kind": kind(tool), "title": tool.title,
                "description": tool.description, "access": access(tool), "input_schema": tool.schemas().input,
            })
        });
        output.value(&Value::Array(tools.collect()));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = offered
        .iter()
        .map(|(family, tool)| [tool.name, family.name, kind(tool), tool.title].map(str::to_owned).to_vec())
        .collect();
    output.table(&["TOOL", "TOOLSET", "KIND", "WHAT IT DOES"], &rows);
    output.note("\nCall one with `backoffice call TOOL '{…}'`.");
    Ok(())
}

/// The table of the README; a test keeps it current.
pub fn markdown() -> String {
    let mut text = String::from("| tool | toolset | kind | what it does |\n|---|---|---|---|\n");
    for family in families::ALL {
        for tool in family.tools {
            let line =
                format!("| `{}` | {} | {} | {} |\n", tool.name, family.name, kind(tool), tool.description);
            text.push_str(&line);
        }
    }
    text
}

fn kind(tool: &ToolDef) -> &'static str {
    match tool.kind {
        ToolKind::Read => "read",
        ToolKind::Write { destructive: true, .. } => "delete",
        ToolKind::Write { .. } => "write",
    }
}

/// Who may call a tool, in words.
pub fn access(tool: &ToolDef) -> String {
    match tool.access {
        Access::Everyone => "everyone".to_owned(),
        Access::AnyOf(roles) => roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", "),
    }
}
