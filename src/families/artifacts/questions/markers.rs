//! The marks in square brackets that say what a question waits for.

use std::borrow::Cow;

use super::denials::{sentences, undenied};

/// How a marker begins; what follows is part of its name, but for a dependency that is blocked by
/// something.
const BEGINNINGS: [&str; 5] = ["REQUIRES ", "BLOCKED BY", "CLARIFY BEFORE", "NEEDS PAIR", "TECH DEBT"];

/// Further than this, a bracket is not looked for: hostile texts have many that never close.
const LONGEST: usize = 120;

/// So many markers of one text are told.
const MOST: usize = 16;

/// The marker that the text between brackets is: `REQUIRES SPIKE`, `BLOCKED BY` for
/// `BLOCKED BY US-040`. Case is not looked at, so that none is overlooked.
pub fn marker(content: &str) -> Option<String> {
    let name = content.split(':').next().unwrap_or(content).trim();
    if !name.is_ascii() {
        return None;
    }
    let name = name.to_ascii_uppercase();
    let beginning = BEGINNINGS.iter().find(|beginning| name.starts_with(**beginning))?;
    Some(if *beginning == "BLOCKED BY" { (*beginning).to_owned() } else { name })
}

/// The markers of a text in their order, each once. What is quoted, or part of a list of
/// quotations, or code, is spoken of and not used.
pub fn markers_in(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (before, content) in brackets(text) {
        let quoted = before.ends_with(['"', '\'', '`', '[', '\\']);
        if let Some(name) = marker(content).filter(|name| !quoted && !found.contains(name)) {
            found.push(name);
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// The markers that a text uses for itself: what is struck out or denied is not waited for.
pub(super) fn asked(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for sentence in sentences(&unstruck(text)) {
        add(&mut found, markers_in(undenied(sentence)));
    }
    found
}

/// The same, with those in code at the end of a question.
pub(super) fn used(text: &str) -> Vec<String> {
    let mut found = asked(text);
    if text.contains('?') {
        add(&mut found, closing(&unstruck(text)).0);
    }
    found
}

/// Adds what is not there yet.
pub(super) fn add(found: &mut Vec<String>, more: Vec<String>) {
    for name in more {
        if found.len() < MOST && !found.contains(&name) {
            found.push(name);
        }
    }
}

/// The markers in code at the end of a text, and what stands before them.
pub(super) fn closing(text: &str) -> (Vec<String>, &str) {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        let trimmed = rest.trim_end_matches([' ', '*', '_', '.', ',', ')', '|']);
        let inner = trimmed.strip_suffix("]`");
        let opened =
            inner.and_then(|inner| inner.rfind("`[").map(|open| (&inner[..open], &inner[open + 2..])));
        let Some((before, name)) = opened.and_then(|(before, name)| Some((before, marker(name)?))) else {
            return (found, rest);
        };
        add(&mut found, vec![name]);
        rest = before;
    }
}

/// A text without what is struck out.
pub(super) fn unstruck(text: &str) -> Cow<'_, str> {
    let mut pieces = text.split("~~");
    let Some(first) = pieces.next().filter(|first| first.len() < text.len()) else { return text.into() };
    let mut kept = first.to_owned();
    while let Some(struck) = pieces.next() {
        // The last one is not closed.
        kept.push_str(pieces.next().unwrap_or(struck));
    }
    kept.into()
}

/// The text before each pair of brackets and the text within it.
fn brackets(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices('[').filter_map(|(at, _)| {
        let near = text.as_bytes()[at + 1..].iter().take(LONGEST);
        let length = near.into_iter().position(|byte| *byte == b']')?;
        Some((&text[..at], &text[at + 1..at + 1 + length]))
    })
}

/// A text without its markers and without emphasis.
pub(super) fn without_markers(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(length) = rest[open..].find(']') else { break };
        kept.push_str(&rest[..open]);
        if marker(&rest[open + 1..open + length]).is_none() {
            kept.push_str(&rest[open..=open + length]);
        }
        rest = &rest[open + length + 1..];
    }
    kept.push_str(rest);
    kept.replace("**", "")
        .replace("``", "")
        .replace("~~~~", "")
        .replace("()", "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a text opens with a marker, and what follows it.
pub(super) fn leading_marker(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches(['*', '`', '|', ' ', '_']);
    let (content, rest) = bare.strip_prefix('[')?.split_once(']')?;
    marker(content).map(|_| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_found_in_any_case_and_quotations_are_not() {
        for (text, expected) in [
            ("a? [REQUIRES SPIKE]", vec!["REQUIRES SPIKE"]),
            ("[Requires PM + Tech Lead] a", vec!["REQUIRES PM + TECH LEAD"]),
            ("[BLOCKED BY US-040] [BLOCKED BY: x]", vec!["BLOCKED BY"]),
            ("[REQUIRES SPIKE: SPIKE-003]", vec!["REQUIRES SPIKE"]),
            ("\"[REQUIRES SPIKE]\" [[REQUIRES ADR]]", vec![]),
            ("[PRD-006] [ ] [", vec![]),
        ] {
            assert_eq!(markers_in(text), expected, "{text}");
        }
        for (text, expected) in [
            ("a? `[REQUIRES SPIKE]`", vec!["REQUIRES SPIKE"]),
            ("a? (`[REQUIRES SPIKE]`, `[REQUIRES ADR]`)", vec!["REQUIRES ADR", "REQUIRES SPIKE"]),
            ("explained by `[REQUIRES SPIKE]`", vec![]),
            ("`[REQUIRES SPIKE]` is what?", vec![]),
            ("a? ~~[REQUIRES SPIKE]~~ [REQUIRES ADR]", vec!["REQUIRES ADR"]),
            ("a. No [REQUIRES SPIKE] markers. b [BLOCKED BY: a. b]", vec!["BLOCKED BY"]),
        ] {
            assert_eq!(used(text), expected, "{text}");
        }
        assert_eq!(without_markers("**[TECH DEBT] a** ([REQUIRES ADR]) [b]"), "a [b]");
    }
}
