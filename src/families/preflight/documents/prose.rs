//! Free text inside a document: it must come out as it went in, and never be taken for structure.

/// What stands where there is nothing to say.
pub const NONE: &str = "_None_";

/// Everything on one line, with single blanks.
pub fn one_line(text: &str) -> String {
    let text = text.trim();
    let plain = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) && !text.contains("  ");
    if plain {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One line that is never empty.
pub fn value(text: &str) -> String {
    let line = one_line(text);
    if line.is_empty() { NONE.to_owned() } else { line }
}

/// The opposite of [`value`].
pub fn from_value(text: &str) -> String {
    let text = text.trim();
    if text == NONE { String::new() } else { one_line(text) }
}

/// A block of text: a line that would be a heading or a frame gets a backslash, an open fence is closed.
pub fn block(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim();
    if text.is_empty() {
        return NONE.to_owned();
    }
    let mut fence: Option<Fence> = None;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let structural = fence.is_none() && is_structural(line.trim_start_matches('\\'));
        fence = match fence {
            Some(open) => Some(open).filter(|open| !open.is_closed_by(line)),
            None => Fence::opened_by(line),
        };
        lines.push(if structural { format!("\\{line}") } else { line.to_owned() });
    }
    lines.extend(fence.map(Fence::closing));
    lines.join("\n")
}

/// The opposite of [`block`].
pub fn from_block(lines: &[&str]) -> String {
    let mut fence: Option<Fence> = None;
    let mut text: Vec<&str> = Vec::new();
    for line in lines {
        let shielded = line.starts_with('\\') && is_structural(line.trim_start_matches('\\'));
        text.push(if fence.is_none() && shielded { &line[1..] } else { line });
        fence = match fence {
            Some(open) => Some(open).filter(|open| !open.is_closed_by(line)),
            None => Fence::opened_by(line),
        };
    }
    let text = text.join("\n").trim().to_owned();
    if text == NONE { String::new() } else { text }
}

/// A list, or the sign that there is none.
pub fn list<'a>(items: impl IntoIterator<Item = &'a String>, before: &str) -> String {
    let lines = items.into_iter().map(|item| one_line(item)).filter(|item| !item.is_empty() && item != NONE);
    let lines: Vec<String> = lines.map(|item| format!("- {before}{item}")).collect();
    if lines.is_empty() { NONE.to_owned() } else { lines.join("\n") }
}

/// The entries of a list. Lines below an entry belong to it; a text without a list is its paragraphs.
pub fn from_list(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let text = line.trim();
        if text.is_empty() || text == NONE {
            open = false;
        } else if let Some(item) = entry(line) {
            items.push(one_line(item));
            open = true;
        } else if let Some(last) = items.last_mut().filter(|_| open) {
            last.push(' ');
            last.push_str(&one_line(text));
        } else {
            items.push(one_line(text));
            open = true;
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// The text of a list's entry: `- a`, `* a`, `+ a`, `1. a`.
pub fn entry(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())?
        }
    };
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

/// Whether a line is a heading or a line of a frame.
pub fn is_structural(line: &str) -> bool {
    heading_level(line).is_some() || is_frame(line)
}

/// The level of a heading that begins in the first column.
pub fn heading_level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(level..)?;
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(level)
}

/// Whether a line is the `━━━` above or below a part's name.
pub fn is_frame(line: &str) -> bool {
    let line = line.trim();
    line.chars().all(|c| c == '━') && line.chars().take(3).count() == 3
}

/// The beginning of a block of code.
#[derive(Clone, Copy, Debug)]
pub struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    pub fn opened_by(line: &str) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~') && line.len() - text.len() < 4)?;
        let length = text.chars().take_while(|c| *c == mark).count();
        let info_fits = mark == '~' || !text[length..].contains('`');
        (length >= 3 && info_fits).then_some(Fence { mark, length })
    }

    pub fn is_closed_by(self, line: &str) -> bool {
        let text = line.trim_end().trim_start_matches(' ');
        text.chars().all(|c| c == self.mark) && text.len() >= self.length
    }

    /// Whether a line of so many marks closes this.
    pub fn fits(self, mark: char, length: usize) -> bool {
        mark == self.mark && length >= self.length
    }

    fn closing(self) -> String {
        self.mark.to_string().repeat(self.length)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_never_structure() {
        let text =
            "why\r\n## Architecture Snapshot\n### Database\n\\# kept\n```\n# in code\n```\n━━━━\nC# and #tag";
        let written = block(text);
        let outside: Vec<&str> = written.lines().filter(|line| is_structural(line)).collect();
        assert_eq!(outside, ["# in code"], "only inside the fence");
        let lines: Vec<&str> = written.lines().collect();
        assert_eq!(from_block(&lines), text.replace("\r\n", "\n"));
        assert_eq!(block("```\nopen"), "```\nopen\n```");
        assert_eq!(block(" \n"), NONE);
    }

    #[test]
    fn lists_are_read_however_they_are_written() {
        let lines = ["- one", "  goes on", "* two", "", "1. three", "2) four", "_None_", "five", "and six"];
        assert_eq!(from_list(&lines), ["one goes on", "two", "three", "four", "five and six"]);
    }

    proptest! {
        #[test]
        fn a_block_comes_out_as_it_went_in(text in "([ #\\\\`~━a-b\n]|## x\n|```\n){0,40}") {
            let once = block(&text);
            let lines: Vec<&str> = once.lines().collect();
            prop_assert_eq!(block(&from_block(&lines)), once);
        }
    }
}
