//! support: tickets and articles, found by their words.
//!
//! Support and executives see all, everybody else the tickets they opened and the articles that are
//! published. That is part of every statement, and of every index that a score comes from.

mod articles;
mod close_ticket;
mod get_knowledge_article;
mod model;
mod query;
mod search_knowledge_base;
mod search_tickets;
pub mod store;
mod tables;
mod ticket_view;

use super::FIRST_USE;
use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "support",
    guide: "Help: search_tickets, search_knowledge_base.",
    tools: &TOOLS,
    audits_reads: true,
    takes_camel_case: true,
    first_use: Some(FIRST_USE),
    tables: &tables::TABLES,
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 4] = [
    ToolDef::confirmed::<close_ticket::CloseTicket>(),
    ToolDef::read::<get_knowledge_article::GetKnowledgeArticle>(),
    ToolDef::read::<search_knowledge_base::SearchKnowledgeBase>(),
    ToolDef::read::<search_tickets::SearchTickets>(),
];
