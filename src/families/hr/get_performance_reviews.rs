use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model;
use super::rows::{self, Rows};
use super::store::reviews::{self, Filter, Review};
use crate::error::Result;
use crate::identity::Role;
use crate::tool::envelope::Listed;
use crate::tool::page::{Listing, Page, misfit};
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// The roles that see everybody's reviews.
const ALL_REVIEWS: &[Role] = &[Role::HrWrite, Role::Executive];

/// Lists reviews: somebody's, a team's, or those that are due.
pub struct GetPerformanceReviews;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// UUID, number or login; default: your team, or yourself
    #[schemars(length(min = 1, max = 100))]
    employee_id: Option<String>,
    /// Only those not held yet, overdue or due within 30 days
    due: Option<bool>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewView {
    review_id: String,
    employee_id: String,
    employee_name: String,
    reviewer_name: Option<String>,
    review_period: String,
    /// completed, overdue, due (within 30 days) or scheduled
    status: &'static str,
    due_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    review_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_rating: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goals_met_percentage: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strengths: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    areas_for_improvement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comments: Option<String>,
}

impl ReviewView {
    fn of(review: Review, today: &str) -> Self {
        ReviewView {
            status: model::review_status(&review.due_date, review.review_date.as_deref(), today),
            review_id: review.review_id,
            employee_id: review.employee_id,
            employee_name: review.employee_name,
            reviewer_name: review.reviewer_name,
            review_period: review.period,
            due_date: review.due_date,
            review_date: review.review_date,
            overall_rating: review.overall_rating.map(|tenths| tenths as f64 / 10.0),
            goals_met_percentage: review.goals_met,
            strengths: review.strengths,
            areas_for_improvement: review.areas_for_improvement,
            comments: review.comments,
        }
    }
}

impl Tool for GetPerformanceReviews {
    type Args = Args;
    type Output = Listed<ReviewView>;

    const NAME: &'static str = "get_performance_reviews";
    const TITLE: &'static str = "Get performance reviews";
    const DESCRIPTION: &'static str = "Lists reviews, newest first; with due: true those to be held, by date. Without \
        employee_id: a manager's team, all for HR and executives, else your own.";
    const ACCESS: Access = Access::AnyOf(&[Role::Employee, Role::HrWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetPerformanceReviews {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let seen = rows::of(cx, ALL_REVIEWS)?;
        let rows = match &args.employee_id {
            Some(reference) => Rows::Own(rows::find(cx, seen, reference)?.seq),
            None => seen,
        };
        let today = cx.now.day();
        let due_until = args.due.unwrap_or(false).then(|| model::due_until(&today));
        let limit = args.limit.unwrap_or(50);
        let whose = match rows {
            Rows::Own(seq) => seq,
            Rows::All | Rows::Chain(_) => 0,
        };
        let listing = Listing::new(cx, &(whose, due_until.is_some()))?;
        let after = match listing.key(args.cursor.as_deref())? {
            Some(seq) => Some(reviews::place(cx.tx, seq)?.ok_or_else(misfit)?),
            None => None,
        };
        let filter = Filter { rows, due_until: due_until.as_deref(), after, limit: limit + 1 };
        let found = reviews::page(cx.tx, &filter)?;
        let page = listing.page(found, limit as usize, |row| row.seq, size);
        let shown = page.rows.into_iter().map(|row| ReviewView::of(row, &today));
        let page = Page { rows: shown.collect(), next_cursor: page.next_cursor };
        Ok(Listed::page(page, args.cursor.is_none(), "employee_id or due"))
    }
}

fn size(review: &Review) -> usize {
    let texts = [&review.strengths, &review.areas_for_improvement, &review.comments];
    400 + texts.into_iter().flatten().map(String::len).sum::<usize>()
}
