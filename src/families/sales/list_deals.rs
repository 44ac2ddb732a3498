use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::Stage;
use super::store::deals::{self, Deal, Filter, Order};
use super::views::DealView;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::money::Cents;
use crate::tool::envelope::Listed;
use crate::tool::page::{Listing, Page, misfit};
use crate::tool::table::is_date;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// The roles that see everybody's deals.
const ALL_DEALS: &[Role] = &[Role::SalesRead, Role::SalesWrite, Role::Executive];

/// Lists deals.
pub struct ListDeals;

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[default]
    Recent,
    Value,
    CloseDate,
}

impl From<Sort> for Order {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Recent => Order::Recent,
            Sort::Value => Order::Value,
            Sort::CloseDate => Order::CloseDate,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    stage: Option<Stage>,
    /// E-mail of the account owner
    #[schemars(length(min = 1, max = 200))]
    owner: Option<String>,
    #[schemars(range(min = 0))]
    min_value: Option<f64>,
    /// YYYY-MM-DD; without stage, open deals only
    #[schemars(length(min = 10, max = 10))]
    closing_from: Option<String>,
    #[schemars(length(min = 10, max = 10))]
    closing_to: Option<String>,
    /// Newest (default), largest, or soonest to close first
    sort: Option<Sort>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
}

impl Tool for ListDeals {
    type Args = Args;
    type Output = Listed<DealView>;

    const NAME: &'static str = "list_deals";
    const TITLE: &'static str = "List deals";
    const DESCRIPTION: &'static str = "Lists deals. Top 5 closing this month: closing_from, closing_to, sort value, \
        limit 5. Without a sales role you see those you own.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::Employee, Role::SalesRead, Role::SalesWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for ListDeals {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        day("closing_from", args.closing_from.as_deref())?;
        day("closing_to", args.closing_to.as_deref())?;
        let sort = args.sort.unwrap_or_default();
        let min_value =
            args.min_value.map(|value| Cents::from_number(value).map_or(i64::MAX, |cents| cents.0));
        let seen_by = (!cx.caller().has_any(ALL_DEALS)).then_some(cx.caller().email.as_str());
        let closing = args.closing_from.is_some() || args.closing_to.is_some();
        let bound = (args.stage, &args.owner, min_value, &args.closing_from, &args.closing_to, sort);
        let listing = Listing::new(cx, &bound)?;
        let after = match listing.key(args.cursor.as_deref())? {
            Some(seq) => Some(deals::place(cx.tx, seq)?.ok_or_else(misfit)?),
            None => None,
        };
        let limit = args.limit.unwrap_or(50);
        let filter = Filter {
            seen_by,
            owner: args.owner.as_deref().map(str::trim),
            stage: args.stage.map(Stage::as_str),
            open: closing && args.stage.is_none(),
            min_value,
            closing_from: args.closing_from.as_deref(),
            closing_to: args.closing_to.as_deref(),
            order: sort.into(),
            after,
            limit: limit + 1,
        };
        let page = listing.page(deals::page(cx.tx, &filter)?, limit as usize, |row| row.seq, size);
        let shown = page.rows.into_iter().map(DealView::of);
        let page = Page { rows: shown.collect(), next_cursor: page.next_cursor };
        Ok(Listed::page(page, args.cursor.is_none(), "stage, owner, min_value or closing dates"))
    }
}

fn day(field: &str, text: Option<&str>) -> Result<()> {
    match text {
        Some(text) if !is_date(text) => {
            Err(Error::invalid(format!("`{field}` is no day, expected YYYY-MM-DD"))
                .detail("field", field)
                .reason("invalid_argument"))
        }
        _ => Ok(()),
    }
}

fn size(deal: &Deal) -> usize {
    500 + deal.notes.as_ref().map_or(0, String::len) + deal.loss_reason.as_ref().map_or(0, String::len)
}
