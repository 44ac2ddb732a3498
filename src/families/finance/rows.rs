//! Which rows of departments a caller sees.

use crate::error::Result;
use crate::families::departments;
use crate::identity::Role;
use crate::tool::ReadCx;

/// The rows of a caller; every statement that reads them is bound to one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    All,
    /// Those of one department. No department has an empty code, so that it is none.
    Department(String),
}

/// The roles that see everything.
pub const ALL: &[Role] = &[Role::FinanceRead, Role::FinanceWrite, Role::Executive];

/// What somebody sees who is in finance, or manages a department.
pub fn of(cx: &ReadCx<'_>) -> Result<Rows> {
    if cx.caller().has_any(ALL) {
        return Ok(Rows::All);
    }
    let own = match cx.caller().has_any(&[Role::Manager]) {
        true => departments::of_caller(cx)?,
        false => None,
    };
    Ok(Rows::Department(own.map(|department| department.code).unwrap_or_default()))
}

impl Rows {
    /// The one department these are of, if it is one.
    pub fn department(&self) -> Option<&str> {
        match self {
            Rows::All => None,
            Rows::Department(code) => Some(code),
        }
    }

    /// The department to read, where one was asked for: nothing of another one is there.
    pub fn within<'a>(&'a self, asked: Option<&'a str>) -> Option<&'a str> {
        match (self, asked) {
            (Rows::All, asked) => asked,
            (Rows::Department(own), None) => Some(own),
            (Rows::Department(own), Some(asked)) if own == asked => Some(own),
            (Rows::Department(_), Some(_)) => Some(""),
        }
    }
}
