//! `backoffice config`: every setting with its value and where that comes from.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::output::Output;
use super::{Globals, open};
use crate::config::Environment;
use crate::config::settings::{self, Settings, Source};
use crate::db::people;
use crate::error::{Error, Result};
use crate::families;
use crate::logging;
use crate::tool::session::Toolsets;

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice config show",
    "backoffice config set toolsets workflow",
    "backoffice config set toolsets --unset",
])]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show every setting, its value and its source
    Show,
    /// Change a setting in the file
    Set {
        /// The setting, such as toolsets
        key: String,
        /// Its new value
        #[arg(required_unless_present = "unset", conflicts_with = "unset")]
        value: Option<String>,
        /// Go back to the default
        #[arg(long)]
        unset: bool,
    },
    /// Print the path of the file
    Path,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &ConfigArgs,
) -> Result<()> {
    let home = open::home(globals, environment)?;
    let mut settings = Settings::load(&home, environment)?;
    match &args.command {
        None | Some(Command::Show) => show(globals, &settings, output),
        Some(Command::Path) => {
            let path = settings.path();
            output.answer(&json!({ "path": path }), &path.display().to_string());
        }
        Some(Command::Set { key, value, .. }) => {
            if let ("toolsets", Some(list)) = (key.as_str(), value) {
                Toolsets::parse(list, families::ALL)?;
            }
            if let (Some(value), true) = (value, home.database().exists() || key == "log") {
                check(globals, environment, key, value)?;
            }
            home.create()?;
            settings.set(key, value.as_deref())?;
            let shown = value.as_deref().unwrap_or("back to its default");
            output.answer(
                &json!({ "key": key, "value": value, "path": settings.path() }),
                &format!("{key}: {shown}"),
            );
        }
    }
    Ok(())
}

fn show(globals: &Globals, settings: &Settings, output: &mut Output) {
    let rows: Vec<(&str, String, Source, &str)> = settings::ALL
        .iter()
        .map(|setting| {
            let flag = match setting.key {
                "as" => globals.caller.as_deref(),
                "toolsets" => globals.toolsets.as_deref(),
                _ => None,
            };
            let (value, source) =
                settings.chosen(setting.key, flag).unwrap_or((setting.default.to_owned(), Source::Default));
            (setting.key, value, source, setting.about)
        })
        .collect();
    if output.json {
        let shown = rows.iter().map(|(key, value, source, about)| {
            json!({ "key": key, "value": value, "source": source.to_string(), "about": about })
        });
        return output.value(&json!({ "path": settings.path(), "settings": shown.collect::<Vec<Value>>() }));
    }
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(key, value, source, about)| vec![key.to_owned(), value, source.to_string(), about.to_owned()])
        .collect();
    output.table(&["SETTING", "VALUE", "FROM", "WHAT IT IS"], &rows);
}

/// Refuses a value that would make every later command fail.
fn check(globals: &Globals, environment: &Environment, key: &str, value: &str) -> Result<()> {
    match key {
        "as" => {
            let desk = open::desk(globals, environment, "cli")?;
            desk.office.db.read(|tx| people::pinned(tx, value)).map(drop)
        }
        "log" if !logging::is_filter(value) => {
            Err(Error::invalid(format!("`{value}` is no filter for the log"))
                .hint("write info, debug, or warn"))
        }
        _ => Ok(()),
    }
}
