//! `backoffice people`: who can be spoken as, and in which roles.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::Globals;
use super::approvals::prove_owner;
use super::open::{self, Desk};
use super::output::Output;
use super::style::printable;
use crate::config::Environment;
use crate::db::people::{self, Person};
use crate::db::{ReadTx, WriteTx};
use crate::error::{Error, Result, nearest};
use crate::families::{departments, hr};
use crate::identity::Role;

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice people",
    "backoffice people add ann.lee --name 'Ann Lee' --role sales-read",
    "backoffice people grant ann.lee support-read",
    "backoffice people revoke ann.lee support-read",
])]
pub(super) struct PeopleArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List everybody with their roles
    List,
    /// Add a person, or change what is known of one
    Add(AddArgs),
    /// Give a person roles
    Grant {
        login: String,
        #[arg(required = true)]
        roles: Vec<String>,
    },
    /// Take roles away
    Revoke {
        login: String,
        #[arg(required = true)]
        roles: Vec<String>,
    },
    /// Take a person out of the directory
    Remove { login: String },
}

#[derive(Args, Debug)]
struct AddArgs {
    /// Such as ann.lee
    login: String,
    #[arg(long)]
    name: Option<String>,
    #[arg(long)]
    email: Option<String>,
    #[arg(long)]
    title: Option<String>,
    /// Name or code
    #[arg(long)]
    department: Option<String>,
    /// The employee who this is: number, UUID or login
    #[arg(long)]
    employee: Option<String>,
    /// May be given several times
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &PeopleArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    if args.command.is_some() && desk.session.caller.pinned {
        return Err(Error::forbidden("the directory belongs to the owner of the file")
            .hint("leave --as out to change it"));
    }
    if !matches!(args.command, None | Some(Command::List)) {
        prove_owner(&desk)?;
    }
    match &args.command {
        None | Some(Command::List) => list(&desk, output),
        Some(Command::Add(args)) => add(&desk, output, args),
        Some(Command::Grant { login, roles }) => change(&desk, output, login, roles, true),
        Some(Command::Revoke { login, roles }) => change(&desk, output, login, roles, false),
        Some(Command::Remove { login }) => {
            let name = login.clone();
            desk.write("people remove", move |tx| match people::remove(tx, &name)? {
                true => Ok(()),
                false if people::is_known(tx, &name)? => Err(Error::conflict("the owner of the file stays")),
                false => Err(people::unknown(tx, &name)?),
            })?;
            output.answer(
                &json!({ "user_id": login, "removed": true }),
                &format!("removed: {}", printable(login)),
            );
            Ok(())
        }
    }
}

fn list(desk: &Desk, output: &mut Output) -> Result<()> {
    let everybody = desk.office.db.read(people::all)?;
    if output.json {
        let shown: Vec<Value> = everybody.iter().map(value).collect();
        output.value(&json!({ "people": shown }));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = everybody
        .iter()
        .map(|person| {
            let roles = if person.is_owner { "all of them".to_owned() } else { person.roles.join(" ") };
            let department = person.department.clone().unwrap_or_default();
            [&person.login, &person.name, &department, &roles].map(|text| printable(text)).to_vec()
        })
        .collect();
    output.table(&["LOGIN", "NAME", "DEPARTMENT", "ROLES"], &rows);
    Ok(())
}

fn value(person: &Person) -> Value {
    json!({
        "user_id": person.login, "name": person.name, "email": person.email, "title": person.title,
        "department": person.department, "manager": person.manager, "employee_id": person.employee_id,
        "owner": person.is_owner, "roles": person.roles,
    })
}

fn add(desk: &Desk, output: &mut Output, args: &AddArgs) -> Result<()> {
    let login = checked_login(&args.login)?;
    let roles = checked_roles(&args.roles)?;
    let (name, email, title) = (args.name.clone(), args.email.clone(), args.title.clone());
    let (department, employee) = (args.department.clone(), args.employee.clone());
    let key = login.clone();
    let person = desk.write("people add", move |tx| {
        let known = people::all(tx)?.into_iter().find(|known| known.login == key);
        let department = department.map(|text| departments::known(tx, &text)).transpose()?;
        let employee = employee.map(|text| employee_called(tx, &text)).transpose()?;
        let is_new = known.is_none();
        let mut person = known.unwrap_or_else(|| Person {
            name: key.clone(),
            email: format!("{key}@localhost"),
            login: key,
            ..Person::default()
        });
        person.name = name.unwrap_or(person.name);
        person.email = email.unwrap_or(person.email);
        person.title = title.or(person.title);
        person.department = department.map(|found| found.name).or(person.department);
        person.employee_id = employee.or(person.employee_id);
        person.roles.extend(roles);
        if is_new {
            person.roles.push(Role::Employee.as_str().to_owned());
        }
        people::put(tx, &person)?;
        person.roles.sort_unstable();
        person.roles.dedup();
        Ok(person)
    })?;
    let line = format!("{}: {}", printable(&person.login), person.roles.join(", "));
    output.answer(&value(&person), &line);
    Ok(())
}

fn employee_called(tx: &ReadTx<'_>, reference: &str) -> Result<String> {
    match hr::directory::find(tx, reference)? {
        Some(found) => Ok(found.employee_id),
        None => Err(Error::not_found(format!("there is no employee `{}`", printable(reference)))),
    }
}

fn change(desk: &Desk, output: &mut Output, login: &str, roles: &[String], grant: bool) -> Result<()> {
    let roles = checked_roles(roles)?;
    let (name, given) = (login.to_owned(), roles.clone());
    let what = if grant { "people grant" } else { "people revoke" };
    let changed = desk.write(what, move |tx| {
        if !people::is_known(tx, &name)? {
            return Err(people::unknown(tx, &name)?);
        }
        let change: fn(&WriteTx<'_>, &str, &str) -> Result<bool> =
            if grant { people::grant } else { people::revoke };
        let changed = given.iter().map(|role| change(tx, &name, role)).collect::<Result<Vec<bool>>>()?;
        Ok(changed.into_iter().filter(|changed| *changed).count())
    })?;
    let word = if grant { "granted" } else { "revoked" };
    let line = match changed {
        0 => "nothing to change".to_owned(),
        _ => format!("{word}: {} ({})", roles.join(", "), printable(login)),
    };
    output.answer(&json!({ "user_id": login, word: roles, "changed": changed }), &line);
    output.note("connections that are open keep the roles they began with");
    Ok(())
}

fn checked_login(login: &str) -> Result<String> {
    let fits = !login.is_empty()
        && login.len() <= 64
        && login.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    if !fits {
        return Err(Error::invalid("a login has letters, digits, dots, hyphens and underscores only"));
    }
    Ok(login.to_lowercase())
}

fn checked_roles(roles: &[String]) -> Result<Vec<String>> {
    for role in roles {
        if Role::parse(role).is_none() {
            let known = Role::ALL.map(Role::as_str);
            let hint = match nearest(role, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the roles are {}", known.join(", ")),
            };
            return Err(Error::invalid(format!("there is no role `{}`", printable(role))).hint(hint));
        }
    }
    Ok(roles.to_vec())
}
