//! Departments: a code and a name. Several families refer to them, none owns them.

use rusqlite::params;

use super::tx::{ReadTx, WriteTx};
use crate::error::Result;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Department {
    pub code: String,
    pub name: String,
}

/// Finds a department by its code or its name, however they are spelt.
pub fn find(tx: &ReadTx<'_>, text: &str) -> Result<Option<Department>> {
    tx.row(
        "SELECT code, name FROM departments WHERE code = upper(?1) OR name = ?1 ORDER BY code = upper(?1) DESC",
        [text.trim()],
        |row| Ok(Department { code: row.get(0)?, name: row.get(1)? }),
    )
}

/// All of them, by code.
pub fn all(tx: &ReadTx<'_>) -> Result<Vec<Department>> {
    tx.rows("SELECT code, name FROM departments ORDER BY code", [], |row| {
        Ok(Department { code: row.get(0)?, name: row.get(1)? })
    })
}

pub fn put(tx: &WriteTx<'_>, department: &Department) -> Result<()> {
    tx.execute(
        "INSERT INTO departments (code, name) VALUES (?1, ?2)
         ON CONFLICT (code) DO UPDATE SET name = excluded.name",
        params![department.code, department.name],
    )?;
    Ok(())
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM departments", []).map(drop)
}
