//! The directory: who can be spoken as, and in which roles.

use rusqlite::params;

use super::tx::{ReadTx, WriteTx};
use crate::error::{Error, Result, nearest};
use crate::identity::{Caller, Role, effective};

/// So many logins are named to somebody who has misspelt one.
const MOST_NAMED: usize = 12;

/// A person as the directory keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    pub login: String,
    pub name: String,
    pub email: String,
    pub title: Option<String>,
    pub department: Option<String>,
    pub manager: Option<String>,
    pub employee_id: Option<String>,
    pub is_owner: bool,
    /// What was granted; what follows from it is not listed.
    pub roles: Vec<String>,
}

/// Makes the operating system's user the owner of the file, once.
pub fn ensure_owner(tx: &WriteTx<'_>, login: &str) -> Result<()> {
    tx.execute(
        "INSERT INTO people (login, name, email, is_owner) VALUES (?1, ?1, ?1 || '@localhost', 1)
         ON CONFLICT (login) DO UPDATE SET is_owner = 1",
        [login],
    )?;
    Ok(())
}

pub fn has_owner(tx: &ReadTx<'_>) -> Result<bool> {
    Ok(tx.row("SELECT 1 FROM people WHERE is_owner = 1", [], |_| Ok(()))?.is_some())
}

/// The login of the owner.
pub fn owner_login(tx: &ReadTx<'_>) -> Result<String> {
    let found = tx.row("SELECT login FROM people WHERE is_owner = 1", [], |row| row.get(0))?;
    found.ok_or_else(|| Error::internal("the data file has no owner"))
}

/// The owner of the file, who holds every role.
pub fn owner(tx: &ReadTx<'_>) -> Result<Caller> {
    let login = owner_login(tx)?;
    Ok(Caller { pinned: false, ..pinned(tx, &login)? })
}

/// A person of the directory, for a connection that is pinned to them.
pub fn pinned(tx: &ReadTx<'_>, login: &str) -> Result<Caller> {
    let found = tx.row(
        "SELECT name, email, department, employee_id, is_owner FROM people WHERE login = ?1",
        [login],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get::<_, bool>(4)?)),
    )?;
    let Some((name, email, department, employee_id, is_owner)) = found else {
        return Err(unknown(tx, login)?);
    };
    let roles = if is_owner { Role::ALL.to_vec() } else { effective(granted(tx, login)?) };
    Ok(Caller { user_id: login.to_owned(), name, email, roles, department, employee_id, pinned: true })
}

pub fn is_known(tx: &ReadTx<'_>, login: &str) -> Result<bool> {
    Ok(tx.row("SELECT 1 FROM people WHERE login = ?1", [login], |_| Ok(()))?.is_some())
}

fn granted(tx: &ReadTx<'_>, login: &str) -> Result<Vec<Role>> {
    Ok(role_names(tx, login)?.iter().filter_map(|name| Role::parse(name)).collect())
}

fn role_names(tx: &ReadTx<'_>, login: &str) -> Result<Vec<String>> {
    tx.rows("SELECT role FROM person_roles WHERE login = ?1 ORDER BY role", params![login], |row| row.get(0))
}

/// Everybody, by login.
pub fn all(tx: &ReadTx<'_>) -> Result<Vec<Person>> {
    let people = tx.rows(
        "SELECT login, name, email, title, department, manager, employee_id, is_owner
         FROM people ORDER BY login",
        [],
        |row| {
            Ok(Person {
                login: row.get(0)?,
                name: row.get(1)?,
                email: row.get(2)?,
                title: row.get(3)?,
                department: row.get(4)?,
                manager: row.get(5)?,
                employee_id: row.get(6)?,
                is_owner: row.get(7)?,
                roles: Vec::new(),
            })
        },
    )?;
    people.into_iter().map(|person| Ok(Person { roles: role_names(tx, &person.login)?, ..person })).collect()
}

/// Adds a person, or changes what is known of them; roles only come on top.
pub fn put(tx: &WriteTx<'_>, person: &Person) -> Result<()> {
    tx.execute(
        "INSERT INTO people (login, name, email, title, department, manager, employee_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (login) DO UPDATE SET name = excluded.name, email = excluded.email,
             title = excluded.title, department = excluded.department, manager = excluded.manager,
             employee_id = excluded.employee_id",
        params![
            person.login,
            person.name,
            person.email,
            person.title,
            person.department,
            person.manager,
            person.employee_id
        ],
    )?;
    person.roles.iter().try_for_each(|role| grant(tx, &person.login, role).map(drop))
}

/// Notes which employee the owner of the file is; the rest of what is known of them is theirs.
pub fn link_owner(tx: &WriteTx<'_>, login: &str, employee_id: &str) -> Result<bool> {
    let linked = tx.execute(
        "UPDATE people SET employee_id = ?2 WHERE login = ?1 AND is_owner = 1",
        params![login, employee_id],
    )?;
    Ok(linked > 0)
}

/// An employee has another login now: the one before is nobody's.
pub fn remove_other_logins(tx: &WriteTx<'_>, employee_id: &str, login: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM people WHERE employee_id = ?1 AND login <> ?2 AND is_owner = 0",
        params![employee_id, login],
    )?;
    Ok(())
}

/// Whoever has left may do nothing any more.
pub fn revoke_all(tx: &WriteTx<'_>, employee_id: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM person_roles WHERE login IN (SELECT login FROM people WHERE employee_id = ?1)",
        [employee_id],
    )?;
    Ok(())
}

/// Gives a role; tells whether it was not held before.
pub fn grant(tx: &WriteTx<'_>, login: &str, role: &str) -> Result<bool> {
    let given =
        tx.execute("INSERT OR IGNORE INTO person_roles (login, role) VALUES (?1, ?2)", params![login, role])?;
    Ok(given > 0)
}

/// Takes a role away; tells whether it was held.
pub fn revoke(tx: &WriteTx<'_>, login: &str, role: &str) -> Result<bool> {
    let taken =
        tx.execute("DELETE FROM person_roles WHERE login = ?1 AND role = ?2", params![login, role])?;
    Ok(taken > 0)
}

/// Takes a person out of the directory. The owner stays.
pub fn remove(tx: &WriteTx<'_>, login: &str) -> Result<bool> {
    Ok(tx.execute("DELETE FROM people WHERE login = ?1 AND is_owner = 0", [login])? > 0)
}

/// Takes out everybody who came with an employee.
pub fn remove_employees(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM people WHERE employee_id IS NOT NULL AND is_owner = 0", [])?;
    tx.execute("UPDATE people SET employee_id = NULL", [])?;
    Ok(())
}

/// The error for a login that nobody has.
pub fn unknown(tx: &ReadTx<'_>, login: &str) -> Result<Error> {
    let known: Vec<String> = tx.rows("SELECT login FROM people ORDER BY login", [], |row| row.get(0))?;
    let names = known.iter().map(String::as_str);
    let hint = match nearest(login, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.len() > MOST_NAMED => {
            format!("`backoffice people list` shows the {} people of the directory", known.len())
        }
        None => format!("the directory knows {}", known.join(", ")),
    };
    Ok(Error::not_found(format!("nobody in the directory is called `{login}`")).hint(hint))
}
