//! The bracket rule: which `[text]` is a field that nobody has filled in.
//!
//! Templates mark their fields with square brackets, and finished documents use the same brackets for much else. Decided
//! by class:
//!
//! | what | example | a placeholder? |
//! |---|---|---|
//! | checkbox | `[ ]`, `[x]` | no |
//! | footnote, link, image, definition of one | `[^3]`, `[text](url)` | no |
//! | reference | `[PRD-006: title]`, `[FR-12]`, `[§4.2]` | no |
//! | question marker | `[REQUIRES SPIKE]` | no: it is an answer, "not yet" |
//! | code, index, escaped | `` `[a]` ``, `rows[i]`, `\[a\]` | no |
//! | provenance | `[ASSUMPTION]`, `[Derived from …]` | no: it says where a statement comes from |
//! | role | `[Tech Lead]`, `[Unassigned]` | no: a role is an answer to "who" |
//! | literal | `[1-5]`, `["a", "b"]` | no |
//! | id to come | `[HLS-AAA: title]`, `HLS-AAA` | only once the document has left its first status |
//! | to be done | `[TBD]`, `[TODO: …]`, `[CUSTOMIZE …]` | yes |
//! | anything else with letters | `[Name of the product]` | yes |
//!
//! Without brackets, `TBD` and `TODO` are words of the language and are left alone.

use super::super::document::Document;
use super::super::questions::marker;

/// A pair of brackets in the text, outside code and links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bracket<'t> {
    pub content: &'t str,
    pub at: usize,
}

/// Tags in capitals that say where a statement comes from.
const PROVENANCE: [&str; 9] = [
    "ASSUMPTION",
    "ASSUMPTIONS",
    "ESTIMATE",
    "ESTIMATED",
    "TECHNICAL",
    "BUSINESS",
    "PRELIMINARY",
    "INFERRED",
    "DERIVED",
];

/// The same as a sentence, in small letters.
const ORIGINS: [&str; 7] = [
    "derived from",
    "based on",
    "adapted from",
    "extracted from",
    "inferred from",
    "inherited from",
    "taken from",
];

/// The last word of a role of two words or more.
const ROLES: [&str; 22] = [
    "lead",
    "leads",
    "manager",
    "owner",
    "engineer",
    "engineers",
    "developer",
    "developers",
    "architect",
    "designer",
    "researcher",
    "director",
    "officer",
    "team",
    "analyst",
    "tester",
    "administrator",
    "sponsor",
    "stakeholders",
    "committee",
    "specialist",
    "reviewer",
];

/// Every pair of brackets on one line; of nested ones the inner.
pub(super) fn brackets<'t>(document: &Document<'t>) -> Vec<Bracket<'t>> {
    let text = document.text;
    let mut found = Vec::new();
    for (at, _) in text.match_indices('[') {
        let rest = &text[at + 1..];
        let Some(length) = rest.find(['[', ']', '\n']).filter(|end| rest.as_bytes()[*end] == b']') else {
            continue;
        };
        let before = text[..at].chars().next_back();
        let index_or_escape = before.is_some_and(|c| c.is_alphanumeric() || c == '\\');
        let link_text = rest[length + 1..].starts_with('(');
        if !index_or_escape && !link_text && !document.is_code(at) && !document.is_link(at) {
            found.push(Bracket { content: &rest[..length], at });
        }
    }
    found
}

/// Whether the content of brackets is a field that nobody has filled in.
pub(super) fn is_placeholder(content: &str) -> bool {
    let text = content.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
    let is_mark = matches!(text, "x" | "X") || text.starts_with('^');
    if text == "..." || text == "…" {
        return true;
    }
    !(is_mark
        || is_literal(text)
        || is_reference(text)
        || marker(text).is_some()
        || is_provenance(text)
        || is_role(text))
}

/// Numbers, ranges such as `a-z`, and lists of quoted words.
fn is_literal(text: &str) -> bool {
    !text.contains(char::is_alphabetic) || text.starts_with(['"', '\'', '`', '“']) || is_range(text)
}

/// `a-z`, `A-Z0-9`.
fn is_range(text: &str) -> bool {
    text.as_bytes().chunks(3).all(|part| part.len() == 3 && part[1] == b'-')
}

