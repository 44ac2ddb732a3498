//! finance: budgets, invoices, expense reports.
//!
//! Finance and executives see all, a manager the own department, everybody their own expenses. That is
//! part of every statement.

mod approve_budget;
mod budget_view;
mod delete_invoice;
mod get_budget;
mod get_expense_report;
pub mod joins;
mod list_budgets;
mod list_invoices;
mod model;
mod rows;
pub mod store;
mod tables;

use super::FIRST_USE;
use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "finance",
    guide: "Company money: list_budgets, list_invoices.",
    tools: &TOOLS,
    audits_reads: true,
    takes_camel_case: true,
    first_use: Some(FIRST_USE),
    tables: &tables::TABLES,
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 6] = [
    ToolDef::confirmed::<approve_budget::ApproveBudget>(),
    ToolDef::confirmed::<delete_invoice::DeleteInvoice>(),
    ToolDef::read::<get_budget::GetBudget>(),
    ToolDef::read::<get_expense_report::GetExpenseReport>(),
    ToolDef::read::<list_budgets::ListBudgets>(),
    ToolDef::read::<list_invoices::ListInvoices>(),
];
