//! `backoffice daemon`: runs it, shows it, ends it.

use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::mcp::no_daemon;
use super::output::{Output, text};
use super::{Globals, open};
use crate::config::Environment;
use crate::daemon::{self, Control, DaemonLock};
use crate::error::Result;
use crate::tool::session::Wish;

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = examples!["backoffice daemon --background", "backoffice daemon status", "backoffice daemon stop"]
)]
pub(super) struct DaemonArgs {
    #[command(subcommand)]
    command: Option<Command>,
    /// Run here until a signal ends it; the default
    #[arg(long, conflicts_with = "background")]
    foreground: bool,
    /// Start it and come back once it answers
    #[arg(long)]
    background: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show who is connected and how it is doing
    Status,
    /// End it, after it has answered what is in flight
    Stop,
    /// End it and start this version in the background
    Restart,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &DaemonArgs,
) -> Result<()> {
    let home = open::home(globals, environment)?;
    match args.command {
        Some(Command::Status) => {
            let status = daemon::ask(&home, Control::Status, &Wish::default())?.ok_or_else(no_daemon)?;
            show(output, &status);
            Ok(())
        }
        Some(Command::Stop) => {
            let stopped = daemon::stop(&home)?;
            let line = if stopped { "stopped" } else { "none was running" };
            output.answer(&json!({ "stopped": stopped }), line);
            Ok(())
        }
        Some(Command::Restart) => {
            daemon::stop(&home)?;
            started(output, &daemon::start(&home, open::program(environment)?)?);
            Ok(())
        }
        None if args.background => {
            started(output, &daemon::start(&home, open::program(environment)?)?);
            Ok(())
        }
        None => {
            home.create()?;
            let lock = DaemonLock::take(&home)?;
            let desk = open::desk(globals, environment, "daemon")?;
            output.note(&format!("listening at {}", daemon::socket::place(&home).display()));
            daemon::run(&Arc::clone(&desk.office), lock)
        }
    }
}

fn started(output: &mut Output, identity: &Value) {
    let line = format!("daemon {} runs as process {}", text(&identity["version"]), text(&identity["pid"]));
    output.answer(identity, &line);
}

fn show(output: &mut Output, status: &Value) {
    if output.json {
        return output.value(status);
    }
    let failure = match &status["last_error"] {
        Value::Null => "none".to_owned(),
        failure => format!("{} ({})", text(&failure["error"]), text(&failure["at"])),
    };
    let clients = status["clients"].as_array().cloned().unwrap_or_default();
    output.line(&format!("backoffice daemon {}", text(&status["version"])));
    for (label, value) in [
        ("process", text(&status["pid"])),
        ("uptime", duration(status["uptime_seconds"].as_u64().unwrap_or(0))),
        ("file", text(&status["file"])),
        ("socket", text(&status["socket"])),
        ("queue depth", text(&status["queue_depth"])),
        ("last error", failure),
        ("clients", clients.len().to_string()),
    ] {
        output.line(&format!("  {label:<13} {value}"));
    }
    if clients.is_empty() {
        return;
    }
    let rows: Vec<Vec<String>> = clients
        .iter()
        .map(|client| {
            let fields = ["connection", "name", "version", "user_id", "project_id", "calls", "connected_at"];
            fields.iter().map(|field| text(&client[field])).collect()
        })
        .collect();
    output.line("");
    output.table(&["CONNECTION", "CLIENT", "VERSION", "USER", "PROJECT", "CALLS", "SINCE"], &rows);
}

fn duration(seconds: u64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {} s", seconds % 60),
        _ => format!("{hours} h {minutes} min"),
    }
}
