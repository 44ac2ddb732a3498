//! `backoffice sample`: a company of our own making, to try things with and to measure them.

use clap::{Args, Subcommand};
use serde_json::json;

use super::approvals::prove_owner;
use super::open::{self, Desk};
use super::output::{Output, confirm};
use super::{Globals, progress};
use crate::clock::Timestamp;
use crate::config::Environment;
use crate::db::WriteTx;
use crate::db::origins::{self, Origin};
use crate::error::{Error, Result};
use crate::families::company;
use crate::sample::{self, Row, Volume};

/// So many rows share a commit: others get their turn between two.
const CHUNK: usize = 5_000;

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice sample status",
    "backoffice sample reset --yes",
    "backoffice sample generate --tickets 100",
])]
pub(super) struct SampleArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Load it; whoever first asks for business data gets it without this
    Load,
    /// Take out what is there and load it as it looks today
    Reset {
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Take it out, for data of your own
    Clear {
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Tell where the data came from
    Status,
    /// Make many more rows, for measuring
    Generate(GenerateArgs),
}

#[derive(Args, Debug)]
struct GenerateArgs {
    #[arg(long, default_value_t = 0)]
    employees: usize,
    #[arg(long, default_value_t = 0)]
    invoices: usize,
    #[arg(long, default_value_t = 0)]
    expense_reports: usize,
    #[arg(long, default_value_t = 0)]
    customers: usize,
    #[arg(long, default_value_t = 0)]
    deals: usize,
    #[arg(long, default_value_t = 0)]
    tickets: usize,
    #[arg(long, default_value_t = 0)]
    articles: usize,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &SampleArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    if desk.session.caller.pinned && !matches!(args.command, Command::Status) {
        return Err(Error::forbidden("the data belongs to the owner of the file")
            .hint("leave --as out to load or clear it"));
    }
    match &args.command {
        Command::Status => status(&desk, output),
        Command::Load => {
            prove_owner(&desk)?;
            let now = desk.office.clock.now();
            desk.write("sample load", move |tx| {
                if company::counts(tx)?.iter().any(|(_, count)| *count > 0) {
                    return Err(Error::conflict("there is data already")
                        .hint("`backoffice sample reset` begins anew"));
                }
                company::load_sample(tx, now)
            })?;
            status(&desk, output)
        }
        Command::Reset { yes } => {
            refuse_own_data(&desk)?;
            if !yes {
                confirm("Take out all business data and load the sample again?")?;
            }
            prove_owner(&desk)?;
            load(&desk, "sample reset")?;
            status(&desk, output)
        }
        Command::Clear { yes } => {
            refuse_own_data(&desk)?;
            if !yes {
                confirm("Take out all business data?")?;
            }
            prove_owner(&desk)?;
            let now = desk.office.clock.now();
            desk.write("sample clear", move |tx| company::clear(tx, now))?;
            status(&desk, output)
        }
        Command::Generate(args) => generate(&desk, output, args),
    }
}

/// What a person has brought is not ours to throw away.
fn refuse_own_data(desk: &Desk) -> Result<()> {
    desk.office.db.read(company::refuse_own_data)
}

fn load(desk: &Desk, what: &str) -> Result<()> {
    let now = desk.office.clock.now();
    desk.write(what, move |tx| {
        company::clear(tx, now)?;
        company::load_sample(tx, now)
    })
}

fn status(desk: &Desk, output: &mut Output) -> Result<()> {
    let (origins, counts) = desk.office.db.read(|tx| {
        let known = [Origin::Sample, Origin::Generated, Origin::Imported, Origin::Cleared];
        let since = known.map(|origin| Ok((origin.as_str(), origins::since(tx, origin)?)));
        Ok((since.into_iter().collect::<Result<Vec<_>>>()?, company::counts(tx)?))
    })?;
    if output.json {
        let origins: serde_json::Map<_, _> = origins
            .iter()
            .map(|(origin, at)| ((*origin).to_owned(), json!(at.map(Timestamp::rfc3339))))
            .collect();
        let counts: serde_json::Map<_, _> =
            counts.iter().map(|(table, count)| (table.clone(), json!(count))).collect();
        output.value(&json!({ "origins": origins, "tables": counts }));
        return Ok(());
    }
    let told: Vec<String> = origins
        .iter()
        .filter_map(|(origin, at)| at.map(|at| format!("{origin} since {}", at.rfc3339())))
        .collect();
    output.line(&match told.as_slice() {
        [] => "no business data yet; it comes when somebody first asks for it".to_owned(),
        told => told.join(", "),
    });
    let rows: Vec<Vec<String>> =
        counts.into_iter().map(|(table, count)| vec![table, count.to_string()]).collect();
    output.table(&["TABLE", "ROWS"], &rows);
    Ok(())
}

fn generate(desk: &Desk, output: &mut Output, args: &GenerateArgs) -> Result<()> {
    let volume = Volume {
        employees: args.employees,
        invoices: args.invoices,
        expense_reports: args.expense_reports,
        customers: args.customers,
        deals: args.deals,
        tickets: args.tickets,
        articles: args.articles,
    };
    refuse_own_data(desk)?;
    let now = desk.office.clock.now();
    if desk.office.db.read(origins::is_untouched)? {
        load(desk, "sample load")?;
    }
    if desk.office.db.read(|tx| origins::since(tx, Origin::Generated))?.is_some() {
        return Err(Error::conflict("rows were generated here before, with the same numbers")
            .hint("`backoffice sample reset` begins anew"));
    }
    let mut stored = serde_json::Map::new();
    for part in sample::more(company::today(now), volume) {
        let (name, table) = company::table(part.name)?;
        let report = progress::counter(output.json, part.name);
        let (mut rows, mut done) = (part.rows, 0);
        loop {
            let chunk: Vec<Row> = rows.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                break;
            }
            done += chunk.len();
            let name = name.clone();
            desk.office.db.write_many(move |tx| put(tx, &name, table, &chunk, now))?;
            report(done, part.count);
        }
        if let Some(finish) = table.finish {
            report(part.count, part.count);
            desk.office.db.write_many(finish)?;
        }
        stored.insert(name, json!(done));
    }
    desk.write("sample generate", move |tx| origins::note(tx, Origin::Generated, now))?;
    let line = stored.iter().map(|(table, count)| format!("{table} {count}")).collect::<Vec<_>>().join(", ");
    output.answer(&json!({ "generated": stored }), &format!("generated: {line}"));
    Ok(())
}

fn put(
    tx: &WriteTx<'_>,
    name: &str,
    table: &'static crate::tool::table::Table,
    rows: &[Row],
    now: Timestamp,
) -> Result<()> {
    rows.iter().try_for_each(|row| company::put(tx, name, table, row, now))
}
