//! `backoffice ids`: numbers and reservations by hand.

mod scan;

use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::completions::{artifact_types, reservations};
use super::open::Desk;
use super::output::{Output, text};
use super::style::Style;
use super::{Globals, open};
use crate::config::Environment;
use crate::db::sequences;
use crate::error::{Error, Result};
use crate::families::ids::model::{NamedType, find_type};
use crate::families::ids::store;
use crate::id::{ArtifactId, is_prefix};
use crate::tool::JsonObject;

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice ids next backlog_story",
    "backoffice ids reserve hls 3",
    "backoffice ids scan .",
    "backoffice ids add-type memo MEMO",
])]
pub(super) struct IdsArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Hand out the next ID of a type
    Next {
        #[arg(add = ArgValueCompleter::new(artifact_types))]
        artifact_type: String,
    },
    /// Reserve a range for fifteen minutes
    Reserve {
        #[arg(add = ArgValueCompleter::new(artifact_types))]
        artifact_type: String,
        count: i64,
    },
    /// Confirm a reservation
    Confirm {
        #[arg(add = ArgValueCompleter::new(reservations))]
        reservation_id: String,
    },
    /// Give a reservation up; its numbers stay used
    Release {
        #[arg(add = ArgValueCompleter::new(reservations))]
        reservation_id: String,
    },
    /// List the reservations, newest first
    List {
        /// active, confirmed, expired or released
        #[arg(long)]
        state: Option<String>,
        /// Where the page before ended
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Begin the sequences after the numbers that documents already use
    Scan(scan::ScanArgs),
    /// Add a type of your own to the project
    AddType {
        /// Long name, such as rfc
        name: String,
        /// Prefix in capitals, such as RFC
        prefix: String,
    },
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: IdsArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    match args.command {
        None => show_counters(&desk, output),
        Some(Command::Next { artifact_type }) => {
            let answer = desk.call("get_next_available_id", json!({ "artifact_type": artifact_type }))?;
            show(output, &answer, &[&answer["next_id"]]);
            Ok(())
        }
        Some(Command::Reserve { artifact_type, count }) => {
            let arguments = json!({ "artifact_type": artifact_type, "count": count });
            let answer = desk.call("reserve_id_range", arguments)?;
            let ids = answer["reserved_ids"].as_array().cloned().unwrap_or_default();
            show(output, &answer, &ids.iter().collect::<Vec<_>>());
            let (id, until) = (text(&answer["reservation_id"]), text(&answer["expires_at"]));
            output.note(&format!("reserved until {until}; confirm with `backoffice ids confirm {id}`"));
            Ok(())
        }
        Some(Command::Confirm { reservation_id }) => {
            decide(&desk, output, "confirm_reservation", &reservation_id, "confirmed")
        }
        Some(Command::Release { reservation_id }) => {
            decide(&desk, output, "release_reservation", &reservation_id, "released")
        }
        Some(Command::List { state, cursor }) => {
            list(&desk, output, &json!({ "state": state, "cursor": cursor }))
        }
        Some(Command::Scan(args)) => scan::run(&desk, globals, output, &args),
        Some(Command::AddType { name, prefix }) => add_type(&desk, output, &name, &prefix),
    }
}

fn show_counters(desk: &Desk, output: &mut Output) -> Result<()> {
    let project = &desk.session.project;
    let counters = desk.office.db.read(|tx| sequences::all(tx, project))?;
    if output.json {
        let counters = counters.iter().map(|(prefix, last)| (prefix.clone(), json!(last)));
        output.value(&json!({ "project_id": project, "counters": counters.collect::<JsonObject>() }));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = counters
        .into_iter()
        .map(|(prefix, last)| {
            let next = ArtifactId::new(&prefix, last + 1).to_string();
            vec![prefix.clone(), ArtifactId::new(prefix, last).to_string(), next]
        })
        .collect();
    if rows.is_empty() {
        output
            .note(&format!("no number of `{project}` has been handed out yet; try `backoffice ids next US`"));
    } else {
        output.table(&["TYPE", "LAST", "NEXT"], &rows);
    }
    Ok(())
}

/// The reservations that are still open, with their numbers, for a shell to complete.
pub(super) fn references(desk: &Desk) -> Result<Vec<(String, String)>> {
    let answer = desk.call("list_reservations", json!({ "state": "active" }))?;
    let rows = answer["reservations"].as_array().cloned().unwrap_or_default();
    Ok(rows.iter().map(|row| (text(&row["reservation_id"]), text(&row["reserved_ids"]))).collect())
}

fn list(desk: &Desk, output: &mut Output, filters: &Value) -> Result<()> {
    let answer = desk.call("list_reservations", filters.clone())?;
    if output.json {
        output.value(&answer);
        return Ok(());
    }
    let rows: Vec<Vec<String>> = answer["reservations"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| {
            let ids = row["reserved_ids"].as_array().cloned().unwrap_or_default();
            let (first, last) = (ids.first().map(text), ids.last().map(text));
            let range = if first == last {
                first
            } else {
                Some(format!("{} … {}", first.unwrap_or_default(), last.unwrap_or_default()))
            };
            vec![
                text(&row["reservation_id"]),
                range.unwrap_or_default(),
                text(&row["state"]),
                text(&row["expires_at"]),
            ]
        })
        .collect();
    if rows.is_empty() {
        output.note("no reservation fits");
        return Ok(());
    }
    output.painted_table(&["RESERVATION", "IDS", "STATE", "EXPIRES"], &rows, |column, text| match column {
        2 => Style::of(text),
        _ => Style::Plain,
    });
    if let Some(cursor) = answer["next_cursor"].as_str() {
        output.note(&format!("more: --cursor {cursor}"));
    }
    Ok(())
}

fn decide(desk: &Desk, output: &mut Output, tool: &str, id: &str, done: &str) -> Result<()> {
    let answer = desk.call(tool, json!({ "reservation_id": id }))?;
    show(output, &answer, &[&json!(done)]);
    Ok(())
}

fn add_type(desk: &Desk, output: &mut Output, name: &str, prefix: &str) -> Result<()> {
    if !is_prefix(prefix) {
        return Err(Error::invalid(format!("`{prefix}` is no prefix, expected 1 to 12 capital letters")));
    }
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 64 || !name.to_lowercase().chars().all(plain) {
        return Err(Error::invalid(format!("`{name}` is no name of a type"))
            .hint("use small letters, digits and underscores, such as design_note"));
    }
    let project = desk.session.project.clone();
    let added = NamedType { name: name.to_lowercase(), prefix: prefix.to_owned() };
    let stored = added.clone();
    desk.write("ids add-type", move |tx| {
        let known = store::added_types(tx, &project)?;
        for text in [&stored.name, &stored.prefix] {
            if find_type(text, || Ok(known.clone())).is_ok() {
                return Err(Error::conflict(format!("the type `{text}` exists already")));
            }
        }
        store::add_type(tx, &project, &stored)
    })?;
    let answer = json!({ "project_id": desk.session.project, "name": added.name, "prefix": added.prefix });
    show(output, &answer, &[&json!(format!("{} ({})", added.name, added.prefix))]);
    Ok(())
}

fn show(output: &mut Output, answer: &Value, lines: &[&Value]) {
    if output.json {
        output.value(answer);
    } else {
        lines.iter().for_each(|line| output.line(&text(line)));
    }
}
