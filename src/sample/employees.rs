//! Departments, grades and the people themselves.

use chrono::NaiveDate;

use super::dice::Dice;
use super::staff::{DEPARTMENTS, Person, STAFF};
use super::{Row, Table, days, row};
use crate::identity;

const GRADES: [(&str, i64, i64); 9] = [
    ("L1", 40_000, 55_000),
    ("L2", 55_000, 75_000),
    ("L3", 70_000, 95_000),
    ("L4", 90_000, 130_000),
    ("L5", 120_000, 175_000),
    ("L6", 160_000, 220_000),
    ("L7", 200_000, 300_000),
    ("L8", 280_000, 400_000),
    ("L9", 350_000, 600_000),
];

const AREA_CODES: [(&str, &str); 5] =
    [("Denver", "303"), ("Austin", "512"), ("Toronto", "416"), ("Lisbon", "646"), ("Remote", "720")];

pub fn departments() -> Table {
    let rows =
        DEPARTMENTS.iter().map(|(code, name, ..)| row([("code", (*code).into()), ("name", (*name).into())]));
    Table::of("hr.departments", rows.collect())
}

pub fn grades() -> Table {
    let rows = GRADES.iter().map(|(grade, min, max)| {
        row([("grade", (*grade).into()), ("min_salary", (*min).into()), ("max_salary", (*max).into())])
    });
    Table::of("hr.grades", rows.collect())
}

pub fn company(today: NaiveDate) -> Table {
    Table::each("hr.employees", STAFF.len(), move |index| employee(today, &STAFF[index]))
}

pub fn employee(today: NaiveDate, person: &Person) -> Row {
    let mut dice = Dice::new(&person.number, 0);
    let hired = days::working_day(days::month_before(today, person.months), dice.below(26));
    let left = person.left.map(|months| days::last_of_month(days::month_before(today, months)));
    row([
        ("employee_id", identity::user_uuid(&person.login).into()),
        ("number", person.number.as_str().into()),
        ("login", person.login.as_str().into()),
        ("first_name", person.first_name.as_str().into()),
        ("last_name", person.last_name.as_str().into()),
        ("email", person.email().into()),
        ("phone", phone(person.location, &mut dice).into()),
        ("department", person.department.into()),
        ("title", person.title.into()),
        ("manager", person.manager.as_deref().into()),
        ("grade", person.grade.into()),
        ("hire_date", hired.to_string().into()),
        ("salary", person.salary.into()),
        ("currency", "USD".into()),
        ("ssn", ssn(&mut dice).into()),
        ("location", person.location.into()),
        ("active", person.is_active().into()),
        ("terminated_on", left.map(|day| day.to_string()).into()),
    ])
}

/// From the hundred numbers of each area that are kept for fiction.
pub fn phone(location: &str, dice: &mut Dice) -> String {
    let area = AREA_CODES.iter().find(|(name, _)| *name == location).map_or("720", |(_, code)| code);
    format!("+1 {area}-555-01{:02}", dice.below(100))
}

/// Never anybody's: no number begins with a 9, and the groups are none of those tax offices give out.
fn ssn(dice: &mut Dice) -> String {
    format!("9{:02}-{:02}-{:04}", dice.below(100), 10 + dice.below(40), 1 + dice.below(9999))
}
