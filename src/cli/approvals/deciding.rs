//! A person decides: at a terminal, or with the PIN.

use std::io::{self, BufRead, IsTerminal, Write};

use serde_json::Value;

use super::super::open::Desk;
use super::super::output::Output;
use super::{card, is_seen, value};
use crate::db::confirmations::{self, Confirmation};
use crate::error::{Error, Result};
use crate::tool::confirm::{self, Decided, Proof};

/// A PIN is no longer than this, whoever types it.
const LONGEST: u64 = 1_000;

/// Whether somebody sits there: a pipe can be anybody.
pub(super) fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Goes through what waits for this person.
pub(super) fn one_by_one(desk: &Desk, output: &mut Output) -> Result<()> {
    let now = desk.office.clock.now();
    let waiting = desk.office.db.read(|tx| confirmations::waiting(tx, now))?;
    let me = &desk.session.caller.user_id;
    let (mine, others): (Vec<Confirmation>, Vec<Confirmation>) =
        waiting.into_iter().filter(|found| is_seen(desk, found)).partition(|found| found.caller == *me);
    for found in &mine {
        output.line("");
        card::show(output, found, desk.office.clock.now());
        match ask("[a]pprove, [d]eny, [l]ater")?.as_str() {
            // One that could not be done is told, and the next one is shown.
            "a" | "approve" => tell(output, settled(desk, found, true)),
            "d" | "deny" => tell(output, settled(desk, found, false)),
            _ => output.note("left; it expires by itself"),
        }
    }
    if mine.is_empty() {
        output.note(&format!("nothing waits for `{me}`"));
    }
    if let Some(other) = others.first() {
        output.note(&format!(
            "{} more wait for somebody else: `backoffice --as {} approvals`",
            others.len(),
            other.caller
        ));
    }
    Ok(())
}

fn tell(output: &mut Output, outcome: Result<Decided>) {
    match outcome {
        Ok(decided) => output.line(&sentence(&decided)),
        Err(error) => output.error(&error),
    }
}

/// Decides one that was named; what could not be done ends with an error.
pub(super) fn decide(desk: &Desk, output: &mut Output, found: &Confirmation, approved: bool) -> Result<()> {
    if found.caller != desk.session.caller.user_id {
        return Err(Error::forbidden(format!("it was asked for by a different user, `{}`", found.caller))
            .hint(format!("only they decide: `backoffice --as {} approvals`", found.caller))
            .detail("code", "USER_MISMATCH"));
    }
    if !output.json {
        card::show(output, found, desk.office.clock.now());
    }
    let has_pin = desk.office.db.read(|tx| confirm::has_pin(tx, &found.caller))?;
    if !has_pin && is_attended() && ask(if approved { "Do it? [y/N]" } else { "Deny it? [y/N]" })? != "y" {
        return Err(Error::conflict("nothing was decided").hint("it waits until it expires"));
    }
    let decided = settled(desk, found, approved)?;
    let line = sentence(&decided);
    let shown = value(&decided.confirmation, desk.office.clock.now());
    match decided.failure {
        Some(error) => Err(error),
        None => {
            output.answer(&shown, &line);
            Ok(())
        }
    }
}

fn settled(desk: &Desk, found: &Confirmation, approved: bool) -> Result<Decided> {
    let proof = prove(desk, &desk.session.caller.user_id)?;
    confirm::decide(&desk.office, &found.confirmation_id, approved, proof, &desk.session.signature())
}

/// With a PIN wherever one is set; without one, at a terminal only.
pub(super) fn prove(desk: &Desk, login: &str) -> Result<Proof> {
    if desk.office.db.read(|tx| confirm::has_pin(tx, login))? {
        return Proof::by_pin(&desk.office, login, &secret("PIN: ")?, "terminal");
    }
    if is_attended() {
        return Ok(Proof::by_terminal(login));
    }
    Err(Error::forbidden("this needs a person at a terminal, because no PIN is set")
        .hint("run it in a terminal, or set a PIN there: `backoffice approvals pin set`"))
}

/// What changes who may decide, or the data that is decided about, past all cards: the owner's own
/// business, with their PIN once they have one.
pub(in crate::cli) fn prove_owner(desk: &Desk) -> Result<()> {
    let login = &desk.session.caller.user_id;
    match desk.office.db.read(|tx| confirm::has_pin(tx, login))? {
        true => Proof::by_pin(&desk.office, login, &secret("PIN: ")?, "command line").map(drop),
        false => Ok(()),
    }
}

/// Reads what nobody else should see; a pipe's first line where there is no terminal.
pub(super) fn secret(prompt: &str) -> Result<String> {
    let failed = |error| Error::io(error, "read the PIN");
    let quiet = io::stdin().is_terminal().then(Quiet::begin);
    if quiet.is_some() {
        let _ = write!(io::stderr(), "{prompt}");
    }
    let mut line = String::new();
    io::Read::take(io::stdin().lock(), LONGEST).read_line(&mut line).map_err(failed)?;
    if quiet.is_some() {
        let _ = writeln!(io::stderr());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Keeps what is typed from being shown, until it is dropped. What was typed before is not lost.
struct Quiet {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl Quiet {
    #[cfg(unix)]
    fn begin() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(io::stdin()).ok();
        if let Some(before) = &before {
            let mut quiet = before.clone();
            quiet.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &quiet);
        }
        Quiet { before }
    }

    /// There the terminal shows it; a PIN through a pipe is never shown.
    #[cfg(not(unix))]
    fn begin() -> Self {
        Quiet {}
    }
}

#[cfg(unix)]
impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, before);
        }
    }
}

fn ask(question: &str) -> Result<String> {
    let _ = write!(io::stderr(), "{question} ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|error| Error::io(error, "read the answer"))?;
    Ok(answer.trim().to_lowercase())
}

fn sentence(decided: &Decided) -> String {
    let told: Option<Value> =
        decided.confirmation.result.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let message = told.as_ref().and_then(|told| told["message"].as_str()).map(str::to_owned);
    match (&decided.failure, message) {
        (Some(error), _) => format!("not done: {}", error.message()),
        (None, Some(message)) => format!("done: {message}"),
        (None, None) => "denied; nothing was changed".to_owned(),
    }
}
