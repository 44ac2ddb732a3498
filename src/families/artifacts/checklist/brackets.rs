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
//! | source | `[see PRD-006]`, `[Source: …]`, `[cf. …]`, `[Research, Section 3.1]` | no |
//! | role | `[Tech Lead + PM]`, `[VP of Engineering]`, `[QA]`, `[Unassigned]` | no: a role is an answer to "who" |
//! | nothing | `[N/A]`, `[None]` | no: it is an answer |
//! | tag | `[NEW]`, `[P0]`, `[WARN]` | no, unless it names a field: `[NAME]`, `[DATE]` |
//! | literal | `[1-5]`, `["a", "b"]`, `[a, b, c]` | no |
//! | id to come | `[HLS-AAA: title]`, `HLS-AAA` | only once the document has left its first status |
//! | to be done | `[TBD]`, `[TODO: …]`, `[CUSTOMIZE …]`, `[INSERT …]`, `[YOUR …]` | yes |
//! | pattern of a value | `[YYYY-MM-DD]`, `[XXX]`, `[High/Medium/Low]` | yes |
//! | anything else with letters | `[Name of the product]` | yes |
//!
//! Without brackets, `TBD` and `TODO` are words of the language and are left alone.

use super::super::document::Document;
use super::super::questions::marker;
use super::roles::is_role;

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

/// Words in capitals that name a field or something to do, whatever follows them.
const UNFILLED: [&str; 20] = [
    "TBA",
    "TBC",
    "TBD",
    "TODO",
    "FIXME",
    "PLACEHOLDER",
    "NAME",
    "DATE",
    "TITLE",
    "DESCRIPTION",
    "AUTHOR",
    "OWNER",
    "ROLE",
    "VALUE",
    "NUMBER",
    "ID",
    "URL",
    "LINK",
    "EMAIL",
    "TEXT",
];

/// How such words begin.
const INSTRUCTIONS: [&str; 3] = ["CUSTOMIZE", "INSERT", "YOUR"];

/// What a source begins with.
const SOURCES: [&str; 9] =
    ["see ", "see: ", "cf. ", "cf ", "source:", "sources:", "source -", "ref:", "reference:"];

/// Parts of documents that have numbers.
const NUMBERED: [&str; 8] =
    ["section", "sections", "appendix", "chapter", "table", "figure", "page", "pages"];

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
    if text == "..." || text == "…" || is_unfilled(text) {
        return true;
    }
    !(is_mark
        || is_literal(text)
        || is_reference(text)
        || marker(text).is_some()
        || is_provenance(text)
        || is_source(text)
        || is_nothing(text)
        || is_tag(text)
        || is_role(text))
}

/// Whether the first word says that something is still to be written here.
fn is_unfilled(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or_default();
    UNFILLED.contains(&word)
        || INSTRUCTIONS.iter().any(|beginning| word.starts_with(beginning))
        || is_repeated(word)
}

/// `XXX`, `YYYY`: a pattern.
fn is_repeated(word: &str) -> bool {
    word.len() > 1 && word.starts_with(|c: char| c.is_ascii_uppercase()) && {
        let first = word.as_bytes()[0];
        word.bytes().all(|byte| byte == first)
    }
}

/// Numbers, ranges such as `a-z`, lists of quoted or of small words.
fn is_literal(text: &str) -> bool {
    !text.contains(char::is_alphabetic)
        || text.starts_with(['"', '\'', '`', '“'])
        || is_range(text)
        || is_list(text)
}

/// `a, b, c`: words in small letters, and none that names a field.
fn is_list(text: &str) -> bool {
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '.');
    text.contains(',')
        && text.split(',').map(str::trim).all(|word| {
            word.starts_with(|c: char| c.is_ascii_alphanumeric())
                && word.chars().all(small)
                && !UNFILLED.contains(&word.to_ascii_uppercase().as_str())
        })
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

/// `see PRD-006`, `Source: the survey`, `Business Research, Section 3.1`.
fn is_source(text: &str) -> bool {
    let small = text.to_lowercase();
    let named = SOURCES.iter().any(|beginning| {
        small.starts_with(beginning) && !is_unfilled(text.get(beginning.len()..).unwrap_or_default().trim())
    });
    let words: Vec<&str> =
        small.split([' ', ',', ':', ';', '(', ')']).filter(|word| !word.is_empty()).collect();
    let numbered = words.windows(2).any(|pair| {
        NUMBERED.contains(&pair[0])
            && pair[1].starts_with(|c: char| c.is_ascii_digit())
            && pair[1].chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '–' | '/'))
    });
    // `Section 1 Title` is a field.
    let field = words.last().is_some_and(|word| UNFILLED.contains(&word.to_uppercase().as_str()));
    named || (numbered && !field)
}

/// `N/A`, `None (new product)`.
fn is_nothing(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    let rest = ["not applicable", "none", "n/a"].iter().find_map(|word| small.strip_prefix(word));
    rest.is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.starts_with(['(', ',', ';', ':', '-', '–', '—', '.'])
    })
}

/// One word in capitals, perhaps with digits behind it; what names a field has been sorted out.
fn is_tag(text: &str) -> bool {
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    text.len() > 1 && !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_uppercase())
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
            "[Tech Lead + PM] [PM / Tech Lead] [Backend Engineer 1] [QA & Scrum Master, PO] [VP of Engineering]",
            "[Scrum Master] [QA] [PM] [Product/Engineering Lead] [Head of Product and Tech Lead] [CTO] [VP Engineering]",
            "[see PRD-006] [See the vision] [Source: the survey of 2024] [cf. Porter 1985] [Section 3]",
            "[Business Research, Section 3.1] [Implementation Research Section 2.1: Caching] [Report, Table 2]",
            "[N/A] [None] [n/a] [none] [N/A - a new product] [None (first release)] [Not applicable]",
            "[NEW] [UPDATED] [OPTIONAL] [DEPRECATED] [MVP] [P0] [ERROR] [WARN] [INFO] [PASS] [V2] [**NEW**]",
            "[a, b, c] [low, medium, high] [read_file, write-file] [py3, v1.2]",
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
            ("[FIXME] [XXX] [YYY] [PLACEHOLDER] [NAME]", vec!["FIXME", "XXX", "YYY", "PLACEHOLDER", "NAME"]),
            ("[INSERT LOGO] [YOUR_TEAM] [CUSTOMIZE]", vec!["INSERT LOGO", "YOUR_TEAM", "CUSTOMIZE"]),
            ("[DATE] [Date] [TBD: see PRD-006]", vec!["DATE", "Date", "TBD: see PRD-006"]),
            ("[Name] [Description] [name, date]", vec!["Name", "Description", "name, date"]),
            ("[Source: TBD] [Source] [Section Name]", vec!["Source: TBD", "Source", "Section Name"]),
            ("[Section 1 Title] [a list of words]", vec!["Section 1 Title", "a list of words"]),
            (
                "[Owner/Team] [Name, Tech Lead] [Team + Name]",
                vec!["Owner/Team", "Name, Tech Lead", "Team + Name"],
            ),
            ("[None/Low/High] [N/A or ID] [P]", vec!["None/Low/High", "N/A or ID", "P"]),
            ("**[Feature]** [Ä]", vec!["Feature", "Ä"]),
            ("[two\nlines] [open", vec![]),
        ] {
            assert_eq!(placeholders(text), expected, "{text}");
        }
    }
}
