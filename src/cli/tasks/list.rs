//! `backoffice tasks list`: to-dos with their numbers, or the project's queue.

use clap::Args;
use serde_json::{Value, json};

use super::reference::number_of;
use crate::cli::open::Desk;
use crate::cli::output::{Output, text};
use crate::cli::style::Style;
use crate::error::Result;

#[derive(Args, Debug, Default)]
pub(super) struct ListArgs {
    /// The project's queue instead of your to-dos
    #[arg(long)]
    queue: bool,
    /// pending, in_progress (queue only) or completed
    #[arg(long, value_parser = ["pending", "in_progress", "completed"])]
    status: Option<String>,
    /// Queue: only tasks that need this artifact
    #[arg(long, value_name = "ARTIFACT", requires = "queue")]
    depends_on: Option<String>,
    /// Where the page before ended
    #[arg(long)]
    cursor: Option<String>,
}

impl ListArgs {
    /// What is left to do.
    pub fn pending() -> Self {
        ListArgs { status: Some("pending".to_owned()), ..ListArgs::default() }
    }
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &ListArgs) -> Result<()> {
    let scope = if args.queue { "project_id" } else { "user_id" };
    let whose = if args.queue { &desk.session.project } else { &desk.session.caller.user_id };
    let arguments =
        json!({ scope: whose, "status": args.status, "depends_on": args.depends_on, "cursor": args.cursor });
    let answer = desk.call("list_tasks", arguments)?;
    if output.json {
        output.value(&answer);
        return Ok(());
    }
    let tasks = answer["tasks"].as_array().cloned().unwrap_or_default();
    if tasks.is_empty() {
        output.note(if args.queue {
            "no task of the queue fits"
        } else {
            "nothing to do; add something with `backoffice tasks add \"…\"`"
        });
        return Ok(());
    }
    let (headings, rows): ([&str; 4], Vec<Vec<String>>) = if args.queue {
        let row =
            |task: &Value| ["task_id", "status", "worker", "description"].map(|field| text(&task[field]));
        (["TASK", "STATUS", "WORKER", "WHAT"], tasks.iter().map(|task| row(task).to_vec()).collect())
    } else {
        let row = |task: &Value| {
            let number = number_of(desk, &task["task_id"]).unwrap_or_default();
            vec![number, text(&task["status"]), text(&task["priority"]), text(&task["title"])]
        };
        (["#", "STATUS", "PRIORITY", "WHAT"], tasks.iter().map(row).collect())
    };
    output.painted_table(&headings, &rows, |column, text| match column {
        1 | 2 => Style::of(text),
        _ => Style::Plain,
    });
    if let Some(cursor) = answer["next_cursor"].as_str() {
        output.note(&format!("more: --cursor {cursor}"));
    }
    Ok(())
}
