//! Colours, and texts that fit.

/// What a piece of text means to the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Strong,
    Faint,
    Good,
    Waiting,
    Bad,
}

impl Style {
    pub fn paint(self, text: &str) -> String {
        let code = match self {
            Style::Plain => return text.to_owned(),
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Good => "32",
            Style::Waiting => "33",
            Style::Bad => "31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// The style of a status, an outcome or a priority.
    pub fn of(word: &str) -> Self {
        match word {
            "completed" | "ok" | "confirmed" | "Approved" | "Accepted" | "Finalized" | "Completed"
            | "Done" => Style::Good,
            "in_progress" | "active" | "In Review" | "In Progress" | "Active" => Style::Waiting,
            "High" => Style::Strong,
            "Low" | "released" | "expired" | "Deprecated" | "Superseded" | "Cancelled" => Style::Faint,
            "invalid" | "not_found" | "forbidden" | "conflict" | "busy" | "storage" | "unusable"
            | "internal" => Style::Bad,
            _ => Style::Plain,
        }
    }
}

/// Cuts a text to so many columns, with a sign that it was cut.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    console::truncate_str(text, columns, "…").into_owned()
}

/// Takes control characters out of a text that somebody else wrote: they could repaint the screen.
pub(crate) fn printable(text: &str) -> String {
    let hidden = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(hidden) {
        return text.to_owned();
    }
    text.chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
}

/// The same for a line of a document: its tabs stay, and how it ended does not matter.
pub(crate) fn printable_line(line: &str) -> String {
    let line = line.trim_end_matches(['\r', '\n']);
    line.split('\t').map(printable).collect::<Vec<_>>().join("\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_columns_not_by_bytes() {
        assert_eq!(fit("Größe", 5), "Größe");
        assert_eq!(fit("Größe prüfen", 6), "Größe…");
        assert_eq!(fit("漢字漢字", 5), "漢字…");
    }

    #[test]
    fn what_moves_the_cursor_is_shown_as_unknown() {
        assert_eq!(printable("plain ä 漢"), "plain ä 漢");
        assert_eq!(printable("a\u{1b}[2Jb\r\n\u{202e}c"), "a\u{fffd}[2Jb\u{fffd}\u{fffd}\u{fffd}c");
        assert_eq!(printable_line("a\tb\u{1b}[2J\r\n"), "a\tb\u{fffd}[2J");
    }
}
