//! What the sample promises, on several days: in the middle of a month, on the first of a year, on a leap day.

use std::collections::{HashMap, HashSet};

use chrono::Datelike;

use super::*;
use crate::identity;

const DAYS: [&str; 4] = ["2026-11-18", "2027-01-01", "2028-02-29", "2026-06-30"];

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

struct Rows(HashMap<&'static str, Vec<Row>>);

impl Rows {
    fn of(tables: Vec<Table>) -> Self {
        let read = |table: Table| {
            let rows: Vec<Row> = table.rows.collect();
            assert_eq!(rows.len(), table.count, "{}", table.name);
            (table.name, rows)
        };
        Rows(tables.into_iter().map(read).collect())
    }

    fn company(today: NaiveDate) -> Self {
        Rows::of(company(today))
    }

    fn of_table(&self, table: &str) -> &[Row] {
        self.0.get(table).map_or(&[], Vec::as_slice)
    }

    fn values(&self, table: &str, column: &str) -> Vec<&str> {
        self.of_table(table).iter().filter_map(|row| text(row, column)).collect()
    }

    fn set(&self, table: &str, column: &str) -> HashSet<&str> {
        self.values(table, column).into_iter().collect()
    }

    #[track_caller]
    fn assert_unique(&self, table: &str, column: &str) {
        assert_eq!(self.set(table, column).len(), self.of_table(table).len(), "{table}.{column}");
    }

    #[track_caller]
    fn assert_found(&self, table: &str, column: &str, known: &HashSet<&str>) {
        for value in self.values(table, column) {
            assert!(known.contains(value), "{table}.{column}: {value}");
        }
    }
}

fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column).and_then(Value::as_str)
}

