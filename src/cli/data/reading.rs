//! Files of rows: CSV with a line of headings, or JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::tool::JsonObject;

/// A row, the line it begins in, and what is wrong with its form.
pub(super) type Line = (u64, std::result::Result<JsonObject, String>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    JsonLines,
}

impl Format {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase).as_deref() {
            Some("csv") => Ok(Format::Csv),
            Some("jsonl" | "ndjson") => Ok(Format::JsonLines),
            _ => Err(Error::invalid(format!("`{}` is neither .csv nor .jsonl", path.display()))
                .hint("name a file of comma-separated values, or of one JSON object a line")),
        }
    }
}

pub(super) fn rows(path: &Path) -> Result<Vec<Line>> {
    let open = || File::open(path).map_err(|error| Error::io(error, format!("read `{}`", path.display())));
    match Format::of(path)? {
        Format::Csv => csv_rows(open()?),
        Format::JsonLines => json_rows(open()?, path),
    }
}

fn csv_rows(file: File) -> Result<Vec<Line>> {
    let mut reader = csv::ReaderBuilder::new().flexible(false).trim(csv::Trim::All).from_reader(file);
    let headings = reader.headers().map_err(|error| unreadable(&error))?.clone();
    // Spreadsheets put a mark before the first heading.
    let headings: Vec<String> =
        headings.iter().map(|heading| heading.trim_start_matches('\u{feff}').to_owned()).collect();
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(false) => return Ok(rows),
            Ok(true) => {
                let line = record.position().map_or(line, csv::Position::line);
                let cells = record.iter().map(|cell| Value::String(cell.to_owned()));
                let named = headings.iter().cloned().zip(cells);
                rows.push((line, Ok(named.filter(|(_, cell)| cell.as_str() != Some("")).collect())));
            }
            Err(error) => {
                let line = error.position().map_or(line, csv::Position::line);
                rows.push((line, Err(error.to_string())));
                if !matches!(
                    error.kind(),
                    csv::ErrorKind::UnequalLengths { .. } | csv::ErrorKind::Utf8 { .. }
                ) {
                    return Err(unreadable(&error));
                }
            }
        }
    }
}

fn unreadable(error: &csv::Error) -> Error {
    Error::invalid(format!("the file cannot be read: {error}"))
}

fn json_rows(file: File, path: &Path) -> Result<Vec<Line>> {
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(|error| Error::io(error, format!("read `{}`", path.display())))?;
        if line.trim().is_empty() {
            continue;
        }
        let row =
            serde_json::from_str::<JsonObject>(&line).map_err(|error| format!("no JSON object: {error}"));
        rows.push((number, row));
    }
    Ok(rows)
}
