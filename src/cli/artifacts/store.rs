//! `backoffice artifacts store FILE…`: stores documents as an agent would.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::cli::open::Desk;
use crate::cli::output::{Output, text};
use crate::cli::style::printable;
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts store draft.md",
    "backoffice artifacts store draft.md other.md --json",
])]
pub(super) struct StoreArgs {
    /// Markdown files; - reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &StoreArgs) -> Result<()> {
    for file in &args.files {
        let stored = read(file)
            .and_then(|content| desk.call("store_artifact", json!({ "artifact_content": content })))
            .map_err(|error| named(&error, file))?;
        let [id, version, status, path] =
            ["artifact_id", "version", "status", "storage_path"].map(|field| text(&stored[field]));
        output.answer(&stored, &format!("{id} v{version}  {status}  {path}"));
    }
    Ok(())
}

fn read(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes).map(drop)
    } else {
        fs::read(file).map(|held| bytes = held)
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::not_found("there is no such file"),
        io::ErrorKind::IsADirectory => {
            Error::invalid("it is a folder").hint("`backoffice artifacts import` takes whole folders")
        }
        _ => Error::io(error, "read it"),
    })?;
    String::from_utf8(bytes).map_err(|_| Error::invalid("it is not UTF-8"))
}

/// Says which file it was: several are stored at once.
fn named(error: &Error, file: &Path) -> Error {
    let name = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let mut told = Error::new(error.kind(), format!("{}: {}", printable(&name), error.chain()));
    for (key, value) in error.details() {
        told = told.detail(key, value.clone());
    }
    told = told.detail("file", name);
    match error.hint_text() {
        Some(hint) => told.hint(hint),
        None => told,
    }
}