fn date(row: &Row, column: &str) -> Option<NaiveDate> {
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
fn assert_references(rows: &Rows, company: &Rows) {
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

const KEYS: [(&str, &str); 13] = [
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

#[test]
fn marcus_has_fifteen_days_of_vacation_left() {
    for today in DAYS {
        let rows = Rows::company(day(today));
        let year = day(today).year();
        let is_his = |row: &&Row| text(row, "employee") == Some("EMP052") && row["year"] == year;
        let his =
            rows.of_table("hr.time_off").iter().filter(is_his).find(|row| row["type_code"] == "VACATION");
        let days = |column: &str| his.unwrap()[column].as_f64().unwrap();
        assert_eq!(days("entitlement") + days("carryover") - days("used") - days("pending"), 15.0);
    }
}

#[test]
fn the_engineering_manager_has_reviews_to_hold() {
    for today in DAYS {
        let today = day(today);
        let rows = Rows::company(today);
        let due: Vec<(&Row, i64)> = rows
            .of_table("hr.reviews")
            .iter()
            .filter(|row| text(row, "review_date").is_none())
            .map(|row| (row, (date(row, "due_date").unwrap() - today).num_days()))
            .collect();
        assert!((18..=24).contains(&due.len()), "about a third: {}", due.len());
        let hers: Vec<i64> =
            due.iter().filter(|(row, _)| row["reviewer"] == "EMP051").map(|(_, days)| *days).collect();
        assert!(hers.iter().filter(|days| **days <= 30).count() >= 2, "{hers:?}");
        assert!(due.iter().any(|(_, days)| *days < 0) && due.iter().any(|(_, days)| *days > 30));
        let is_held = |row: &Row| row["reviewer"] == "EMP051" && text(row, "review_date").is_some();
        assert!(rows.of_table("hr.reviews").iter().any(is_held));
    }
}

#[test]
fn deals_close_this_month_and_invoices_are_overdue() {
    for today in DAYS {
        let today = day(today);
        let rows = Rows::company(today);
        let is_open = |row: &&Row| !text(row, "stage").unwrap().starts_with("CLOSED");
        let this_month = days::month(today);
        let closes = |row: &&Row| text(row, "expected_close_date").unwrap().starts_with(&this_month);
        let closing = rows.of_table("sales.deals").iter().filter(is_open).filter(closes).count();
        assert!((8..40).contains(&closing), "{today}: {closing} deals close");
        let is_overdue = |row: &&Row| row["status"] == "pending" && date(row, "due_date").unwrap() < today;
        let overdue = rows.of_table("finance.invoices").iter().filter(is_overdue).count();
        assert!((8..20).contains(&overdue), "{today}: {overdue} invoices are overdue");
    }
}

#[test]
fn the_people_of_the_demonstration_have_what_it_asks_about() {
    for today in DAYS {
        let today = day(today);
        let rows = Rows::company(today);
        for number in ["EMP051", "EMP052", "EMP061"] {
            for months in 0..3 {
                let month = days::month(days::month_before(today, months));
                let is_wanted = |row: &Row| row["employee"] == number && row["month"] == *month;
                assert!(rows.of_table("finance.expense_reports").iter().any(is_wanted), "{number} {month}");
            }
        }
        let created = rows.values("support.tickets", "created_by");
        for login in ["marcus.johnson", "frank.davis"] {
            assert!(created.iter().filter(|creator| **creator == login).count() >= 5, "{login}");
        }
        let owners = rows.values("sales.deals", "owner");
        for (owner, count) in [("marcus.johnson", 1), ("nina.patel", 1)] {
            assert_eq!(owners.iter().filter(|email| email.starts_with(owner)).count(), count, "{owner}");
        }
        let bob = identity::user_uuid("bob.martinez");
        let waits = |row: &Row| row["status"] == "submitted" && row["submitted_by"] == *bob;
        assert!(rows.of_table("finance.budgets").iter().any(waits));
    }
}

#[test]
fn who_approves_has_not_submitted() {
    for table in company(day(DAYS[0])).into_iter().filter(|table| table.name.starts_with("finance.")) {
        for row in table.rows {
            let (submitted, approved) = (text(&row, "submitted_by"), text(&row, "approved_by"));
            assert!(submitted.is_none() || submitted != approved, "{}", table.name);
        }
    }
}

#[test]
fn some_salaries_lie_outside_their_band() {
    let rows = Rows::company(day(DAYS[0]));
    let bands: HashMap<_, _> =
        rows.of_table("hr.grades").iter().map(|row| (text(row, "grade"), row)).collect();
    let is_outside = |row: &&Row| {
        let band = bands[&text(row, "grade")];
        let bound = |column: &str| band[column].as_i64().unwrap();
        let salary = row["salary"].as_i64().unwrap();
        salary < bound("min_salary") || salary > bound("max_salary")
    };
    let outside = rows.of_table("hr.employees").iter().filter(is_outside).count();
    assert!((3..12).contains(&outside), "{outside}");
}

#[test]
fn free_text_holds_nothing_that_is_hidden_elsewhere() {
    let hidden = regex::Regex::new(r"@|\d{3}-\d{2}-\d{4}|555|\d{4,}|\$").unwrap();
    let free = [
        "strengths",
        "areas_for_improvement",
        "comments",
        "notes",
        "loss_reason",
        "title",
        "subject",
        "content",
        "summary",
        "resolution",
        "deal_name",
        "vendor",
    ];
    let more = more(day(DAYS[0]), Volume { tickets: 500, articles: 100, deals: 500, ..Volume::SAMPLE });
    for table in company(day(DAYS[0])).into_iter().chain(more) {
        for row in table.rows {
            // The description of an invoice names a year; nothing else has a number of four digits.
            let is_told = table.name == "support.tickets" || table.name == "finance.expense_items";
            for (column, value) in &row {
                let is_free = free.contains(&column.as_str()) || (column == "description" && is_told);
                let found = is_free.then(|| hidden.find(value.as_str().unwrap())).flatten();
                assert!(found.is_none(), "{}.{column}: {value}", table.name);
            }
        }
    }
}

#[test]
fn tickets_are_told_in_a_few_sentences_and_can_be_found() {
    let rows = Rows::company(day(DAYS[0]));
    let mut found: HashMap<&str, usize> = HashMap::new();
    for row in rows.of_table("support.tickets") {
        let description = text(row, "description").unwrap();
        let words = description.split_whitespace().count();
        assert!((15..=60).contains(&words), "{words} words: {description}");
        let all = format!("{} {description}", text(row, "subject").unwrap()).to_lowercase();
        for wanted in ["login timeout", "refund", "invoice export"] {
            if wanted.split(' ').all(|word| all.contains(word)) {
                *found.entry(wanted).or_default() += 1;
            }
        }
    }
    assert!(found.len() == 3 && found.values().all(|count| (5..60).contains(count)), "{found:?}");
}

#[test]
fn the_personas_hold_their_roles() {
    let roles: HashMap<String, Vec<String>> = roles().into_iter().collect();
    let of = |login: &str| roles.get(login).map(|roles| roles.join(" ")).unwrap_or_default();
    assert_eq!(of("eve.thompson"), "executive manager");
    assert_eq!(of("alice.chen"), "hr-read hr-write manager");
    assert_eq!(of("bob.martinez"), "finance-read finance-write manager");
    assert_eq!(of("carol.johnson"), "sales-read sales-write manager");
    assert_eq!(of("dan.williams"), "support-read manager");
    assert_eq!(of("nina.patel"), "manager");
    assert_eq!((of("marcus.johnson"), of("frank.davis")), (String::new(), String::new()));
}

#[test]
fn more_comes_on_top_of_the_company_and_holds_together() {
    let volume = Volume {
        employees: 3_000,
        invoices: 2_000,
        expense_reports: 4_000,
        customers: 1_500,
        deals: 2_000,
        tickets: 3_000,
        articles: 200,
    };
    for today in DAYS {
        let today = day(today);
        let (rows, company) = (Rows::of(more(today, volume)), Rows::company(today));
        assert_references(&rows, &company);
        for (table, column) in KEYS {
            rows.assert_unique(table, column);
            let both = rows.set(table, column).intersection(&company.set(table, column)).count();
            assert_eq!(both, 0, "{table}.{column} is in both");
        }
        let mut known = company.set("hr.employees", "number");
        for row in rows.of_table("hr.employees") {
            assert!(known.contains(text(row, "manager").unwrap()), "managers come first");
            known.insert(text(row, "number").unwrap());
        }
    }
}

#[test]
fn what_there_is_nothing_of_is_left_out() {
    let none = Volume {
        employees: 0,
        invoices: 0,
        expense_reports: 0,
        customers: 0,
        deals: 0,
        tickets: 0,
        articles: 0,
    };
    assert!(more(day(DAYS[0]), none).is_empty());
    let names = |volume| more(day(DAYS[0]), volume).iter().map(|table| table.name).collect::<Vec<_>>();
    assert_eq!(names(Volume { tickets: 3, ..none }), ["support.tickets"]);
    assert_eq!(
        names(Volume { expense_reports: 3, ..none }),
        ["finance.expense_reports", "finance.expense_items"]
    );
}
