//! `backoffice mcp`: serves one client over standard input and output, or connects it to the daemon.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::output::Output;
use super::{Globals, open};
use crate::config::Environment;
use crate::config::settings::Settings;
use crate::daemon::{self, Control};
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice mcp --toolsets workflow",
    "backoffice mcp --as nina.patel --read-only",
])]
pub(super) struct McpArgs {
    /// Let the daemon serve the client; `auto` starts one if none answers
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "running")]
    connect: Option<Connect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Connect {
    /// To the daemon that is running
    Running,
    /// To a daemon that is started if need be
    Auto,
    /// To none: this process serves the client itself
    Never,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &McpArgs,
) -> Result<()> {
    if io::stdin().is_terminal() {
        explain(environment);
    }
    let settings = Settings::load(&open::home(globals, environment)?, environment)?;
    let connect = args.connect.or_else(|| Connect::from_str(&settings.value("connect", None)?, true).ok());
    match connect {
        None | Some(Connect::Never) => {
            let desk = open::desk(globals, environment, "mcp")?;
            crate::mcp::serve_stdio(Arc::clone(&desk.office), Arc::clone(&desk.session))
        }
        Some(how) => bridge(globals, environment, &settings, output, how),
    }
}

fn bridge(
    globals: &Globals,
    environment: &Environment,
    settings: &Settings,
    output: &mut Output,
    how: Connect,
) -> Result<()> {
    let home = open::home(globals, environment)?;
    let wish = open::wish(globals, environment, settings);
    let mut tries = 0;
    let identity = loop {
        if how == Connect::Auto {
            daemon::start(&home, open::program(environment)?)?;
        }
        tries += 1;
        match daemon::ask(&home, Control::Check, &wish)? {
            Some(identity) => break identity,
            // It has just ended, or is about to: the next one is started.
            None if how == Connect::Auto && tries < 5 => {}
            None => return Err(no_daemon()),
        }
    };
    mention_other_version(output, &identity);
    daemon::bridge(&home, wish)
}

pub(super) fn no_daemon() -> Error {
    Error::conflict("no daemon is running")
        .hint("start one with `backoffice daemon --background`, or use `mcp --connect=auto`")
        .reason("no_daemon")
}

/// Two versions understand each other as long as the private line has not changed; people should
/// know all the same.
fn mention_other_version(output: &mut Output, identity: &Value) {
    let (ours, theirs) = (env!("CARGO_PKG_VERSION"), identity["version"].as_str().unwrap_or("unknown"));
    if ours != theirs {
        output.note(&format!(
            "the daemon is version {theirs}, this program {ours}; `backoffice daemon restart` brings them together"
        ));
    }
}

/// A person has started what only programs talk to.
fn explain(environment: &Environment) {
    let program =
        environment.executable.as_ref().map_or("backoffice".to_owned(), |path| path.display().to_string());
    let _ = writeln!(
        io::stderr(),
        "This is an MCP server: it speaks JSON-RPC on standard input and output, one message a line.\n\
         Connect a client instead of typing here (Ctrl-D ends it):\n\n  \
         {program} setup claude-code    (or claude-desktop, cursor, vscode)\n\n\
         Other clients: command `{program}`, arguments [\"mcp\"]."
    );
}
