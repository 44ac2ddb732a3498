//! The tables of hr as files hold them.

use super::model::TIME_OFF_CODES;
use super::rows::Rows;
use super::store::{chain, employees, reviews, time_off};
use crate::clock::Timestamp;
use crate::db::people::{self, Person};
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::families::departments;
use crate::tool::table::{Entry, Kind, Table, names_nothing, optional, required};

const SALARY: Kind = Kind::Money;
const NAME: Kind = Kind::Text(100);

pub static TABLES: [Table; 5] = [
    departments::TABLE,
    Table {
        name: "grades",
        columns: &[
            required("grade", Kind::Text(10)),
            required("min_salary", SALARY),
            required("max_salary", SALARY),
        ],
        put: employees::put_grade,
        by_date: None,
        link: None,
        finish: None,
        pages: employees::grades,
        clear: employees::clear_grades,
        count: employees::count_grades,
    },
    Table {
        name: "employees",
        columns: &[
            required("employee_id", Kind::Uuid),
            required("number", Kind::Text(20)),
            optional("login", Kind::Text(64)),
            required("first_name", NAME),
            required("last_name", NAME),
            required("email", Kind::Text(200)),
            optional("phone", Kind::Text(40)),
            required("department", NAME),
            optional("title", NAME),
            optional("manager", Kind::Text(64)),
            optional("grade", Kind::Text(10)),
            optional("hire_date", Kind::Date),
            optional("salary", SALARY),
            optional("currency", Kind::Text(3)),
            optional("ssn", Kind::Text(11)),
            optional("location", NAME),
            optional("active", Kind::Truth),
            optional("terminated_on", Kind::Date),
        ],
        put: put_employee,
        by_date: None,
        link: Some(set_manager),
        finish: Some(chain::renew),
        pages: employees::rows,
        clear: clear_employees,
        count: employees::count,
    },
    Table {
        name: "reviews",
        columns: &[
            required("review_id", Kind::Uuid),
            required("employee", Kind::Text(64)),
            optional("reviewer", Kind::Text(64)),
            required("period", Kind::Text(20)),
            required("due_date", Kind::Date),
            optional("review_date", Kind::Date),
            optional("overall_rating", Kind::Tenths(10, 50)),
            optional("goals_met_percentage", Kind::Integer(0, 100)),
            optional("strengths", Kind::Text(2000)),
            optional("areas_for_improvement", Kind::Text(2000)),
            optional("comments", Kind::Text(2000)),
        ],
        put: |tx, entry, _| {
            let employee = seq(tx, entry, "employee")?.unwrap_or_default();
            reviews::put(tx, entry, employee, seq(tx, entry, "reviewer")?)
        },
        by_date: None,
        link: None,
        finish: None,
        pages: reviews::rows,
        clear: reviews::clear,
        count: reviews::count,
    },
    Table {
        name: "time_off",
        columns: &[
            required("employee", Kind::Text(64)),
            required("year", Kind::Integer(2000, 2100)),
            required("type_code", Kind::OneOf(&TIME_OFF_CODES)),
            required("entitlement", Kind::Days),
            optional("used", Kind::Days),
            optional("pending", Kind::Days),
            optional("carryover", Kind::Days),
        ],
        put: |tx, entry, _| time_off::put(tx, entry, seq(tx, entry, "employee")?.unwrap_or_default()),
        by_date: None,
        link: None,
        finish: None,
        pages: time_off::rows,
        clear: time_off::clear,
        count: time_off::count,
    },
];

/// An employee, and with a login also somebody who can be spoken as.
fn put_employee(tx: &WriteTx<'_>, entry: &Entry, now: Timestamp) -> Result<()> {
    let department = departments::of(tx, entry, "department")?;
    let entry = entry.clone().with("department", Field::Text(department.code));
    employees::put(tx, &entry, now)?;
    let Some(login) = entry["login"].text() else { return Ok(()) };
    let login = login.to_lowercase();
    let text = |name: &str| entry[name].text().unwrap_or_default().to_owned();
    if people::link_owner(tx, &login, &text("employee_id"))? {
        return Ok(());
    }
    people::remove_other_logins(tx, &text("employee_id"), &login)?;
    people::put(
        tx,
        &Person {
            login,
            name: format!("{} {}", text("first_name"), text("last_name")),
            email: text("email"),
            title: entry["title"].text().map(str::to_owned),
            department: Some(department.name),
            manager: entry["manager"].text().map(str::to_owned),
            employee_id: Some(text("employee_id")),
            is_owner: false,
            roles: vec!["employee".to_owned()],
        },
    )
}

fn set_manager(tx: &WriteTx<'_>, entry: &Entry) -> Result<()> {
    let (Some(id), Some(manager)) = (entry["employee_id"].text(), entry["manager"].text()) else {
        return Ok(());
    };
    match employees::set_manager(tx, id, manager)? {
        true => Ok(()),
        false => Err(names_nothing("manager", manager)),
    }
}

fn clear_employees(tx: &WriteTx<'_>) -> Result<()> {
    people::remove_employees(tx)?;
    employees::clear(tx)
}

/// The employee that a column names.
fn seq(tx: &ReadTx<'_>, entry: &Entry, column: &str) -> Result<Option<i64>> {
    let Some(reference) = entry[column].text() else { return Ok(None) };
    match employees::find(tx, Rows::All, reference)? {
        Some(employee) => Ok(Some(employee.seq)),
        None => Err(names_nothing(column, reference)),
    }
}
