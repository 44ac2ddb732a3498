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
use crate::families::preflight::records::Suspended;
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
    #[command(after_help = examples!["backoffice adr list", "backoffice adr list --json"])]
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
        Some(Command::Search(args)) => search::run(&desk, output, &args),
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
    suspended: Vec<Suspended>,
}

impl Decisions {
    fn read(desk: &Desk) -> Result<Self> {
        let root = preflight::root(desk)?;
        let known = desk.office.db.read(|tx| repository::decisions(tx, &root))?;
        Ok(Decisions { root, library: known.library, state: known.state, suspended: known.suspended })
    }

    /// All that a decision's file says.
    fn text(&self, adr: &Adr) -> Result<String> {
        shelf::document(&self.root.join("docs"), &adr.file)
            .map_err(|problem| Error::conflict(format!("`{}`: {problem}", path(adr))))
    }

    /// What its file says its status is; else whether its values still hold.
    fn status(&self, adr: &Adr, text: &str) -> String {
        let said = said_status(text).filter(|said| !said.eq_ignore_ascii_case(ACCEPTED));
        said.map_or_else(|| self.standing(adr).to_owned(), str::to_owned)
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
        for record in &self.suspended {
            let file = printable(&record.file);
            output.note(&format!(
                "note: docs/adr/{file} was edited; `backoffice repo review` decides about it"
            ));
        }
        for (file, problem) in &self.library.problems {
            output.note(&format!("note: docs/adr/{}: {}", printable(file), printable(&problem.to_string())));
        }
    }
}

/// `**Status:** Proposed`, `- Status: Proposed`, or the first line below `## Status`.
fn said_status(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let bare = line.trim_start_matches(['-', '*', '#', ' ']);
        let Some(rest) = bare.strip_prefix("Status") else { continue };
        let rest = rest.trim_start_matches('*');
        let said = match rest.strip_prefix(':') {
            Some(said) => said.trim_start_matches('*').trim(),
            None if line.starts_with('#') && rest.is_empty() => lines.find(|line| !line.is_empty())?,
            None => continue,
        };
        return (!said.is_empty()).then_some(said);
    }
    None
}

const ACCEPTED: &str = "Accepted";

/// Where a decision lies in its repository.
fn path(adr: &Adr) -> String {
    format!("docs/adr/{}", adr.file)
}

/// What to say where there is none.
const NONE_YET: &str =
    "there are no decisions yet; `backoffice preflight \"INTENTION\"` records the first one";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_in_the_forms_that_people_write() {
        let cases = [
            ("# ADR: x\n\n**Status:** Proposed\n", Some("Proposed")),
            ("- **Status**: Deprecated", Some("Deprecated")),
            ("Status: Accepted\r\n", Some("Accepted")),
            ("# 3. Use x\n\n## Status\n\nSuperseded by 7\n\n## Context", Some("Superseded by 7")),
            ("Status quo is bad\n**Status:** Rejected", Some("Rejected")),
            ("## Status\n", None),
            ("nothing", None),
        ];
        for (text, expected) in cases {
            assert_eq!(said_status(text), expected, "{text}");
        }
    }
}
