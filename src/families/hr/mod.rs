//! hr: employees, their managers, reviews and days off.
//!
//! Everybody sees themselves, a manager sees the chain below, HR and executives see all. That is part of
//! every statement (`rows.rs` chooses which); what a caller may see of a row is decided by type (`view.rs`).

mod delete_employee;
pub mod directory;
mod get_employee;
mod get_org_chart;
mod get_performance_reviews;
mod get_time_off_balances;
mod list_employees;
mod model;
mod rows;
pub mod store;
mod tables;
mod update_salary;
mod view;

use super::FIRST_USE;
use crate::tool::{Family, Sweep, ToolDef};

pub static FAMILY: Family = Family {
    name: "hr",
    guide: "Its people: list_employees, reviews.",
    tools: &TOOLS,
    sweep: Some(Sweep { next_due: store::salaries::next_due, run: store::salaries::apply_due }),
    audits_reads: true,
    takes_camel_case: true,
    first_use: Some(FIRST_USE),
    tables: &tables::TABLES,
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 7] = [
    ToolDef::confirmed::<delete_employee::DeleteEmployee>(),
    ToolDef::read::<get_employee::GetEmployee>(),
    ToolDef::read::<get_org_chart::GetOrgChart>(),
    ToolDef::read::<get_performance_reviews::GetPerformanceReviews>(),
    ToolDef::read::<get_time_off_balances::GetTimeOffBalances>(),
    ToolDef::read::<list_employees::ListEmployees>(),
    ToolDef::confirmed::<update_salary::UpdateSalary>(),
];