/// `PRD-006: title`, `FR-1, FR-2`, `§4.2`, `Business Research §2.1`.
fn is_reference(text: &str) -> bool {
    let word = text.split([' ', ':', ',', '/', ')']).next().unwrap_or_default();
    let id = word.split_once('-').is_some_and(|(prefix, tail)| {
        let capitals = prefix.len() >= 2 && prefix.bytes().all(|byte| byte.is_ascii_uppercase());
        let placeholder = tail.len() >= 3
            && tail.bytes().all(|byte| byte == tail.as_bytes()[0])
            && tail.as_bytes()[0].is_ascii_uppercase();
        capitals && (tail.starts_with(|c: char| c.is_ascii_digit()) || placeholder)
    });
    let section = text
        .split('§')
        .nth(1)
        .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    id || section
}

fn is_provenance(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let sentence = text.get(..14).unwrap_or(text).to_lowercase();
    PROVENANCE.contains(&word) || ORIGINS.iter().any(|origin| sentence.starts_with(origin))
}

/// A role is an answer; the bare words `Owner` and `Team` are the names of fields.
fn is_role(text: &str) -> bool {
    let words: Vec<&str> = text.split([' ', '/', '+', '&']).filter(|word| !word.is_empty()).collect();
    let capital = |word: &&str| word.starts_with(char::is_uppercase);
    let last = words.last().map(|word| word.to_lowercase()).unwrap_or_default();
    let known = (2..=5).contains(&words.len()) && words.iter().all(capital) && ROLES.contains(&last.as_str());
    known || matches!(text, "Unassigned" | "CTO" | "CEO" | "CFO" | "CPO" | "CIO" | "CISO" | "VP Engineering")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placeholders(text: &str) -> Vec<&str> {
        let document = Document::read(text);
        brackets(&document)
            .iter()
            .map(|found| found.content)
            .filter(|content| is_placeholder(content))
            .collect()
    }

    #[test]
    fn what_is_no_field_is_left_alone() {
        for text in [
            "- [ ] a\n- [x] b\n- [X] c",
            "a claim[^1] and [^note]\n\n[^1]: https://example.com",
            "[text](https://example.com) ![image](a.png) [text](a b.md) [shown]\n\n[shown]: https://example.com",
            "[PRD-006: The title] [FR-12] [NFR-1, NFR-2] [AC-3] [US-040/US-041] [HLS-AAA: title]",
            "[§4.2] [Business Research §2.1: Gaps]",
            "[REQUIRES SPIKE] [BLOCKED BY US-040] [TECH DEBT] [CLARIFY BEFORE START]",
            "`[Name]` and\n\n```\n[Name]\n```\n\n    [Name]\n",
            "rows[index] \\[Name\\] Dict[str, Any]",
            "[ASSUMPTION] [ASSUMPTION: a] [ESTIMATED] [TECHNICAL] [BUSINESS] [PRELIMINARY - to be verified]",
            "[Derived from the vision] [Based on interviews]",
            "[Tech Lead] [Engineering Lead] [Unassigned] [Product Owner] [PM + Tech Lead]",
            "[1] [1-5] [0, 100] [10%] [\"a\", \"b\"] ['a'] [a-z] [A-Z0-9] []",
        ] {
            assert_eq!(placeholders(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn everything_else_is_a_field() {
        for (text, expected) in [
            ("[TBD] [TODO: ask] [CUSTOMIZE PER PRODUCT]", vec!["TBD", "TODO: ask", "CUSTOMIZE PER PRODUCT"]),
            ("[Name of the product]", vec!["Name of the product"]),
            ("[Owner] [Team] [Product Owner Name]", vec!["Owner", "Team", "Product Owner Name"]),
            ("[YYYY-MM-DD] [X] [Y]", vec!["YYYY-MM-DD", "Y"]),
            ("[[Name]] [a [b] c]", vec!["Name", "b"]),
            ("[High/Medium/Low] [...]", vec!["High/Medium/Low", "..."]),
            ("**[Feature]** [Ä]", vec!["Feature", "Ä"]),
            ("[two\nlines] [open", vec![]),
        ] {
            assert_eq!(placeholders(text), expected, "{text}");
        }
    }
}
