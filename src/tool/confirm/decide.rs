//! A person's decision: checked, carried out and recorded in one transaction.

use std::sync::Arc;

use serde_json::{Value, json};

use super::proof::Proof;
use super::{Deed, Execute, JsonObject, TTL_MS};
use crate::clock::{Stopwatch, Timestamp};
use crate::db::confirmations::{self, Confirmation, State, Verdict};
use crate::db::{ReadTx, WriteTx, audit, people, pins};
use crate::error::{Error, Kind, Result};
use crate::fault;
use crate::identity::Caller;
use crate::tool::cx::{ReadCx, WriteCx};
use crate::tool::dispatch::{Office, Reply};
use crate::tool::render::{Failure, envelope};
use crate::tool::session::{Session, Toolsets};
use crate::tool::{Access, Answer, Family, ToolDef};

/// A clock that is set back a little is no reason to distrust it.
const TOLERANCE_MS: i64 = 60_000;

/// What a confirmation has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Pending,
    Executed,
    Declined,
    Expired,
    Failed,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Pending => "pending",
            Outcome::Executed => "executed",
            Outcome::Declined => "declined",
            Outcome::Expired => "expired",
            Outcome::Failed => "failed",
        }
    }
}

/// What a confirmation is at a time. A clock that has jumped back does not give anybody more of it.
pub fn outcome_at(confirmation: &Confirmation, now: Timestamp) -> Outcome {
    let before_it_was_made = now.0 < confirmation.created_at.0 - TOLERANCE_MS;
    let late = now >= confirmation.expires_at || confirmation.expires_at.0 - now.0 > TTL_MS + TOLERANCE_MS;
    match confirmation.state {
        State::Executed => Outcome::Executed,
        State::Declined => Outcome::Declined,
        State::Failed => Outcome::Failed,
        State::Pending if late || before_it_was_made => Outcome::Expired,
        State::Pending => Outcome::Pending,
    }
}

/// A decision that was taken down; a write that had become impossible is one, too.
#[derive(Debug)]
pub struct Decided {
    pub confirmation: Confirmation,
    /// Why it could not be done, for whoever asks what to do next.
    pub failure: Option<Error>,
}

/// Takes down what a person has decided, and does it. Whoever is not the one to decide, or comes too
/// late, changes nothing.
pub fn decide(office: &Arc<Office>, id: &str, approved: bool, proof: Proof, client: &str) -> Result<Decided> {
    let (id, client, since) = (id.to_owned(), client.to_owned(), Stopwatch::start());
    let shared = Arc::clone(office);
    office
        .db
        .write(move |tx| {
            let office = &shared;
            let now = office.clock.now();
            let open = check(tx, &id, &proof, now)?;
            let (verdict, failure) = match approved {
                true => carry_out(office, tx, &open, &proof, now)?,
                false => (State::Declined.verdict(now, &proof, None, None), None),
            };
            if !confirmations::decide(tx, &id, &verdict)? {
                return Err(Error::internal("a confirmation was decided twice"));
            }
            let kind = failure.as_ref().map(Error::kind);
            audit::append(
                tx,
                &audit::Entry {
                    id: 0,
                    at: now,
                    caller: proof.login().to_owned(),
                    client,
                    tool: open.tool.clone(),
                    outcome: kind.map_or("ok", Kind::word).to_owned(),
                    correlation_id: None,
                    run_us: i64::try_from(since.elapsed().as_micros()).unwrap_or(i64::MAX),
                    receipt: Some(receipt(&open, &verdict)),
                },
            )?;
            let confirmation = confirmations::find(tx, &id)?.unwrap_or(open);
            fault::point("decided");
            Ok(Decided { confirmation, failure })
        })
        .inspect(|_| fault::point("executed"))
}

impl State {
    fn verdict(
        self,
        at: Timestamp,
        proof: &Proof,
        result: Option<String>,
        reason: Option<String>,
    ) -> Verdict {
        Verdict { state: self, at, how: proof.how().to_owned(), result, reason }
    }
}

/// Everything that keeps a decision from being taken, before anything is consumed.
fn check(tx: &ReadTx<'_>, id: &str, proof: &Proof, now: Timestamp) -> Result<Confirmation> {
    let Some(open) = confirmations::find(tx, id)? else {
        return Err(Error::not_found(format!("there is no confirmation `{id}`"))
            .hint("`backoffice approvals` lists what waits")
            .detail("code", "CONFIRMATION_NOT_FOUND"));
    };
    if open.caller != proof.login() {
        return Err(Error::forbidden("it was asked for by a different user")
            .hint("only the person it was asked for by can decide: `backoffice approvals --as USER`")
            .detail("code", "USER_MISMATCH"));
    }
    match outcome_at(&open, now) {
        Outcome::Pending => {}
        Outcome::Expired => {
            return Err(Error::conflict("it has expired: a person has five minutes")
                .hint("nothing was changed; the agent can ask again")
                .detail("code", "CONFIRMATION_EXPIRED")
                .reason("expired"));
        }
        outcome => {
            let word = outcome.as_str();
            return Err(Error::conflict(format!("it was decided before: {word}"))
                .hint("nothing was changed; `backoffice approvals show` tells when and how")
                .reason(word));
        }
    }
    let pin_is_set = if proof.is_by_form() { pins::any(tx)? } else { pins::of(tx, proof.login())?.is_some() };
    if pin_is_set && !proof.is_by_pin() {
        return Err(Error::forbidden("a PIN is set, and was not given")
            .hint("approve it with `backoffice approvals`, which asks for the PIN")
            .reason("pin_needed"));
    }
    Ok(open)
}

