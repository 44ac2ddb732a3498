//! Salaries that a person has agreed to and that are in force from a later day on.

use rusqlite::params;

use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx, audit};
use crate::error::Result;
use crate::money::Cents;

/// A new row of `salary_changes`.
#[derive(Debug)]
pub struct Change<'a> {
    pub employee: i64,
    pub salary: Cents,
    pub effective_date: &'a str,
    pub due_at: i64,
    pub reason: Option<&'a str>,
    pub ordered_by: &'a str,
}

pub fn schedule(tx: &WriteTx<'_>, change: &Change<'_>) -> Result<()> {
    tx.execute(
        "INSERT INTO salary_changes (employee, salary, effective_date, due_at, reason, ordered_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            change.employee,
            change.salary.0,
            change.effective_date,
            change.due_at,
            change.reason,
            change.ordered_by
        ],
    )?;
    Ok(())
}

pub fn next_due(tx: &ReadTx<'_>) -> Result<Option<Timestamp>> {
    let due = tx.row("SELECT min(due_at) FROM salary_changes WHERE applied_at IS NULL", [], |row| {
        row.get::<_, Option<i64>>(0)
    })?;
    Ok(due.flatten().map(Timestamp))
}

/// Puts in force what is due, the older first. Whoever has left meanwhile keeps what they had.
pub fn apply_due(tx: &WriteTx<'_>, now: Timestamp) -> Result<()> {
    let due: Vec<(i64, i64, i64, String, String)> = tx.rows(
        "SELECT s.seq, s.employee, s.salary, s.ordered_by, e.employee_id
         FROM salary_changes s JOIN employees e ON e.seq = s.employee
         WHERE s.applied_at IS NULL AND s.due_at <= ?1 ORDER BY s.due_at, s.seq",
        [now.0],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)),
    )?;
    for (seq, employee, salary, ordered_by, employee_id) in due {
        tx.execute(
            "UPDATE employees SET salary = ?2, updated_at = ?3 WHERE seq = ?1 AND active = 1",
            params![employee, salary, now.0],
        )?;
        tx.execute("UPDATE salary_changes SET applied_at = ?2 WHERE seq = ?1", params![seq, now.0])?;
        let receipt = format!(r#"{{"verdict":"in force","target":{{"employee_id":"{employee_id}"}}}}"#);
        audit::append(
            tx,
            &audit::Entry {
                id: 0,
                at: now,
                caller: ordered_by,
                client: "sweep".to_owned(),
                tool: "update_salary".to_owned(),
                outcome: "ok".to_owned(),
                correlation_id: None,
                run_us: 0,
                receipt: Some(receipt),
            },
        )?;
    }
    Ok(())
}

/// What somebody's card was made from: their row, and what is agreed for later.
pub fn fingerprint(tx: &ReadTx<'_>, employee: i64) -> Result<String> {
    tx.fingerprint(
        "SELECT seq, salary, due_at, applied_at FROM salary_changes WHERE employee = ?1 ORDER BY seq",
        [employee],
    )
}
