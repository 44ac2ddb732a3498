use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows;
use super::store::expenses::{self, Item, Sight};
use crate::error::{Error, Result};
use crate::families::{EMPLOYEES, departments};
use crate::identity::Role;
use crate::money::Cents;
use crate::tool::envelope::Success;
use crate::tool::table::is_month;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

const MOST_ITEMS: i64 = 200;

/// Shows what somebody spent in a month.
pub struct GetExpenseReport;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// UUID, number or login
    #[schemars(length(min = 1, max = 100))]
    employee_id: String,
    /// YYYY-MM
    #[schemars(length(min = 7, max = 7))]
    month: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportView {
    report_id: String,
    report_number: String,
    employee_id: String,
    employee_name: String,
    department: String,
    title: String,
    month: String,
    status: String,
    total_amount: Cents,
    currency: &'static str,
    submitted_at: Option<String>,
    approved_by: Option<String>,
    approved_at: Option<String>,
    notes: Option<String>,
    item_count: i64,
    items: Vec<ItemView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ItemView {
    expense_date: String,
    category: String,
    description: String,
    vendor: Option<String>,
    amount: Cents,
}

impl ItemView {
    fn of(item: Item) -> Self {
        let Item { expense_date, category, description, vendor, amount } = item;
        ItemView { expense_date, category, description, vendor, amount }
    }
}

impl Tool for GetExpenseReport {
    type Args = Args;
    type Output = Success<ReportView>;

    const NAME: &'static str = "get_expense_report";
    const TITLE: &'static str = "Get an expense report";
    const DESCRIPTION: &'static str =
        "Shows somebody's expenses of a month. Everybody sees their own, managers their department's.";
    const ACCESS: Access = Access::AnyOf(&[
        Role::Employee,
        Role::FinanceRead,
        Role::FinanceWrite,
        Role::Manager,
        Role::Executive,
    ]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetExpenseReport {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        if !is_month(&args.month) {
            return Err(Error::invalid("`month` is no month, expected YYYY-MM")
                .detail("field", "month")
                .reason("invalid_argument"));
        }
        let caller = cx.caller();
        let manages = if caller.has_any(&[Role::Manager]) { departments::of_caller(cx)? } else { None };
        let sight = Sight {
            all: caller.has_any(rows::ALL),
            employee_id: caller.employee_id.as_deref(),
            department: manages.as_ref().map(|department| department.code.as_str()),
        };
        let employee = EMPLOYEES.find(cx.tx, args.employee_id.trim())?;
        let found = match &employee {
            Some(employee) => expenses::find(cx.tx, &sight, &employee.employee_id, &args.month)?,
            None => None,
        };
        let (Some(report), Some(employee)) = (found, employee) else {
            // Nobody learns whether there is such a person or such a report.
            let shown: String = args.employee_id.chars().filter(|c| !c.is_control()).take(64).collect();
            return Err(Error::not_found(format!(
                "there is no expense report of {shown} for {}",
                args.month
            ))
            .hint("employee_id is a UUID, a number such as EMP052 or a login; month is YYYY-MM")
            .detail("code", "EXPENSE_REPORT_NOT_FOUND"));
        };
        let (item_count, total_amount) = expenses::total(cx.tx, report.seq)?;
        let items = expenses::items(cx.tx, report.seq, MOST_ITEMS)?;
        Ok(Success::of(ReportView {
            report_id: report.report_id,
            report_number: report.number,
            employee_id: report.employee_id,
            employee_name: employee.name,
            department: report.department,
            title: report.title,
            month: report.month,
            status: report.status,
            total_amount,
            currency: "USD",
            submitted_at: report.submitted_at.map(crate::clock::Timestamp::rfc3339),
            approved_by: report.approved_by,
            approved_at: report.approved_at.map(crate::clock::Timestamp::rfc3339),
            notes: report.notes,
            item_count,
            items: items.into_iter().map(ItemView::of).collect(),
        }))
    }
}
