use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::store::invoices::{self, Filter, Invoice};
use super::{model, rows};
use crate::error::{Error, Result};
use crate::families::departments::known;
use crate::identity::Role;
use crate::money::Cents;
use crate::tool::envelope::Listed;
use crate::tool::page::{Listing, Page, misfit};
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// The index of parts of names knows them from this length on.
const INDEXED: usize = 3;
/// Every date there is.
const EVER: (&str, &str) = ("", "~");

/// Lists invoices, newest first.
pub struct ListInvoices;

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    Approved,
    Paid,
    Rejected,
    Overdue,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// overdue: pending past its due date
    status: Option<Status>,
    /// Part of the name
    #[schemars(length(min = 1, max = 100))]
    vendor: Option<String>,
    /// Name or code
    #[schemars(length(min = 1, max = 100))]
    department: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct InvoiceView {
    invoice_id: String,
    invoice_number: String,
    vendor_name: String,
    vendor_id: Option<String>,
    amount: Cents,
    currency: String,
    description: Option<String>,
    department: String,
    status: String,
    invoice_date: String,
    due_date: String,
    paid_date: Option<String>,
    submitted_by: Option<String>,
    submitted_at: Option<String>,
    approved_by: Option<String>,
    approved_at: Option<String>,
}

impl InvoiceView {
    pub fn of(invoice: Invoice, today: &str) -> Self {
        InvoiceView {
            status: model::invoice_status(&invoice.status, &invoice.due_date, today).to_owned(),
            invoice_id: invoice.invoice_id,
            invoice_number: invoice.number,
            vendor_name: invoice.vendor_name,
            vendor_id: invoice.vendor_id,
            amount: invoice.amount,
            currency: invoice.currency,
            description: invoice.description,
            department: invoice.department,
            invoice_date: invoice.invoice_date,
            due_date: invoice.due_date,
            paid_date: invoice.paid_date,
            submitted_by: invoice.submitted_by,
            submitted_at: invoice.submitted_at.map(crate::clock::Timestamp::rfc3339),
            approved_by: invoice.approved_by,
            approved_at: invoice.approved_at.map(crate::clock::Timestamp::rfc3339),
        }
    }
}

impl Tool for ListInvoices {
    type Args = Args;
    type Output = Listed<InvoiceView>;

    const NAME: &'static str = "list_invoices";
    const TITLE: &'static str = "List invoices";
    const DESCRIPTION: &'static str = "Lists invoices, newest first. Managers see those of their department.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::FinanceRead, Role::FinanceWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for ListInvoices {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let today = cx.now.day();
        let asked = args.department.as_deref().map(|text| known(cx.tx, text)).transpose()?;
        let rows = rows::of(cx)?;
        let department = rows.within(asked.as_ref().map(|department| department.code.as_str()));
        let vendor = args.vendor.as_deref().map(plain);
        if vendor.as_ref().is_some_and(String::is_empty) {
            return Err(Error::invalid("`vendor` is blank")
                .hint("name a part of the vendor's name, or leave it out")
                .detail("field", "vendor"));
        }
        let listing = Listing::new(cx, &(args.status, &vendor, department))?;
        let below = match listing.key(args.cursor.as_deref())? {
            Some(seq) if !invoices::is_there(cx.tx, seq)? => return Err(misfit()),
            Some(seq) => seq,
            None => i64::MAX,
        };
        let (status, (due_from, due_before)) = stored(args.status, &today);
        let limit = args.limit.unwrap_or(50);
        let filter = Filter { department, status, due_from, due_before, below, limit: limit + 1 };
        let found = match &vendor {
            None => invoices::page(cx.tx, &filter)?,
            Some(part) if part.chars().count() < INDEXED => {
                invoices::of_vendor_like(cx.tx, &format!("%{}%", escaped(part)), &filter)?
            }
            Some(part) => invoices::of_vendor(cx.tx, &format!("\"{}\"", part.replace('"', "\"\"")), &filter)?,
        };
        let page = listing.page(found, limit as usize, |row| row.seq, size);
        let shown = page.rows.into_iter().map(|row| InvoiceView::of(row, &today));
        let page = Page { rows: shown.collect(), next_cursor: page.next_cursor };
        Ok(Listed::page(page, args.cursor.is_none(), "status, vendor or department"))
    }
}

/// What a status is in the table: pending and overdue are told apart by the date.
fn stored(status: Option<Status>, today: &str) -> (Option<&'static str>, (&str, &str)) {
    match status {
        None => (None, EVER),
        Some(Status::Pending) => (Some("pending"), (today, EVER.1)),
        Some(Status::Overdue) => (Some("pending"), (EVER.0, today)),
        Some(Status::Approved) => (Some("approved"), EVER),
        Some(Status::Paid) => (Some("paid"), EVER),
        Some(Status::Rejected) => (Some("rejected"), EVER),
    }
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

fn size(invoice: &Invoice) -> usize {
    500 + invoice.description.as_ref().map_or(0, String::len)
}
