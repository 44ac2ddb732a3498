//! `backoffice import TABLE FILE`: all rows or none, every problem with its line.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::reading;
use super::refuse_pinned;
use crate::cli::approvals::prove_owner;
use crate::cli::output::Output;
use crate::cli::style::printable;
use crate::cli::{Globals, open};
use crate::clock::Timestamp;
use crate::config::Environment;
use crate::db::WriteTx;
use crate::db::origins::{self, Origin};
use crate::error::{Error, Kind, Result};
use crate::families::company;
use crate::tool::table::{Entry, Table};

/// More problems than these are counted.
const MOST_SHOWN: usize = 50;

/// The columns of a table: `backoffice import TABLE --columns`. Rows with a known key replace what is there.
#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice import hr.employees --columns",
    "backoffice import --tables",
])]
pub(in crate::cli) struct ImportArgs {
    /// Such as hr.employees
    #[arg(required_unless_present = "tables")]
    table: Option<String>,
    /// .csv with a line of headings, or .jsonl
    #[arg(required_unless_present_any = ["columns", "tables"])]
    file: Option<PathBuf>,
    /// Leave out the rows that do not fit, and import the others
    #[arg(long)]
    skip_bad: bool,
    /// Check everything, write nothing
    #[arg(long)]
    dry_run: bool,
    /// Show the columns of the table
    #[arg(long)]
    columns: bool,
    /// Show which tables there are
    #[arg(long)]
    tables: bool,
}

/// What does not fit, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    line: u64,
    what: String,
}

pub(in crate::cli) fn import(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &ImportArgs,
) -> Result<()> {
    let Some(name) = args.table.as_deref().filter(|_| !args.tables) else {
        let rows: Vec<Vec<String>> =
            company::tables().map(|(full, table)| vec![full, table.columns.len().to_string()]).collect();
        output.table(&["TABLE", "COLUMNS"], &rows);
        return Ok(());
    };
    let (name, table) = company::table(name)?;
    let (Some(file), false) = (&args.file, args.columns) else {
        columns(output, table);
        return Ok(());
    };
    let desk = open::desk(globals, environment, "cli")?;
    refuse_pinned(&desk)?;
    if !args.dry_run {
        prove_owner(&desk)?;
    }
    let (entries, problems) = read(table, reading::rows(file)?);
    let all = entries.len() + problems_in_lines(&problems);
    let mut entries = entries;
    // Lists show the newest first by the order in which rows came.
    if let Some(date) = table.by_date {
        entries.sort_by(|(_, one), (_, other)| one[date].cmp(&other[date]));
    }
    let (skip_bad, dry_run, now) = (args.skip_bad, args.dry_run, desk.office.clock.now());
    if !problems.is_empty() && !skip_bad {
        // What else is wrong with the rows that fit is told as well.
        let found = desk.office.db.write(move |tx| tx.rehearse(|| store(tx, table, &entries, now)))?;
        return refuse(output, &name, all, problems, found);
    }
    let had_sample = desk.office.db.read(|tx| origins::since(tx, Origin::Sample))?.is_some();
    let what = if dry_run { "import --dry-run" } else { "import" };
    let stored = desk.write(what, move |tx| {
        let run = || {
            let (count, found) = store_what_fits(tx, table, entries, now)?;
            // All or nothing, unless somebody said otherwise.
            if !found.is_empty() && !skip_bad {
                return Err(Refused::of(found));
            }
            origins::note(tx, Origin::Imported, now)?;
            Ok((count, found))
        };
        if dry_run { tx.rehearse(run) } else { tx.attempt(run) }
    });
    match stored.map_err(Refused::read) {
        Ok((count, found)) => {
            report(output, (&name, dry_run, had_sample), count, &[problems, found].concat());
            Ok(())
        }
        Err(Ok(found)) => refuse(output, &name, all, problems, found),
        Err(Err(error)) => Err(error),
    }
}

/// Reads rows; those that do not fit are problems, each column of its own.
fn read(table: &Table, lines: Vec<reading::Line>) -> (Vec<(u64, Entry)>, Vec<Problem>) {
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for (line, row) in lines {
        match row.map_err(|what| vec![what]).and_then(|row| table.read(&row)) {
            Ok(entry) => entries.push((line, entry)),
            Err(found) => problems.extend(found.into_iter().map(|what| Problem { line, what })),
        }
    }
    (entries, problems)
}

