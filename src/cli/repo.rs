//! `backoffice repo`: the repositories that a person has registered.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::Globals;
use super::open::{self, Desk};
use super::output::Output;
use super::review;
use super::style::printable;
use crate::config::Environment;
use crate::db::repositories;
use crate::error::{Error, Result};
use crate::paths::Repository;

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice repo add .", "backoffice repo list", "backoffice repo review"])]
pub(super) struct RepoArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Register the repository around a folder
    Add {
        #[arg(default_value = ".")]
        path: PathBuf,
    },
    /// List the registered repositories
    List,
    /// Look at documents that were changed although they must not be
    Review(review::ReviewArgs),
    /// Forget a repository; nothing in it is changed
    Remove {
        #[arg(default_value = ".")]
        path: PathBuf,
    },
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &RepoArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    match &args.command {
        None | Some(Command::List) => list(&desk, output),
        Some(Command::Add { path }) => {
            let found = Repository::around(path).ok_or_else(|| none_around(path))?;
            register(&desk, output, &found)
        }
        Some(Command::Review(args)) => review::run(&desk, output, args),
        Some(Command::Remove { path }) => {
            // A repository that is gone from the disk can be forgotten by the path it had.
            let found = Repository::around(path).map(|found| found.root);
            let root = place(&found.unwrap_or_else(|| path.clone()))?;
            let shown = root.clone();
            let removed = desk.write("repo remove", move |tx| repositories::remove(tx, &root))?;
            if !removed {
                let error = Error::not_found(format!("`{shown}` is not registered"));
                return Err(error.hint("`backoffice repo list` shows what is"));
            }
            output.answer(&json!({ "root": shown, "removed": true }), &format!("removed: {shown}"));
            Ok(())
        }
    }
}

/// Registers a repository, and says whether it was known.
pub(super) fn register(desk: &Desk, output: &mut Output, found: &Repository) -> Result<()> {
    let (root, project) = (place(&found.root)?, found.project.clone());
    let (shown, now) = (root.clone(), desk.office.clock.now());
    let added = desk.write("repo add", move |tx| repositories::add(tx, &root, &project, now))?;
    let line = if added { "added" } else { "already there" };
    let value = json!({ "root": shown, "project_id": found.project, "added": added });
    output.answer(&value, &format!("{line}: {}", printable(&shown)));
    Ok(())
}

fn list(desk: &Desk, output: &mut Output) -> Result<()> {
    let all = desk.office.db.read(repositories::all)?;
    if output.json {
        let shown = all.iter().map(|known| {
            let there = known.root.join(".git").exists();
            json!({ "root": known.root, "project_id": known.project, "added_at": known.added_at.rfc3339(), "exists": there })
        });
        output.value(&json!({ "repositories": shown.collect::<Vec<Value>>() }));
        return Ok(());
    }
    if all.is_empty() {
        output.note("no repository is registered; add one with `backoffice repo add .`");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|known| {
            let gone = if known.root.join(".git").exists() { "" } else { " (gone)" };
            vec![known.project.clone(), format!("{}{gone}", known.root.display())]
        })
        .collect();
    output.table(&["PROJECT", "REPOSITORY"], &rows);
    Ok(())
}

fn none_around(path: &Path) -> Error {
    Error::not_found(format!("there is no repository around `{}`", path.display()))
}

fn place(root: &Path) -> Result<String> {
    root.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Error::invalid(format!("`{}` is not Unicode", root.display())))
}
