//! What a document must say of itself to be stored, and what may be replaced.

use super::described::{Described, NoArtifact};
use super::document::Document;
use super::kinds::{APPROVED, Kinds};
use super::metadata::{self, Metadata};
use super::store::{Artifact, New};
use crate::error::{Error, Result};
use crate::id::ArtifactId;

/// What a document needs to say anything.
const SHORTEST: usize = 100;

/// Everything that is wrong with a document's metadata, at once.
pub fn check(document: &Document<'_>, kinds: &Kinds) -> Result<Described> {
    let mut wrong = Vec::new();
    if document.text.chars().take(SHORTEST).count() < SHORTEST {
        wrong.push(format!("the document has fewer than {SHORTEST} characters"));
    }
    if document.text.contains('\0') {
        wrong.push("the document holds a NUL character".to_owned());
    }
    refuse_paths(document)?;
    let stated = Metadata::of(document);
    let described = Described::of(document, None, kinds);
    let mut missing = Vec::new();
    match &described {
        Err(NoArtifact::NoId) => missing.push("ID"),
        Err(NoArtifact::UnknownType) => {
            let prefix = stated.id.as_ref().map_or("", |id| id.prefix.as_str());
            wrong.push(format!(
                "{prefix} is no known prefix, expected one of {}",
                kinds.prefixes().join(", ")
            ));
        }
        Ok(described) => {
            wrong.extend(unclear_id(document, described));
            let status = stated.status.as_deref().unwrap_or_default();
            if !status.is_empty() && !described.kind.allows(status) {
                let known: Vec<&str> = described.kind.statuses().collect();
                wrong.push(format!("Status is `{status}`, expected one of {}", known.join(", ")));
            }
        }
    }
    missing.extend(stated.title.is_none().then_some("Title"));
    missing.extend(stated.status.is_none().then_some("Status"));
    if let Some(title) = &stated.title
        && !(5..=200).contains(&title.chars().count())
    {
        wrong.push(format!("Title has {} characters, expected 5 to 200", title.chars().count()));
    }
    match described {
        Ok(described) if missing.is_empty() && wrong.is_empty() => Ok(described),
        _ => Err(impossible(&missing, &wrong)),
    }
}

fn impossible(missing: &[&str], wrong: &[String]) -> Error {
    let mut parts = Vec::new();
    match missing {
        [] => {}
        [one] => parts.push(format!("Missing required metadata field: {one}")),
        several => parts.push(format!("Missing required metadata fields: {}", several.join(", "))),
    }
    parts.extend(wrong.iter().cloned());
    Error::invalid(parts.join("; "))
        .detail("field", "artifact_content")
        .detail("missing", missing.to_vec())
        .detail("wrong", wrong.to_vec())
        .reason("impossible_metadata")
        .hint("a `## Metadata` block holds rows such as `- **PRD ID:** PRD-006` and `- **Status:** Draft`; the title is the first heading")
}

/// What is approved stays as it is, and nothing becomes approved by being stored.
pub fn refuse_approved(known: Option<&Artifact>, held: Option<&str>, new: &New) -> Result<()> {
    let of_file = || held.and_then(|text| Metadata::of(&Document::read(text)).status);
    let approved = match known {
        Some(known) => known.approval.is_some() || known.status == APPROVED,
        // A file that nobody has indexed yet is somebody's work all the same.
        None => of_file().as_deref() == Some(APPROVED),
    };
    let (id, version) = (&new.artifact_id, new.version);
    if approved {
        return Err(Error::conflict(format!("{id} v{version} is Approved: store a new version"))
            .reason("approved")
            .hint(format!(
                "write `- **Version:** {}` and `- **Status:** Draft` into its Metadata block",
                version + 1
            )));
    }
    if new.status == APPROVED {
        return Err(Error::conflict(format!("{id} cannot be stored as Approved"))
            .reason("not_approved")
            .hint("store it as Draft, let a person agree, then call approve_artifact"));
    }
    Ok(())
}

/// An id with a path around it is somebody's attempt, and goes to the log.
fn refuse_paths(document: &Document<'_>) -> Result<()> {
    let Some(stated) = metadata::stated_id(document) else { return Ok(()) };
    if !stated.contains(['/', '\\']) && !stated.contains("..") {
        return Ok(());
    }
    tracing::warn!(event = "path_traversal_refused", tool_name = "store_artifact");
    Err(Error::invalid("path traversal: the ID of the document is a path")
        .detail("field", "artifact_content")
        .detail("validation_failed", "path_traversal_check")
        .reason("path_traversal")
        .hint("write the ID alone, such as `- **PRD ID:** PRD-006`"))
}

/// An id may be followed by a title; what stands before it, or a second one, makes it a guess.
fn unclear_id(document: &Document<'_>, described: &Described) -> Option<String> {
    let stated = metadata::stated_id(document)?.trim_matches(['`', '*', '[', ']', ' ']);
    let id = ArtifactId::parse(&described.artifact_id)?.to_string();
    let rest = stated.strip_prefix(&id).unwrap_or("?");
    let fine = rest.is_empty() || rest.starts_with([' ', ':', '(', ']', '`', '*', ',']);
    (!fine).then(|| format!("ID is `{stated}`, expected it alone, such as {id}"))
}
