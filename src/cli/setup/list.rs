//! `backoffice setup` alone: the clients, and how their configuration stands.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::SetupArgs;
use super::clients::Client;
use super::document::Document;
use super::entry::{Entry, differences};
use super::file::ConfigFile;
use crate::cli::Globals;
use crate::cli::output::Output;
use crate::cli::style::printable;
use crate::config::Environment;
use crate::error::{Error, Result};

/// How a client's configuration stands.
#[derive(Debug)]
pub(super) enum State {
    NotSetUp,
    SetUp,
    /// It starts something else than this program would write; the members that differ.
    Differently(Value, Vec<&'static str>),
    Unreadable(Error),
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &SetupArgs,
) -> Result<()> {
    let entry = Entry::new(globals, environment, args)?;
    let mut rows = Vec::new();
    for client in Client::value_variants() {
        let path = client.user_file(environment)?;
        let found = client.is_found(environment)?;
        rows.push((client.facts().name, found, state(*client, path.clone(), &entry), path));
    }
    if output.json {
        let shown = rows.iter().map(|(name, found, state, path)| {
            let mut shown = json!({ "client": name, "found": found, "state": word(state), "file": path });
            match state {
                State::Differently(present, differing) => {
                    shown["differs"] = json!(differing);
                    // Its variables may be secrets.
                    shown["starts"] = json!({ "command": present["command"], "args": present["args"] });
                }
                State::Unreadable(error) => shown["problem"] = json!(error.chain()),
                State::NotSetUp | State::SetUp => {}
            }
            shown
        });
        output.value(&Value::Array(shown.collect()));
        return Ok(());
    }
    let cells = rows.iter().map(|(name, found, state, path)| {
        let found = if *found { "yes" } else { "no" };
        let state = word(state).replace('_', " ");
        vec![(*name).to_owned(), found.to_owned(), state, path.display().to_string()]
    });
    output.table(&["CLIENT", "FOUND", "STATE", "FILE"], &cells.collect::<Vec<_>>());
    output.note("");
    for (name, _, state, _) in &rows {
        match state {
            State::Differently(present, _) => output.note(&format!("{name} starts {}", started(present))),
            State::Unreadable(error) => output.note(&format!("{name}: {}", error.chain())),
            State::NotSetUp | State::SetUp => {}
        }
    }
    output.note("`backoffice setup CLIENT` writes the entry, with `--print` it only shows it.");
    Ok(())
}

fn state(client: Client, path: PathBuf, entry: &Entry) -> State {
    match present(client, path) {
        Err(error) => State::Unreadable(error),
        Ok(None) => State::NotSetUp,
        Ok(Some(present)) => {
            let differing = differences(&present, &entry.value(client.facts()));
            if differing.is_empty() { State::SetUp } else { State::Differently(present, differing) }
        }
    }
}

/// The entry that a client has now.
pub(super) fn present(client: Client, path: PathBuf) -> Result<Option<Value>> {
    let file = ConfigFile::read(path)?;
    match &file.text {
        None => Ok(None),
        Some(text) => Document::parse(&file.path, text, client.facts())?.entry(),
    }
}

/// What an entry starts, as a person would type it.
pub(super) fn started(entry: &Value) -> String {
    let words = entry["args"].as_array().into_iter().flatten();
    let words: Vec<&str> =
        entry["command"].as_str().into_iter().chain(words.filter_map(Value::as_str)).collect();
    if words.is_empty() { "no program".to_owned() } else { format!("`{}`", printable(&words.join(" "))) }
}

fn word(state: &State) -> &'static str {
    match state {
        State::NotSetUp => "not_set_up",
        State::SetUp => "set_up",
        State::Differently(..) => "set_up_differently",
        State::Unreadable(_) => "cannot_be_read",
    }
}
