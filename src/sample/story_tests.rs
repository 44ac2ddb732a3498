//! What the demonstration asks about is there, whatever the day.

use std::collections::HashMap;

use chrono::Datelike;

use super::sample_tests::{DAYS, Rows, date, day, text};
use super::*;
use crate::identity;

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
