use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::budget_view::{self, BudgetView, Totals};
use super::rows;
use super::store::budgets::{self, Filter};
use crate::error::Result;
use crate::families::departments::known;
use crate::identity::Role;
use crate::tool::envelope::Listed;
use crate::tool::page::{Listing, Page, misfit};
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// A row is some 900 bytes of JSON.
const ROW: usize = 900;

/// Lists a year's budgets, and what they come to.
pub struct ListBudgets;

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Draft,
    Submitted,
    Approved,
    Active,
    Closed,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Status::Draft => "draft",
            Status::Submitted => "submitted",
            Status::Approved => "approved",
            Status::Active => "active",
            Status::Closed => "closed",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Name or code
    #[schemars(length(min = 1, max = 100))]
    department: Option<String>,
    /// Default: this year
    #[schemars(range(min = 2000, max = 2100))]
    year: Option<i64>,
    status: Option<Status>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    listed: Listed<BudgetView>,
    /// Of all budgets that fit, not of this page only
    totals: Totals,
}

impl Tool for ListBudgets {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "list_budgets";
    const TITLE: &'static str = "List budgets";
    const DESCRIPTION: &'static str = "Lists the departments' budgets of a year, with quarters, and totals over all \
        of them: budget against spend.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::FinanceRead, Role::FinanceWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for ListBudgets {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let asked = args.department.as_deref().map(|text| known(cx.tx, text)).transpose()?;
        let rows = rows::of(cx)?;
        let department = rows.within(asked.as_ref().map(|department| department.code.as_str()));
        let year = args.year.unwrap_or_else(|| budget_view::this_year(cx));
        let filter = Filter { department, year, status: args.status.map(Status::as_str) };
        let limit = args.limit.unwrap_or(50);
        let listing = Listing::new(cx, &(department, year, filter.status))?;
        let after = match listing.key(args.cursor.as_deref())? {
            Some(seq) => budgets::place(cx.tx, seq)?.ok_or_else(misfit)?,
            None => String::new(),
        };
        let found = budgets::page(cx.tx, &filter, &after, limit + 1)?;
        let page = listing.page(found, limit as usize, |row| row.seq, |_| ROW);
        let shown = page.rows.into_iter().map(|row| BudgetView::of(row, None));
        let page = Page { rows: shown.collect(), next_cursor: page.next_cursor };
        let (allocated, spent) = budgets::totals(cx.tx, &filter)?;
        Ok(Output {
            listed: Listed::page(page, args.cursor.is_none(), "department or status"),
            totals: Totals::of(allocated, spent),
        })
    }
}
