//! The business families at a million employees, invoices and tickets.

mod bare_listings;
mod bare_searches;
mod chart;
mod fill;
mod inserts;
mod listings;
mod searches;

use std::process::Command;

use backoffice::paths::Home;

use super::Outcome;
use super::report::Report;
use super::site::Site;

/// Somebody who sees every employee, and nobody's salary, as the manager below does.
const HR: &str = "samira.haddad";
/// A manager without any other role; all departments but one are below.
const MANAGER: &str = "james.wilson";
const FINANCE: &str = "bob.martinez";
const SUPPORT: &str = "leo.fischer";

pub fn measure(site: &Site, rows: usize, report: &mut Report) -> Outcome<()> {
    let company = fill::company(site, rows, report)?;
    listings::measure(site, &company, report)?;
    searches::measure(site, &company, report)?;
    chart::measure(site, &company, report)?;
    inserts::measure(site, &company, report)
}

/// The program as somebody's client starts it.
fn program(site: &Site, home: &Home, login: &str) -> Command {
    let mut command = site.program(home);
    command.args(["--toolsets", "all", "--as", login]);
    command
}

/// A number as a person reads it.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
