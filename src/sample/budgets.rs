//! What departments may spend: last year's, this year's and the next.

use chrono::{Datelike, NaiveDate};
use serde_json::Value;

use super::dice::Dice;
use super::staff::{self, DEPARTMENTS};
use super::words::WORDS;
use super::{Row, Table, days, money, row};

const CFO: &str = "EMP003";

pub fn company(today: NaiveDate) -> Table {
    let years = [-1, 0, 1];
    let rows = years.iter().flat_map(|year| (0..DEPARTMENTS.len()).map(|place| budget(today, *year, place)));
    Table::of("finance.budgets", rows.collect())
}

/// Finance's own for next year waits too, handed in by the one who otherwise approves.
fn status(year: i32, department: &str) -> &'static str {
    match (year, department) {
        (-1, _) => "closed",
        (0, "OPS" | "LEGAL") => "approved",
        (0, _) => "active",
        (_, "HR" | "SUPPORT") => "approved",
        (_, "FIN" | "ENG" | "MKT" | "SALES") => "submitted",
        _ => "draft",
    }
}

fn budget(today: NaiveDate, year: i32, place: usize) -> Row {
    let (department, _, head, yearly) = DEPARTMENTS[place];
    let mut dice = Dice::new(department, (year + 1) as usize);
    let id = dice.uuid();
    let status = status(year, department);
    let submitted = match year {
        1 => days::plus(today, -dice.between(16, 40)),
        _ => days::plus(
            days::month_before(today.with_ordinal(1).unwrap_or(today), 2 - year * 12),
            dice.between(0, 26),
        ),
    };
    let approved = days::plus(submitted, dice.between(2, 14));
    let is_submitted = status != "draft";
    let is_approved = is_submitted && status != "submitted";
    let when = |holds: bool, value: Value| if holds { value } else { Value::Null };
    let growth = 100 + 4 * i64::from(year);
    let allocated: [i64; 4] =
        std::array::from_fn(|_| yearly * growth / 400 * dice.between(92, 108) / 100 / 100 * 100);
    let spent: [i64; 4] = std::array::from_fn(|quarter| {
        let share = spent_percent(today, year, status, quarter) * dice.between(82, 109);
        allocated[quarter] * share / 100 + dice.between(0, 99) * i64::from(share > 0)
    });
    let note = when(dice.chance(40), dice.pick(&WORDS.budget_notes).as_str().into());
    row([
        ("budget_id", id.into()),
        ("department", department.into()),
        ("fiscal_year", (today.year() + year).into()),
        ("status", status.into()),
        ("submitted_by", when(is_submitted, staff::uuid_of(head).into())),
        ("submitted_at", when(is_submitted, days::at_work(submitted, dice.below(540)).into())),
        ("approved_by", when(is_approved, staff::uuid_of(CFO).into())),
        ("approved_at", when(is_approved, days::at_work(approved, dice.below(540)).into())),
        ("notes", note),
        ("q1_allocated", allocated[0].into()),
        ("q2_allocated", allocated[1].into()),
        ("q3_allocated", allocated[2].into()),
        ("q4_allocated", allocated[3].into()),
        ("q1_spent", money(spent[0])),
        ("q2_spent", money(spent[1])),
        ("q3_spent", money(spent[2])),
        ("q4_spent", money(spent[3])),
    ])
}

/// How much of a quarter has passed; only what is or was active has been spent.
fn spent_percent(today: NaiveDate, year: i32, status: &str, quarter: usize) -> i64 {
    let current = today.month0() as usize / 3;
    match status {
        "closed" => 100,
        "active" if year == 0 && quarter < current => 100,
        "active" if year == 0 && quarter == current => {
            let start = days::month_before(today, today.month0() as i32 % 3);
            ((today - start).num_days() * 100 / 92).clamp(1, 100)
        }
        _ => 0,
    }
}
