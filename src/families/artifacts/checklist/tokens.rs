//! Words that look like ids: `EPIC-006`, `FR-12`, `HLS-AAA`.

use super::super::document::Document;
use crate::id::ARTIFACT_TYPES;

/// An id as it stands in the text, as a whole word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub text: &'t str,
    pub prefix: &'t str,
    /// What follows the hyphen: digits, or the equal letters of a placeholder.
    pub tail: &'t str,
    pub at: usize,
}

impl Token<'_> {
    pub fn is_number(&self) -> bool {
        self.tail.starts_with(|c: char| c.is_ascii_digit())
    }

    /// The number of a document with too few digits: `EPIC-6`. Requirements may have two.
    pub fn is_short(&self) -> bool {
        self.is_number()
            && self.tail.len() < 3
            && ARTIFACT_TYPES.iter().any(|kind| kind.prefix == self.prefix)
    }

    /// `TASK-XXX`: in prose it stands for any id, and not for one to come.
    pub fn is_wildcard(&self) -> bool {
        matches!(self.tail.as_bytes().first(), Some(b'X' | b'Y' | b'Z'))
    }
}

/// Every id of a text in its order, in code as well.
pub(super) fn tokens<'t>(document: &Document<'t>) -> Vec<Token<'t>> {
    let text = document.text;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (hyphen, _) in text.match_indices('-') {
        let letters = bytes[..hyphen].iter().rev().take_while(|byte| byte.is_ascii_uppercase()).count();
        let start = hyphen - letters;
        if letters < 2 || text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '-') {
            continue;
        }
        let length = tail_length(&bytes[hyphen + 1..]);
        let end = hyphen + 1 + length;
        if length > 0 && !text[end..].starts_with(char::is_alphanumeric) {
            let (prefix, tail) = (&text[start..hyphen], &text[hyphen + 1..end]);
            found.push(Token { text: &text[start..end], prefix, tail, at: start });
        }
    }
    found
}

/// How many bytes are digits, or three or more equal capitals.
fn tail_length(bytes: &[u8]) -> usize {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 {
        return digits;
    }
    let letters = match bytes.first() {
        Some(first) if first.is_ascii_uppercase() => bytes.iter().take_while(|byte| *byte == first).count(),
        _ => 0,
    };
    if letters >= 3 { letters } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_whole_words() {
        for (text, expected) in [
            ("EPIC-006, FR-1 and NFR-02.", vec!["EPIC-006", "FR-1", "NFR-02"]),
            ("(HLS-AAA) HLS-AAAA HLS-ABC HLS-AA", vec!["HLS-AAA", "HLS-AAAA"]),
            ("aUS-001 US-001a US-001_x 2025-10-20 äUS-002", vec!["US-001"]),
            ("- - A-1 --", vec![]),
        ] {
            let document = Document::read(text);
            let found: Vec<_> = tokens(&document).iter().map(|token| token.text).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
