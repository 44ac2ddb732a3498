use schemars::JsonSchema;
use serde::Deserialize;

use super::budget_view::{self, BudgetView};
use super::rows;
use super::store::budgets;
use crate::error::Result;
use crate::families::departments::known;
use crate::identity::Role;
use crate::tool::envelope::Success;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Tells what a department has and has spent.
pub struct GetBudget;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Name or code
    #[schemars(length(min = 1, max = 100))]
    department: String,
    /// Default: this year
    #[schemars(range(min = 2000, max = 2100))]
    year: Option<i64>,
    /// The amounts of one quarter
    #[schemars(range(min = 1, max = 4))]
    quarter: Option<i64>,
}

impl Tool for GetBudget {
    type Args = Args;
    type Output = Success<BudgetView>;

    const NAME: &'static str = "get_budget";
    const TITLE: &'static str = "Get a budget";
    const DESCRIPTION: &'static str =
        "Tells what a department has, has spent and has left in a year, by quarter. For all: list_budgets.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::FinanceRead, Role::FinanceWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetBudget {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let department = known(cx.tx, &args.department)?;
        let year = args.year.unwrap_or_else(|| budget_view::this_year(cx));
        let rows = rows::of(cx)?;
        let seen = rows.within(Some(&department.code)).unwrap_or_default();
        let budget = budget_view::found(budgets::find(cx.tx, seen, year)?, &department.name, year)?;
        Ok(Success::of(BudgetView::of(budget, args.quarter)))
    }
}
