//! A ticket as one caller may see it.

use schemars::JsonSchema;
use serde::Serialize;

use super::model;
use super::store::tickets::Ticket;
use crate::identity::{Caller, Role};
use crate::sensitive::Masked;

#[derive(Debug, Serialize, JsonSchema)]
pub struct TicketView {
    ticket_id: String,
    subject: String,
    description: String,
    status: String,
    priority: String,
    customer_id: Option<String>,
    customer_name: Option<String>,
    customer_email: Masked<Option<String>>,
    assigned_to: Option<String>,
    category: Option<String>,
    tags: Vec<String>,
    created_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution_type: Option<String>,
    created_at: String,
    updated_at: String,
    resolved_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_at: Option<String>,
    /// Where the words of a search stand
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    _score: Option<f64>,
}

/// Who may reach customers directly.
const SEE_CONTACTS: &[Role] = &[Role::SalesWrite, Role::Executive];

impl TicketView {
    pub fn of(ticket: Ticket, caller: &Caller) -> Self {
        TicketView {
            ticket_id: ticket.ticket_id,
            subject: ticket.subject,
            description: model::cut(ticket.description),
            status: ticket.status,
            priority: ticket.priority,
            customer_id: ticket.customer_id,
            customer_name: ticket.customer_name,
            customer_email: ticket.customer_email.shown_if(caller.has_any(SEE_CONTACTS)),
            assigned_to: ticket.assigned_to,
            category: ticket.category,
            tags: model::words(&ticket.tags),
            created_by: ticket.created_by,
            resolution: ticket.resolution.map(model::cut),
            resolution_type: ticket.resolution_type,
            created_at: ticket.created_at.rfc3339(),
            updated_at: ticket.updated_at.rfc3339(),
            resolved_at: ticket.resolved_at.map(crate::clock::Timestamp::rfc3339),
            closed_at: ticket.closed_at.map(crate::clock::Timestamp::rfc3339),
            snippet: None,
            _score: None,
        }
    }

    /// The same, found by a search.
    pub fn found(self, snippet: String, rank: Option<f64>) -> Self {
        TicketView { snippet: Some(snippet), _score: rank.map(model::score), ..self }
    }

    /// About how long it is as JSON.
    pub fn size(&self) -> usize {
        let texts = [Some(&self.description), self.resolution.as_ref(), self.snippet.as_ref()];
        500 + self.subject.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}