/// Runs the tool for real. What the person, the data or the rules no longer allow is the verdict
/// `failed`; a failure of ours is an error, and leaves everything as it was.
fn carry_out(
    office: &Office,
    tx: &WriteTx<'_>,
    open: &Confirmation,
    proof: &Proof,
    now: Timestamp,
) -> Result<(Verdict, Option<Error>)> {
    let done = tx.attempt(|| {
        let deed = run(office, tx, open, now)?;
        if deed.fingerprint != open.fingerprint {
            return Err(Error::conflict("the data has changed since the card was made")
                .hint("nothing was changed; look at it again and repeat the request")
                .reason("changed"));
        }
        Ok(deed)
    });
    match done {
        Ok(deed) => {
            let mut data = deed.ids;
            data["confirmationId"] = open.confirmation_id.clone().into();
            data["message"] = deed.done.into();
            let result = data.to_string();
            Ok((State::Executed.verdict(now, proof, Some(result), None), None))
        }
        Err(error) => match error.kind() {
            Kind::Invalid | Kind::NotFound | Kind::Forbidden | Kind::Conflict => {
                let (result, reason) = (envelope(&error).to_string(), error.message().to_owned());
                Ok((State::Failed.verdict(now, proof, Some(result), Some(reason)), Some(error)))
            }
            Kind::Busy | Kind::Unusable | Kind::Storage | Kind::Internal => Err(error),
        },
    }
}

fn run(office: &Office, tx: &WriteTx<'_>, open: &Confirmation, now: Timestamp) -> Result<Deed> {
    let (family, tool, execute) = tool_of(office, &open.tool)?;
    // As the person is now, not as they were: a role may have been taken away meanwhile.
    let caller = people::pinned(tx, &open.caller)?;
    authorize(tool, &caller)?;
    if let Some(sweep) = family.sweep.filter(|sweep| sweep.is_due(tx, now).unwrap_or(false)) {
        (sweep.run)(tx, now)?;
    }
    let arguments: JsonObject = serde_json::from_str(&open.arguments)
        .map_err(|error| Error::internal("a confirmation holds no arguments").because(error))?;
    let session = Session::new(caller, Toolsets::All, open.client.clone());
    let cx = WriteCx {
        read: ReadCx {
            tx,
            session: &session,
            home: &office.home,
            now,
            tool: tool.name,
            cursor_key: office.cursor_key(),
        },
        write: tx,
        ids: &office.ids,
    };
    execute(&cx, arguments)
}

fn tool_of(office: &Office, name: &str) -> Result<(&'static Family, &'static ToolDef, Execute)> {
    let tools =
        office.families().iter().flat_map(|family| family.tools.iter().map(move |tool| (*family, tool)));
    let found = tools
        .filter(|(_, tool)| tool.name == name)
        .find_map(|(family, tool)| tool.execute.map(|execute| (family, tool, execute)));
    found.ok_or_else(|| Error::conflict(format!("this version has no `{name}` that is confirmed")))
}

fn authorize(tool: &ToolDef, caller: &Caller) -> Result<()> {
    match tool.access {
        Access::AnyOf(roles) if !caller.has_any(roles) => Err(Error::forbidden(format!(
            "`{}` may no longer do this",
            caller.user_id
        ))
        .hint(format!("`{}` holds {} now", caller.user_id, caller.held()))),
        _ => Ok(()),
    }
}

/// Who decided what, when and how, about which rows; the row of the trail says who and when.
fn receipt(open: &Confirmation, verdict: &Verdict) -> String {
    let target: Value = serde_json::from_str(&open.target).unwrap_or_default();
    json!({
        "confirmation_id": open.confirmation_id, "verdict": verdict.state.as_str(), "how": verdict.how,
        "asked_by": open.client, "target": target, "card_sha256_of_rows": open.fingerprint,
    })
    .to_string()
}

/// What a confirmation has led to, as the reply to the call that asked for it; none while it waits.
pub fn became_of(office: &Office, id: &str) -> Option<Reply> {
    let confirmation = office.db.read(|tx| confirmations::find(tx, id)).ok()??;
    let failure = match outcome_at(&confirmation, office.clock.now()) {
        Outcome::Pending => return None,
        Outcome::Expired => Some(Error::conflict("nobody decided within five minutes").reason("expired")),
        Outcome::Failed => Some(Error::conflict(confirmation.reason.clone().unwrap_or_default())),
        Outcome::Executed | Outcome::Declined => None,
    };
    Some(reply(Decided { confirmation, failure }))
}

/// A decision as the reply to the call that asked for it.
pub fn reply(decided: Decided) -> Reply {
    let Decided { confirmation, failure } = decided;
    let error = match (confirmation.state, failure) {
        (State::Executed, _) => {
            let data = confirmation.result.unwrap_or_else(|| "{}".to_owned());
            let json = format!("{{\"status\":\"success\",\"data\":{data}}}");
            return Reply::Success(Answer { json, links: Vec::new(), form: None });
        }
        (_, Some(error)) => error,
        (..) => Error::conflict("the person declined").hint("nothing was changed; do not ask again"),
    };
    Reply::Failed { failure: Failure::InBand(envelope(&error)), error }
}
