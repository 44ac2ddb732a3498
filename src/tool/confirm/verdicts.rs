//! What became of a connection's confirmations, for its next reply.

use serde_json::{Value, json};

use super::decide::{Outcome, outcome_at};
use crate::db::confirmations::{self, Confirmation};
use crate::error::Result;
use crate::tool::dispatch::Office;
use crate::tool::session::Session;

/// A verdict as a client is told it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// For the model.
    pub text: String,
    /// For the program.
    pub value: Value,
}

/// The verdicts on what a connection waits for; each is told once.
pub fn verdicts(office: &Office, session: &Session) -> Vec<Verdict> {
    let expected = session.waits_for();
    if expected.is_empty() {
        return Vec::new();
    }
    let now = office.clock.now();
    let found: Result<Vec<Confirmation>> = office.db.read(|tx| {
        let found = expected.iter().map(|id| confirmations::find(tx, id));
        found.filter_map(Result::transpose).collect()
    });
    // If they cannot be read now, they are told with a later reply.
    let decided = found.unwrap_or_default().into_iter().filter_map(|confirmation| {
        let outcome = outcome_at(&confirmation, now);
        let told = outcome != Outcome::Pending && session.hears(&confirmation.confirmation_id);
        told.then(|| told_of(&confirmation, outcome))
    });
    decided.collect()
}

fn told_of(confirmation: &Confirmation, outcome: Outcome) -> Verdict {
    let Confirmation { confirmation_id, tool, .. } = confirmation;
    let result: Option<Value> =
        confirmation.result.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let what = match outcome {
        Outcome::Executed => {
            let done = result.as_ref().and_then(|result| result["message"].as_str());
            format!("a person approved it and it was done. {}", done.unwrap_or_default())
        }
        Outcome::Declined => "a person declined it. Nothing was changed; do not ask again.".to_owned(),
        Outcome::Expired => "nobody decided within five minutes. Nothing was changed.".to_owned(),
        Outcome::Failed => {
            let why = confirmation.reason.as_deref().unwrap_or_default();
            format!("a person approved it, but it could not be done: {why}. Nothing was changed.")
        }
        Outcome::Pending => "it waits for a person.".to_owned(),
    };
    Verdict {
        text: format!("Verdict on {tool} (confirmation {confirmation_id}): {}", what.trim_end()),
        value: json!({
            "confirmationId": confirmation_id, "action": tool, "state": outcome.as_str(),
            "decidedAt": confirmation.decided_at.map(crate::clock::Timestamp::rfc3339), "result": result,
            "reason": confirmation.reason,
        }),
    }
}
