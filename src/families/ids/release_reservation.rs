use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::confirm_reservation::open_reservation;
use super::store;
use crate::error::Result;
use crate::tool::{Access, JsonObject, Tool, WriteCx, WriteTool};

/// Gives a reservation up; its numbers stay used.
pub struct ReleaseReservation;

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
    released: bool,
}

impl Tool for ReleaseReservation {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "release_reservation";
    const TITLE: &'static str = "Release a reservation";
    const DESCRIPTION: &'static str =
        "Gives up reserved IDs that are not needed. The numbers stay used and leave a gap.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");

    fn log_fields(output: &Output, log: &mut JsonObject) {
        log.insert("reservation_id".to_owned(), output.reservation_id.clone().into());
    }
}

impl WriteTool for ReleaseReservation {
    type Prepared = ();
    const IDEMPOTENT: bool = true;

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        let reservation = open_reservation(cx, &args.reservation_id, "released")?;
        store::decide(cx.write, &reservation, "released", cx.now)?;
        Ok(Output { success: true, reservation_id: reservation, released: true })
    }
}
