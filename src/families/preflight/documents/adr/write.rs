//! Writes a decision: head comments, PART 1 with changes and snapshot, PART 2 with the details.

use std::fmt::Write;

use super::{Adr, Change, Kept, Mark, Snapshot};
use crate::families::preflight::documents::names::{is_word, writable_category, writable_field};
use crate::families::preflight::documents::prose::{NONE, block, list, one_line, value};

const FRAME_WIDTH: usize = 49;

/// The document of a decision.
pub fn write(adr: &Adr) -> String {
    let mut text = String::new();
    head(&mut text, adr);
    part(&mut text, "PART 1: ARCHITECTURE SNAPSHOT");
    labels(&mut text, adr);
    section(&mut text, "Changes in This Version", &changes(&adr.changes));
    text.push_str("## Architecture Snapshot\n\n");
    text.push_str(&snapshot_blocks(&adr.snapshot));
    part(&mut text, "PART 2: DECISION DETAILS");
    details(&mut text, adr);
    text
}

/// `### Category` with a line for each field: the form that the existing program parses. Its patterns end
/// a block at the first field they cannot read, so those names come last and nothing else is lost.
pub fn snapshot_blocks(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    for (category, fields) in snapshot {
        let _ = writeln!(text, "### {}", writable_category(category));
        let (words, others): (Vec<_>, Vec<_>) = fields.iter().partition(|(field, _)| is_word(field));
        for (field, kept) in words.into_iter().chain(others) {
            let _ = writeln!(text, "- **{}**: {}", writable_field(field), marked(kept));
        }
        text.push('\n');
    }
    text
}

fn head(text: &mut String, adr: &Adr) {
    let previous = adr.previous.as_ref().map_or("None", |uid| uid.as_str());
    let _ = writeln!(text, "<!-- UID: {} -->", adr.uid);
    let _ = writeln!(text, "<!-- Category: {} -->", writable_category(&adr.category));
    let _ = writeln!(text, "<!-- Date: {} -->", writable_field(&adr.date));
    let _ = writeln!(text, "<!-- Previous: {previous} -->");
    let merges: Vec<&str> = adr.merges.iter().filter_map(Mark::uid).collect();
    if !merges.is_empty() {
        let _ = writeln!(text, "<!-- Merges: {} -->", merges.join(", "));
    }
    let title = one_line(&adr.title);
    let _ = match adr.number {
        Some(number) => writeln!(text, "\n# ADR-{number:03}: {title}\n"),
        None => writeln!(text, "\n# ADR: {title}\n"),
    };
}

fn labels(text: &mut String, adr: &Adr) {
    let previous = adr.previous.as_ref().map_or(NONE, |uid| uid.as_str());
    let _ = writeln!(text, "**UID:** {}", adr.uid);
    let _ = writeln!(text, "**Category:** {}", writable_category(&adr.category));
    let _ = writeln!(text, "**Date (UTC):** {}", writable_field(&adr.date));
    let _ = writeln!(text, "**Status:** {}", adr.status.word());
    let _ = writeln!(text, "**Previous UID:** {previous}\n");
}

fn details(text: &mut String, adr: &Adr) {
    section(text, "Context", &block(&adr.context));
    section(text, "Decision", &block(&adr.decision));
    if !adr.answers.is_empty() {
        section(text, "Answers", &answers(adr));
    }
    section(text, "Rationale", &block(&adr.rationale));
    section(text, "Alternatives Considered", &list(&adr.alternatives, ""));
    text.push_str("## Consequences\n");
    let told = &adr.consequences;
    for (name, items) in
        [("Positive", &told.positive), ("Negative", &told.negative), ("Neutral", &told.neutral)]
    {
        let _ = writeln!(text, "\n### {name}\n{}", list(items, ""));
    }
}

fn answers(adr: &Adr) -> String {
    let line = |answer: &super::Answer| {
        let about = value(&one_line(&answer.about).replace(" = ", ": "));
        format!("- {about} = {} ({})", value(&answer.value), answer.provenance.word())
    };
    adr.answers.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn changes(changes: &[Change]) -> String {
    let line = |change: &Change| {
        let (category, field) = (writable_category(&change.category), writable_field(&change.field));
        let new = value(&change.value);
        match &change.was {
            Some(was) => format!("- Modified: {category}.{field} = {new} (was: {})", marked(was)),
            None => format!("- Added: {category}.{field} = {new}"),
        }
    };
    let lines: Vec<String> = changes.iter().map(line).collect();
    if lines.is_empty() { NONE.to_owned() } else { lines.join("\n") }
}

fn marked(kept: &Kept) -> String {
    match &kept.set_by {
        Some(mark) => format!("{} ({mark})", value(&kept.text)),
        None => value(&kept.text),
    }
}

fn part(text: &mut String, name: &str) {
    let frame = "━".repeat(FRAME_WIDTH);
    let _ = writeln!(text, "{frame}\n{name}\n{frame}\n");
}

fn section(text: &mut String, name: &str, body: &str) {
    let _ = writeln!(text, "## {name}\n\n{body}\n");
}
