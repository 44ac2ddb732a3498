//! Employees, one statement for each way of seeing them.

use rusqlite::{Row, params};

use super::chain;
use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::families::hr::rows::Rows;
use crate::money::Cents;
use crate::sensitive::Sensitive;
use crate::tool::table::Entry;

/// A row of `employees`, with the names of what it refers to.
#[derive(Clone, Debug)]
pub struct Employee {
    pub seq: i64,
    pub employee_id: String,
    pub number: String,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Sensitive<Option<String>>,
    pub department: String,
    pub title: Option<String>,
    pub manager_id: Option<String>,
    pub manager_name: Option<String>,
    pub grade: Option<String>,
    pub hire_date: Option<String>,
    pub salary: Sensitive<Option<Cents>>,
    pub currency: String,
    pub ssn: Sensitive<Option<String>>,
    pub location: Option<String>,
    pub active: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Employee {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }
}

/// Where a page goes on: after this name, and after this row among those of one name.
#[derive(Clone, Debug, Default)]
pub struct After {
    pub last_name: String,
    pub first_name: String,
    pub seq: i64,
}

macro_rules! columns {
    ($from:literal, $rest:literal) => {
        concat!(
            "SELECT e.seq, e.employee_id, e.number, e.first_name, e.last_name, e.email, e.phone, d.name, e.title,
                    m.employee_id, m.first_name || ' ' || m.last_name, e.grade, e.hire_date, e.salary, e.currency,
                    e.ssn, e.location, e.active, e.created_at, e.updated_at
             FROM ",
            $from,
            " CROSS JOIN departments d ON d.code = e.department
             LEFT JOIN employees m ON m.seq = e.manager ",
            $rest
        )
    };
}

/// By UUID, number or login, among the rows of a caller.
pub fn find(tx: &ReadTx<'_>, rows: Rows, reference: &str) -> Result<Option<Employee>> {
    match rows {
        Rows::All => tx.row(
            columns!(
                "employees e",
                "WHERE e.employee_id = lower(?1) OR e.number = upper(?1) OR e.login = lower(?1)"
            ),
            [reference],
            read,
        ),
        Rows::Chain(manager) => tx.row(
            columns!(
                "employees e",
                "WHERE (e.employee_id = lower(?1) OR e.number = upper(?1) OR e.login = lower(?1))
                   AND EXISTS (SELECT 1 FROM employee_chain c
                               WHERE c.manager = ?2 AND c.active = e.active AND c.last_name = e.last_name
                                 AND c.first_name = e.first_name AND c.employee = e.seq)"
            ),
            params![reference, manager],
            read,
        ),
        Rows::Own(own) => tx.row(
            columns!(
                "employees e",
                "WHERE (e.employee_id = lower(?1) OR e.number = upper(?1) OR e.login = lower(?1))
                   AND e.seq = ?2"
            ),
            params![reference, own],
            read,
        ),
    }
}

/// The active ones by name, of one department or of all: first the namesakes of the last one shown, then
/// the next names. Hundreds may share a name, and SQLite does not begin in the middle of them when it is
/// told to in one comparison that ends with the row's number.
pub fn page(
    tx: &ReadTx<'_>,
    rows: Rows,
    department: Option<&str>,
    after: &After,
    limit: i64,
) -> Result<Vec<Employee>> {
    let After { last_name, first_name, seq } = after;
    match (rows, department) {
        (Rows::All, None) => {
            let mut found = tx.rows(
                columns!(
                    "employees e INDEXED BY employees_by_name",
                    "WHERE e.active = 1 AND e.last_name = ?1 AND e.first_name = ?2 AND e.seq > ?3
                     ORDER BY e.seq LIMIT ?4"
                ),
                params![last_name, first_name, seq, limit],
                read,
            )?;
            found.extend(tx.rows(
                columns!(
                    "employees e INDEXED BY employees_by_name",
                    "WHERE e.active = 1 AND (e.last_name, e.first_name) > (?1, ?2)
                     ORDER BY e.last_name, e.first_name, e.seq LIMIT ?3"
                ),
                params![last_name, first_name, limit - found.len() as i64],
                read,
            )?);
            Ok(found)
        }
        (Rows::All, Some(department)) => {
            let mut found = tx.rows(
                columns!(
                    "employees e INDEXED BY employees_by_department",
                    "WHERE e.department = ?5 AND e.active = 1 AND e.last_name = ?1 AND e.first_name = ?2
                       AND e.seq > ?3
                     ORDER BY e.seq LIMIT ?4"
                ),
                params![last_name, first_name, seq, limit, department],
                read,
            )?;
            found.extend(tx.rows(
                columns!(
                    "employees e INDEXED BY employees_by_department",
                    "WHERE e.department = ?4 AND e.active = 1 AND (e.last_name, e.first_name) > (?1, ?2)
                     ORDER BY e.last_name, e.first_name, e.seq LIMIT ?3"
                ),
                params![last_name, first_name, limit - found.len() as i64, department],
                read,
            )?);
            Ok(found)
        }
        (Rows::Chain(manager), None) => tx.rows(
            columns!(
                "employee_chain c CROSS JOIN employees e ON e.seq = c.employee",
                "WHERE c.manager = ?5 AND c.active = 1
                   AND (c.last_name, c.first_name, c.employee) > (?1, ?2, ?3)
                 ORDER BY c.last_name, c.first_name, c.employee LIMIT ?4"
            ),
            params![last_name, first_name, seq, limit, manager],
            read,
        ),
        (Rows::Chain(manager), Some(department)) => tx.rows(
            columns!(
                "employee_chain c CROSS JOIN employees e ON e.seq = c.employee",
                "WHERE c.manager = ?5 AND c.active = 1 AND c.department = ?6
                   AND (c.last_name, c.first_name, c.employee) > (?1, ?2, ?3)
                 ORDER BY c.last_name, c.first_name, c.employee LIMIT ?4"
            ),
            params![last_name, first_name, seq, limit, manager, department],
            read,
        ),
        (Rows::Own(own), department) => tx.rows(
            columns!(
                "employees e",
                "WHERE e.seq = ?5 AND e.active = 1 AND (?6 IS NULL OR e.department = ?6)
                   AND (e.last_name, e.first_name, e.seq) > (?1, ?2, ?3)
                 LIMIT ?4"
            ),
            params![last_name, first_name, seq, limit, own, department],
            read,
        ),
    }
}

