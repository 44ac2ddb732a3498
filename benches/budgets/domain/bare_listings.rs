//! The bare statements of a page of employees or of invoices, read into values of their own.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Params, params};

use super::super::Outcome;
use super::super::bare::Bare;

/// One more than is shown tells whether there is another page.
const READ: i64 = 51;
const EVER: (&str, &str) = ("", "~");

/// Which rows a page is of.
#[derive(Clone, Copy, Debug)]
pub enum Rows {
    Employees,
    InDepartment(&'static str),
    /// Those below somebody, by login.
    Below(&'static str),
    BelowInDepartment(&'static str, &'static str),
    Invoices,
    OfStatus(&'static str),
    OfDepartment(&'static str),
    /// A phrase of the index of names.
    OfVendor(&'static str),
    OfVendorAndStatus(&'static str, &'static str),
}

/// The row a page starts after, as every listing knows it.
#[derive(Debug)]
pub struct After {
    last_name: String,
    first_name: String,
    seq: i64,
}

impl After {
    pub const FIRST: After = After { last_name: String::new(), first_name: String::new(), seq: 0 };

    /// Invoices come the other way round.
    fn below(&self) -> i64 {
        if self.seq == 0 { i64::MAX } else { self.seq }
    }
}

impl Rows {
    fn are_employees(self) -> bool {
        matches!(self, Rows::Employees | Rows::InDepartment(_) | Rows::Below(_) | Rows::BelowInDepartment(..))
    }
}

/// The place of a row by its id; none is the beginning.
pub fn after(bare: &Bare, rows: Rows, id: &str) -> Outcome<After> {
    let sql = match rows.are_employees() {
        true => "SELECT last_name, first_name, seq FROM employees WHERE employee_id = ?1",
        false => "SELECT '', '', seq FROM invoices WHERE invoice_id = ?1",
    };
    let found = bare.connection().query_row(sql, [id], |row| {
        Ok(After { last_name: row.get(0)?, first_name: row.get(1)?, seq: row.get(2)? })
    });
    Ok(found.optional()?.unwrap_or(After::FIRST))
}

macro_rules! employees {
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

macro_rules! invoices {
    ($from:literal, $rest:literal) => {
        concat!(
            "SELECT i.seq, i.invoice_id, i.number, i.vendor_name, i.vendor_id, i.amount, i.currency, i.description,
                    d.name, i.status, i.invoice_date, i.due_date, i.paid_date, i.submitted_by, i.submitted_at,
                    i.approved_by, i.approved_at
             FROM ",
            $from,
            " CROSS JOIN departments d ON d.code = i.department ",
            $rest
        )
    };
}

/// One page.
pub fn read(bare: &Bare, rows: Rows, after: &After) -> Outcome<()> {
    all(bare, "BEGIN", [])?;
    let read = match rows.are_employees() {
        true => employees(bare, rows, after)?,
        false => invoices(bare, rows, after.below())?,
    };
    all(bare, "COMMIT", [])?;
    if read.len() < READ as usize { Err("there is no full page".into()) } else { Ok(()) }
}

fn employees(bare: &Bare, rows: Rows, after: &After) -> Outcome<Vec<Vec<Value>>> {
    let After { last_name, first_name, seq } = after;
    let manager = |login: &str| bare.find("SELECT seq FROM employees WHERE login = ?1", [login]);
    match rows {
        Rows::InDepartment(department) => {
            let mut found = all(
                bare,
                employees!(
                    "employees e INDEXED BY employees_by_department",
                    "WHERE e.department = ?5 AND e.active = 1 AND e.last_name = ?1 AND e.first_name = ?2
                       AND e.seq > ?3
                     ORDER BY e.seq LIMIT ?4"
                ),
                params![last_name, first_name, seq, READ, department],
            )?;
            found.extend(all(
                bare,
                employees!(
                    "employees e INDEXED BY employees_by_department",
                    "WHERE e.department = ?4 AND e.active = 1 AND (e.last_name, e.first_name) > (?1, ?2)
                     ORDER BY e.last_name, e.first_name, e.seq LIMIT ?3"
                ),
                params![last_name, first_name, READ - found.len() as i64, department],
            )?);
            Ok(found)
        }
        Rows::Below(login) => all(
            bare,
            employees!(
                "employee_chain c CROSS JOIN employees e ON e.seq = c.employee",
                "WHERE c.manager = ?5 AND c.active = 1
                   AND (c.last_name, c.first_name, c.employee) > (?1, ?2, ?3)
                 ORDER BY c.last_name, c.first_name, c.employee LIMIT ?4"
            ),
            params![last_name, first_name, seq, READ, manager(login)?],
        ),
        Rows::BelowInDepartment(login, department) => all(
            bare,
            employees!(
                "employee_chain c CROSS JOIN employees e ON e.seq = c.employee",
                "WHERE c.manager = ?5 AND c.active = 1 AND c.department = ?6
                   AND (c.last_name, c.first_name, c.employee) > (?1, ?2, ?3)
                 ORDER BY c.last_name, c.first_name, c.employee LIMIT ?4"
            ),
            params![last_name, first_name, seq, READ, manager(login)?, department],
        ),
        _ => {
            let mut found = all(
                bare,
                employees!(
                    "employees e INDEXED BY employees_by_name",
                    "WHERE e.active = 1 AND e.last_name = ?1 AND e.first_name = ?2 AND e.seq > ?3
                     ORDER BY e.seq LIMIT ?4"
                ),
                params![last_name, first_name, seq, READ],
            )?;
            found.extend(all(
                bare,
                employees!(
                    "employees e INDEXED BY employees_by_name",
                    "WHERE e.active = 1 AND (e.last_name, e.first_name) > (?1, ?2)
                     ORDER BY e.last_name, e.first_name, e.seq LIMIT ?3"
                ),
                params![last_name, first_name, READ - found.len() as i64],
            )?);
            Ok(found)
        }
    }
}

fn invoices(bare: &Bare, rows: Rows, below: i64) -> Outcome<Vec<Vec<Value>>> {
    match rows {
        Rows::OfStatus(status) => all(
            bare,
            invoices!(
                "invoices i INDEXED BY invoices_by_status",
                "WHERE i.status = ?3 AND i.seq < ?1 AND i.due_date >= ?4 AND i.due_date < ?5
                   AND i.deleted_at IS NULL ORDER BY i.seq DESC LIMIT ?2"
            ),
            params![below, READ, status, EVER.0, EVER.1],
        ),
        Rows::OfDepartment(department) => all(
            bare,
            invoices!(
                "invoices i INDEXED BY invoices_by_department",
                "WHERE i.department = ?3 AND i.seq < ?1 AND i.deleted_at IS NULL ORDER BY i.seq DESC LIMIT ?2"
            ),
            params![below, READ, department],
        ),
        Rows::OfVendor(phrase) => of_vendor(bare, phrase, None, below),
        Rows::OfVendorAndStatus(phrase, status) => of_vendor(bare, phrase, Some(status), below),
        _ => all(
            bare,
            invoices!(
                "invoices i NOT INDEXED",
                "WHERE i.seq < ?1 AND i.deleted_at IS NULL ORDER BY i.seq DESC LIMIT ?2"
            ),
            params![below, READ],
        ),
    }
}

fn of_vendor(bare: &Bare, phrase: &str, status: Option<&str>, below: i64) -> Outcome<Vec<Vec<Value>>> {
    all(
        bare,
        invoices!(
            "(SELECT n.seq
              FROM invoices_vendors CROSS JOIN invoices n INDEXED BY invoices_narrow ON n.seq = invoices_vendors.rowid
              WHERE invoices_vendors MATCH ?1 AND invoices_vendors.rowid < ?2 AND n.deleted_at IS NULL
                AND (?4 IS NULL OR n.status = ?4) AND n.due_date >= ?5 AND n.due_date < ?6
              ORDER BY invoices_vendors.rowid DESC LIMIT ?3) AS found
             CROSS JOIN invoices i ON i.seq = found.seq",
            "ORDER BY i.seq DESC"
        ),
        params![phrase, below, READ, status, EVER.0, EVER.1],
    )
}

fn all(bare: &Bare, sql: &str, params: impl Params) -> Outcome<Vec<Vec<Value>>> {
    let mut statement = bare.connection().prepare_cached(sql)?;
    let columns = statement.column_count();
    let read = statement.query_map(params, |row| (0..columns).map(|column| row.get(column)).collect())?;
    Ok(read.collect::<Result<_, _>>()?)
}
