//! The people of the company, written by hand in `assets/sample/employees.csv`.

use std::sync::LazyLock;

use crate::identity;

/// Nobody receives mail there: the ending is reserved for examples.
pub const DOMAIN: &str = "quillmere.example";

/// Code, name, who speaks for its money, and what it may spend in a year.
pub const DEPARTMENTS: [(&str, &str, &str, i64); 10] = [
    ("EXEC", "Executive", "EMP002", 1_450_000),
    ("HR", "Human Resources", "EMP010", 720_000),
    ("FIN", "Finance", "EMP020", 980_000),
    ("SALES", "Sales", "EMP030", 2_350_000),
    ("SUPPORT", "Customer Support", "EMP040", 1_280_000),
    ("ENG", "Engineering", "EMP050", 3_900_000),
    ("MKT", "Marketing", "EMP063", 1_620_000),
    ("OPS", "Operations", "EMP070", 1_150_000),
    ("LEGAL", "Legal", "EMP075", 640_000),
    ("IT", "IT", "EMP060", 860_000),
];

#[derive(Clone, Debug)]
pub struct Person {
    pub number: String,
    pub login: String,
    pub first_name: String,
    pub last_name: String,
    pub title: &'static str,
    pub department: &'static str,
    pub manager: Option<String>,
    pub grade: &'static str,
    pub salary: i64,
    /// How many months ago the person came, and left.
    pub months: i32,
    pub left: Option<i32>,
    pub location: &'static str,
    /// In how many days the review that has not been held yet is due.
    pub due: Option<i64>,
    pub roles: Vec<&'static str>,
}

/// Everybody, managers before their reports.
pub static STAFF: LazyLock<Vec<Person>> = LazyLock::new(|| {
    include_str!("../../assets/sample/employees.csv").lines().skip(1).filter_map(person).collect()
});

/// No field of the file holds a comma, so that it needs no reader of its own.
fn person(line: &'static str) -> Option<Person> {
    let fields: Vec<&str> = line.split(',').collect();
    let [
        number,
        login,
        first,
        last,
        title,
        department,
        manager,
        grade,
        salary,
        months,
        left,
        location,
        due,
        roles,
    ] = fields[..]
    else {
        return None;
    };
    Some(Person {
        number: number.to_owned(),
        login: login.to_owned(),
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        title,
        department,
        manager: (!manager.is_empty()).then(|| manager.to_owned()),
        grade,
        salary: salary.parse().ok()?,
        months: months.parse().ok()?,
        left: left.parse().ok(),
        location,
        due: due.parse().ok(),
        roles: roles.split_whitespace().collect(),
    })
}

impl Person {
    pub fn email(&self) -> String {
        format!("{}@{DOMAIN}", self.login)
    }

    pub fn is_active(&self) -> bool {
        self.left.is_none()
    }
}

pub fn active() -> impl Iterator<Item = &'static Person> + Clone {
    STAFF.iter().filter(|person| person.is_active())
}

pub fn active_in(department: &str) -> Vec<&'static Person> {
    active().filter(|person| person.department == department).collect()
}

pub fn numbered(number: &str) -> Option<&'static Person> {
    STAFF.iter().find(|person| person.number == number)
}

/// What stands for a person where a UUID is wanted.
pub fn uuid_of(number: &str) -> Option<String> {
    numbered(number).map(|person| identity::user_uuid(&person.login))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_managers_come_first() {
        assert_eq!(STAFF.len(), 63);
        for (index, person) in STAFF.iter().enumerate() {
            let earlier = &STAFF[..index];
            let known =
                |number: &String| earlier.iter().any(|other| other.number == *number && other.is_active());
            assert!(person.manager.as_ref().is_none_or(known), "{}", person.number);
            assert!(!earlier.iter().any(|other| other.login == person.login), "{}", person.login);
            assert!(
                person.roles.iter().all(|role| identity::Role::parse(role).is_some()),
                "{}",
                person.login
            );
        }
        let leads = |number: &String| STAFF.iter().any(|person| person.manager.as_ref() == Some(number));
        for person in active().filter(|person| leads(&person.number)) {
            assert!(person.roles.contains(&"manager"), "{} leads people", person.login);
        }
    }

    #[test]
    fn the_departments_have_their_sizes() {
        let sizes =
            DEPARTMENTS.map(|(code, ..)| STAFF.iter().filter(|person| person.department == code).count());
        assert_eq!(sizes, [5, 4, 6, 10, 9, 11, 7, 5, 3, 3]);
        assert_eq!(active().count(), 60);
        assert!(
            DEPARTMENTS
                .iter()
                .all(|(code, _, head, _)| numbered(head).is_some_and(|p| p.department == *code))
        );
    }
}
