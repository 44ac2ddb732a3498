//! `backoffice approvals`: what agents have asked for and only a person can allow.

mod card;
mod deciding;
mod pin;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

pub(super) use self::deciding::prove_owner;
use super::Globals;
use super::open::{self, Desk};
use super::output::Output;
use super::style::{Style, printable};
use crate::clock::Timestamp;
use crate::config::Environment;
use crate::db::confirmations::{self, Confirmation};
use crate::error::{Error, Result};
use crate::tool::confirm::{Outcome, outcome_at};

/// So many characters of an id are shown, and enough to name it.
const SHORT_ID: usize = 8;
const MOST_SHOWN: i64 = 50;

/// On a terminal, `backoffice approvals` goes through what waits for you, one after another.
#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice approvals",
    "backoffice approvals list --all",
    "backoffice --as alice.chen approvals",
])]
pub(super) struct ApprovalsArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List what waits
    List {
        /// What was decided or has expired, too
        #[arg(long)]
        all: bool,
    },
    /// Show one as a card, with the rows before and after
    Show { id: String },
    /// Let it happen, once; asks for the PIN if one is set, and needs a terminal if none is
    Approve { id: String },
    /// Say no
    Deny { id: String },
    /// The PIN that proves it is you
    Pin {
        #[command(subcommand)]
        command: pin::PinCommand,
    },
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &ApprovalsArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    match &args.command {
        None if deciding::is_attended() && !output.json => deciding::one_by_one(&desk, output),
        None => list(&desk, output, false),
        Some(Command::List { all }) => list(&desk, output, *all),
        Some(Command::Show { id }) => show(&desk, output, &named(&desk, id)?),
        Some(Command::Approve { id }) => deciding::decide(&desk, output, &named(&desk, id)?, true),
        Some(Command::Deny { id }) => deciding::decide(&desk, output, &named(&desk, id)?, false),
        Some(Command::Pin { command }) => pin::run(&desk, output, command),
    }
}

/// What a caller sees: a pinned one their own, the owner of the file all.
fn is_seen(desk: &Desk, confirmation: &Confirmation) -> bool {
    let caller = &desk.session.caller;
    !caller.pinned || confirmation.caller == caller.user_id
}

fn list(desk: &Desk, output: &mut Output, all: bool) -> Result<()> {
    let now = desk.office.clock.now();
    let found = desk.office.db.read(|tx| match all {
        true => confirmations::newest(tx, MOST_SHOWN),
        false => confirmations::waiting(tx, now),
    })?;
    let found: Vec<Confirmation> = found.into_iter().filter(|found| is_seen(desk, found)).collect();
    if output.json {
        let shown: Vec<Value> = found.iter().map(|found| value(found, now)).collect();
        output.value(&json!({ "confirmations": shown }));
        return Ok(());
    }
    if found.is_empty() {
        output.note("nothing waits for a person; agents ask when they call a tool that takes something away");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = found.iter().map(|found| cells(found, now)).collect();
    output.painted_table(&["ID", "STATE", "AS", "LEFT", "WHAT"], &rows, |column, text| match column {
        1 => style(text),
        _ => Style::Plain,
    });
    if !all {
        output.note("\n`backoffice approvals show ID` shows the rows, `approve ID` and `deny ID` decide.");
        output.note("Whoever stands under AS decides: `backoffice --as USER approvals`.");
    }
    Ok(())
}

fn cells(found: &Confirmation, now: Timestamp) -> Vec<String> {
    let outcome = outcome_at(found, now);
    let left = match outcome {
        Outcome::Pending => format!("{} s", (found.expires_at.0 - now.0) / 1000),
        _ => String::new(),
    };
    let id = found.confirmation_id.chars().take(SHORT_ID).collect();
    vec![id, outcome.as_str().to_owned(), printable(&found.caller), left, printable(&found.message)]
}

fn style(outcome: &str) -> Style {
    match outcome {
        "pending" => Style::Waiting,
        "executed" => Style::Good,
        "failed" => Style::Bad,
        _ => Style::Faint,
    }
}

fn show(desk: &Desk, output: &mut Output, found: &Confirmation) -> Result<()> {
    let now = desk.office.clock.now();
    if output.json {
        output.value(&value(found, now));
        return Ok(());
    }
    card::show(output, found, now);
    Ok(())
}

/// A confirmation as JSON, with its card.
fn value(found: &Confirmation, now: Timestamp) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    json!({
        "confirmation_id": found.confirmation_id, "action": found.tool, "state": outcome_at(found, now).as_str(),
        "user_id": found.caller, "asked_by": found.client, "message": found.message,
        "card": parsed(&found.card), "created_at": found.created_at.rfc3339(),
        "expires_at": found.expires_at.rfc3339(), "decided_at": found.decided_at.map(Timestamp::rfc3339),
        "decided_how": found.decided_how, "result": found.result.as_deref().map(parsed), "reason": found.reason,
    })
}

/// By the whole id, or by as much of it as is needed.
fn named(desk: &Desk, id: &str) -> Result<Confirmation> {
    let id = id.trim().to_lowercase();
    let found = desk.office.db.read(|tx| confirmations::beginning_with(tx, &id))?;
    let mut found: Vec<Confirmation> = found.into_iter().filter(|found| is_seen(desk, found)).collect();
    match (found.len(), id.len()) {
        (1, 4..) => Ok(found.remove(0)),
        (2.., _) | (1, _) => {
            Err(Error::invalid(format!("`{id}` is too short to be sure")).hint("give more of the id"))
        }
        _ => Err(Error::not_found(format!("there is no confirmation `{}`", printable(&id)))
            .hint("`backoffice approvals list --all` shows the latest")),
    }
}
