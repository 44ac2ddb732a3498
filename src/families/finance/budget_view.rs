//! A budget as it is answered, whole or by the quarter.

use schemars::JsonSchema;
use serde::Serialize;

use super::store::budgets::Budget;
use crate::error::{Error, Result};
use crate::money::Cents;
use crate::tool::ReadCx;

#[derive(Debug, Serialize, JsonSchema)]
pub struct BudgetView {
    budget_id: String,
    department: String,
    fiscal_year: i64,
    /// The one quarter that the amounts are of
    #[serde(skip_serializing_if = "Option::is_none")]
    quarter: Option<i64>,
    allocated_amount: Cents,
    spent_amount: Cents,
    remaining_amount: Cents,
    quarters: Vec<Quarter>,
    /// draft, submitted, approved, active or closed
    status: String,
    submitted_by: Option<String>,
    submitted_at: Option<String>,
    approved_by: Option<String>,
    approved_at: Option<String>,
    notes: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Quarter {
    quarter: i64,
    allocated_amount: Cents,
    spent_amount: Cents,
    remaining_amount: Cents,
}

/// What a listing comes to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Totals {
    allocated_amount: Cents,
    spent_amount: Cents,
    remaining_amount: Cents,
    quarters: Vec<Quarter>,
}

impl Totals {
    pub fn of(allocated: [Cents; 4], spent: [Cents; 4]) -> Self {
        let (all, gone) = (allocated.into_iter().sum::<Cents>(), spent.into_iter().sum::<Cents>());
        Totals {
            allocated_amount: all,
            spent_amount: gone,
            remaining_amount: all - gone,
            quarters: quarters(allocated, spent),
        }
    }
}

impl BudgetView {
    pub fn of(budget: Budget, quarter: Option<i64>) -> Self {
        let quarters = quarters(budget.allocated, budget.spent);
        let meant = quarters.iter().filter(|each| quarter.is_none_or(|quarter| each.quarter == quarter));
        let (allocated, spent) = meant.fold((Cents(0), Cents(0)), |(allocated, spent), each| {
            (allocated + each.allocated_amount, spent + each.spent_amount)
        });
        BudgetView {
            budget_id: budget.budget_id,
            department: budget.department,
            fiscal_year: budget.fiscal_year,
            quarter,
            allocated_amount: allocated,
            spent_amount: spent,
            remaining_amount: allocated - spent,
            quarters,
            status: budget.status,
            submitted_by: budget.submitted_by,
            submitted_at: budget.submitted_at.map(crate::clock::Timestamp::rfc3339),
            approved_by: budget.approved_by,
            approved_at: budget.approved_at.map(crate::clock::Timestamp::rfc3339),
            notes: budget.notes,
        }
    }
}

fn quarters(allocated: [Cents; 4], spent: [Cents; 4]) -> Vec<Quarter> {
    let quarters = (1..).zip(allocated.into_iter().zip(spent));
    let quarters = quarters.map(|(quarter, (allocated, spent))| Quarter {
        quarter,
        allocated_amount: allocated,
        spent_amount: spent,
        remaining_amount: allocated - spent,
    });
    quarters.collect()
}

/// The year that is meant where none is named.
pub fn this_year(cx: &ReadCx<'_>) -> i64 {
    cx.now.day()[..4].parse().unwrap_or(2000)
}

/// One that is hidden is not there, in the same words.
pub fn found(budget: Option<Budget>, department: &str, year: i64) -> Result<Budget> {
    budget.ok_or_else(|| {
        Error::not_found(format!("there is no budget of {department} for {year}"))
            .hint("list_budgets shows the budgets of a year that you may see")
            .detail("code", "BUDGET_NOT_FOUND")
    })
}
