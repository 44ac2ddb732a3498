use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{model, store};
use crate::clock::Timestamp;
use crate::db::{WriteTx, sequences};
use crate::error::Result;
use crate::id::Ids;
use crate::tool::{Access, JsonObject, Tool, WriteCx, WriteTool};

/// Reserves a contiguous range of numbers for a batch of documents.
pub struct ReserveIdRange;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Long name or prefix: hls or HLS
    #[schemars(length(min = 1, max = 64))]
    artifact_type: String,
    #[schemars(range(min = 1, max = 100))]
    count: i64,
    /// Default: the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    /// Correlation id for logs
    #[serde(rename = "task_id")]
    #[schemars(length(max = 128))]
    _task_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    reservation_id: String,
    artifact_type: String,
    reserved_ids: Vec<String>,
    expires_at: String,
}

impl Tool for ReserveIdRange {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "reserve_id_range";
    const TITLE: &'static str = "Reserve a range of IDs";
    const DESCRIPTION: &'static str = "Reserves contiguous IDs for a batch, for 15 minutes. \
        Confirm with confirm_reservation once they are used; unused numbers are never given again.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");

    fn log_fields(output: &Output, log: &mut JsonObject) {
        log.insert("artifact_type".to_owned(), output.artifact_type.clone().into());
        log.insert("count".to_owned(), output.reserved_ids.len().into());
        log.insert("reserved_ids".to_owned(), output.reserved_ids.clone().into());
        log.insert("reservation_id".to_owned(), output.reservation_id.clone().into());
    }
}

impl WriteTool for ReserveIdRange {
    type Prepared = ();

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        let project = cx.session.project_or(args.project_id.as_deref())?;
        let kind = model::find_type(&args.artifact_type, || store::added_types(cx.tx, project))?;
        let reservation = reserve(cx.write, cx.ids, project, &kind.prefix, args.count, cx.now)?;
        Ok(Output {
            success: true,
            reserved_ids: model::written(&reservation.prefix, reservation.first_number, args.count),
            reservation_id: reservation.reservation_id,
            artifact_type: kind.name,
            expires_at: reservation.expires_at.rfc3339(),
        })
    }
}

/// Reserves a range for fifteen minutes.
pub fn reserve(
    tx: &WriteTx<'_>,
    ids: &Ids,
    project: &str,
    prefix: &str,
    count: i64,
    now: Timestamp,
) -> Result<store::Reservation> {
    let reservation = store::Reservation {
        seq: 0,
        reservation_id: ids.uuid(),
        project_id: project.to_owned(),
        prefix: prefix.to_owned(),
        first_number: sequences::take(tx, project, prefix, count, now)?,
        count,
        state: "active".to_owned(),
        reserved_at: now,
        expires_at: now.plus_minutes(model::RESERVATION_MINUTES),
    };
    store::insert(tx, &reservation)?;
    Ok(reservation)
}
