use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::model::RESOLUTION_TYPES;
use super::store::tickets::{self, End};
use super::ticket_view::TicketView;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::tool::confirm::{ConfirmedTool, Deed, Proposed};
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx};

/// Closes a ticket.
pub struct CloseTicket;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ResolutionType {
    #[default]
    Solved,
    Workaround,
    Duplicate,
    CannotReproduce,
    WontFix,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Such as TICK-0001
    #[schemars(length(min = 1, max = 100))]
    ticket_id: String,
    #[schemars(length(min = 10, max = 2000))]
    resolution: String,
    /// Default: solved
    resolution_type: Option<ResolutionType>,
    /// Default: true
    customer_notified: Option<bool>,
}

impl Tool for CloseTicket {
    type Args = Args;
    type Output = Proposed;

    const NAME: &'static str = "close_ticket";
    const TITLE: &'static str = "Close a ticket";
    const DESCRIPTION: &'static str = "Asks a person to agree that a ticket is closed with this resolution.";
    const ACCESS: Access = Access::AnyOf(&[Role::SupportWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ConfirmedTool for CloseTicket {
    const SERVER: &'static str = "support";

    fn run(cx: &WriteCx<'_>, args: &Args) -> Result<Deed> {
        let load = || {
            tickets::find(cx.tx, args.ticket_id.trim())?.ok_or_else(|| {
                Error::not_found("Ticket not found. Verify the ticket ID is correct.")
                    .hint("Use search_tickets to find ticket IDs such as TICK-0001")
                    .detail("code", "TICKET_NOT_FOUND")
            })
        };
        let ticket = load()?;
        if ticket.status == "closed" {
            return Err(Error::conflict(format!("{} is closed already", ticket.ticket_id))
                .hint("search_tickets with a status finds the ones that are open")
                .detail("code", "ALREADY_CLOSED"));
        }
        let (seq, id) = (ticket.seq, ticket.ticket_id.clone());
        let resolution_type = RESOLUTION_TYPES[args.resolution_type.unwrap_or_default() as usize];
        let customer_notified = args.customer_notified.unwrap_or(true);
        let fingerprint = tickets::fingerprint(cx.tx, seq)?;
        let names = json!({
            "title": ticket.subject, "currentStatus": ticket.status, "customerName": ticket.customer_name,
            "resolution": args.resolution, "resolutionType": resolution_type, "customerNotified": customer_notified,
        });
        let question = format!("Close {id} ({}) as {resolution_type}?", ticket.subject);
        let before = serde_json::to_value(TicketView::of(ticket, cx.caller())).unwrap_or_default();
        let end = End {
            resolution: &args.resolution,
            resolution_type,
            customer_notified,
            by: &cx.caller().user_id,
        };
        tickets::close(cx.write, seq, &end, cx.now)?;
        let after = serde_json::to_value(TicketView::of(load()?, cx.caller())).unwrap_or_default();
        Ok(Deed {
            question,
            ids: json!({"ticket_id": id, "ticketId": id}),
            names,
            warnings: Vec::new(),
            before,
            after,
            fingerprint,
            done: format!("{id} is closed as {resolution_type}."),
        })
    }
}
