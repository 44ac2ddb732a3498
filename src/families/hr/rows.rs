//! Which employees a caller sees, and how one of them is found.

use super::store::employees::{self, Employee};
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::tool::ReadCx;

/// The rows of a caller; every statement that reads employees is bound to one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    All,
    /// This employee and everybody below.
    Chain(i64),
    /// This employee only. Nobody has number 0, so that it is nobody.
    Own(i64),
}

/// The roles that see every employee.
pub const ALL_EMPLOYEES: &[Role] = &[Role::HrRead, Role::HrWrite, Role::Executive];

/// What a caller sees where these roles see everything.
pub fn of(cx: &ReadCx<'_>, all: &[Role]) -> Result<Rows> {
    let caller = cx.caller();
    if caller.has_any(all) {
        return Ok(Rows::All);
    }
    let own = match &caller.employee_id {
        Some(id) => employees::seq_of(cx.tx, id)?.unwrap_or(0),
        None => 0,
    };
    Ok(if caller.has_any(&[Role::Manager]) { Rows::Chain(own) } else { Rows::Own(own) })
}

/// An employee by UUID, number or login. One that is hidden is not there.
pub fn find(cx: &ReadCx<'_>, rows: Rows, reference: &str) -> Result<Employee> {
    employees::find(cx.tx, rows, reference.trim())?.ok_or_else(|| not_found(reference))
}

pub fn not_found(reference: &str) -> Error {
    let shown: String = reference.chars().filter(|c| !c.is_control()).take(64).collect();
    Error::not_found(format!("Employee with ID {shown} not found. Verify the employee ID is correct."))
        .hint(
            "Use list_employees to find valid employee IDs: a UUID, a number such as EMP001, or a login \
             such as nina.patel",
        )
        .detail("code", "EMPLOYEE_NOT_FOUND")
}

/// The caller's own record, for calls that name nobody.
pub fn myself(cx: &ReadCx<'_>) -> Result<Employee> {
    let id = cx.caller().employee_id.as_deref();
    let found = match id {
        Some(id) => employees::find(cx.tx, Rows::All, id)?,
        None => None,
    };
    found.ok_or_else(|| {
        Error::not_found(format!("`{}` is no employee of this company", cx.caller().user_id))
            .hint("name somebody with employee_id; list_employees shows who there is")
            .detail("code", "EMPLOYEE_NOT_FOUND")
    })
}
