//! `backoffice artifacts`: the documents of a project by hand.

mod approve;
mod diff;
mod history;
mod import;
mod leftovers;
mod list;
mod show;
mod store;
mod tree;
mod validate;
pub(super) mod verify;

use clap::{Args, Subcommand};

use super::open::Desk;
use super::output::Output;
use super::style::{Style, printable, printable_line};
use super::{Globals, open};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::families::artifacts::layout::Layout;
use crate::families::artifacts::store as index;

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts import .",
    "backoffice artifacts",
    "backoffice artifacts list --type prd --status Draft",
    "backoffice artifacts tree",
    "backoffice artifacts verify",
])]
pub(super) struct ArtifactsArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the latest version of each document
    List(list::ListArgs),
    /// Show a document and what is known of it
    Show(show::ShowArgs),
    /// Show which document came from which
    Tree(tree::TreeArgs),
    /// Take a folder of documents into the index, as they lie there
    Import(import::ImportArgs),
    /// Store documents by what their Metadata blocks say
    Store(store::StoreArgs),
    /// Approve a draft: real IDs for its placeholders, a task for each of its parts
    Approve(approve::ApproveArgs),
    /// Show what has happened to a document, newest first
    History(history::HistoryArgs),
    /// Compare versions of a document, or what it said before its last change
    Diff(diff::DiffArgs),
    /// Check files against the checklists of their types
    Validate(validate::ValidateArgs),
    /// Find approved documents that have been changed or are gone
    Verify(verify::VerifyArgs),
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: ArtifactsArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    match args.command {
        None => list::run(&desk, output, &list::ListArgs::default()),
        Some(Command::List(args)) => list::run(&desk, output, &args),
        Some(Command::Show(args)) => show::run(&desk, output, &args),
        Some(Command::Tree(args)) => tree::run(&desk, output, &args),
        Some(Command::Import(args)) => import::run(&desk, output, &args),
        Some(Command::Store(args)) => store::run(&desk, output, &args),
        Some(Command::Approve(args)) => approve::run(&desk, output, &args),
        Some(Command::History(args)) => history::run(&desk, output, &args),
        Some(Command::Diff(args)) => diff::run(&desk, output, &args),
        Some(Command::Validate(args)) => validate::run(&desk, output, &args),
        Some(Command::Verify(args)) => verify::run(&desk, output, &args),
    }
}

/// The documents whose ids begin with a text, for a shell to complete.
pub(super) fn references(desk: &Desk, begun: &str) -> Result<Vec<(String, String)>> {
    desk.office.db.read(|tx| {
        let project = &desk.session.project;
        let mut listed = Vec::new();
        for id in index::ids_beginning(tx, project, begun, 100)? {
            let title = index::find(tx, project, &id, None)?.map(|row| printable(&row.title));
            listed.push((id, title.unwrap_or_default()));
        }
        Ok(listed)
    })
}

/// Where the documents of this connection's project lie.
pub(super) fn layout(desk: &Desk) -> Result<Layout> {
    desk.office.look(&desk.session, "artifacts", |cx| Ok(Layout::seen_by(cx, &desk.session.project)))
}

fn unknown(artifact_id: &str) -> Error {
    Error::not_found(format!("there is no artifact `{artifact_id}`"))
        .hint("`backoffice artifacts` lists what is there, `backoffice artifacts import PATH` brings more")
}

/// A diff, each line in the colour of what it means.
pub(in crate::cli) fn show_diff(output: &mut Output, diff: &str) {
    for (at, line) in diff.lines().enumerate() {
        let style = match line.as_bytes() {
            // The names of the two; further down, three hyphens are a rule that was taken away.
            _ if at < 2 => Style::Strong,
            [b'+', ..] => Style::Good,
            [b'-', ..] => Style::Bad,
            [b'@', ..] => Style::Faint,
            _ => Style::Plain,
        };
        let painted = output.paint(style, &printable_line(line));
        output.line(&painted);
    }
}

/// `1 document`, `2 documents`.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