/// The place of a row in the order of the list.
pub fn place(tx: &ReadTx<'_>, seq: i64) -> Result<Option<After>> {
    tx.row("SELECT last_name, first_name, seq FROM employees WHERE seq = ?1", [seq], |row| {
        Ok(After { last_name: row.get(0)?, first_name: row.get(1)?, seq: row.get(2)? })
    })
}

pub fn seq_of(tx: &ReadTx<'_>, employee_id: &str) -> Result<Option<i64>> {
    tx.row("SELECT seq FROM employees WHERE employee_id = ?1", [employee_id], |row| row.get(0))
}

/// The active people who report to somebody, by name; those at the top report to nobody.
pub fn reports(tx: &ReadTx<'_>, manager: Option<i64>, limit: i64) -> Result<Vec<Employee>> {
    tx.rows(
        columns!(
            "employees e INDEXED BY employees_by_manager",
            "WHERE e.manager IS ?1 AND e.active = 1 ORDER BY e.last_name, e.first_name, e.seq LIMIT ?2"
        ),
        params![manager, limit],
        read,
    )
}

pub fn count_reports(tx: &ReadTx<'_>, manager: i64) -> Result<i64> {
    let count = tx.row(
        "SELECT count(*) FROM employees WHERE manager = ?1 AND active = 1 AND seq <> ?1",
        [manager],
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}

/// How many active people report to nobody.
pub fn count_tops(tx: &ReadTx<'_>) -> Result<i64> {
    let count =
        tx.row("SELECT count(*) FROM employees WHERE manager IS NULL AND active = 1", [], |row| row.get(0))?;
    Ok(count.unwrap_or(0))
}

/// Everything that is stored of somebody.
pub fn fingerprint(tx: &ReadTx<'_>, seq: i64) -> Result<String> {
    tx.fingerprint("SELECT * FROM employees WHERE seq = ?1", [seq])
}

/// Somebody leaves. Their row stays, and their place in the chain with it.
pub fn end(tx: &WriteTx<'_>, seq: i64, today: &str, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE employees SET active = 0, terminated_on = ?2, updated_at = ?3 WHERE seq = ?1",
        params![seq, today, now.0],
    )?;
    chain::end(tx, seq)
}

pub fn set_salary(tx: &WriteTx<'_>, seq: i64, salary: Cents, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE employees SET salary = ?2, updated_at = ?3 WHERE seq = ?1",
        params![seq, salary.0, now.0],
    )?;
    Ok(())
}

/// What somebody of a grade earns at least and at most.
pub fn band(tx: &ReadTx<'_>, grade: &str) -> Result<Option<(Cents, Cents)>> {
    tx.row("SELECT min_salary, max_salary FROM grades WHERE grade = ?1", [grade], |row| {
        Ok((Cents(row.get(0)?), Cents(row.get(1)?)))
    })
}

