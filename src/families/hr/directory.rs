//! What other families may know of employees: who somebody is, by whatever they are called.

use super::rows::Rows;
use super::store::employees;
use crate::db::ReadTx;
use crate::error::Result;

/// An employee's names, and nothing that could be hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub employee_id: String,
    pub number: String,
    pub name: String,
}

/// By UUID, number or login.
pub fn find(tx: &ReadTx<'_>, reference: &str) -> Result<Option<Named>> {
    let found = employees::find(tx, Rows::All, reference)?;
    Ok(found.map(|employee| Named {
        name: employee.name(),
        employee_id: employee.employee_id,
        number: employee.number,
    }))
}
