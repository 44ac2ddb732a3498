//! Who is above whom, kept as rows.

use crate::db::WriteTx;
use crate::error::Result;

/// Makes the chain anew from `employees.manager`. A cycle ends after so many steps as any chain does;
/// whoever is reached on several ways counts with the shortest.
pub fn renew(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM employee_chain", [])?;
    tx.execute(
        "WITH RECURSIVE above (employee, manager, depth) AS (
             SELECT seq, seq, 0 FROM employees
             UNION ALL
             SELECT a.employee, e.manager, a.depth + 1
             FROM above a JOIN employees e ON e.seq = a.manager
             WHERE e.manager IS NOT NULL AND e.manager <> a.employee AND a.depth < 20
         )
         INSERT INTO employee_chain (manager, active, last_name, first_name, employee, depth, department)
         SELECT a.manager, e.active, e.last_name, e.first_name, e.seq, min(a.depth), e.department
         FROM above a JOIN employees e ON e.seq = a.employee
         GROUP BY a.manager, a.employee
         ORDER BY a.manager, e.active, e.last_name, e.first_name, e.seq",
        [],
    )?;
    Ok(())
}