fn read(row: &Row<'_>) -> rusqlite::Result<Employee> {
    Ok(Employee {
        seq: row.get(0)?,
        employee_id: row.get(1)?,
        number: row.get(2)?,
        first_name: row.get(3)?,
        last_name: row.get(4)?,
        email: row.get(5)?,
        phone: Sensitive::new(row.get(6)?),
        department: row.get(7)?,
        title: row.get(8)?,
        manager_id: row.get(9)?,
        manager_name: row.get(10)?,
        grade: row.get(11)?,
        hire_date: row.get(12)?,
        salary: Sensitive::new(row.get::<_, Option<i64>>(13)?.map(Cents)),
        currency: row.get(14)?,
        ssn: Sensitive::new(row.get(15)?),
        location: row.get(16)?,
        active: row.get(17)?,
        created_at: Timestamp(row.get(18)?),
        updated_at: Timestamp(row.get(19)?),
    })
}

/// Adds an employee, or replaces the one with the id. A manager who is there already is set at once.
pub fn put(tx: &WriteTx<'_>, e: &Entry, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO employees (employee_id, number, login, first_name, last_name, email, phone, department, title,
                                manager, grade, hire_date, salary, currency, ssn, location, active, terminated_on,
                                created_at, updated_at)
         VALUES (?1, upper(?2), lower(?3), ?4, ?5, ?6, ?7, ?8, ?9,
                 (SELECT seq FROM employees
                  WHERE number = upper(?10) OR employee_id = lower(?10) OR login = lower(?10)),
                 ?11, ?12, ?13, coalesce(?14, 'USD'), ?15, ?16, coalesce(?17, 1), ?18, ?19, ?19)
         ON CONFLICT (employee_id) DO UPDATE SET
             number = coalesce(excluded.number, number), login = coalesce(excluded.login, login),
             first_name = coalesce(excluded.first_name, first_name),
             last_name = coalesce(excluded.last_name, last_name), email = coalesce(excluded.email, email),
             phone = coalesce(excluded.phone, phone), department = coalesce(excluded.department, department),
             title = coalesce(excluded.title, title), manager = coalesce(excluded.manager, manager),
             grade = coalesce(excluded.grade, grade), hire_date = coalesce(excluded.hire_date, hire_date),
             salary = coalesce(excluded.salary, salary), currency = coalesce(?14, currency),
             ssn = coalesce(excluded.ssn, ssn), location = coalesce(excluded.location, location),
             active = coalesce(?17, active), terminated_on = coalesce(excluded.terminated_on, terminated_on),
             updated_at = excluded.updated_at",
        params![
            e["employee_id"],
            e["number"],
            e["login"],
            e["first_name"],
            e["last_name"],
            e["email"],
            e["phone"],
            e["department"],
            e["title"],
            e["manager"],
            e["grade"],
            e["hire_date"],
            e["salary"],
            e["currency"],
            e["ssn"],
            e["location"],
            e["active"],
            e["terminated_on"],
            now.0
        ],
    )?;
    Ok(())
}

/// Sets the manager, who may have come after the employee; tells whether there is such a person.
pub fn set_manager(tx: &WriteTx<'_>, employee_id: &str, manager: &str) -> Result<bool> {
    let found = tx.row(
        "SELECT seq FROM employees WHERE number = upper(?1) OR employee_id = lower(?1) OR login = lower(?1)",
        [manager],
        |row| row.get::<_, i64>(0),
    )?;
    let Some(manager) = found else { return Ok(false) };
    tx.execute("UPDATE employees SET manager = ?2 WHERE employee_id = ?1", params![employee_id, manager])?;
    Ok(true)
}

/// Everybody, as a file holds them.
pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT e.seq, e.employee_id, e.number, e.login, e.first_name, e.last_name, e.email, e.phone, e.department,
                e.title, m.number, e.grade, e.hire_date, e.salary, e.currency, e.ssn, e.location, e.active,
                e.terminated_on
         FROM employees e LEFT JOIN employees m ON m.seq = e.manager WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=18).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM employees", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM employee_chain", [])?;
    tx.execute("UPDATE employees SET manager = NULL", [])?;
    tx.execute("DELETE FROM employees", []).map(drop)
}

pub fn put_grade(tx: &WriteTx<'_>, e: &Entry, _: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO grades (grade, min_salary, max_salary) VALUES (?1, ?2, ?3)
         ON CONFLICT (grade) DO UPDATE SET
             min_salary = coalesce(excluded.min_salary, min_salary),
             max_salary = coalesce(excluded.max_salary, max_salary)",
        params![e["grade"], e["min_salary"], e["max_salary"]],
    )?;
    Ok(())
}

pub fn grades(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT * FROM (SELECT row_number() OVER (ORDER BY grade) AS place, grade, min_salary, max_salary FROM grades)
         WHERE place > ?1 ORDER BY place LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=3).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count_grades(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM grades", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear_grades(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM grades", []).map(drop)
}
