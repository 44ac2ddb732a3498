//! `backoffice preflight resume`: goes on where somebody has left.

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::json;

use super::{Preflight, status};
use crate::cli::completions::preflight_sessions;
use crate::cli::output::Output;
use crate::cli::style::printable;
use crate::config::Environment;
use crate::error::Result;
use crate::families::preflight::sessions;
use crate::families::preflight::store::Session;
use crate::tool::JsonObject;

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice preflight resume", "backoffice preflight resume --non-interactive"])]
pub(super) struct ResumeArgs {
    /// A session; default: the newest of this repository
    #[arg(long, value_name = "ID", add = ArgValueCompleter::new(preflight_sessions))]
    session: Option<String>,
    /// Print what is open instead of asking it
    #[arg(long)]
    non_interactive: bool,
}

pub(super) fn run(
    office: &Preflight,
    environment: &Environment,
    output: &mut Output,
    args: &ResumeArgs,
) -> Result<()> {
    let mut session = office.session(args.session.as_deref())?;
    let mut replaces = None;
    if session.has_expired(office.desk.office.clock.now()) {
        replaces = Some(session.session_id.clone());
        session = begin_anew(office, output, session)?;
    }
    let standing = office.standing(session)?;
    output.note(&format!("resuming: {}", printable(&standing.session.intention)));
    for line in status::questions(&standing).iter().filter(|line| line.starts_with("answered")) {
        output.note(line);
    }
    let mut turn = office.turn(&standing.session, &JsonObject::new())?;
    if output.json {
        let answers = standing.session.answers.0.iter();
        turn["answers"] = answers.map(|(id, answer)| (id.clone(), json!(answer.values))).collect();
        turn["replaces"] = json!(replaces);
    }
    office.go_on(environment, output, args.non_interactive, turn)
}

/// A new session with the text and the answers of one that has expired; it takes its place.
fn begin_anew(office: &Preflight, output: &mut Output, expired: Session) -> Result<Session> {
    let id = expired.session_id.clone();
    let now = office.desk.office.clock.now();
    let (renewed, dropped) = office.standing(expired)?.renewed(office.desk.office.ids.uuid(), now);
    output.note(&format!("the session `{id}` has expired; it goes on as `{}`", renewed.session_id));
    if !dropped.is_empty() {
        output.note(&format!("answers that no longer fit: {}", dropped.join(", ")));
    }
    let stored = renewed.clone();
    office.desk.write("preflight resume", move |tx| sessions::replace(tx, &id, &stored, now))?;
    office.session(Some(&renewed.session_id))
}
