//! What people see: data on standard output, talk on standard error.

use std::io::{self, BufRead, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::db::backup::Progress;
use crate::error::{Error, Result};

/// Where answers go, as text or as JSON.
#[derive(Debug)]
pub(crate) struct Output {
    pub json: bool,
}

impl Output {
    pub fn new(json: bool) -> Self {
        Output { json }
    }

    /// A line of data. A reader that has gone is not an error.
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(io::stdout(), "{text}");
    }

    pub fn value(&mut self, value: &Value) {
        let text = if io::stdout().is_terminal() {
            serde_json::to_string_pretty(value).unwrap_or_default()
        } else {
            value.to_string()
        };
        self.line(&text);
    }

    /// A remark for the person, never part of the data.
    pub fn note(&mut self, text: &str) {
        if !self.json {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    pub fn error(&mut self, error: &Error) {
        if self.json {
            let mut told = json!({ "kind": error.kind().word(), "message": error.chain() });
            if let Some(hint) = error.hint_text() {
                told["hint"] = hint.into();
            }
            for (key, value) in error.details() {
                told[key] = value.clone();
            }
            let _ = writeln!(io::stderr(), "{}", json!({ "error": told }));
            return;
        }
        let _ = writeln!(io::stderr(), "error: {}", error.chain());
        if let Some(hint) = error.hint_text() {
            let _ = writeln!(io::stderr(), "hint: {hint}");
        }
    }

    /// Columns that line up; the last one is as long as it is.
    pub fn table(&mut self, headings: &[&str], rows: &[Vec<String>]) {
        let widths: Vec<usize> = (0..headings.len())
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
                cells.chain([headings[column].width()]).max().unwrap_or(0)
            })
            .collect();
        let mut print = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for (cell, width) in cells.zip(&widths) {
                line.push_str(cell);
                line.push_str(&" ".repeat(width.saturating_sub(cell.width()) + 2));
            }
            self.line(line.trim_end());
        };
        print(&mut headings.iter().copied());
        for row in rows {
            print(&mut row.iter().map(String::as_str));
        }
    }
}

/// A bar on a terminal's standard error, nothing elsewhere.
pub(crate) fn progress(json: bool, what: &str) -> impl FnMut(Progress) {
    let target = if json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(0), target).with_message(what.to_owned());
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {percent}%") {
        bar.set_style(style.progress_chars("=> "));
    }
    move |progress| {
        bar.set_length(u64::try_from(progress.total).unwrap_or(0));
        bar.set_position(u64::try_from(progress.done).unwrap_or(0));
        if progress.done == progress.total {
            bar.finish_and_clear();
        }
    }
}

/// Shows on a terminal what is being looked at, nothing elsewhere.
pub(crate) fn spinner(json: bool, what: &str) -> impl FnMut(&str) {
    let target = if json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target).with_prefix(what.to_owned());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {wide_msg}") {
        bar.set_style(style);
    }
    let clear = Clear(bar);
    move |now| {
        clear.0.set_message(now.to_owned());
        clear.0.tick();
    }
}

/// Leaves no trace of a bar behind, also when the work fails.
struct Clear(ProgressBar);

impl Drop for Clear {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Asks on a terminal; elsewhere nobody could answer.
pub(crate) fn confirm(question: &str) -> Result<()> {
    let refused = || Error::conflict("nothing was changed").hint("add --yes to go on without being asked");
    if !io::stdin().is_terminal() {
        return Err(refused());
    }
    let _ = write!(io::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    let agreed = read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes");
    if agreed { Ok(()) } else { Err(refused()) }
}

/// A JSON text without its quotes.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
