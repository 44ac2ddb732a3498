//! The directory: who can be spoken as, and in which roles.

use rusqlite::params;

use super::tx::{ReadTx, WriteTx};
use crate::error::{Error, Result, nearest};
use crate::identity::{Caller, Role};

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

/// The owner of the file, who holds every role.
pub fn owner(tx: &ReadTx<'_>) -> Result<Caller> {
    let found = tx.row("SELECT login, name, department FROM people WHERE is_owner = 1", [], |row| {
        Ok(Caller {
            user_id: row.get(0)?,
            name: row.get(1)?,
            roles: Role::ALL.to_vec(),
            department: row.get(2)?,
            pinned: false,
        })
    })?;
    found.ok_or_else(|| Error::internal("the data file has no owner"))
}

/// A person of the directory, for a connection that is pinned to them.
pub fn pinned(tx: &ReadTx<'_>, login: &str) -> Result<Caller> {
    let found = tx.row("SELECT name, department, is_owner FROM people WHERE login = ?1", [login], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get::<_, bool>(2)?))
    })?;
    let Some((name, department, is_owner)) = found else { return Err(unknown(tx, login)?) };
    let roles = if is_owner { Role::ALL.to_vec() } else { roles(tx, login)? };
    Ok(Caller { user_id: login.to_owned(), name, roles, department, pinned: true })
}

fn roles(tx: &ReadTx<'_>, login: &str) -> Result<Vec<Role>> {
    let names: Vec<String> =
        tx.rows("SELECT role FROM person_roles WHERE login = ?1 ORDER BY role", params![login], |row| {
            row.get(0)
        })?;
    Ok(names.iter().filter_map(|name| Role::parse(name)).collect())
}

fn unknown(tx: &ReadTx<'_>, login: &str) -> Result<Error> {
    let known: Vec<String> = tx.rows("SELECT login FROM people ORDER BY login", [], |row| row.get(0))?;
    let names = known.iter().map(String::as_str);
    let hint = match nearest(login, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the directory knows {}", known.join(", ")),
    };
    Ok(Error::not_found(format!("nobody in the directory is called `{login}`")).hint(hint))
}
