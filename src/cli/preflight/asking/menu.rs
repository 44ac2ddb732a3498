//! A menu as a value: what keys do to it, and the lines that show it.

use console::Key;

use crate::cli::style::fit;

/// Options, the one the eye is on, and those that are ticked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Menu {
    labels: Vec<String>,
    at: usize,
    /// One flag for each option where several may be chosen; nothing where one is.
    ticked: Option<Vec<bool>>,
}

/// What a key has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pressed {
    GoesOn,
    Chosen(Vec<usize>),
    Left,
}

impl Menu {
    pub fn new(labels: Vec<String>, several: bool) -> Self {
        let ticked = several.then(|| vec![false; labels.len()]);
        Menu { labels, at: 0, ticked }
    }

    pub fn press(&mut self, key: &Key) -> Pressed {
        let last = self.labels.len().saturating_sub(1);
        match key {
            Key::CtrlC | Key::Char('\u{4}') => return Pressed::Left,
            Key::ArrowUp | Key::BackTab | Key::Char('k') => {
                self.at = self.at.checked_sub(1).unwrap_or(last);
            }
            Key::ArrowDown | Key::Tab | Key::Char('j') => {
                self.at = if self.at >= last { 0 } else { self.at + 1 };
            }
            Key::Home | Key::PageUp => self.at = 0,
            Key::End | Key::PageDown => self.at = last,
            Key::Char(digit @ '1'..='9') => {
                let wanted = usize::from(*digit as u8 - b'1');
                self.at = if wanted <= last { wanted } else { self.at };
            }
            Key::Char(' ') => {
                if let Some(tick) = self.ticked.as_mut().and_then(|ticked| ticked.get_mut(self.at)) {
                    *tick = !*tick;
                }
            }
            Key::Enter => return Pressed::Chosen(self.chosen()),
            _ => {}
        }
        Pressed::GoesOn
    }

    /// What Enter means: the ticked ones, or the one the eye is on.
    fn chosen(&self) -> Vec<usize> {
        match &self.ticked {
            Some(ticked) => (0..ticked.len()).filter(|at| ticked[*at]).collect(),
            None => vec![self.at],
        }
    }

    /// The lines that show it, as many and as wide as there is room: what wraps or scrolls cannot be
    /// painted over.
    pub fn lines(&self, rows: usize, columns: usize) -> Vec<String> {
        let line = |(at, label): (usize, &String)| {
            let pointer = if at == self.at { '>' } else { ' ' };
            let tick = match &self.ticked {
                Some(ticked) if ticked[at] => "[x] ",
                Some(_) => "[ ] ",
                None => "",
            };
            fit(&format!("{pointer} {tick}{label}"), columns.saturating_sub(1).max(8))
        };
        let rows = rows.clamp(1, self.labels.len().max(1));
        let first = self.at.saturating_sub(rows / 2).min(self.labels.len().saturating_sub(rows));
        self.labels.iter().enumerate().skip(first).take(rows).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(several: bool, keys: &[Key]) -> Pressed {
        let mut menu = Menu::new(["a", "b", "c"].map(str::to_owned).to_vec(), several);
        let steps = keys.iter().map(|key| menu.press(key));
        steps.last().unwrap()
    }

    #[test]
    fn keys_choose_one_or_several() {
        use Key::{ArrowDown, ArrowUp, Char, CtrlC, End, Enter};
        let cases: [(bool, &[Key], Pressed); 9] = [
            (false, &[Enter], Pressed::Chosen(vec![0])),
            (false, &[ArrowDown, ArrowDown, Enter], Pressed::Chosen(vec![2])),
            (false, &[ArrowUp, Enter], Pressed::Chosen(vec![2])),
            (false, &[End, ArrowDown, Enter], Pressed::Chosen(vec![0])),
            (false, &[Char('2'), Char('9'), Enter], Pressed::Chosen(vec![1])),
            (false, &[ArrowDown, CtrlC], Pressed::Left),
            (true, &[Char(' '), End, Char(' '), Enter], Pressed::Chosen(vec![0, 2])),
            (true, &[Char(' '), Char(' '), Enter], Pressed::Chosen(vec![])),
            (true, &[Char('x')], Pressed::GoesOn),
        ];
        for (several, keys, expected) in cases {
            assert_eq!(pressed(several, keys), expected, "{keys:?}");
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let mut menu = Menu::new(vec!["short".to_owned(), "a long label that goes on".to_owned()], true);
        menu.press(&Key::Char(' '));
        assert_eq!(menu.lines(5, 20), ["> [x] short", "  [ ] a long label…"]);
    }

    #[test]
    fn a_low_terminal_shows_what_is_around_the_pointer() {
        let mut menu = Menu::new(["a", "b", "c", "d", "e"].map(str::to_owned).to_vec(), false);
        assert_eq!(menu.lines(3, 80), ["> a", "  b", "  c"]);
        menu.press(&Key::Char('3'));
        assert_eq!(menu.lines(3, 80), ["  b", "> c", "  d"]);
        menu.press(&Key::End);
        assert_eq!(menu.lines(3, 80), ["  c", "  d", "> e"]);
        assert_eq!(menu.lines(0, 80), ["> e"]);
        assert!(Menu::new(Vec::new(), true).lines(3, 80).is_empty());
    }
}
