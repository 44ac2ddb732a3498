//! What a document says about itself: id, type, title, status, version, parents.

use super::document::{Document, Row};
use crate::id::ArtifactId;

/// What was read. Nothing is guessed: what the document does not say is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    pub id: Option<ArtifactId>,
    pub title: Option<String>,
    /// Without a suffix such as `(v2)`.
    pub status: Option<String>,
    pub version: Option<i64>,
    /// The nearest first: it decides whether the document can be approved.
    pub parents: Vec<ArtifactId>,
    /// Parents of a type that the document's type cannot have; they are not followed.
    pub odd_parents: Vec<ArtifactId>,
}

/// Labels that name parents, nearest first, by the prefix of the child.
const PARENTS: [(&str, &[(&str, &str)]); 10] = [
    ("INIT", &[("Parent Product Vision", "VIS"), ("Product Vision", "VIS")]),
    (
        "EPIC",
        &[
            ("Parent Initiative", "INIT"),
            ("Initiative", "INIT"),
            ("Parent Product Vision", "VIS"),
            ("Product Vision", "VIS"),
        ],
    ),
    ("PRD", &[("Parent Epic", "EPIC")]),
    ("HLS", &[("Parent PRD", "PRD"), ("Parent Epic", "EPIC")]),
    ("FS", &[("Parent HLS", "HLS"), ("Parent High-Level Story", "HLS"), ("Parent PRD", "PRD")]),
    ("US", &[("Parent High-Level Story", "HLS"), ("Parent HLS", "HLS"), ("Parent PRD", "PRD")]),
    ("SPEC", &[("Parent Story ID", "US"), ("Parent Story", "US")]),
    ("ADR", &[("Parent Story ID", "US"), ("Parent Story", "US")]),
    ("TASK", &[("Parent Story ID", "US"), ("Parent Story", "US")]),
    ("SPIKE", &[("Parent Story", "US"), ("Parent Story ID", "US"), ("Parent", "US"), ("Parent", "SPEC")]),
];

impl Metadata {
    pub fn of(document: &Document<'_>) -> Self {
        let id = own_id(document);
        let (parents, odd_parents) = parents(document, id.as_ref().map(|id| id.prefix.as_str()));
        Metadata {
            title: title(document),
            status: document
                .row("Status")
                .map(|row| plain_status(&row.value))
                .filter(|text| !text.is_empty()),
            version: version(document),
            id,
            parents,
            odd_parents,
        }
    }
}

/// The label, else the suffix of a status such as `Draft (v2)`.
fn version(document: &Document<'_>) -> Option<i64> {
    let label = document.row("Version").and_then(|row| whole_version(&row.value));
    label.or_else(|| {
        let (_, suffix) = document.row("Status")?.value.rsplit_once("(v")?;
        whole_version(suffix)
    })
}

/// Any `… ID` row that does not speak of another document; an ADR has its number in the title.
fn own_id(document: &Document<'_>) -> Option<ArtifactId> {
    let stated = own_rows(document).filter_map(|row| first_id(&row.value)).next();
    stated.or_else(|| {
        first_id(&document.title()?.text)
            .filter(|id| document.title().is_some_and(|title| title.text.starts_with(&id.to_string())))
    })
}

fn own_rows<'d>(document: &'d Document<'_>) -> impl Iterator<Item = &'d Row> {
    document.metadata.iter().filter(|row| {
        let refers = row.label.starts_with("Parent") || row.label.starts_with("Related");
        !refers && (row.label == "ID" || row.label.ends_with(" ID"))
    })
}

/// The value of the row in which a document states its id, as it is written there.
pub fn stated_id<'d>(document: &'d Document<'_>) -> Option<&'d str> {
    own_rows(document).map(|row| row.value.as_str()).find(|value| !value.is_empty())
}

fn title(document: &Document<'_>) -> Option<String> {
    let stated = document.row("Title").map(|row| row.value.trim_matches(['"', '`']).trim().to_owned());
    let heading = || {
        let text = &document.title()?.text;
        // `User Story: T`, `ADR-012: T`; a colon that belongs to the title stays in it.
        let kind = |label: &str| LABELS.contains(&label.to_lowercase().as_str()) || is_numbered(label);
        let title = text
            .split_once(": ")
            .filter(|(label, _)| kind(label.trim()))
            .map_or(text.as_str(), |(_, title)| title);
        Some(title.trim().to_owned())
    };
    stated.or_else(heading).filter(|title| !title.is_empty())
}

/// What headings call the kinds of documents, in small letters.
const LABELS: [&str; 26] = [
    "adr",
    "architecture decision record",
    "backlog story",
    "epic",
    "feature",
    "functional spec",
    "functional specification",
    "funcspec",
    "high-level story",
    "high-level user story",
    "hls",
    "implementation task",
    "initiative",
    "memo",
    "prd",
    "product requirements document",
    "product vision",
    "rfc",
    "spike",
    "story",
    "task",
    "tech spec",
    "technical spec",
    "technical specification",
    "user story",
    "vision",
];

/// `ADR-012`, `ADR-[XXX]`, `PRD-AAA`.
fn is_numbered(label: &str) -> bool {
    label.split_once('-').is_some_and(|(prefix, rest)| {
        let capitals = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_uppercase());
        capitals && !rest.is_empty() && !rest.contains(' ')
    })
}

