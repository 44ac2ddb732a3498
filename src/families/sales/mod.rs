//! sales: customers, deals and the pipeline.
//!
//! Sales and executives see all, everybody else the deals they own. That is part of every statement.

mod close_deal;
mod delete_customer;
mod get_customer;
mod get_pipeline;
mod list_deals;
mod model;
pub mod store;
mod tables;
mod views;

use super::FIRST_USE;
use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "sales",
    guide: "Deals: list_deals, get_pipeline.",
    tools: &TOOLS,
    audits_reads: true,
    takes_camel_case: true,
    first_use: Some(FIRST_USE),
    tables: &tables::TABLES,
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 5] = [
    ToolDef::confirmed::<close_deal::CloseDeal>(),
    ToolDef::confirmed::<delete_customer::DeleteCustomer>(),
    ToolDef::read::<get_customer::GetCustomer>(),
    ToolDef::read::<get_pipeline::GetPipeline>(),
    ToolDef::read::<list_deals::ListDeals>(),
];
