use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::budget_view::{self, BudgetView};
use super::model;
use super::store::budgets::{self, Approval};
use crate::error::{Error, Result};
use crate::families::departments::known;
use crate::identity::Role;
use crate::money::{self, Cents};
use crate::tool::confirm::{ConfirmedTool, Deed, Proposed};
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx};

/// Approves what a department may spend in a year.
pub struct ApproveBudget;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Name or code
    #[schemars(length(min = 1, max = 100))]
    department: String,
    /// For the whole year, in USD
    #[schemars(range(min = 0))]
    amount: f64,
    /// Default: this year
    #[schemars(range(min = 2000, max = 2100))]
    fiscal_year: Option<i64>,
    #[schemars(length(max = 1000))]
    notes: Option<String>,
}

impl Tool for ApproveBudget {
    type Args = Args;
    type Output = Proposed;

    const NAME: &'static str = "approve_budget";
    const TITLE: &'static str = "Approve a budget";
    const DESCRIPTION: &'static str = "Asks a person to agree that a draft or submitted budget is approved with this \
        amount. Not by whoever submitted it.";
    const ACCESS: Access = Access::AnyOf(&[Role::FinanceWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ConfirmedTool for ApproveBudget {
    const SERVER: &'static str = "finance";

    fn run(cx: &WriteCx<'_>, args: &Args) -> Result<Deed> {
        let amount = Cents::from_number(args.amount).ok_or_else(|| {
            Error::invalid(format!("`amount` is too large, expected at most {}", money::MOST))
                .detail("field", "amount")
                .reason("invalid_argument")
        })?;
        let department = known(cx.tx, &args.department)?;
        let year = args.fiscal_year.unwrap_or_else(|| budget_view::this_year(cx));
        let load =
            || budget_view::found(budgets::find(cx.tx, &department.code, year)?, &department.name, year);
        let budget = load()?;
        let (seq, name) = (budget.seq, format!("the budget of {} for {year}", department.name));
        if !matches!(budget.status.as_str(), "draft" | "submitted") {
            return Err(Error::conflict(format!(
                "{name} is {}; only a draft or submitted one can be approved",
                budget.status
            ))
            .hint("list_budgets with status submitted shows what waits for an approval")
            .detail("code", "OPERATION_FAILED"));
        }
        let me = cx.caller().uuid();
        if budget.submitted_by.as_ref() == Some(&me) {
            return Err(Error::forbidden(format!("you have submitted {name} yourself"))
                .hint("somebody else with finance-write has to approve it")
                .detail("code", "SEPARATION_OF_DUTIES"));
        }
        let planned: Cents = budget.allocated.into_iter().sum();
        let fingerprint = budgets::fingerprint(cx.tx, seq)?;
        let ids = json!({"budget_id": budget.budget_id, "budgetId": budget.budget_id});
        let names = json!({
            "department": department.name, "fiscalYear": year, "amount": amount, "plannedAmount": planned,
            "currentStatus": budget.status, "notes": args.notes,
        });
        let allocated = model::shared_as(budget.allocated, amount);
        let warning =
            (amount > planned).then(|| format!("{amount} is more than the {planned} that was planned"));
        let before = serde_json::to_value(BudgetView::of(budget, None)).unwrap_or_default();
        let approval = Approval { allocated, by: &me, at: cx.now, notes: args.notes.as_deref() };
        budgets::approve(cx.write, seq, &approval)?;
        let after = serde_json::to_value(BudgetView::of(load()?, None)).unwrap_or_default();
        Ok(Deed {
            question: format!("Approve {name} with {amount} USD (planned: {planned})?"),
            ids,
            names,
            warnings: warning.into_iter().collect(),
            before,
            after,
            fingerprint,
            done: format!("The budget of {} for {year} is approved with {amount} USD.", department.name),
        })
    }
}
