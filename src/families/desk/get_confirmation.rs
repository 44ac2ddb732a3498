use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::db::confirmations;
use crate::error::{Error, Result};
use crate::tool::confirm::{Outcome, outcome_at};
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Tells what became of a write that waits for a person.
pub struct GetConfirmation;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// From pending_confirmation
    #[schemars(length(min = 1, max = 64))]
    confirmation_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    confirmation_id: String,
    action: String,
    /// pending, executed, declined, expired or failed
    state: &'static str,
    expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Tool for GetConfirmation {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "get_confirmation";
    const TITLE: &'static str = "Get a confirmation";
    const DESCRIPTION: &'static str = "Tells what became of a write that waits for a person. No need to poll: the next reply of any tool says it.";
    const ACCESS: Access = Access::Everyone;

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetConfirmation {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let found = confirmations::find(cx.tx, args.confirmation_id.trim())?;
        // Somebody else's is not there; the owner of the file may see all.
        let own = |caller: &str| !cx.caller().pinned || caller == cx.caller().user_id;
        let Some(confirmation) = found.filter(|found| own(&found.caller)) else {
            return Err(Error::not_found("there is no such confirmation")
                .hint("use the confirmationId of a pending_confirmation answer")
                .detail("code", "CONFIRMATION_NOT_FOUND"));
        };
        let outcome = outcome_at(&confirmation, cx.now);
        if outcome != Outcome::Pending {
            cx.session.hears(&confirmation.confirmation_id);
        }
        Ok(Output {
            confirmation_id: confirmation.confirmation_id,
            action: confirmation.tool,
            state: outcome.as_str(),
            expires_at: confirmation.expires_at.rfc3339(),
            decided_at: confirmation.decided_at.map(crate::clock::Timestamp::rfc3339),
            result: confirmation.result.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            reason: confirmation.reason,
        })
    }
}
