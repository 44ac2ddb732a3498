//! `backoffice completions SHELL`, and the answers to what a shell then asks.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use clap::{Args, CommandFactory};
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::Shells;

use super::output::Output;
use super::{Cli, Globals, open};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::families;
use crate::families::artifacts::kinds::{BUILT_IN, Kind};
use crate::id::ARTIFACT_TYPES;

/// The variable by which a shell asks for completions.
const ASKS: &str = "BACKOFFICE_COMPLETE";

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice completions bash"])]
pub(super) struct CompletionsArgs {
    /// bash, zsh, fish, elvish or powershell
    shell: String,
}

/// Prints what a shell has to read once; it asks this program for everything else.
pub(super) fn run(output: &mut Output, args: &CompletionsArgs) -> Result<()> {
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(&args.shell) else {
        let known: Vec<&str> = shells.names().collect();
        return Err(Error::invalid(format!("there are no completions for `{}`", args.shell))
            .hint(format!("the shells are {}", known.join(", "))));
    };
    let mut script = Vec::new();
    shell
        .write_registration(ASKS, "backoffice", "backoffice", "backoffice", &mut script)
        .map_err(|error| Error::io(error, "write the completions"))?;
    output.line(String::from_utf8_lossy(&script).trim_end());
    output.note("put this where your shell looks for completions, or evaluate it when the shell starts");
    Ok(())
}

/// Answers a shell that asks what could come next. `false` if nobody has asked.
pub(super) fn answer(environment: &Environment) -> bool {
    let folder = environment.working_folder.as_deref().unwrap_or(Path::new("."));
    let asked = clap_complete::CompleteEnv::with_factory(Cli::command).var(ASKS);
    match asked.try_complete(std::env::args_os(), Some(folder)) {
        Ok(answered) => answered,
        Err(error) => {
            let _ = io::Write::write_all(&mut io::stderr(), format!("{error}\n").as_bytes());
            true
        }
    }
}

/// The artifact types, by their long names.
pub(super) fn artifact_types(typed: &OsStr) -> Vec<CompletionCandidate> {
    let names = ARTIFACT_TYPES.iter().map(|kind| (kind.name.to_owned(), kind.prefix.to_owned()));
    starting(typed, names)
}

/// The documents of the project.
pub(super) fn artifacts(typed: &OsStr) -> Vec<CompletionCandidate> {
    let begun = typed.to_string_lossy();
    let listed = open::quietly().and_then(|desk| super::artifacts::references(&desk, &begun));
    starting(typed, listed.unwrap_or_default())
}

/// The statuses that documents pass through.
pub(super) fn artifact_statuses(typed: &OsStr) -> Vec<CompletionCandidate> {
    let mut statuses: Vec<&str> = BUILT_IN.iter().flat_map(Kind::statuses).collect();
    statuses.sort_unstable();
    statuses.dedup();
    starting(typed, statuses.into_iter().map(|status| (status.to_owned(), String::new())))
}

/// The tools.
pub(super) fn tools(typed: &OsStr) -> Vec<CompletionCandidate> {
    let tools = families::ALL.iter().flat_map(|family| family.tools);
    starting(typed, tools.map(|tool| (tool.name.to_owned(), tool.title.to_owned())))
}

/// The open to-dos by their number, and the open tasks of the project's queue.
pub(super) fn task_references(typed: &OsStr) -> Vec<CompletionCandidate> {
    let listed = open::quietly().and_then(|desk| super::tasks::references(&desk));
    starting(typed, listed.unwrap_or_default())
}

/// The reservations that are still open.
pub(super) fn reservations(typed: &OsStr) -> Vec<CompletionCandidate> {
    let listed = open::quietly().and_then(|desk| super::ids::references(&desk));
    starting(typed, listed.unwrap_or_default())
}

/// The preflights of the repository that have not ended.
pub(super) fn preflight_sessions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let listed = open::quietly().and_then(|desk| super::preflight::references(&desk));
    starting(typed, listed.unwrap_or_default())
}

/// The decisions of the repository.
pub(super) fn decisions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let listed = open::quietly().and_then(|desk| super::adr::references(&desk));
    starting(typed, listed.unwrap_or_default())
}

fn starting(typed: &OsStr, all: impl IntoIterator<Item = (String, String)>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let fitting = all.into_iter().filter(|(value, _)| value.starts_with(typed.as_ref()));
    fitting.map(|(value, about)| CompletionCandidate::new(value).help(Some(about.into()))).collect()
}

impl Globals {
    /// What a shell's question is answered with: it carries no flags.
    pub(super) fn none() -> Self {
        Globals {
            home: None,
            caller: None,
            toolsets: None,
            read_only: true,
            repo: None,
            project: None,
            json: true,
        }
    }
}
