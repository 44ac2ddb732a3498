//! Who is above whom, kept as rows.

use rusqlite::params;

use crate::db::WriteTx;
use crate::error::Result;

/// Makes the chain anew from `employees.manager`. A cycle ends where it began, and every chain after so
/// many steps.
///
/// One manager after the other, so that rows come in the order of the table's key and no more than one
/// manager's people are sorted in memory at a time. Whoever leads nobody is above themselves only.
pub fn renew(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM employee_chain", [])?;
    let managers: Vec<i64> = tx.rows(
        "SELECT DISTINCT manager FROM employees INDEXED BY employees_by_manager
         WHERE manager IS NOT NULL ORDER BY manager",
        [],
        |row| row.get(0),
    )?;
    let mut last = 0;
    for manager in managers {
        add_leaves(tx, last, manager)?;
        add_all_below(tx, manager)?;
        last = manager;
    }
    add_leaves(tx, last, i64::MAX)
}

fn add_leaves(tx: &WriteTx<'_>, after: i64, before: i64) -> Result<()> {
    if before - after > 1 {
        tx.execute(
            "INSERT INTO employee_chain (manager, active, last_name, first_name, employee, depth, department)
             SELECT seq, active, last_name, first_name, seq, 0, department FROM employees
             WHERE seq > ?1 AND seq < ?2 ORDER BY seq",
            params![after, before],
        )?;
    }
    Ok(())
}

/// Everybody has one manager, so that nobody is reached on two ways.
fn add_all_below(tx: &WriteTx<'_>, manager: i64) -> Result<()> {
    tx.execute(
        "WITH RECURSIVE below (employee, depth) AS (
             SELECT ?1, 0
             UNION ALL
             SELECT e.seq, b.depth + 1
             FROM below b CROSS JOIN employees e INDEXED BY employees_by_manager ON e.manager = b.employee
             WHERE e.seq <> ?1 AND b.depth < 20
         )
         INSERT INTO employee_chain (manager, active, last_name, first_name, employee, depth, department)
         SELECT ?1, e.active, e.last_name, e.first_name, e.seq, b.depth, e.department
         FROM below b CROSS JOIN employees e ON e.seq = b.employee
         ORDER BY e.active, e.last_name, e.first_name, e.seq",
        [manager],
    )?;
    Ok(())
}

/// Whoever has left keeps their place below those above them, among those who are gone.
pub fn end(tx: &WriteTx<'_>, employee: i64) -> Result<()> {
    tx.execute(
        "WITH RECURSIVE above (seq, depth) AS (
             SELECT ?1, 0
             UNION
             SELECT e.manager, a.depth + 1 FROM above a CROSS JOIN employees e ON e.seq = a.seq
             WHERE e.manager IS NOT NULL AND a.depth < 20
         )
         UPDATE employee_chain SET active = 0
         WHERE manager IN (SELECT seq FROM above) AND active = 1 AND employee = ?1
           AND (last_name, first_name) = (SELECT last_name, first_name FROM employees WHERE seq = ?1)",
        [employee],
    )?;
    Ok(())
}
