//! `backoffice export TABLE`: what an import would take, to a file or to standard output.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::reading::Format;
use super::refuse_pinned;
use crate::cli::output::Output;
use crate::cli::{Globals, open};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::families::company;
use crate::paths;
use crate::tool::JsonObject;
use crate::tool::table::Table;

/// Rows that are read at once.
const PAGE: i64 = 1_000;

/// Exported files hold everything, salaries too: they are readable by you alone.
#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice export hr.departments", "backoffice export sales.deals deals.jsonl"])]
pub(in crate::cli) struct ExportArgs {
    /// Such as hr.employees
    table: String,
    /// .csv or .jsonl; without one, CSV to standard output (with --json, JSON lines)
    file: Option<PathBuf>,
}

pub(in crate::cli) fn export(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &ExportArgs,
) -> Result<()> {
    let (name, table) = company::table(&args.table)?;
    let desk = open::desk(globals, environment, "cli")?;
    refuse_pinned(&desk)?;
    let failed = |error| Error::io(error, "write the rows");
    let Some(path) = &args.file else {
        let format = if output.json { Format::JsonLines } else { Format::Csv };
        let written = rows(&desk, table, format, &mut io::stdout().lock());
        return match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map(drop).map_err(failed),
        };
    };
    let format = Format::of(path)?;
    let file: File = paths::private_file().write(true).create_new(true).open(path).map_err(|error| {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Error::conflict(format!("`{}` already exists", path.display()))
                .hint("name a file that does not exist yet"),
            _ => Error::io(error, format!("write `{}`", path.display())),
        }
    })?;
    let mut file = BufWriter::new(file);
    let count = rows(&desk, table, format, &mut file)
        .and_then(|count| file.flush().map(|()| count))
        .map_err(failed)?;
    let line = format!("{}: {count} rows of {name}", path.display());
    output.answer(&json!({ "table": name, "file": path, "rows": count }), &line);
    Ok(())
}

/// Writes every row of one view of the table.
fn rows(desk: &open::Desk, table: &Table, format: Format, to: &mut dyn Write) -> io::Result<usize> {
    let (mut count, mut written) = (0, Ok(()));
    let read = desk.office.db.read(|tx| {
        if format == Format::Csv {
            written = csv_line(to, table.columns.iter().map(|column| column.name.to_owned()));
        }
        let mut after = i64::MIN;
        loop {
            let page = (table.pages)(tx, after, PAGE)?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = *last;
            for (_, fields) in page {
                if written.is_err() {
                    return Ok(());
                }
                let row = table.written(fields);
                written = match format {
                    Format::Csv => csv_line(to, cells(table, &row)),
                    Format::JsonLines => writeln!(to, "{}", Value::Object(row)),
                };
                count += 1;
            }
        }
    });
    read.map_err(io::Error::other)?;
    written.and_then(|()| to.flush()).map(|()| count)
}

fn csv_line(to: &mut dyn Write, cells: impl IntoIterator<Item = String>) -> io::Result<()> {
    let mut line = csv::Writer::from_writer(Vec::new());
    line.write_record(cells).map_err(io::Error::other)?;
    to.write_all(&line.into_inner().map_err(|error| io::Error::other(error.to_string()))?)
}

fn cells(table: &Table, row: &JsonObject) -> Vec<String> {
    let cell = |name: &str| match row.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "),
        Some(other) => other.to_string(),
    };
    table.columns.iter().map(|column| cell(column.name)).collect()
}
