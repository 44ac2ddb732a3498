//! What finance asks of whoever keeps the employees.

use std::fmt;

use crate::db::ReadTx;
use crate::error::Result;

/// Who somebody is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Employee {
    pub employee_id: String,
    pub number: String,
    pub name: String,
}

pub trait Employees: fmt::Debug + Sync {
    /// By UUID, number or login.
    fn find(&self, tx: &ReadTx<'_>, reference: &str) -> Result<Option<Employee>>;
}
