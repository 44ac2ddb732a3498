//! A value on its way into a column or out of one.

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    #[default]
    Null,
    Integer(i64),
    Text(String),
}

impl Field {
    pub fn text(&self) -> Option<&str> {
        match self {
            Field::Text(text) => Some(text),
            Field::Null | Field::Integer(_) => None,
        }
    }

    pub fn integer(&self) -> Option<i64> {
        match self {
            Field::Integer(number) => Some(*number),
            Field::Null | Field::Text(_) => None,
        }
    }
}

impl ToSql for Field {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Field::Null => ToSqlOutput::Owned(Value::Null),
            Field::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Field::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

impl FromSql for Field {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(match value {
            ValueRef::Integer(number) => Field::Integer(number),
            ValueRef::Text(_) => Field::Text(value.as_str()?.to_owned()),
            ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => Field::Null,
        })
    }
}
