//! `backoffice tasks`: personal to-dos and the project's queue by hand.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::open::Desk;
use super::output::{Output, confirm, text};
use super::{Globals, open};
use crate::config::Environment;
use crate::error::Result;

#[derive(Args, Debug)]
pub(super) struct TasksArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List your to-dos, or the project's queue
    List {
        /// The project's queue instead of your to-dos
        #[arg(long)]
        queue: bool,
        /// pending, in_progress (queue only) or completed
        #[arg(long)]
        status: Option<String>,
        /// Where the page before ended
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Add a to-do of your own
    Add {
        title: String,
        #[arg(long)]
        description: Option<String>,
        /// High, Medium or Low
        #[arg(long)]
        priority: Option<String>,
    },
    /// Complete a to-do (UUID) or a claimed queue task (TASK-nnn)
    Done {
        task_id: String,
        /// What came of it (queue only)
        #[arg(long)]
        notes: Option<String>,
    },
    /// Delete a to-do of your own
    Delete {
        task_id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Claim the next task of the project's queue
    Next,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: TasksArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    let user = desk.session.caller.user_id.clone();
    match args.command {
        None => list(&desk, output, json!({ "user_id": user, "status": "pending" })),
        Some(Command::List { queue: false, status, cursor }) => {
            list(&desk, output, json!({ "user_id": user, "status": status, "cursor": cursor }))
        }
        Some(Command::List { queue: true, status, cursor }) => {
            let project = &desk.session.project;
            list(&desk, output, json!({ "project_id": project, "status": status, "cursor": cursor }))
        }
        Some(Command::Add { title, description, priority }) => {
            let arguments = json!({
                "user_id": user, "title": title, "description": description, "priority": priority,
            });
            say(&desk, output, "add_task", arguments, |answer| text(&answer["task_id"]))
        }
        Some(Command::Done { task_id, notes }) => {
            let personal = !task_id.starts_with("TASK-");
            let arguments = json!({
                "task_id": task_id, "user_id": personal.then_some(user), "completion_notes": notes,
            });
            say(&desk, output, "complete_task", arguments, |_| format!("{task_id} completed"))
        }
        Some(Command::Delete { task_id, yes }) => {
            if !yes {
                confirm(&format!("Delete the task {task_id} for good?"))?;
            }
            let arguments = json!({ "user_id": user, "task_id": task_id });
            say(&desk, output, "delete_task", arguments, |answer| text(&answer["message"]))
        }
        Some(Command::Next) => say(&desk, output, "get_next_task", json!({}), |answer| {
            let task = &answer["task"];
            if task.is_null() {
                return text(&answer["message"]);
            }
            format!("{}  {}", text(&task["task_id"]), text(&task["description"]))
        }),
    }
}

fn say(
    desk: &Desk,
    output: &mut Output,
    tool: &str,
    arguments: Value,
    line: impl FnOnce(&Value) -> String,
) -> Result<()> {
    let answer = desk.call(tool, arguments)?;
    if output.json {
        output.value(&answer);
    } else {
        output.line(&line(&answer));
    }
    Ok(())
}

fn list(desk: &Desk, output: &mut Output, arguments: Value) -> Result<()> {
    let of_queue = arguments.get("project_id").is_some();
    let answer = desk.call("list_tasks", arguments)?;
    if output.json {
        output.value(&answer);
        return Ok(());
    }
    let what = if of_queue { "description" } else { "title" };
    let rows: Vec<Vec<String>> = answer["tasks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|task| {
            let extra = if of_queue { &task["worker"] } else { &task["priority"] };
            [&task["task_id"], &task["status"], extra, &task[what]].map(text).to_vec()
        })
        .collect();
    if rows.is_empty() {
        output.note("nothing to do; add something with `backoffice tasks add \"…\"`");
        return Ok(());
    }
    let third = if of_queue { "WORKER" } else { "PRIORITY" };
    output.table(&["TASK", "STATUS", third, "WHAT"], &rows);
    if let Some(cursor) = answer["next_cursor"].as_str() {
        output.note(&format!("more: --cursor {cursor}"));
    }
    Ok(())
}
