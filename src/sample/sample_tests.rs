//! What the sample promises, on several days: in the middle of a month, on the first of a year, on a leap day.

use std::collections::{HashMap, HashSet};

use super::*;

pub const DAYS: [&str; 4] = ["2026-11-18", "2027-01-01", "2028-02-29", "2026-06-30"];

pub fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

pub struct Rows(HashMap<&'static str, Vec<Row>>);

impl Rows {
    pub fn of(tables: Vec<Table>) -> Self {
        let read = |table: Table| {
            let rows: Vec<Row> = table.rows.collect();
            assert_eq!(rows.len(), table.count, "{}", table.name);
            (table.name, rows)
        };
        Rows(tables.into_iter().map(read).collect())
    }

    pub fn company(today: NaiveDate) -> Self {
        Rows::of(company(today))
    }

    pub fn of_table(&self, table: &str) -> &[Row] {
        self.0.get(table).map_or(&[], Vec::as_slice)
    }

    pub fn values(&self, table: &str, column: &str) -> Vec<&str> {
        self.of_table(table).iter().filter_map(|row| text(row, column)).collect()
    }

    pub fn set(&self, table: &str, column: &str) -> HashSet<&str> {
        self.values(table, column).into_iter().collect()
    }

    #[track_caller]
    pub fn assert_unique(&self, table: &str, column: &str) {
        assert_eq!(self.set(table, column).len(), self.of_table(table).len(), "{table}.{column}");
    }

    #[track_caller]
    fn assert_found(&self, table: &str, column: &str, known: &HashSet<&str>) {
        for value in self.values(table, column) {
            assert!(known.contains(value), "{table}.{column}: {value}");
        }
    }
}

pub fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column).and_then(Value::as_str)
}

pub fn date(row: &Row, column: &str) -> Option<NaiveDate> {
    text(row, column).map(day)
}

#[test]
fn the_same_day_gives_the_same_rows() {
    let told =
        || -> Vec<Vec<Row>> { company(day(DAYS[0])).into_iter().map(|table| table.rows.collect()).collect() };
    assert_eq!(told(), told());
}

#[test]
fn there_are_as_many_as_announced() {
    let rows = Rows::company(day(DAYS[0]));
    let counts = [
        ("hr.departments", 10),
        ("hr.grades", 9),
        ("hr.employees", 63),
        ("hr.time_off", 360),
        ("finance.budgets", 30),
        ("finance.invoices", 120),
        ("finance.expense_reports", 40),
        ("sales.customers", 80),
        ("sales.deals", 200),
        ("sales.targets", 6),
        ("support.tickets", 400),
        ("support.articles", 60),
    ];
    for (table, count) in counts {
        assert_eq!(rows.of_table(table).len(), count, "{table}");
    }
}

#[test]
fn every_state_occurs() {
    let expected: [(&str, &str, &[&str]); 9] = [
        ("finance.budgets", "status", &["draft", "submitted", "approved", "active", "closed"]),
        ("finance.invoices", "status", &["pending", "approved", "paid", "rejected"]),
        (
            "finance.expense_reports",
            "status",
            &["draft", "submitted", "under_review", "approved", "rejected", "reimbursed"],
        ),
        ("sales.customers", "tier", &["enterprise", "business", "startup", "free"]),
        (
            "sales.deals",
            "stage",
            &[
                "PROSPECTING",
                "DISCOVERY",
                "QUALIFICATION",
                "PROPOSAL",
                "NEGOTIATION",
                "CLOSED_WON",
                "CLOSED_LOST",
            ],
        ),
        ("support.tickets", "status", &["open", "in_progress", "pending", "resolved", "closed"]),
        ("support.tickets", "priority", &["low", "medium", "high", "critical"]),
        (
            "support.tickets",
            "resolution_type",
            &["solved", "workaround", "duplicate", "cannot_reproduce", "wont_fix"],
        ),
        ("support.articles", "status", &["draft", "published", "archived"]),
    ];
    for today in DAYS {
        let rows = Rows::company(day(today));
        for (table, column, states) in expected {
            assert_eq!(
                rows.set(table, column),
                states.iter().copied().collect(),
                "{today}: {table}.{column}"
            );
        }
    }
}

