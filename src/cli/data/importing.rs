//! `backoffice import TABLE FILE`: all rows or none, every problem with its line.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::reading;
use super::refuse_pinned;
use crate::cli::approvals::prove_owner;
use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::progress::counter;
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
    let (mut entries, mut problems) = read(table, reading::rows(file)?);
    let all = entries.len() + problems_in_lines(&problems);
    // Lists show the newest first by the order in which rows came.
    if let Some(date) = table.by_date {
        entries.sort_by(|(_, one), (_, other)| one[date].cmp(&other[date]));
    }
    let had_sample = desk.office.db.read(|tx| origins::since(tx, Origin::Sample))?.is_some();
    // All or nothing, unless somebody said otherwise; then a row that is left out may be one that others
    // need, so that the rest is tried again.
    let is_wanted = |problems: &[Problem]| problems.is_empty() || args.skip_bad;
    loop {
        let rows = Arc::new(entries);
        let keep = is_wanted(&problems) && !args.dry_run;
        let found = store(&desk, output.json, table, &rows, keep)?;
        entries = Arc::try_unwrap(rows).unwrap_or_else(|shared| (*shared).clone());
        if found.is_empty() {
            break;
        }
        entries.retain(|(line, _)| found.iter().all(|problem| problem.line != *line));
        problems.extend(found);
        if !args.skip_bad {
            break;
        }
    }
    if !is_wanted(&problems) {
        return refuse(output, &name, all, problems);
    }
    report(output, (&name, args.dry_run, had_sample), entries.len(), &problems);
    Ok(())
}

/// Stores rows in a transaction of their own, and tells what does not fit. It is undone if anything does
/// not, or if nothing is to be kept.
fn store(
    desk: &Desk,
    json: bool,
    table: &'static Table,
    rows: &Arc<Vec<(u64, Entry)>>,
    keep: bool,
) -> Result<Vec<Problem>> {
    let (now, rows, progress) = (desk.office.clock.now(), Arc::clone(rows), counter(json, table.name));
    let stored = desk.write_many("import", move |tx| {
        let found = put_all(tx, table, &rows, now, &progress)?;
        if !found.is_empty() || !keep {
            return Err(Undone::because(found));
        }
        origins::note(tx, Origin::Imported, now)
    });
    match stored {
        Ok(()) => Ok(Vec::new()),
        Err(error) => Undone::read(error),
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

/// Puts the rows, and joins them to each other; what does not fit.
fn put_all(
    tx: &WriteTx<'_>,
    table: &Table,
    rows: &[(u64, Entry)],
    now: Timestamp,
    progress: &dyn Fn(usize, usize),
) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let mut note = |line: u64, outcome: Result<()>| match outcome {
        // The file refuses a row for its own reasons, too: a key that is taken, a value out of range.
        Err(error) if is_of_the_row(&error) => {
            problems.push(Problem { line, what: error.chain() });
            Ok(())
        }
        outcome => outcome,
    };
    for (count, (line, entry)) in (1..).zip(rows) {
        note(*line, (table.put)(tx, entry, now))?;
        if count % 1_000 == 0 {
            progress(count, rows.len());
        }
    }
    if let Some(link) = table.link {
        for (line, entry) in rows {
            note(*line, link(tx, entry))?;
        }
    }
    match table.finish {
        Some(finish) if problems.is_empty() => finish(tx)?,
        _ => {}
    }
    Ok(problems)
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

/// The error that undoes a transaction, with what it has found.
struct Undone;

impl Undone {
    fn because(problems: Vec<Problem>) -> Error {
        let told: Value = problems.into_iter().map(|problem| json!([problem.line, problem.what])).collect();
        Error::invalid("the import is undone").detail("problems", told)
    }

    fn read(error: Error) -> Result<Vec<Problem>> {
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

fn refuse(output: &mut Output, name: &str, all: usize, mut problems: Vec<Problem>) -> Result<()> {
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
