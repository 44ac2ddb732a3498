//! `backoffice setup`: puts the entry that starts this program into a client's configuration.

mod clients;
mod document;
mod entry;
mod file;
mod list;
mod remove;
pub(super) mod trial;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::clients::{Client, Facts};
use self::document::{Document, NAME};
use self::entry::{Entry, differences};
use self::file::ConfigFile;
use super::output::Output;
use super::{Globals, open};
use crate::clock::Clock;
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::paths::Repository;

#[derive(Args, Debug)]
#[command(after_help = concat!(
    "Without a client, lists the clients, where their configuration lies, and how it stands.\n\n\
--home, --as, --toolsets, --read-only, --repo and --project go into the entry. The data folder does so \
by itself where the client would not find it: clients leave few variables to the servers they start.\n\n\
Everything else in the file stays as it is, comments too. Before a change the file is kept beside itself \
as NAME.backoffice-TIME.bak. Missing folders are created if the client is found on this machine (its \
folder, its file, or its program on the path), otherwise only with --force.\n\n",
    examples![
        "backoffice setup",
        "backoffice setup claude-code",
        "backoffice setup cursor --scope project",
        "backoffice setup vscode --toolsets ids,tasks --print",
        "backoffice setup claude-code --connect --as nina.patel",
        "backoffice setup claude-code --remove",
    ]
))]
pub(super) struct SetupArgs {
    /// The client to connect
    client: Option<Client>,
    /// Show the entry and where it would go; write nothing
    #[arg(long, requires = "client", conflicts_with = "remove")]
    print: bool,
    /// Take the entry out again
    #[arg(long, requires = "client")]
    remove: bool,
    /// Whose configuration: this user's, or that of the repository around the working folder
    #[arg(long, requires = "client", value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Let the daemon serve the client, and start it if none answers
    #[arg(long)]
    connect: bool,
    /// Write the file although the client is not found on this machine
    #[arg(long, requires = "client")]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    User,
    Project,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &SetupArgs,
) -> Result<()> {
    let Some(client) = args.client else { return list::run(globals, environment, output, args) };
    let path = place(client, globals, environment, args.scope)?;
    if args.remove {
        return remove::run(client.facts(), path, output);
    }
    check_flags(globals, environment, args.print)?;
    let entry = Entry::new(globals, environment, args)?;
    let value = entry.value(client.facts());
    if entry::may_go_away(&entry.program) {
        output.note(&format!(
            "warning: {} may go away, and then the entry fails; run this again once the program is installed",
            entry.program.display()
        ));
    }
    if args.print {
        return print(client.facts(), &path, &value, output);
    }
    if args.scope == Scope::User && !args.force && !client.is_found(environment)? {
        return Err(not_found(client, environment)?);
    }
    write(client.facts(), path, &value, args.scope, output)
}

fn write(
    facts: &'static Facts,
    path: PathBuf,
    value: &Value,
    scope: Scope,
    output: &mut Output,
) -> Result<()> {
    let file = ConfigFile::read(path)?;
    let document = Document::parse(&file.path, file.text.as_deref().unwrap_or_default(), facts)?;
    let present = document.entry()?;
    let (name, shown) = (facts.name, file.path.display());
    if present.as_ref().is_some_and(|present| differences(present, value).is_empty()) {
        let line = format!("{name} is already up to date in {shown}");
        told(output, facts, &file, json!({ "state": "unchanged", "entry": value }), &line);
        return Ok(());
    }
    document.set(value)?;
    let kept = file.write(&document.text(), scope == Scope::User, Clock::System.now())?;
    let line = format!("{name} is set up in {shown}");
    told(output, facts, &file, json!({ "state": "written", "entry": value, "backup": kept }), &line);
    if let Some(kept) = kept {
        output.note(&format!("the file as it was is kept as {}", kept.display()));
    }
    if scope == Scope::Project {
        output.note("it names paths of this machine: others who share the repository need their own");
        output.note(&format!("{} asks before it first starts what a repository brings", facts.title));
    } else {
        output.note(facts.next);
    }
    Ok(())
}

/// Says what came of it, with the client and the file that it was about.
fn told(output: &mut Output, facts: &'static Facts, file: &ConfigFile, outcome: Value, line: &str) {
    let mut told = json!({ "client": facts.name, "file": file.path });
    if let (Value::Object(told), Value::Object(outcome)) = (&mut told, outcome) {
        told.extend(outcome);
    }
    output.answer(&told, line);
}

fn print(facts: &'static Facts, path: &Path, value: &Value, output: &mut Output) -> Result<()> {
    if output.json {
        let section = facts.section;
        let told =
            json!({ "client": facts.name, "file": path, "section": section, "name": NAME, "entry": value });
        output.value(&told);
        return Ok(());
    }
    let document = Document::parse(path, "", facts)?;
    document.set(value)?;
    output.note(&format!("{} would have this in {}", facts.title, path.display()));
    output.line(document.text().trim_end());
    Ok(())
}

fn place(client: Client, globals: &Globals, environment: &Environment, scope: Scope) -> Result<PathBuf> {
    if scope == Scope::User {
        return client.user_file(environment);
    }
    let facts = client.facts();
    let below = facts.project_file.ok_or_else(|| {
        Error::invalid(format!("{} has no configuration for one project", facts.title))
            .hint("leave out `--scope project`; `--repo` and `--project` tie the entry to one")
    })?;
    let start = globals.repo.clone().or_else(|| environment.working_folder.clone()).unwrap_or_default();
    let found = Repository::around(&start).ok_or_else(|| {
        Error::not_found(format!("there is no repository around `{}`", start.display()))
            .hint("go to one, or name one with `--repo FOLDER`")
    })?;
    Ok(found.root.join(below))
}

/// An entry with a wrong flag would fail only when the client starts it.
fn check_flags(globals: &Globals, environment: &Environment, only_shown: bool) -> Result<()> {
    let Globals { caller, toolsets, repo, project, .. } = globals;
    let given = caller.is_some() || toolsets.is_some() || repo.is_some() || project.is_some();
    // Showing must not make a data file; writing may, as the client would at once.
    if given && (!only_shown || open::home(globals, environment)?.database().exists()) {
        open::desk(globals, environment, "setup")?;
    }
    Ok(())
}

fn not_found(client: Client, environment: &Environment) -> Result<Error> {
    let folder = client.folder(environment)?;
    let message =
        format!("{} is not found on this machine: there is no `{}`", client.facts().title, folder.display());
    Ok(Error::conflict(message).hint("start it once, or write the file all the same with `--force`"))
}