/// Whether the rows hold together, alone or with those of the company they come on top of.
pub fn assert_references(rows: &Rows, company: &Rows) {
    let known = |table: &str, column: &str| -> HashSet<&str> {
        rows.set(table, column).union(&company.set(table, column)).copied().collect()
    };
    let employees = known("hr.employees", "number");
    for (table, column) in [
        ("hr.employees", "manager"),
        ("hr.reviews", "employee"),
        ("hr.reviews", "reviewer"),
        ("hr.time_off", "employee"),
        ("finance.expense_reports", "employee"),
    ] {
        rows.assert_found(table, column, &employees);
    }
    let people = known("hr.employees", "employee_id");
    for table in ["finance.budgets", "finance.invoices", "finance.expense_reports"] {
        rows.assert_found(table, "submitted_by", &people);
        rows.assert_found(table, "approved_by", &people);
    }
    let departments = known("hr.departments", "code");
    for table in ["hr.employees", "finance.budgets", "finance.invoices", "finance.expense_reports"] {
        rows.assert_found(table, "department", &departments);
    }
    let logins = known("hr.employees", "login");
    for (table, column) in [
        ("support.tickets", "assigned_to"),
        ("support.tickets", "created_by"),
        ("support.articles", "author"),
    ] {
        rows.assert_found(table, column, &logins);
    }
    let emails = known("hr.employees", "email");
    rows.assert_found("sales.customers", "account_owner", &emails);
    rows.assert_found("sales.deals", "owner", &emails);
    let customers = known("sales.customers", "customer_id");
    rows.assert_found("sales.deals", "customer_id", &customers);
    rows.assert_found("support.tickets", "customer_id", &customers);
    rows.assert_found("finance.expense_items", "report", &known("finance.expense_reports", "number"));
    rows.assert_found("hr.employees", "grade", &known("hr.grades", "grade"));
}

pub const KEYS: [(&str, &str); 13] = [
    ("hr.employees", "employee_id"),
    ("hr.employees", "number"),
    ("hr.employees", "login"),
    ("hr.reviews", "review_id"),
    ("finance.budgets", "budget_id"),
    ("finance.invoices", "invoice_id"),
    ("finance.invoices", "number"),
    ("finance.expense_reports", "report_id"),
    ("finance.expense_reports", "number"),
    ("sales.customers", "customer_id"),
    ("sales.deals", "deal_id"),
    ("support.tickets", "ticket_id"),
    ("support.articles", "article_id"),
];

#[test]
fn keys_are_unique_and_references_resolve() {
    for today in DAYS {
        let rows = Rows::company(day(today));
        for (table, column) in KEYS {
            rows.assert_unique(table, column);
        }
        assert_references(&rows, &rows);
        let reports = rows.of_table("finance.expense_reports");
        let months: HashSet<_> =
            reports.iter().map(|row| (text(row, "employee"), text(row, "month"))).collect();
        assert_eq!(months.len(), reports.len(), "one report per person and month");
        let vendors = rows.of_table("finance.invoices").iter().map(|row| (text(row, "vendor_id"), row));
        let mut names = HashMap::new();
        for (id, row) in vendors {
            assert_eq!(*names.entry(id).or_insert(text(row, "vendor_name")), text(row, "vendor_name"));
        }
    }
}

#[test]
fn rows_come_in_the_order_of_their_time() {
    for today in DAYS {
        let rows = Rows::company(day(today));
        for (table, column) in [
            ("finance.invoices", "invoice_date"),
            ("finance.expense_reports", "month"),
            ("sales.customers", "created_at"),
            ("sales.deals", "created_at"),
            ("support.tickets", "created_at"),
            ("support.articles", "created_at"),
        ] {
            assert!(rows.values(table, column).is_sorted(), "{today}: {table}");
        }
    }
}

#[test]
fn nothing_has_happened_tomorrow() {
    let past = [
        "hire_date",
        "terminated_on",
        "review_date",
        "submitted_at",
        "approved_at",
        "invoice_date",
        "paid_date",
        "expense_date",
        "actual_close_date",
        "created_at",
        "updated_at",
        "resolved_at",
    ];
    for today in DAYS {
        for table in company(day(today)) {
            for row in table.rows {
                for (column, value) in row.iter().filter(|(column, _)| past.contains(&column.as_str())) {
                    let day = value.as_str().unwrap();
                    assert!(&day[..10] <= today, "{today}: {} has {column} {day}", table.name);
                }
                let order = [
                    ("created_at", "updated_at"),
                    ("submitted_at", "approved_at"),
                    ("hire_date", "terminated_on"),
                ];
                for (first, then) in order {
                    let (Some(first), Some(then)) = (text(&row, first), text(&row, then)) else { continue };
                    assert!(first < then, "{}: {first} before {then}", table.name);
                }
            }
        }
    }
}
