use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{BY_RELEVANCE, MOST_RANKED, NEWEST_FIRST};
use super::query::Query;
use super::store::Match;
use super::store::tickets::{self, Search};
use super::ticket_view::TicketView;
use crate::error::Result;
use crate::identity::Role;
use crate::tool::envelope::Listed;
use crate::tool::page::{Listing, Page, misfit};
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// The roles that see everybody's tickets.
const ALL_TICKETS: &[Role] = &[Role::SupportRead, Role::SupportWrite, Role::Executive];

/// Finds tickets by their words.
pub struct SearchTickets;

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Open,
    InProgress,
    Pending,
    Resolved,
    Closed,
}

impl Status {
    fn as_str(self) -> &'static str {
        super::model::STATUSES[self as usize]
    }
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Priority {
    Low,
    Medium,
    High,
    Critical,
}

impl Priority {
    fn as_str(self) -> &'static str {
        super::model::PRIORITIES[self as usize]
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// words, "phrases", -not, prefix*
    #[schemars(length(min = 1, max = 500))]
    query: String,
    status: Option<Status>,
    priority: Option<Priority>,
    #[schemars(length(min = 1, max = 100))]
    customer_id: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
}

impl Tool for SearchTickets {
    type Args = Args;
    type Output = Listed<TicketView>;

    const NAME: &'static str = "search_tickets";
    const TITLE: &'static str = "Search tickets";
    const DESCRIPTION: &'static str = "Finds tickets that hold all the words; metadata.order tells whether the best or \
        the newest come first. Without a support role: those you opened.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::Employee, Role::SupportRead, Role::SupportWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for SearchTickets {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let words = Query::parse(&args.query)?.within("subject description");
        let (expression, ranked) = match cx.caller().has_any(ALL_TICKETS) {
            true => {
                let count = tickets::count(cx.tx, &words, MOST_RANKED + 1)?;
                (words, count <= MOST_RANKED)
            }
            // A rank is made from the words of all tickets; it would tell something of the others.
            false => (format!("{} AND {words}", tickets::opener(&cx.caller().user_id)), false),
        };
        let order = if ranked { BY_RELEVANCE } else { NEWEST_FIRST };
        let bound = (&expression, args.status, args.priority, &args.customer_id, order);
        let listing = Listing::new(cx, &bound)?;
        let after = listing.key(args.cursor.as_deref())?;
        let limit = args.limit.unwrap_or(50);
        let search = Search {
            expression: &expression,
            status: args.status.map(Status::as_str),
            priority: args.priority.map(Priority::as_str),
            customer_id: args.customer_id.as_deref().map(str::trim),
            limit: limit + 1,
        };
        let found = match (ranked, after) {
            (false, after) => tickets::newest(cx.tx, &search, after.unwrap_or(i64::MAX))?,
            (true, after) => {
                let rank = |seq| tickets::rank(cx.tx, &expression, seq)?.ok_or_else(misfit);
                let best = tickets::best(cx.tx, &search, after.map(rank).transpose()?)?;
                tickets::snippets(cx.tx, &expression, best)?
            }
        };
        let shown = found.into_iter().filter_map(|found| shown(cx, found).transpose());
        let shown: Vec<(i64, TicketView)> = shown.collect::<Result<_>>()?;
        let page = listing.page(shown, limit as usize, |row| row.0, |row| row.1.size());
        let rows = page.rows.into_iter().map(|row| row.1).collect();
        let page = Page { rows, next_cursor: page.next_cursor };
        Ok(Listed::page(page, args.cursor.is_none(), "more words, status, priority or customer_id")
            .in_order(order))
    }
}

fn shown(cx: &ReadCx<'_>, (found, snippet): (Match, String)) -> Result<Option<(i64, TicketView)>> {
    let Some(ticket) = tickets::at(cx.tx, found.seq)? else { return Ok(None) };
    Ok(Some((found.seq, TicketView::of(ticket, cx.caller()).found(snippet, found.rank))))
}
