//! `backoffice tasks`: personal to-dos and the project's queue by hand.

mod board;
mod list;
mod reference;

use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

pub(super) use self::reference::references;
use self::reference::{Target, number_of, resolve};
use super::completions::task_references;
use super::open::Desk;
use super::output::{Output, confirm, text};
use super::{Globals, open};
use crate::config::Environment;
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice tasks add \"Buy milk\" --priority High",
    "backoffice tasks",
    "backoffice tasks done 3",
    "backoffice tasks list --queue --status pending",
    "backoffice tasks board",
])]
pub(super) struct TasksArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List your to-dos, or the project's queue
    List(list::ListArgs),
    /// Show to-dos and queue side by side, by status
    Board,
    /// Add a to-do of your own
    Add {
        title: String,
        #[arg(long)]
        description: Option<String>,
        /// High, Medium or Low
        #[arg(long, value_parser = ["High", "Medium", "Low"], ignore_case = true)]
        priority: Option<String>,
    },
    /// Change a to-do of your own
    Edit {
        /// Its number or UUID
        #[arg(add = ArgValueCompleter::new(task_references))]
        task: String,
        #[arg(long)]
        title: Option<String>,
        /// An empty text takes it away
        #[arg(long)]
        description: Option<String>,
        /// High, Medium or Low
        #[arg(long, value_parser = ["High", "Medium", "Low"], ignore_case = true)]
        priority: Option<String>,
    },
    /// Complete a to-do (number or UUID) or a queue task that is in progress (TASK-nnn)
    Done {
        #[arg(add = ArgValueCompleter::new(task_references))]
        task: String,
        /// What came of it (queue only)
        #[arg(long)]
        notes: Option<String>,
    },
    /// Delete a to-do of your own, for good
    Delete {
        /// Its number or UUID
        #[arg(add = ArgValueCompleter::new(task_references))]
        task: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Claim the next task of the project's queue
    Next {
        /// Who works on it; without it, this very command
        #[arg(long)]
        worker: Option<String>,
        /// For how long it is yours
        #[arg(long)]
        lease_minutes: Option<i64>,
    },
    /// Put a queue task in progress without claiming it
    Start {
        /// TASK-nnn
        #[arg(add = ArgValueCompleter::new(task_references))]
        task: String,
    },
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: TasksArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    match args.command {
        None => list::run(&desk, output, &list::ListArgs::pending()),
        Some(Command::List(args)) => list::run(&desk, output, &args),
        Some(Command::Board) => board::run(&desk, output),
        Some(Command::Add { title, description, priority }) => {
            let user = &desk.session.caller.user_id;
            let arguments =
                json!({ "user_id": user, "title": title, "description": description, "priority": priority });
            say(&desk, output, "add_task", arguments, |answer| {
                let number = number_of(&desk, &answer["task_id"]);
                format!("{} {}", number.unwrap_or_default(), text(&answer["title"])).trim_start().to_owned()
            })
        }
        Some(Command::Edit { task, title, description, priority }) => {
            let target = resolve(&desk, &task)?;
            if matches!(target, Target::Queue { .. }) {
                return Err(Error::invalid(
                    "a task of the queue is as it was queued; only to-dos can be changed",
                ));
            }
            let mut arguments = target.arguments(&desk);
            arguments["title"] = title.into();
            arguments["description"] = description.into();
            arguments["priority"] = priority.into();
            say(&desk, output, "update_task", arguments, |answer| {
                format!("{task} {}", text(&answer["title"]))
            })
        }
        Some(Command::Done { task, notes }) => {
            let mut arguments = resolve(&desk, &task)?.arguments(&desk);
            arguments["completion_notes"] = notes.into();
            say(&desk, output, "complete_task", arguments, |_| format!("{task} completed"))
        }
        Some(Command::Delete { task, yes }) => delete(&desk, output, &task, yes),
        Some(Command::Next { worker, lease_minutes }) => {
            let arguments = json!({ "worker": worker, "lease_minutes": lease_minutes });
            say(&desk, output, "get_next_task", arguments, |answer| match &answer["task"] {
                Value::Null => text(&answer["message"]),
                task => format!("{}  {}", text(&task["task_id"]), text(&task["description"])),
            })
        }
        Some(Command::Start { task }) => {
            let arguments = json!({ "task_id": task, "status": "in_progress" });
            say(&desk, output, "update_task_status", arguments, |_| format!("{task} in progress"))
        }
    }
}

fn delete(desk: &Desk, output: &mut Output, task: &str, yes: bool) -> Result<()> {
    let target = resolve(desk, task)?;
    let Target::Personal { title, .. } = &target else {
        return Err(Error::invalid("queue tasks are completed, not deleted").hint("use `tasks done`"));
    };
    if !yes {
        confirm(&format!("Delete \"{title}\" for good?"))?;
    }
    say(desk, output, "delete_task", target.arguments(desk), |answer| text(&answer["message"]))
}

fn say(
    desk: &Desk,
    output: &mut Output,
    tool: &str,
    arguments: Value,
    line: impl FnOnce(&Value) -> String,
) -> Result<()> {
    let answer = desk.call(tool, arguments)?;
    let line = line(&answer);
    output.answer(&answer, &line);
    Ok(())
}
