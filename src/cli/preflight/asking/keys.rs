//! A question on a terminal that can be painted over. The cursor is never hidden, so that whatever ends
//! this process leaves the terminal as it was.

use std::io;

use console::{Key, Term};

use super::menu::{Menu, Pressed};
use super::{Answered, Left};
use crate::cli::preflight::questions::Asked;
use crate::cli::style::{Style, fit};
use crate::families::preflight::clarify::catalogue::Type;

/// The last line of a menu whose question can be left out.
const SKIP: &str = "(skip)";

pub(super) fn ask(term: &Term, plain: bool, question: &Asked) -> io::Result<Answered> {
    match question.kind {
        Type::FreeText => write(term, plain, question),
        kind => choose(term, plain, question, kind == Type::MultiChoice),
    }
}

fn painted(plain: bool, heading: &str) -> String {
    let style = if plain { Style::Plain } else { Style::Strong };
    style.paint(heading)
}

fn choose(term: &Term, plain: bool, question: &Asked, several: bool) -> io::Result<Answered> {
    let manner = match (several, question.optional) {
        (true, true) => "  (Space ticks; none skips it)",
        (true, false) => "  (Space ticks)",
        (false, _) => "",
    };
    let mut labels = question.labels();
    if question.optional && !several {
        labels.push(SKIP.to_owned());
    }
    let mut menu = Menu::new(labels, several);
    loop {
        let (rows, columns) = term.size();
        let (rows, columns) = (usize::from(rows), usize::from(columns));
        let heading = fit(&format!("{}{manner}", question.question), columns.saturating_sub(1).max(8));
        // The heading has a line, and the cursor.
        let lines = menu.lines(rows.saturating_sub(2), columns);
        term.write_line(&painted(plain, &heading))?;
        lines.iter().try_for_each(|line| term.write_line(line))?;
        let pressed = menu.press(&term.read_key_raw()?);
        term.clear_last_lines(lines.len() + 1)?;
        let chosen = match pressed {
            Pressed::GoesOn => continue,
            Pressed::Left => return Ok(Err(Left::Interrupted)),
            Pressed::Chosen(chosen) => chosen,
        };
        let values: Vec<String> = chosen.iter().filter_map(|at| question.options.get(*at).cloned()).collect();
        match (values.is_empty(), question.optional) {
            (false, _) => return Ok(Ok(Some(values))),
            (true, true) => return Ok(Ok(None)),
            // Nothing is ticked, and something must be.
            (true, false) => {}
        }
    }
}

/// A line of text; only its end is shown where it is longer than the terminal is wide.
fn write(term: &Term, plain: bool, question: &Asked) -> io::Result<Answered> {
    let manner = if question.optional { "  (empty skips it)" } else { "" };
    let mut text = String::new();
    loop {
        let columns = usize::from(term.size().1).saturating_sub(1).max(8);
        let heading = fit(&format!("{}{manner}", question.question), columns);
        term.write_line(&painted(plain, &heading))?;
        term.write_str(&format!("> {}", end_of(&text, columns - 2)))?;
        let key = term.read_key_raw()?;
        term.clear_line()?;
        term.clear_last_lines(1)?;
        match key {
            Key::CtrlC => return Ok(Err(Left::Interrupted)),
            Key::Char('\u{4}') if text.is_empty() => return Ok(Err(Left::Interrupted)),
            Key::Enter if !text.trim().is_empty() => return Ok(Ok(Some(vec![text]))),
            Key::Enter if question.optional => return Ok(Ok(None)),
            Key::Backspace => drop(text.pop()),
            Key::Char('\u{15}') => text.clear(),
            Key::Char(c) if !c.is_control() => text.push(c),
            _ => {}
        }
    }
}

/// As much of a text's end as there are columns.
fn end_of(text: &str, columns: usize) -> &str {
    let mut starts = text.char_indices().map(|(at, _)| at);
    let fits = |at: &usize| console::measure_text_width(&text[*at..]) <= columns;
    starts.find(fits).map_or("", |at| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_shows_its_end() {
        assert_eq!(end_of("", 5), "");
        assert_eq!(end_of("short", 5), "short");
        assert_eq!(end_of("too long", 5), " long");
        assert_eq!(end_of("漢字漢字", 5), "漢字");
    }
}
