//! `backoffice status`, and `backoffice` alone: where things are, and the next useful command.

use serde_json::json;

use super::output::Output;
use super::style::printable;
use super::{Globals, open};
use crate::config::Environment;
use crate::db::{confirmations, sequences};
use crate::error::Result;
use crate::families::artifacts;
use crate::families::tasks::store;
use crate::paths::Home;

pub(super) fn run(globals: &Globals, environment: &Environment, output: &mut Output) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    let session = &desk.session;
    let now = desk.office.clock.now();
    let (counters, documents, open_queue, open_todos, waiting) = desk.office.db.read(|tx| {
        Ok((
            sequences::all(tx, &session.project)?,
            artifacts::store::count(tx, &session.project)?,
            store::queue::count_open(tx, &session.project)?,
            store::todo::count_open(tx, &session.caller.user_id)?,
            confirmations::waiting(tx, now)?.len(),
        ))
    })?;
    let home: &Home = &desk.office.home;
    let size = std::fs::metadata(home.database()).map_or(0, |found| found.len());
    if output.json {
        output.value(&json!({
            "version": env!("CARGO_PKG_VERSION"), "data_folder": home.folder(), "file": home.database(),
            "size_bytes": size, "user_id": session.caller.user_id, "project_id": session.project,
            "repository": session.repository, "documents": documents, "queue_open": open_queue, "todos_open": open_todos,
            "approvals_waiting": waiting,
            "counters": counters.iter().map(|(prefix, last)| (prefix.clone(), json!(last)))
                .collect::<serde_json::Map<_, _>>(),
        }));
        return Ok(());
    }
    let repository = session.repository.as_ref().map_or("none".to_owned(), |root| root.display().to_string());
    let counters: Vec<String> = counters.iter().map(|(prefix, last)| format!("{prefix} {last}")).collect();
    let counters = if counters.is_empty() { "none yet".to_owned() } else { counters.join(", ") };
    output.line(&format!("backoffice {}", env!("CARGO_PKG_VERSION")));
    for (label, text) in [
        ("data", format!("{} ({} KB)", home.database().display(), size / 1024)),
        ("user", session.caller.user_id.clone()),
        ("project", session.project.clone()),
        ("repository", repository),
        ("last numbers", counters),
        ("artifacts", documents.to_string()),
        ("queue", format!("{open_queue} open")),
        ("to-dos", format!("{open_todos} open")),
        ("approvals", format!("{waiting} waiting")),
    ] {
        output.line(&format!("  {label:<13} {}", printable(&text)));
    }
    if waiting > 0 {
        output.note("\nAgents wait for a person: `backoffice approvals`.");
    }
    output.note("\nNext: `backoffice tools` lists what agents can call, `backoffice mcp` serves them,");
    output.note("      `backoffice setup` connects Claude Code, Claude Desktop, Cursor and VS Code.");
    Ok(())
}
