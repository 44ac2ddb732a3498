//! Days people may be away, in halves.

use chrono::{Datelike, NaiveDate};
use serde_json::Value;

use super::dice::Dice;
use super::staff::{self, Person};
use super::{Row, Table, row};

/// Days a year, and how many of them may go into the next one.
const TYPES: [(&str, i64, i64); 3] = [("VACATION", 15, 5), ("SICK", 6, 3), ("PERSONAL", 3, 2)];

/// A balance in half days.
struct Balance {
    entitlement: i64,
    used: i64,
    pending: i64,
    carryover: i64,
}

pub fn company(today: NaiveDate) -> Table {
    let mut rows = Vec::new();
    for person in staff::active() {
        for back in [1, 0] {
            for kind in 0..TYPES.len() {
                rows.push(balance(today, person, back, kind));
            }
        }
    }
    Table::of("hr.time_off", rows)
}

fn balance(today: NaiveDate, person: &Person, back: i32, kind: usize) -> Row {
    let (code, ..) = TYPES[kind];
    let is_told = person.login == "marcus.johnson" && back == 0 && code == "VACATION";
    // Fifteen days are left to him, whatever the day: the demonstration asks for it.
    let told = Balance { entitlement: 30, used: 6, pending: 2, carryover: 8 };
    let balance = if is_told { told } else { usual(today, person, back, kind) };
    row([
        ("employee", person.number.as_str().into()),
        ("year", (today.year() - back).into()),
        ("type_code", code.into()),
        ("entitlement", halves(balance.entitlement)),
        ("used", halves(balance.used)),
        ("pending", halves(balance.pending)),
        ("carryover", halves(balance.carryover)),
    ])
}

/// What has been taken grows over the year; nobody has taken more than there was.
fn usual(today: NaiveDate, person: &Person, back: i32, kind: usize) -> Balance {
    let (_, days, carried) = TYPES[kind];
    let mut dice = Dice::new(&person.login, kind * 2 + back as usize);
    let senior = if kind == 0 && person.grade >= "L6" { 5 } else { 0 };
    let entitlement = 2 * (days + senior);
    let carryover = dice.between(0, 2 * carried);
    let passed = if back == 0 { i64::from(today.ordinal()) } else { 365 };
    let used = entitlement * passed * dice.between(30, 95) / 365 / 100;
    let pending = if back == 0 && kind == 0 { dice.between(0, 6).min(entitlement - used) } else { 0 };
    Balance { entitlement, used, pending, carryover }
}

fn halves(count: i64) -> Value {
    if count % 2 == 0 { Value::from(count / 2) } else { Value::from(count as f64 / 2.0) }
}
