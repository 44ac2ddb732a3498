//! What was said about people's work, and what is still to be said.

use chrono::NaiveDate;
use serde_json::Value;

use super::dice::Dice;
use super::staff::{self, Person};
use super::words::WORDS;
use super::{Row, Table, days, row};

/// Everybody with a manager has had one or two, and this half year's, held or still due.
pub fn company(today: NaiveDate) -> Table {
    let mut rows = Vec::new();
    for (index, person) in staff::active().enumerate() {
        let Some(manager) = &person.manager else { continue };
        for halves in (0..3).rev() {
            if halves == 2 && index % 2 == 0 {
                continue;
            }
            rows.push(review(today, halves, person, manager));
        }
    }
    Table::of("hr.reviews", rows)
}

fn review(today: NaiveDate, halves: i32, person: &Person, manager: &str) -> Row {
    let mut dice = Dice::new(&person.login, 1000 + halves as usize);
    let id = dice.uuid();
    let held = days::plus(today, -183 * i64::from(halves) - dice.between(4, 45));
    let is_held = halves > 0 || person.due.is_none();
    let due = match person.due {
        Some(days) if !is_held => days::plus(today, days),
        _ => days::plus(held, dice.between(-5, 12)),
    };
    let when_held = |value: Value| if is_held { value } else { Value::Null };
    let rating = dice.between(24, 50);
    row([
        ("review_id", id.into()),
        ("employee", person.number.as_str().into()),
        ("reviewer", manager.into()),
        ("period", days::half(days::month_before(today, 6 * halves)).into()),
        ("due_date", due.to_string().into()),
        ("review_date", when_held(held.to_string().into())),
        ("overall_rating", when_held((rating as f64 / 10.0).into())),
        ("goals_met_percentage", when_held((rating * 2 - dice.between(0, 9)).into())),
        ("strengths", when_held(dice.pick(&WORDS.strengths).as_str().into())),
        ("areas_for_improvement", when_held(dice.pick(&WORDS.improvements).as_str().into())),
        ("comments", when_held(dice.pick(&WORDS.review_comments).as_str().into())),
    ])
}
