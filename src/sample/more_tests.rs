//! What comes on top of the company, and what neither of them may tell.

use super::sample_tests::{DAYS, KEYS, Rows, assert_references, day, text};
use super::*;

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
