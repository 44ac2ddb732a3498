//! `backoffice adr`: the decisions of a repository by hand.

mod list;
mod search;
mod show;
mod why;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};

use super::open::Desk;
use super::output::Output;
use super::style::printable;
use super::{Globals, open, preflight};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::families::preflight::documents::library::Library;
use crate::families::preflight::documents::shelf;
use crate::families::preflight::documents::{Adr, State};
use crate::families::preflight::repository;

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice adr",
    "backoffice adr list --json",
    "backoffice adr search authentication clerk",
])]
pub(super) struct AdrArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the decisions, oldest first
    List,
    /// Show a decision
    Show(show::ShowArgs),
    /// Find decisions that contain all of some words
    Search(search::SearchArgs),
    /// Show which decisions have set a field, oldest first
    Why(why::WhyArgs),
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: AdrArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    let decisions = Decisions::read(&desk)?;
    match args.command {
        None | Some(Command::List) => list::run(&decisions, output),
        Some(Command::Show(args)) => show::run(&decisions, output, &args),
        Some(Command::Search(args)) => search::run(&decisions, output, &args),
        Some(Command::Why(args)) => why::run(&decisions, output, &args),
    }
}

/// The decisions by their UIDs, for a shell to complete.
pub(super) fn references(desk: &Desk) -> Result<Vec<(String, String)>> {
    let known = Decisions::read(desk)?;
    Ok(known.library.adrs.iter().map(|adr| (adr.uid.to_string(), printable(&adr.title))).collect())
}

/// The decisions of a repository, and what they add up to.
#[derive(Debug)]
struct Decisions {
    root: PathBuf,
    library: Library,
    state: Arc<State>,
}

impl Decisions {
    fn read(desk: &Desk) -> Result<Self> {
        let root = preflight::root(desk)?;
        let (library, state) = repository::decisions(&root)?;
        Ok(Decisions { root, library, state })
    }

    /// All that a decision's file says.
    fn text(&self, adr: &Adr) -> Result<String> {
        shelf::document(&self.root.join("docs"), &adr.file)
            .map_err(|problem| Error::conflict(format!("`{}`: {problem}", path(adr))))
    }

    /// What its file says its status is; else whether its values still hold.
    fn status(&self, adr: &Adr, text: &str) -> String {
        let label = |line: &str| {
            let line = line.trim_start_matches(['-', '*', ' ']);
            let rest = line.strip_prefix("Status")?.trim_start_matches(['*', ':', ' ']);
            (!rest.is_empty()).then(|| rest.trim().to_owned())
        };
        let said = text.lines().take(40).find_map(label).filter(|said| said != ACCEPTED);
        said.unwrap_or_else(|| self.standing(adr).to_owned())
    }

    fn standing(&self, adr: &Adr) -> &'static str {
        let mut sides = self.state.conflicts.iter().flat_map(|conflict| &conflict.sides);
        if sides.any(|side| side.set_by == adr.uid) {
            return "Disputed";
        }
        let holds = |uid| uid == &adr.uid;
        let values = self.state.categories.values().flat_map(|fields| fields.values());
        let some_hold = values.into_iter().any(|value| holds(&value.set_by));
        if adr.changes.is_empty() || some_hold { ACCEPTED } else { "Superseded" }
    }

    /// Says which files cannot be used as they stand.
    fn tell_problems(&self, output: &mut Output) {
        for (file, problem) in &self.library.problems {
            output.note(&format!("note: docs/adr/{}: {}", printable(file), printable(&problem.to_string())));
        }
    }
}

const ACCEPTED: &str = "Accepted";

/// Where a decision lies in its repository.
fn path(adr: &Adr) -> String {
    format!("docs/adr/{}", adr.file)
}

/// What to say where there is none.
const NONE_YET: &str =
    "there are no decisions yet; `backoffice preflight \"INTENTION\"` records the first one";
