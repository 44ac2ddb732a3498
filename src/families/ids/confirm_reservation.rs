use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store;
use crate::error::{Error, Result};
use crate::tool::{Access, JsonObject, Tool, WriteCx, WriteTool};

/// Confirms a reservation, so that it does not expire.
pub struct ConfirmReservation;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    #[schemars(length(min = 1, max = 64))]
    reservation_id: String,
    /// Correlation id for logs
    #[serde(rename = "task_id")]
    #[schemars(length(max = 128))]
    _task_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    reservation_id: String,
    confirmed: bool,
}

impl Tool for ConfirmReservation {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "confirm_reservation";
    const TITLE: &'static str = "Confirm a reservation";
    const DESCRIPTION: &'static str = "Confirms reserved IDs once the documents exist. \
        Fails if the reservation is unknown, expired or released, and says which.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");

    fn log_fields(output: &Output, log: &mut JsonObject) {
        log.insert("reservation_id".to_owned(), output.reservation_id.clone().into());
    }
}

impl WriteTool for ConfirmReservation {
    type Prepared = ();
    const IDEMPOTENT: bool = true;

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        let reservation_id = confirm(cx, &args.reservation_id)?;
        Ok(Output { success: true, reservation_id, confirmed: true })
    }
}

/// Confirms a reservation, unless it is too late.
pub fn confirm(cx: &WriteCx<'_>, id: &str) -> Result<String> {
    let reservation = open_reservation(cx, id, "confirmed")?;
    store::decide(cx.write, &reservation, "confirmed", cx.now)?;
    Ok(reservation)
}

/// Finds a reservation that is active or has been decided this very way before.
pub(super) fn open_reservation(cx: &WriteCx<'_>, id: &str, decision: &str) -> Result<String> {
    let Some(found) = store::find(cx.tx, id)? else {
        return Err(Error::not_found(format!("reservation `{id}` is unknown"))
            .detail("field", "reservation_id")
            .reason("reservation_unknown"));
    };
    if found.state == "active" || found.state == decision {
        return Ok(found.reservation_id);
    }
    let (message, reason) = match found.state.as_str() {
        "expired" => {
            let at = found.expires_at.rfc3339();
            (format!("Reservation {id} expired at {at}; its numbers stay used"), "reservation_expired")
        }
        "released" => (format!("Reservation {id} was released"), "reservation_released"),
        _ => {
            let message = format!("Reservation {id} is confirmed already; its numbers are in use");
            return Err(Error::conflict(message).reason("reservation_confirmed"));
        }
    };
    Err(Error::conflict(message).reason(reason).hint("reserve a new range with reserve_id_range"))
}
