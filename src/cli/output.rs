//! What people see: data on standard output, talk on standard error. Colour and the terminal's
//! width only where a terminal is; a pipe gets plain and whole text.

use std::io::{self, BufRead, IsTerminal, Write};

use serde_json::{Value, json};

use super::style::{Style, fit, printable};
use crate::error::{Error, Result};

/// Where answers go, as text or as JSON.
#[derive(Debug)]
pub(crate) struct Output {
    pub json: bool,
    colour: bool,
    /// What kept an answer from being written.
    failure: Option<io::Error>,
    /// The columns of the terminal; nothing for a pipe, which takes everything.
    pub width: Option<usize>,
    /// What was looked at is not as it should be: an answer, but not a success.
    wanting: bool,
}

impl Output {
    pub fn new(json: bool, plain: bool) -> Self {
        let terminal = console::Term::stdout();
        let on_terminal = io::stdout().is_terminal();
        Output {
            json,
            colour: on_terminal && !plain && !json,
            failure: None,
            width: on_terminal.then(|| usize::from(terminal.size().1)).filter(|width| *width >= 20),
            wanting: false,
        }
    }

    /// A line of data.
    pub fn line(&mut self, text: &str) {
        if let Err(error) = writeln!(io::stdout(), "{text}") {
            self.failure.get_or_insert(error);
        }
    }

    /// Whether nobody reads any more; whoever goes on for ever ends then.
    pub fn is_gone(&self) -> bool {
        self.failure.is_some()
    }

    /// Lets the program end with a code that scripts notice, after an answer that was given in full.
    pub fn found_wanting(&mut self) {
        self.wanting = true;
    }

    pub fn is_wanting(&self) -> bool {
        self.wanting
    }

    /// How the writing ended: a reader that has had enough is not an error, a full disk is.
    pub fn ended(&mut self) -> Result<()> {
        match self.failure.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::io(error, "write the answer")
                    .hint("what was asked for has been done all the same"))
            }
            _ => Ok(()),
        }
    }

    /// Whether this is a terminal that can be painted over and over.
    pub fn can_repaint(&self) -> bool {
        self.width.is_some() && self.colour
    }

    pub fn value(&mut self, value: &Value) {
        let text = if io::stdout().is_terminal() {
            serde_json::to_string_pretty(value).unwrap_or_default()
        } else {
            value.to_string()
        };
        self.line(&text);
    }

    /// An answer that is one line to people.
    pub fn answer(&mut self, value: &Value, line: &str) {
        if self.json {
            self.value(value);
        } else {
            self.line(line);
        }
    }

    /// A remark for the person, never part of the data.
    pub fn note(&mut self, text: &str) {
        if !self.json {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// Paints a text, where there is colour.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { style.paint(text) } else { text.to_owned() }
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
        let colour = self.colour && io::stderr().is_terminal();
        let label = |style: Style, text: &str| if colour { style.paint(text) } else { text.to_owned() };
        let _ = writeln!(io::stderr(), "{} {}", label(Style::Bad, "error:"), printable(&error.chain()));
        if let Some(hint) = error.hint_text() {
            let _ = writeln!(io::stderr(), "{} {}", label(Style::Strong, "hint:"), lines_of(hint));
        }
    }

    /// Columns that line up; on a terminal the last one is cut to its width.
    pub fn table(&mut self, headings: &[&str], rows: &[Vec<String>]) {
        self.painted_table(headings, rows, |_, _| Style::Plain);
    }

    /// The same, with a style for each cell by its column and text.
    pub fn painted_table(
        &mut self,
        headings: &[&str],
        rows: &[Vec<String>],
        style: impl Fn(usize, &str) -> Style,
    ) {
        self.fitted_table(headings, rows, headings.len().saturating_sub(1), style);
    }

    /// The same, with the column that is cut when a terminal is too narrow for all.
    pub fn fitted_table(
        &mut self,
        headings: &[&str],
        rows: &[Vec<String>],
        flexible: usize,
        style: impl Fn(usize, &str) -> Style,
    ) {
        let last = headings.len().saturating_sub(1);
        let mut widths: Vec<usize> = (0..headings.len())
            .map(|column| {
                let cells = rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| console::measure_text_width(cell));
                cells.chain([headings[column].len()]).max().unwrap_or(0)
            })
            .collect();
        let others = widths.iter().sum::<usize>() - widths[flexible] + 2 * last;
        let room = self.width.map(|width| width.saturating_sub(others).max(8));
        widths[flexible] = room.map_or(widths[flexible], |room| room.min(widths[flexible]));
        let shown = |cells: &[&str], style: &dyn Fn(usize, &str) -> Style| {
            let mut line = String::new();
            for (column, cell) in cells.iter().enumerate() {
                let cut = if column == flexible { room } else { None };
                let shown = cut.map_or((*cell).to_owned(), |room| fit(cell, room));
                let gap = widths[column].saturating_sub(console::measure_text_width(&shown)) + 2;
                line.push_str(&self.paint(style(column, cell), &shown));
                if column != last {
                    line.push_str(&" ".repeat(gap));
                }
            }
            line.trim_end().to_owned()
        };
        let heading = shown(headings, &|_, _| Style::Faint);
        let lines = rows.iter().map(|row| shown(&row.iter().map(String::as_str).collect::<Vec<_>>(), &style));
        let lines: Vec<String> = std::iter::once(heading).chain(lines).collect();
        lines.iter().for_each(|line| self.line(line));
    }
}

/// Asks on a terminal; elsewhere nobody could answer.
pub(crate) fn confirm(question: &str) -> Result<()> {
    let refused = || Error::conflict("nothing was changed").hint("add --yes to go on without being asked");
    if !io::stdin().is_terminal() {
        return Err(refused());
    }
    let _ = write!(io::stderr(), "{} [y/N] ", printable(question));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    let agreed = read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes");
    if agreed { Ok(()) } else { Err(refused()) }
}

/// A JSON text without its quotes, and without anything that would move the terminal's cursor.
pub(crate) fn text(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    printable(&text)
}

/// A text of several lines, each of them printable.
fn lines_of(text: &str) -> String {
    text.lines().map(printable).collect::<Vec<_>>().join("\n")
}
