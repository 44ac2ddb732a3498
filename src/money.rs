//! Money: counted in cents, written as a number.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Larger amounts are mistakes, and would lose cents in JSON.
pub const MOST: f64 = 1e12;

/// An amount in hundredths of its currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cents(pub i64);

impl Cents {
    /// The amount nearest to a number; none if it is no amount.
    pub fn from_number(number: f64) -> Option<Self> {
        (number.is_finite() && number.abs() <= MOST).then(|| Cents((number * 100.0).round() as i64))
    }
}

impl std::ops::Add for Cents {
    type Output = Cents;

    fn add(self, other: Cents) -> Cents {
        Cents(self.0.saturating_add(other.0))
    }
}

impl std::ops::Sub for Cents {
    type Output = Cents;

    fn sub(self, other: Cents) -> Cents {
        Cents(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for Cents {
    fn sum<I: Iterator<Item = Cents>>(amounts: I) -> Cents {
        amounts.fold(Cents(0), |sum, each| sum + each)
    }
}

impl Serialize for Cents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % 100 {
            0 => serializer.serialize_i64(self.0 / 100),
            _ => serializer.serialize_f64(self.0 as f64 / 100.0),
        }
    }
}

impl JsonSchema for Cents {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Cents".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

/// With commas, and with cents where there are any, for sentences.
impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = (self.0 / 100).unsigned_abs().to_string();
        let mut grouped = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        match (self.0 % 100).abs() {
            0 => write!(f, "{sign}{grouped}"),
            cents => write!(f, "{sign}{grouped}.{cents:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_keep_their_cents() {
        let cases = [
            (0.0, "0", "0"),
            (120_000.0, "120000", "120,000"),
            (1_234_567.5, "1234567.5", "1,234,567.50"),
            (0.07, "0.07", "0.07"),
            (-950.1, "-950.1", "-950.10"),
        ];
        for (number, json, text) in cases {
            let amount = Cents::from_number(number).unwrap();
            assert_eq!(serde_json::to_string(&amount).unwrap(), json);
            assert_eq!(amount.to_string(), text);
        }
        assert_eq!([f64::NAN, 1e13].map(Cents::from_number), [None, None]);
    }
}
