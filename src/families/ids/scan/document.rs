//! Reads the number a document carries: in its file name, in its Metadata block, in its title.

use crate::id::ArtifactId;

/// `US-040_v3.md`, `SPIKE-001_error_format_v1.md`, `EPIC-006_v1_metadata.json`.
pub fn id_in_name(name: &str) -> Option<ArtifactId> {
    is_document(name).then(|| leading_id(name))?
}

/// Whether a file of this name may be a document, or what is stored about one.
pub fn is_document(name: &str) -> bool {
    name.ends_with(".md") || name.ends_with("_metadata.json")
}

/// The document's own number in its text. Other sections and other labels name other documents,
/// so only `… ID` rows of the Metadata block and the title count.
pub fn ids_in_text(text: &str) -> Vec<ArtifactId> {
    let mut found = Vec::new();
    let (mut in_metadata, mut fenced) = (false, false);
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        if let Some(heading) = heading(line) {
            in_metadata = heading.to_ascii_lowercase().ends_with("metadata");
            if line.starts_with("# ") {
                found.extend(leading_id(heading));
            }
        } else if in_metadata {
            found.extend(own_id(line));
        }
    }
    found
}

/// The text of a first- or second-level heading.
fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("# ").or(line.strip_prefix("## ")).map(str::trim)
}

/// `- **Story ID:** US-071`, but not `- **Parent Story ID:** US-030`.
fn own_id(line: &str) -> Option<ArtifactId> {
    let (label, value) = line.trim_start_matches(['-', '*', ' ']).split_once(':')?;
    let label = label.trim_end_matches(['*', ' ']);
    let own = label == "ID" || (label.ends_with(" ID") && label.split(' ').count() <= 2);
    let refers = label.starts_with("Parent") || label.starts_with("Related");
    (own && !refers).then(|| leading_id(value.trim_start_matches(['*', ' ', '`'])))?
}

/// The id at the beginning of a text, if it ends there or something else begins.
fn leading_id(text: &str) -> Option<ArtifactId> {
    let (prefix, rest) = text.split_once('-')?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let ends = !rest[digits..].starts_with(|c: char| c.is_alphanumeric());
    ends.then(|| ArtifactId::parse(&text[..prefix.len() + 1 + digits]))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_the_number() {
        for (name, expected) in [
            ("US-040_mcp_tool_v3.md", Some("US-040")),
            ("EPIC-006_v1_metadata.json", Some("EPIC-006")),
            ("TASK-1001.md", Some("TASK-1001")),
            ("US-040.txt", None),
            ("US-40_v1.md", None),
            ("US-040a.md", None),
            ("notes_US-040.md", None),
            ("US-é.md", None),
        ] {
            assert_eq!(id_in_name(name).map(|id| id.to_string()).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn only_the_documents_own_number_counts() {
        let text = "> a notice\n# User Story: T\r\n\r\n## Metadata\r\n- **Story ID:** US-071 (was US-012)\r\n\
            - **Parent Story ID:** US-999\n- **Parent PRD:** PRD-998\n---\n## Parent Artifact Context\n\
            **Story ID:** US-997\n```\n## Metadata\n- **Story ID:** US-996\n```\n";
        assert_eq!(ids_in_text(text), [ArtifactId::new("US", 71)]);
        assert_eq!(ids_in_text("# ADR-012: Use SQLite\n"), [ArtifactId::new("ADR", 12)]);
        assert_eq!(ids_in_text("## Document Metadata\n**ID**: `PRD-004`\n"), [ArtifactId::new("PRD", 4)]);
        assert!(ids_in_text("# About US-071\n").is_empty());
    }
}
