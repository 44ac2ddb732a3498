//! Rules of sales that need no data: stages and quarters.

use chrono::{Months, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Stage {
    Prospecting,
    Discovery,
    Qualification,
    Proposal,
    Negotiation,
    ClosedWon,
    ClosedLost,
}

impl Stage {
    pub const NAMES: [&str; 7] =
        ["PROSPECTING", "DISCOVERY", "QUALIFICATION", "PROPOSAL", "NEGOTIATION", "CLOSED_WON", "CLOSED_LOST"];

    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

pub fn is_closed(stage: &str) -> bool {
    stage.starts_with("CLOSED_")
}

/// A quarter of a year: its name, its first day, and the first day after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarter {
    pub name: String,
    pub from: String,
    pub before: String,
}

impl Quarter {
    /// Reads `2026-Q4`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, quarter) = text.trim().split_once("-Q")?;
        let is_plain = year.len() == 4 && quarter.len() == 1;
        let number: u32 = quarter.parse().ok().filter(|number| is_plain && (1..=4).contains(number))?;
        Self::of(year.parse().ok()?, number)
    }

    /// The one a day is in.
    pub fn around(day: &str) -> Option<Self> {
        let month: u32 = day.get(5..7)?.parse().ok()?;
        Self::of(day.get(..4)?.parse().ok()?, month.checked_sub(1)? / 3 + 1)
    }

    fn of(year: i32, number: u32) -> Option<Self> {
        let from = NaiveDate::from_ymd_opt(year, number * 3 - 2, 1)?;
        let before = from.checked_add_months(Months::new(3))?;
        Some(Quarter {
            name: format!("{year:04}-Q{number}"),
            from: from.to_string(),
            before: before.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_have_a_name_and_two_ends() {
        let last = Quarter::parse("2026-Q4").unwrap();
        assert_eq!((last.from.as_str(), last.before.as_str()), ("2026-10-01", "2027-01-01"));
        for (day, name) in [("2026-01-01", "2026-Q1"), ("2026-06-30", "2026-Q2"), ("2026-12-31", "2026-Q4")] {
            assert_eq!(Quarter::around(day).unwrap().name, name);
        }
        for wrong in ["2026-Q5", "2026-Q0", "2026Q1", "26-Q1", "2026-Q", "2026-Q11", ""] {
            assert_eq!(Quarter::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn stages_have_their_names() {
        for (stage, name) in [(Stage::Prospecting, "PROSPECTING"), (Stage::ClosedLost, "CLOSED_LOST")] {
            assert_eq!(stage.as_str(), name);
            assert_eq!(serde_json::to_value(stage).unwrap(), name);
        }
    }
}
