//! The marks in square brackets that say what a question waits for.

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
    kept.replace("**", "").replace("()", "").split_whitespace().collect::<Vec<_>>().join(" ")
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
        assert_eq!(without_markers("**[TECH DEBT] a** ([REQUIRES ADR]) [b]"), "a [b]");
    }
}
