use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store::Filter;
use super::{model, store};
use crate::error::Result;
use crate::tool::page::Listing;
use crate::tool::{Access, ReadCx, ReadTool, Tool};

/// Lists a project's reservations, newest first.
pub struct ListReservations;

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum State {
    Active,
    Confirmed,
    Expired,
    Released,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            State::Active => "active",
            State::Confirmed => "confirmed",
            State::Expired => "expired",
            State::Released => "released",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Default: the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    #[schemars(length(min = 1, max = 64))]
    artifact_type: Option<String>,
    state: Option<State>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
    /// Correlation id for logs
    #[serde(rename = "task_id")]
    #[schemars(length(max = 128))]
    _task_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    reservations: Vec<Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    reservation_id: String,
    project_id: String,
    artifact_type: String,
    reserved_ids: Vec<String>,
    state: String,
    reserved_at: String,
    expires_at: String,
}

impl Tool for ListReservations {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "list_reservations";
    const TITLE: &'static str = "List reservations";
    const DESCRIPTION: &'static str = "Lists a project's ID reservations, newest first.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");
}

impl ReadTool for ListReservations {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let project = cx.session.project_or(args.project_id.as_deref())?;
        let added = store::added_types(cx.tx, project)?;
        let kind = args
            .artifact_type
            .as_deref()
            .map(|text| model::find_type(text, || Ok(added.clone())))
            .transpose()?;
        let prefix = kind.as_ref().map(|kind| kind.prefix.as_str());
        let state = args.state.map(State::as_str);
        let limit = args.limit.unwrap_or(50);
        let listing = Listing::new(cx, &(project, prefix, state))?;
        let below = listing.key(args.cursor.as_deref())?.unwrap_or(i64::MAX);
        let rows =
            store::page(cx.tx, &Filter { project, prefix, state, below, limit: limit + 1, now: cx.now })?;
        let page = listing.page(rows, limit as usize, |row| row.seq, |row| 200 + 10 * row.count as usize);
        let items = page.rows.into_iter().map(|row| Item {
            artifact_type: model::find_type(&row.prefix, || Ok(added.clone()))
                .map_or(row.prefix.clone(), |kind| kind.name),
            reserved_ids: model::written(&row.prefix, row.first_number, row.count),
            reservation_id: row.reservation_id,
            project_id: row.project_id,
            state: row.state,
            reserved_at: row.reserved_at.rfc3339(),
            expires_at: row.expires_at.rfc3339(),
        });
        Ok(Output { reservations: items.collect(), next_cursor: page.next_cursor })
    }
}
