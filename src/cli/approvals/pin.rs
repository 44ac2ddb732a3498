//! `backoffice approvals pin`

use clap::Subcommand;
use serde_json::json;

use super::super::open::Desk;
use super::super::output::Output;
use super::deciding::{is_attended, prove, secret};
use crate::error::{Error, Result};
use crate::tool::confirm;

#[derive(Debug, Subcommand)]
pub(super) enum PinCommand {
    /// Set or change it: yours, or with --as that person's own
    Set,
    /// Take it away again
    Remove,
    /// Tell whether one is set
    Status,
}

pub(super) fn run(desk: &Desk, output: &mut Output, command: &PinCommand) -> Result<()> {
    let login = &desk.session.caller.user_id;
    match command {
        PinCommand::Set => {
            let proof = prove(desk, login)?;
            let chosen = secret("New PIN: ")?;
            if is_attended() && secret("Again: ")? != chosen {
                return Err(Error::invalid("the two are not the same").hint("nothing was changed"));
            }
            confirm::choose_pin(&desk.office, proof, &chosen)?;
            output.answer(&json!({ "user_id": login, "pin": "set" }), "the PIN is set");
            output.note("from now on every decision asks for it, and no client's form can decide");
        }
        PinCommand::Remove => {
            confirm::drop_pin(&desk.office, prove(desk, login)?)?;
            output.answer(&json!({ "user_id": login, "pin": "none" }), "the PIN is gone");
        }
        PinCommand::Status => {
            let has_pin = desk.office.db.read(|tx| confirm::has_pin(tx, login))?;
            let (word, line) = match has_pin {
                true => ("set", "a PIN is set"),
                false => ("none", "no PIN is set: whoever sits at a terminal can decide"),
            };
            output.answer(&json!({ "user_id": login, "pin": word }), line);
        }
    }
    Ok(())
}
