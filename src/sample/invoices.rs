//! What vendors ask to be paid.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};

use super::dice::Dice;
use super::staff;
use super::{Row, Table, days, money, row};

const TERMS: [i64; 4] = [30, 14, 30, 45];

struct Vendor {
    id: String,
    name: &'static str,
    department: &'static str,
    low: i64,
    high: i64,
    description: &'static str,
}

/// Written by hand; several share a part of their name, so that a search by name has to choose.
static VENDORS: LazyLock<Vec<Vendor>> = LazyLock::new(|| {
    let lines = include_str!("../../assets/sample/vendors.csv").lines().skip(1);
    lines.enumerate().filter_map(|(index, line)| vendor(index, line)).collect()
});

fn vendor(index: usize, line: &'static str) -> Option<Vendor> {
    let fields: Vec<&str> = line.split(',').collect();
    let [name, department, low, high, description] = fields[..] else { return None };
    let id = format!("VEND-{:03}", index + 1);
    Some(Vendor { id, name, department, low: low.parse().ok()?, high: high.parse().ok()?, description })
}

/// Invoices one after the other over so many days, up to three days ago.
#[derive(Clone, Copy)]
struct Run {
    today: NaiveDate,
    days: i64,
    count: usize,
}

impl Run {
    fn date(self, index: usize) -> NaiveDate {
        let left = (self.count - 1 - index) as i64;
        days::plus(self.today, -3 - left * self.days / self.count as i64)
    }

    /// Each year counts from one.
    fn number(self, index: usize) -> String {
        let year = self.date(index).year();
        let earlier = (0..index).take_while(|earlier| self.date(*earlier).year() < year).count();
        format!("INV-{year}-{:03}", index - earlier + 1)
    }
}

pub fn company(today: NaiveDate, count: usize) -> Table {
    let run = Run { today, days: 300, count };
    Table::each("finance.invoices", count, move |index| {
        invoice(today, run.date(index), run.number(index), index)
    })
}

/// Over three years; their numbers do not start again with the year.
pub fn more(today: NaiveDate, count: usize) -> Table {
    let run = Run { today, days: 1095, count };
    Table::each("finance.invoices", count, move |index| {
        let date = run.date(index);
        invoice(today, date, format!("INV-{}-{}", date.year(), 1000 + index), 1000 + index)
    })
}

/// Old ones are paid, but for a few that were forgotten; the latest wait.
fn status(age: i64, index: usize) -> &'static str {
    match (age, index % 37, index % 4) {
        (_, 5 | 22, _) => "rejected",
        (91.., 3, _) => "pending",
        (91.., ..) | (_, _, 2) => "paid",
        (_, _, 1) => "approved",
        _ => "pending",
    }
}

fn invoice(today: NaiveDate, date: NaiveDate, number: String, index: usize) -> Row {
    let mut dice = Dice::new("invoice", index);
    let id = dice.uuid();
    let vendor = dice.pick(&VENDORS);
    let due = days::plus(date, *dice.pick(&TERMS));
    let age = (today - date).num_days();
    let status = status(age, index);
    // Bob hands in a few himself; those are approved by his manager.
    let submitter = *dice.pick(&["EMP023", "EMP023", "EMP022", "EMP021", "EMP020"]);
    let approver = if submitter == "EMP020" { "EMP003" } else { "EMP020" };
    let is_approved = matches!(status, "approved" | "paid");
    let paid = days::plus(date, dice.between(2, 40).min(age - 1));
    row([
        ("invoice_id", id.into()),
        ("number", number.into()),
        ("vendor_name", vendor.name.into()),
        ("vendor_id", vendor.id.as_str().into()),
        ("amount", money(dice.between(vendor.low * 100, vendor.high * 100))),
        ("currency", "USD".into()),
        ("description", format!("{}, {}", vendor.description, date.format("%B %Y")).into()),
        ("department", vendor.department.into()),
        ("status", status.into()),
        ("invoice_date", date.to_string().into()),
        ("due_date", due.to_string().into()),
        ("submitted_by", staff::uuid_of(submitter).into()),
        ("submitted_at", days::at_work(date, dice.below(540)).into()),
        ("approved_by", is_approved.then(|| staff::uuid_of(approver)).into()),
        ("approved_at", is_approved.then(|| days::at_work(days::plus(date, 1), dice.below(540))).into()),
        ("paid_date", (status == "paid").then(|| paid.to_string()).into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_are_read_and_their_departments_known() {
        assert_eq!(VENDORS.len(), 24);
        let known = |code| staff::DEPARTMENTS.iter().any(|(department, ..)| *department == code);
        assert!(VENDORS.iter().all(|vendor| known(vendor.department)));
    }
}