fn parents(document: &Document<'_>, prefix: Option<&str>) -> (Vec<ArtifactId>, Vec<ArtifactId>) {
    let labels =
        PARENTS.iter().find(|(child, _)| Some(*child) == prefix).map_or(&[][..], |(_, labels)| *labels);
    let (mut parents, mut odd) = (Vec::new(), Vec::new());
    for (label, expected) in labels {
        let named = document.row(label).and_then(|row| first_id(&row.value));
        if let Some(id) = named.filter(|id| id.prefix == *expected && !parents.contains(id)) {
            parents.push(id);
        }
    }
    for row in document.metadata.iter().filter(|row| row.label.starts_with("Parent")) {
        if let Some(id) = first_id(&row.value).filter(|id| !parents.contains(id) && !odd.contains(id)) {
            odd.push(id);
        }
    }
    (parents, odd)
}

/// The first id in a text: `HLS-008 (title)`, `` `/artifacts/…/VIS-001_x_v1.md` ``, `US-030: title`.
pub fn first_id(text: &str) -> Option<ArtifactId> {
    let mut rest = text;
    while let Some(at) = rest.find('-') {
        let (before, after) = rest.split_at(at);
        let letters = before.len() - before.trim_end_matches(|c: char| c.is_ascii_uppercase()).len();
        let start = before.len() - letters;
        let digits = after[1..].len() - after[1..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let whole = !before[..start].ends_with(|c: char| c.is_alphanumeric())
            && !after[1 + digits..].starts_with(|c: char| c.is_alphanumeric());
        if letters > 0
            && whole
            && let Some(id) = ArtifactId::parse(&rest[start..at + 1 + digits])
        {
            return Some(id);
        }
        rest = &after[1..];
    }
    None
}

/// A status without the parenthesis after it; `Final` is what some call `Finalized`.
pub fn plain_status(status: &str) -> String {
    let text = status.trim();
    let text = text.split(" (").next().unwrap_or(text).trim_matches([' ', '*', '`', '_']);
    if text == "Final" { "Finalized".to_owned() } else { text.to_owned() }
}

/// `v2.0`, `2.0 (Business Research Split)`, `v3`: the whole number of a version.
fn whole_version(text: &str) -> Option<i64> {
    let digits = text.trim().trim_start_matches(['v', 'V']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok().filter(|version| (1..=9999).contains(version))
}

/// The version in a file name: `…_v3.md`.
pub fn version_in_name(name: &str) -> Option<i64> {
    let stem = name.strip_suffix(".md")?;
    let (_, version) = stem.rsplit_once("_v")?;
    version.parse().ok().filter(|version| (1..=9999).contains(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(text: &str) -> Metadata {
        Metadata::of(&Document::read(text))
    }

    fn ids(ids: &[ArtifactId]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_story_is_read_with_its_nearest_parent_first() {
        let story = metadata(
            "# User Story: Short\n## Metadata\n- **Story ID:** US-071\n- **Title:** The long title\n\
             - **Status:** Draft (v3)\n- **Parent PRD:** PRD-006\n- **Parent High-Level Story:** HLS-008 (title, with US-001)\n\
             - **Version:** v2.0\n",
        );
        assert_eq!(story.id, Some(ArtifactId::new("US", 71)));
        assert_eq!(story.title.as_deref(), Some("The long title"));
        assert_eq!((story.status.as_deref(), story.version), (Some("Draft"), Some(2)));
        assert_eq!(ids(&story.parents), ["HLS-008", "PRD-006"]);
        assert!(story.odd_parents.is_empty());
    }

    #[test]
    fn both_generations_of_epics_and_impossible_parents_are_told_apart() {
        let old = metadata(
            "# Epic: T\n## Metadata\n- **Epic ID:** EPIC-001\n\
             - **Product Vision:** `/artifacts/product_visions/VIS-001_x_v1.md`\n- **Initiative:** INIT-001 - title\n",
        );
        assert_eq!(ids(&old.parents), ["INIT-001", "VIS-001"]);
        let odd = metadata("# Epic: T\n## Metadata\n- **Story ID:** EPIC-006\n- **Parent PRD:** PRD-006\n");
        assert_eq!((ids(&odd.parents), ids(&odd.odd_parents)), (vec![], vec!["PRD-006".to_owned()]));
    }

    #[test]
    fn a_decision_has_its_number_in_the_title() {
        let adr = metadata(
            "# ADR-012: Use SQLite\n## Metadata\n- **Status:** Proposed\n- **Related ADR:** N/A (none)\n",
        );
        assert_eq!((adr.id, adr.title.as_deref()), (Some(ArtifactId::new("ADR", 12)), Some("Use SQLite")));
        assert_eq!(metadata("# About US-012\n").id, None);
    }

    #[test]
    fn ids_are_found_as_whole_words() {
        for (text, expected) in [
            ("HLS-008 (title)", Some("HLS-008")),
            ("`/a/VIS-001_x_v1.md`", Some("VIS-001")),
            ("US-030: title", Some("US-030")),
            ("N/A (see ISO-8601x)", None),
            ("XUS-1 then US-042", Some("US-042")),
            ("aUS-042", None),
            ("US-AAA", None),
            ("", None),
        ] {
            assert_eq!(first_id(text).map(|id| id.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn versions_and_statuses_come_in_many_spellings() {
        for (text, expected) in [
            ("v2.0", Some(2)),
            ("1.0", Some(1)),
            ("v3", Some(3)),
            ("2.0 (Split)", Some(2)),
            ("draft", None),
            ("0.9", None),
        ] {
            assert_eq!(whole_version(text), expected, "{text}");
        }
        assert_eq!(version_in_name("US-040_mcp_tool_v3.md"), Some(3));
        assert_eq!(version_in_name("US-040_v.md"), None);
        assert_eq!(plain_status("Deprecated (2025-10-20)"), "Deprecated");
        assert_eq!(plain_status("Final"), "Finalized");
    }
}
