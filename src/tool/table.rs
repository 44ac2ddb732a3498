//! Rows that people bring in files and take out again: what the columns are, and what fits into them.

use std::ops::Index;

use chrono::{DateTime, NaiveDate};
use serde_json::Value;

use super::JsonObject;
use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::{Error, Result, nearest};
use crate::id::is_uuid;
use crate::money::Cents;

/// What a column takes. Money is kept in cents, days and decimals in hundredths or tenths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Up to so many characters.
    Text(usize),
    Uuid,
    Integer(i64, i64),
    /// A number with one decimal, in tenths.
    Tenths(i64, i64),
    /// A number of days, in hundredths.
    Days,
    Money,
    Date,
    Month,
    Instant,
    Truth,
    OneOf(&'static [&'static str]),
    /// A list of words; in CSV with semicolons between them.
    Words,
}

#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
}

/// A column that every row has.
pub const fn required(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: true }
}

/// A column that may be empty.
pub const fn optional(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: false }
}

/// Rows after a key, with their keys, as a file would hold them.
pub type Pages = fn(&ReadTx<'_>, i64, i64) -> Result<Vec<(i64, Vec<Field>)>>;

/// A family's table, as files know it.
#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    pub columns: &'static [Column],
    /// Adds a row, or replaces the one with its key.
    pub put: fn(&WriteTx<'_>, &Entry, Timestamp) -> Result<()>,
    /// The column whose order is that of time, for tables that are listed in the order rows came.
    pub by_date: Option<&'static str>,
    /// Joins a row to others that may have come after it.
    pub link: Option<fn(&WriteTx<'_>, &Entry) -> Result<()>>,
    /// What is derived from all rows is made anew.
    pub finish: Option<fn(&WriteTx<'_>) -> Result<()>>,
    pub pages: Pages,
    pub clear: fn(&WriteTx<'_>) -> Result<()>,
    /// How many rows there are, those out of sight left out.
    pub count: fn(&ReadTx<'_>) -> Result<i64>,
}

/// A row that fits its table.
#[derive(Clone, Debug)]
pub struct Entry {
    columns: &'static [Column],
    fields: Vec<Field>,
}

impl Entry {
    /// The same row with another value in a column.
    pub fn with(mut self, name: &str, field: Field) -> Self {
        let at = self.columns.iter().position(|column| column.name == name);
        if let Some(place) = at.and_then(|at| self.fields.get_mut(at)) {
            *place = field;
        }
        self
    }
}

impl Index<&str> for Entry {
    type Output = Field;

    fn index(&self, name: &str) -> &Field {
        const NOTHING: &Field = &Field::Null;
        let at = self.columns.iter().position(|column| column.name == name);
        at.and_then(|at| self.fields.get(at)).unwrap_or(NOTHING)
    }
}

impl Table {
    /// Reads a row; every column that does not fit is a problem of its own.
    pub fn read(&self, row: &JsonObject) -> std::result::Result<Entry, Vec<String>> {
        let mut problems = Vec::new();
        for name in row.keys().filter(|name| !self.columns.iter().any(|column| column.name == *name)) {
            problems.push(match nearest(name, self.columns.iter().map(|column| column.name)) {
                Some(near) => format!("there is no column `{name}`; did you mean `{near}`?"),
                None => format!("there is no column `{name}`"),
            });
        }
        let fields = self.columns.iter().map(|column| match row.get(column.name) {
            None | Some(Value::Null) if column.required => Err(format!("`{}` is missing", column.name)),
            None | Some(Value::Null) => Ok(Field::Null),
            Some(Value::String(text)) if text.trim().is_empty() => match column.required {
                true => Err(format!("`{}` is empty", column.name)),
                false => Ok(Field::Null),
            },
            Some(value) => column.kind.read(value).ok_or_else(|| {
                let shown: String = value.to_string().chars().take(40).collect();
                format!("`{}` is {shown}, expected {}", column.name, column.kind.expected())
            }),
        });
        let fields: Vec<Field> = fields
            .map(|field| {
                field.unwrap_or_else(|problem| {
                    problems.push(problem);
                    Field::Null
                })
            })
            .collect();
        if problems.is_empty() { Ok(Entry { columns: self.columns, fields }) } else { Err(problems) }
    }

    /// A row as a file holds it; columns without a value are left out.
    pub fn written(&self, fields: Vec<Field>) -> JsonObject {
        let named = self.columns.iter().zip(fields);
        let named = named.filter(|(_, field)| *field != Field::Null);
        named.map(|(column, field)| (column.name.to_owned(), column.kind.write(field))).collect()
    }
}

impl Kind {
    fn read(self, value: &Value) -> Option<Field> {
        let text = match value {
            Value::String(text) => Some(text.trim()),
            _ => None,
        };
        let number = || value.as_f64().or_else(|| text?.parse::<f64>().ok());
        let integer = |number: i64| Some(Field::Integer(number));
        let scaled = |scale: f64| {
            let scaled = number()? * scale;
            ((scaled - scaled.round()).abs() < 1e-6).then(|| scaled.round() as i64)
        };
        match self {
            Kind::Text(most) => text.filter(|text| text.chars().count() <= most).map(owned),
            Kind::Uuid => text.filter(|text| is_uuid(text)).map(|text| Field::Text(text.to_lowercase())),
            Kind::Integer(least, most) => {
                let number = value.as_i64().or_else(|| text?.parse().ok())?;
                (least..=most).contains(&number).then_some(Field::Integer(number))
            }
            Kind::Tenths(least, most) => {
                scaled(10.0).filter(|number| (least..=most).contains(number)).and_then(integer)
            }
            Kind::Days => scaled(100.0).filter(|number| number.abs() <= 1_000_000).and_then(integer),
            Kind::Money => Cents::from_number(number()?).map(|amount| Field::Integer(amount.0)),
            Kind::Date => text.filter(|text| is_date(text)).map(owned),
            Kind::Month => text.filter(|text| is_month(text)).map(owned),
            Kind::Instant => {
                let text = text?;
                let at = DateTime::parse_from_rfc3339(text).map(|at| at.timestamp_millis());
                let at = at.ok().or_else(|| is_date(text).then(|| day_begins(text))?);
                at.and_then(integer)
            }
            Kind::Truth => match (value, text) {
                (Value::Bool(truth), _) => integer(i64::from(*truth)),
                (_, Some("true" | "yes" | "1")) => integer(1),
                (_, Some("false" | "no" | "0")) => integer(0),
                _ => None,
            },
            Kind::OneOf(options) => text.filter(|text| options.contains(text)).map(owned),
            Kind::Words => match value {
                Value::Array(words) => {
                    words.iter().all(Value::is_string).then(|| Field::Text(value.to_string()))
                }
                _ => {
                    let words: Vec<&str> =
                        text?.split(';').map(str::trim).filter(|word| !word.is_empty()).collect();
                    Some(Field::Text(Value::from(words).to_string()))
                }
            },
        }
    }

    fn write(self, field: Field) -> Value {
        match (self, field) {
            (_, Field::Null) => Value::Null,
            (Kind::Money | Kind::Days, Field::Integer(number)) => {
                serde_json::to_value(Cents(number)).unwrap_or_default()
            }
            (Kind::Tenths(..), Field::Integer(number)) => Value::from(number as f64 / 10.0),
            (Kind::Truth, Field::Integer(number)) => Value::Bool(number != 0),
            (Kind::Instant, Field::Integer(number)) => Value::String(Timestamp(number).rfc3339()),
            (Kind::Words, Field::Text(words)) => serde_json::from_str(&words).unwrap_or_default(),
            (_, Field::Integer(number)) => Value::from(number),
            (_, Field::Text(text)) => Value::String(text),
        }
    }

    /// What fits, in words.
    pub fn expected(self) -> String {
        match self {
            Kind::Text(most) => format!("a text of at most {most} characters"),
            Kind::Uuid => "a UUID".to_owned(),
            Kind::Integer(least, most) => format!("a whole number from {least} to {most}"),
            Kind::Tenths(least, most) => {
                format!("a number from {} to {} with one decimal", least as f64 / 10.0, most as f64 / 10.0)
            }
            Kind::Days => "a number of days".to_owned(),
            Kind::Money => "an amount".to_owned(),
            Kind::Date => "a date as YYYY-MM-DD".to_owned(),
            Kind::Month => "a month as YYYY-MM".to_owned(),
            Kind::Instant => "an instant as 2026-11-02T09:15:00Z, or a date".to_owned(),
            Kind::Truth => "true or false".to_owned(),
            Kind::OneOf(options) => format!("one of {}", options.join(", ")),
            Kind::Words => "a list of words, with semicolons between them".to_owned(),
        }
    }
}

/// Whether a text is a calendar day in its one form.
pub fn is_date(text: &str) -> bool {
    text.len() == 10 && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

/// Whether a text is a month in its one form.
pub fn is_month(text: &str) -> bool {
    text.len() == 7 && is_date(&format!("{text}-01"))
}

/// The first millisecond of a day, in UTC.
pub fn day_begins(date: &str) -> Option<i64> {
    let day = NaiveDate::parse_from_str(date, "%Y-%m-%d").ok()?;
    Some(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
}

/// The error for a row that names something that is not there.
pub fn names_nothing(column: &str, value: &str) -> Error {
    Error::invalid(format!("`{column}` names `{value}`, which is not there")).detail("field", column)
}

fn owned(text: &str) -> Field {
    Field::Text(text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_fit_their_columns_from_text_and_from_json_and_come_back() {
        let cases = [
            (Kind::Text(3), json!("abc"), Some(json!("abc"))),
            (Kind::Text(3), json!("abcd"), None),
            (Kind::Text(3), json!(7), None),
            (Kind::Money, json!("12.34"), Some(json!(12.34))),
            (Kind::Money, json!(12), Some(json!(12))),
            (Kind::Money, json!("twelve"), None),
            (Kind::Days, json!(2.5), Some(json!(2.5))),
            (Kind::Tenths(10, 50), json!("4.2"), Some(json!(4.2))),
            (Kind::Tenths(10, 50), json!(5.1), None),
            (Kind::Tenths(10, 50), json!(4.25), None),
            (Kind::Integer(0, 9), json!("9"), Some(json!(9))),
            (Kind::Integer(0, 9), json!(10), None),
            (Kind::Date, json!("2026-02-28"), Some(json!("2026-02-28"))),
            (Kind::Date, json!("2026-02-29"), None),
            (Kind::Date, json!("2026-2-28"), None),
            (Kind::Month, json!("2026-13"), None),
            (Kind::Instant, json!("2026-02-28T01:00:00+01:00"), Some(json!("2026-02-28T00:00:00.000Z"))),
            (Kind::Instant, json!("2026-02-28"), Some(json!("2026-02-28T00:00:00.000Z"))),
            (Kind::Truth, json!("yes"), Some(json!(true))),
            (Kind::Truth, json!(1), None),
            (Kind::OneOf(&["a", "b"]), json!("b"), Some(json!("b"))),
            (Kind::OneOf(&["a", "b"]), json!("c"), None),
            (Kind::Words, json!("x; y"), Some(json!(["x", "y"]))),
            (Kind::Words, json!(["x", 1]), None),
        ];
        for (kind, value, expected) in cases {
            let back = kind.read(&value).map(|field| kind.write(field));
            assert_eq!(back, expected, "{kind:?} {value}");
        }
    }

    #[test]
    fn every_problem_of_a_row_is_told() {
        fn nothing<T, U>(_: &T, _: i64, _: i64) -> Result<Vec<U>> {
            Ok(Vec::new())
        }
        const COLUMNS: &[Column] = &[required("name", Kind::Text(3)), optional("day", Kind::Date)];
        let table = Table {
            name: "t",
            columns: COLUMNS,
            put: |_, _, _| Ok(()),
            by_date: None,
            link: None,
            finish: None,
            pages: |tx, after, limit| nothing(tx, after, limit),
            clear: |_| Ok(()),
            count: |_| Ok(0),
        };
        let row = json!({"day": "soon", "nmae": "x"});
        let problems = table.read(row.as_object().unwrap()).unwrap_err();
        assert_eq!(
            problems,
            [
                "there is no column `nmae`; did you mean `name`?",
                "`name` is missing",
                "`day` is \"soon\", expected a date as YYYY-MM-DD"
            ]
        );
        let entry = table.read(json!({"name": "x", "day": ""}).as_object().unwrap()).unwrap();
        assert_eq!(
            (entry["name"].text(), &entry["day"], &entry["other"]),
            (Some("x"), &Field::Null, &Field::Null)
        );
    }
}