/// Stores rows, each in a savepoint of its own, and joins them to each other; what could not be stored.
fn store(tx: &WriteTx<'_>, table: &Table, entries: &[(u64, Entry)], now: Timestamp) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let mut each = |work: &dyn Fn(&Entry) -> Result<()>| -> Result<()> {
        for (line, entry) in entries {
            match tx.attempt(|| work(entry)) {
                Ok(()) => {}
                // The file refuses a row for its own reasons, too: a key that is taken, a value out of range.
                Err(error) if is_of_the_row(&error) => {
                    problems.push(Problem { line: *line, what: error.chain() });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    each(&|entry| (table.put)(tx, entry, now))?;
    if let Some(link) = table.link {
        each(&|entry| link(tx, entry))?;
    }
    table.finish.map_or(Ok(()), |finish| finish(tx))?;
    Ok(problems)
}

/// Stores the rows that fit, and tells of the others. A row that is left out may be one that others need.
fn store_what_fits(
    tx: &WriteTx<'_>,
    table: &Table,
    mut entries: Vec<(u64, Entry)>,
    now: Timestamp,
) -> Result<(usize, Vec<Problem>)> {
    let mut problems: Vec<Problem> = Vec::new();
    loop {
        let found = tx.rehearse(|| store(tx, table, &entries, now))?;
        if found.is_empty() {
            store(tx, table, &entries, now)?;
            return Ok((entries.len(), problems));
        }
        entries.retain(|(line, _)| found.iter().all(|problem| problem.line != *line));
        problems.extend(found);
    }
}

fn is_of_the_row(error: &Error) -> bool {
    matches!(error.kind(), Kind::Invalid | Kind::NotFound | Kind::Conflict)
        || error.details().get("reason").is_some_and(|reason| reason == "constraint")
}

fn problems_in_lines(problems: &[Problem]) -> usize {
    let mut lines: Vec<u64> = problems.iter().map(|problem| problem.line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.len()
}

/// Problems on their way out of a transaction that is rolled back because of them.
struct Refused;

impl Refused {
    fn of(problems: Vec<Problem>) -> Error {
        let told: Value = problems.into_iter().map(|problem| json!([problem.line, problem.what])).collect();
        Error::invalid("rows do not fit").reason("rows").detail("problems", told)
    }

    fn read(error: Error) -> std::result::Result<Vec<Problem>, Error> {
        let Some(Value::Array(problems)) = error.details().get("problems") else { return Err(error) };
        let told = problems.iter().map(|problem| Problem {
            line: problem[0].as_u64().unwrap_or(0),
            what: problem[1].as_str().unwrap_or_default().to_owned(),
        });
        Ok(told.collect())
    }
}

fn shown(problems: &[Problem]) -> Vec<Value> {
    problems
        .iter()
        .take(MOST_SHOWN)
        .map(|problem| json!({ "line": problem.line, "problem": problem.what }))
        .collect()
}

fn refuse(
    output: &mut Output,
    name: &str,
    all: usize,
    mut problems: Vec<Problem>,
    found: Vec<Problem>,
) -> Result<()> {
    problems.extend(found);
    problems.sort_by_key(|problem| problem.line);
    let bad = problems_in_lines(&problems);
    let error = Error::invalid(format!("{bad} of {all} rows do not fit into {name}; nothing was imported"))
        .hint("mend them, or import the others with --skip-bad");
    if output.json {
        return Err(error.detail("problems", shown(&problems)));
    }
    list(output, &problems);
    Err(error)
}

fn list(output: &mut Output, problems: &[Problem]) {
    for problem in problems.iter().take(MOST_SHOWN) {
        output.note(&format!("line {}: {}", problem.line, printable(&problem.what)));
    }
    if problems.len() > MOST_SHOWN {
        output.note(&format!("… and {} more", problems.len() - MOST_SHOWN));
    }
}

fn report(
    output: &mut Output,
    (name, dry_run, had_sample): (&str, bool, bool),
    count: usize,
    problems: &[Problem],
) {
    let skipped = problems_in_lines(problems);
    if !output.json {
        list(output, problems);
    }
    let (word, left) =
        if dry_run { ("would be imported", "would be left out") } else { ("imported", "left out") };
    let mut line = format!("{name}: {count} {word}");
    if skipped > 0 {
        line.push_str(&format!(", {skipped} {left}"));
    }
    let value = json!({
        "table": name, "imported": count, "skipped": skipped, "dry_run": dry_run, "problems": shown(problems),
    });
    output.answer(&value, &line);
    if had_sample && !dry_run {
        output.note(
            "the sample company is still there, too; begin with `backoffice sample clear` to be without it",
        );
    }
}

fn columns(output: &mut Output, table: &Table) {
    if output.json {
        let columns = table.columns.iter().map(|column| {
            json!({ "name": column.name, "required": column.required, "takes": column.kind.expected() })
        });
        output.value(&columns.collect());
        return;
    }
    let rows: Vec<Vec<String>> = table
        .columns
        .iter()
        .map(|column| {
            let needed = if column.required { "needed" } else { "" };
            vec![column.name.to_owned(), needed.to_owned(), column.kind.expected()]
        })
        .collect();
    output.table(&["COLUMN", "", "TAKES"], &rows);
}
