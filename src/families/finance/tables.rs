//! The tables of finance as files hold them.

use super::store::{budgets, expenses, invoices};
use crate::db::WriteTx;
use crate::error::Result;
use crate::families::{EMPLOYEES, departments};
use crate::tool::table::{Entry, Kind, Table, names_nothing, optional, required};

const NAME: Kind = Kind::Text(100);
const WORDS: Kind = Kind::Text(2000);

pub static TABLES: [Table; 4] = [
    Table {
        name: "budgets",
        columns: &[
            required("budget_id", Kind::Uuid),
            required("department", NAME),
            required("fiscal_year", Kind::Integer(2000, 2100)),
            required("status", Kind::OneOf(&["draft", "submitted", "approved", "active", "closed"])),
            optional("submitted_by", Kind::Uuid),
            optional("submitted_at", Kind::Instant),
            optional("approved_by", Kind::Uuid),
            optional("approved_at", Kind::Instant),
            optional("notes", WORDS),
            optional("q1_allocated", Kind::Money),
            optional("q2_allocated", Kind::Money),
            optional("q3_allocated", Kind::Money),
            optional("q4_allocated", Kind::Money),
            optional("q1_spent", Kind::Money),
            optional("q2_spent", Kind::Money),
            optional("q3_spent", Kind::Money),
            optional("q4_spent", Kind::Money),
        ],
        put: |tx, entry, _| budgets::put(tx, entry, &departments::of(tx, entry, "department")?.code),
        by_date: None,
        link: None,
        finish: None,
        pages: budgets::rows,
        clear: budgets::clear,
        count: budgets::count,
    },
    Table {
        name: "invoices",
        columns: &[
            required("invoice_id", Kind::Uuid),
            required("number", Kind::Text(40)),
            required("vendor_name", Kind::Text(200)),
            optional("vendor_id", Kind::Text(40)),
            required("amount", Kind::Money),
            optional("currency", Kind::Text(3)),
            optional("description", WORDS),
            required("department", NAME),
            required("status", Kind::OneOf(&["pending", "approved", "paid", "rejected"])),
            required("invoice_date", Kind::Date),
            required("due_date", Kind::Date),
            optional("submitted_by", Kind::Uuid),
            optional("submitted_at", Kind::Instant),
            optional("approved_by", Kind::Uuid),
            optional("approved_at", Kind::Instant),
            optional("paid_date", Kind::Date),
        ],
        put: |tx, entry, _| invoices::put(tx, entry, &departments::of(tx, entry, "department")?.code),
        by_date: Some("invoice_date"),
        link: None,
        finish: None,
        pages: invoices::rows,
        clear: invoices::clear,
        count: invoices::count,
    },
    Table {
        name: "expense_reports",
        columns: &[
            required("report_id", Kind::Uuid),
            required("number", Kind::Text(40)),
            required("employee", Kind::Text(64)),
            required("department", NAME),
            required("title", Kind::Text(200)),
            required("month", Kind::Month),
            required(
                "status",
                Kind::OneOf(&["draft", "submitted", "under_review", "approved", "rejected", "reimbursed"]),
            ),
            optional("submitted_at", Kind::Instant),
            optional("approved_by", Kind::Uuid),
            optional("approved_at", Kind::Instant),
            optional("notes", WORDS),
        ],
        put: put_report,
        by_date: None,
        link: None,
        finish: None,
        pages: expenses::rows,
        clear: expenses::clear,
        count: expenses::count,
    },
    Table {
        name: "expense_items",
        columns: &[
            required("report", Kind::Text(64)),
            required("expense_date", Kind::Date),
            required("category", Kind::OneOf(&["TRAVEL", "MEALS", "SUPPLIES", "SOFTWARE", "OTHER"])),
            required("description", Kind::Text(500)),
            optional("vendor", Kind::Text(200)),
            required("amount", Kind::Money),
            optional("line", Kind::Integer(1, 10_000)),
        ],
        put: |tx, entry, _| {
            let report = entry["report"].text().unwrap_or_default();
            let seq = expenses::seq_of(tx, report)?.ok_or_else(|| names_nothing("report", report))?;
            expenses::put_item(tx, entry, seq)
        },
        by_date: None,
        link: None,
        finish: None,
        pages: expenses::item_rows,
        clear: expenses::clear_items,
        count: expenses::count_items,
    },
];

fn put_report(tx: &WriteTx<'_>, entry: &Entry, _: crate::clock::Timestamp) -> Result<()> {
    let reference = entry["employee"].text().unwrap_or_default();
    let employee = EMPLOYEES.find(tx, reference)?.ok_or_else(|| names_nothing("employee", reference))?;
    expenses::put(tx, entry, &employee.employee_id, &departments::of(tx, entry, "department")?.code)
}
