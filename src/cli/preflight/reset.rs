//! `backoffice preflight reset`: drops sessions that have not ended.

use std::io::{self, IsTerminal};

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::json;

use super::Preflight;
use crate::cli::completions::preflight_sessions;
use crate::cli::output::{Output, confirm};
use crate::cli::style::printable;
use crate::error::{Error, Result};
use crate::families::preflight::store;

#[derive(Args, Debug)]
#[command(after_help = concat!(
    "Documents that were written stay; only questions and answers of sessions that have not ended go.\n\n",
    examples!["backoffice preflight reset --force", "backoffice preflight reset --force --json"]
))]
pub(super) struct ResetArgs {
    /// Only this session; default: all that are open in this repository
    #[arg(long, value_name = "ID", add = ArgValueCompleter::new(preflight_sessions))]
    session: Option<String>,
    /// Do not ask
    #[arg(long)]
    force: bool,
}

pub(super) fn run(office: &Preflight, output: &mut Output, args: &ResetArgs) -> Result<()> {
    let sessions = match args.session.as_deref() {
        Some(id) => vec![office.session(Some(id))?],
        None => office.open_sessions()?,
    };
    if sessions.is_empty() {
        output.answer(&json!({ "status": "reset", "sessions": [] }), "no session was open");
        return Ok(());
    }
    if !args.force {
        agree(output, &sessions)?;
    }
    let ids: Vec<String> = sessions.into_iter().map(|session| session.session_id).collect();
    let dropped = office.desk.write("preflight reset", move |tx| {
        let mut dropped = Vec::new();
        for id in ids {
            if store::drop_open(tx, &id)? {
                dropped.push(id);
            }
        }
        Ok(dropped)
    })?;
    if output.json {
        output.value(&json!({ "status": "reset", "sessions": dropped }));
    } else {
        dropped.iter().for_each(|id| output.line(&format!("dropped  {id}")));
    }
    Ok(())
}

fn agree(output: &mut Output, sessions: &[store::Session]) -> Result<()> {
    const HINT: &str = "add --force to drop them without being asked";
    if output.json || !io::stdin().is_terminal() {
        return Err(Error::conflict("nothing was changed").hint(HINT));
    }
    for session in sessions {
        let answers = session.answers.0.len();
        output.note(&format!(
            "{}  {}, answers: {answers}",
            session.session_id,
            printable(&session.intention)
        ));
    }
    let question = if sessions.len() == 1 { "Drop this session?" } else { "Drop these sessions?" };
    confirm(question).map_err(|error| error.hint(HINT))
}
