//! Pages of employees and of invoices: a late one costs what the first one costs, a manager's costs
//! what HR's costs.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::bare::Bare;
use super::super::cores::Placement;
use super::super::jobs::Job;
use super::super::report::{Budget, Report};
use super::super::server::Server;
use super::super::single_row::{ALLOWED, repeat};
use super::super::site::Site;
use super::super::timings::written;
use super::super::{Outcome, echo, load, rounds};
use super::bare_listings::{self, After, Rows};
use super::fill::Company;
use super::{FINANCE, HR, MANAGER, grouped, program};

const ROUNDS: usize = 7;
const SLICE: Duration = Duration::from_millis(120);
const LATE: usize = 10_000;

/// A listing, as the tool and as the statements know it.
struct Listing {
    name: &'static str,
    login: &'static str,
    tool: &'static str,
    filter: Value,
    rows: Rows,
}

fn listings() -> Vec<Listing> {
    let employees = |name, login, filter, rows| Listing { name, login, tool: "list_employees", filter, rows };
    let invoices = |name, filter, rows| Listing { name, login: FINANCE, tool: "list_invoices", filter, rows };
    vec![
        employees("list_employees", HR, json!({}), Rows::Employees),
        employees("list_employees department", HR, json!({ "department": "OPS" }), Rows::InDepartment("OPS")),
        employees("list_employees as a manager", MANAGER, json!({}), Rows::Below(MANAGER)),
        employees(
            "list_employees department as a manager",
            MANAGER,
            json!({ "department": "OPS" }),
            Rows::BelowInDepartment(MANAGER, "OPS"),
        ),
        invoices("list_invoices", json!({}), Rows::Invoices),
        invoices("list_invoices status=paid", json!({ "status": "paid" }), Rows::OfStatus("paid")),
        invoices("list_invoices department", json!({ "department": "OPS" }), Rows::OfDepartment("OPS")),
        invoices("list_invoices vendor=acme", json!({ "vendor": "acme" }), Rows::OfVendor("\"acme\"")),
        invoices(
            "list_invoices vendor=acme status=paid",
            json!({ "vendor": "acme", "status": "paid" }),
            Rows::OfVendorAndStatus("\"acme\"", "paid"),
        ),
    ]
}

/// The p50s of one round, in microseconds.
struct P50s {
    first: f64,
    late: f64,
    unaudited: f64,
    echo: f64,
    bare: f64,
    bare_first: f64,
}

pub fn measure(site: &Site, company: &Company, report: &mut Report) -> Outcome<()> {
    let bare = Bare::open(&company.home.database(), &site.repository())?;
    let mut echo = Server::start(site.echo(&site.home("echo-domain")?))?;
    for listing in listings() {
        listing.measure(site, company, &bare, &mut echo, report)?;
    }
    manager_against_hr(site, company, report)?;
    Placement::Anywhere.take(&[])
}

impl Listing {
    fn measure(
        &self,
        site: &Site,
        company: &Company,
        bare: &Bare,
        echo: &mut Server,
        report: &mut Report,
    ) -> Outcome<()> {
        let mut server = Server::start(program(site, &company.home, self.login))?;
        let mut unaudited = Server::start(site.unaudited(&company.home, self.login))?;
        let (page, id, late) = self.late(&mut server)?;
        let after = bare_listings::after(bare, self.rows, &id)?;
        Placement::TwoCores.take(&[&server, &unaudited, echo])?;
        let first = self.job(&self.filter);
        let echo_job = echo::like(&late, &mut server, echo)?;
        let kept = rounds::run(&mut site.disk()?, Placement::TwoCores, ROUNDS, |_| {
            Ok(P50s {
                first: load::alone(&mut server, SLICE, &first)?.p50(),
                late: load::alone(&mut server, SLICE, &late)?.p50(),
                unaudited: load::alone(&mut unaudited, SLICE, &late)?.p50(),
                echo: load::alone(echo, SLICE, &echo_job)?.p50(),
                bare: repeat(|| bare_listings::read(bare, self.rows, &after))?.p50(),
                bare_first: repeat(|| bare_listings::read(bare, self.rows, &After::FIRST))?.p50(),
            })
        })?;
        let told = |of: fn(&P50s) -> f64| written(kept.median(of));
        let what = format!("{} at {}, page {}", self.name, grouped(company.rows), grouped(page));
        let figures = format!(
            "p50 {} against {}; the statements {} against {}",
            told(|p50s| p50s.late),
            told(|p50s| p50s.first),
            told(|p50s| p50s.bare),
            told(|p50s| p50s.bare_first),
        );
        let growth = kept.median(|p50s| p50s.late / p50s.first);
        report.judge(what.clone(), Budget::AtMost(1.2, " × page 1"), growth, figures);
        let figures = format!(
            "p50 {}, {} without its line in the audit trail; a {}, b {}",
            told(|p50s| p50s.late),
            told(|p50s| p50s.unaudited),
            told(|p50s| p50s.echo),
            told(|p50s| p50s.bare),
        );
        report.judge(what, ALLOWED, kept.median(|p50s| p50s.late / (p50s.echo + p50s.bare)), figures);
        Ok(())
    }

    fn job(&self, arguments: &Value) -> Job {
        Job::same(self.name, self.tool, arguments.to_string())
    }

    /// Follows the cursors, as a client would, to the ten thousandth page or the last full one: its
    /// number, the row it starts after, and the call.
    fn late(&self, server: &mut Server) -> Outcome<(usize, String, Job)> {
        let key = if self.tool == "list_employees" { "employee_id" } else { "invoice_id" };
        let (mut arguments, mut after) = (self.filter.clone(), String::new());
        let mut full = (1, after.clone(), self.job(&arguments));
        for page in 1..=LATE {
            let answer = server.ask(self.tool, &arguments)?;
            let next = answer["metadata"]["nextCursor"].clone();
            // The last page of a listing is shorter than the others.
            if next.is_null() {
                break;
            }
            full = (page, after, self.job(&arguments));
            let rows = answer["data"].as_array().ok_or("an answer without rows")?;
            after = rows.last().and_then(|row| row[key].as_str()).ok_or("an empty page")?.to_owned();
            arguments["cursor"] = next;
        }
        Ok(full)
    }
}

fn manager_against_hr(site: &Site, company: &Company, report: &mut Report) -> Outcome<()> {
    let job = Job::same("list_employees", "list_employees", "{}".to_owned());
    let mut hr = Server::start(program(site, &company.home, HR))?;
    let mut manager = Server::start(program(site, &company.home, MANAGER))?;
    Placement::TwoCores.take(&[&hr, &manager])?;
    let kept = rounds::run(&mut site.disk()?, Placement::TwoCores, ROUNDS, |_| {
        let hr = load::alone(&mut hr, SLICE, &job)?.p50();
        Ok((load::alone(&mut manager, SLICE, &job)?.p50(), hr))
    })?;
    let figures = format!(
        "p50 {} against {}",
        written(kept.median(|p50s| p50s.0)),
        written(kept.median(|p50s| p50s.1))
    );
    let ratio = kept.median(|p50s| p50s.0 / p50s.1);
    report.judge("a manager's page of employees", Budget::AtMost(1.2, " × a page of HR"), ratio, figures);
    Ok(())
}
