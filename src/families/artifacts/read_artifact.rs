use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Document, normalised};
use super::integrity::{self, Integrity};
use super::layout::{self, Layout};
use super::metadata::Metadata;
use super::store::{self, Artifact};
use crate::db::journal;
use crate::error::{Error, Result, nearest};
use crate::tool::offer::Link;
use crate::tool::{Access, ReadCx, ReadTool, Tool};

/// Reads a document, whole or by section.
pub struct ReadArtifact;

/// What one answer holds of a document; clients cut or refuse more.
const MOST_BYTES: usize = 40_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Such as PRD-006, or the name of a research document
    #[schemars(length(min = 1, max = 150))]
    artifact_id: String,
    /// Default: the latest
    #[schemars(range(min = 1, max = 9999))]
    version: Option<i64>,
    /// Heading of one section, such as Requirements
    #[schemars(length(min = 1, max = 200))]
    section: Option<String>,
    /// Where to go on: next_offset of the part before
    #[schemars(range(min = 0))]
    offset: Option<i64>,
    /// Default: the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    content: String,
    /// There is more: pass it back as offset
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Its sections, when there is more
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<String>,
    metadata: Facts,
}

/// What the index knows of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts {
    artifact_id: String,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    status: String,
    version: i64,
    parent_ids: Vec<String>,
    path: String,
    resource_uri: String,
    size_bytes: usize,
    sha256: String,
    /// Whether an approved document has been changed since
    tampered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_through: Option<String>,
}

impl Tool for ReadArtifact {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "read_artifact";
    const TITLE: &'static str = "Read an artifact";
    const DESCRIPTION: &'static str = "Reads a stored document with its metadata, or one section of it. \
        A long one comes in parts: pass next_offset back as offset.";
    const ACCESS: Access = Access::Everyone;

    fn links(output: &Output) -> Vec<Link> {
        let facts = &output.metadata;
        let size = i64::try_from(facts.size_bytes).unwrap_or(i64::MAX);
        vec![layout::link(&facts.resource_uri, &facts.artifact_id, &facts.title, size)]
    }
}

impl ReadTool for ReadArtifact {
    const TOUCHES_FILES: bool = true;

    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let project = cx.session.project_or(args.project_id.as_deref())?;
        let id = args.artifact_id.trim();
        if id.contains(['/', '\\']) || id.contains("..") {
            tracing::warn!(event = "path_traversal_refused", tool_name = "read_artifact");
            return Err(Error::invalid(format!("path traversal: `{id}` is no ID"))
                .detail("field", "artifact_id")
                .reason("path_traversal"));
        }
        let row = store::find(cx.tx, project, id, args.version)?
            .ok_or_else(|| unknown(cx, project, id, args.version))?;
        let layout = Layout::seen_by(cx, project);
        let text = text_of(&layout, &row)?;
        let document = Document::read(&text);
        let whole = match &args.section {
            Some(name) => section(&document, name)?,
            None => text.as_str(),
        };
        let from = usize::try_from(args.offset.unwrap_or(0)).unwrap_or(usize::MAX);
        let rest = whole.get(from..).ok_or_else(|| {
            Error::invalid(format!("`offset` is {from}, expected next_offset of the part before"))
                .detail("field", "offset")
        })?;
        let part = cut(rest);
        let more = part.len() < rest.len();
        let sections = document.headings.iter().filter(|heading| more && heading.level == 2);
        Ok(Output {
            content: part.to_owned(),
            next_offset: more.then(|| from + part.len()),
            sections: sections.map(|heading| heading.text.clone()).collect(),
            metadata: facts(cx, &layout, &row, &document)?,
        })
    }
}

/// The text of a document, as it lies in its file.
pub fn text_of(layout: &Layout, row: &Artifact) -> Result<String> {
    let file = layout.locate(row)?;
    let bytes = fs::read(&file).map_err(|error| Error::io(error, format!("read `{}`", file.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// As many whole lines as fit, or as much of one as fits.
fn cut(text: &str) -> &str {
    if text.len() <= MOST_BYTES {
        return text;
    }
    let end = (0..=MOST_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let line = text[..end].rfind('\n').map_or(end, |at| at + 1);
    &text[..line]
}

fn section<'t>(document: &Document<'t>, name: &str) -> Result<&'t str> {
    let wanted = normalised(name.trim_start_matches('#'));
    if let Some(found) = document.section(&wanted) {
        return Ok(&document.text[found.start..found.body.end]);
    }
    let names: Vec<&str> = document
        .headings
        .iter()
        .filter(|heading| heading.level >= 2)
        .map(|heading| heading.text.as_str())
        .collect();
    let error = Error::not_found(format!("there is no section `{name}`")).detail("field", "section");
    Err(match nearest(name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("the sections are {}", names.join(", "))),
    })
}

fn unknown(cx: &ReadCx<'_>, project: &str, id: &str, version: Option<i64>) -> Error {
    let versions = store::versions(cx.tx, project, id).unwrap_or_default();
    match (version, versions.as_slice()) {
        (Some(version), [_, ..]) => {
            let there: Vec<String> = versions.iter().map(|row| row.version.to_string()).collect();
            Error::not_found(format!("Artifact {id} has no version {version}"))
                .hint(format!("there is {}", there.join(", ")))
        }
        _ => Error::not_found(format!("Artifact {id} not found")).hint("list_artifacts shows what is there"),
    }
    .reason("artifact_not_found")
}

fn facts(cx: &ReadCx<'_>, layout: &Layout, row: &Artifact, document: &Document<'_>) -> Result<Facts> {
    let sha256 = journal::hash(document.text.as_bytes());
    let tampered = integrity::judge(cx.tx, row, Some(&sha256))? == Integrity::Tampered;
    // A draft that somebody has edited says itself what it is; an approved one is what was approved.
    let edited = Metadata::of(document);
    let now = |stored: &str, said: Option<String>| match (&row.approval, said) {
        (None, Some(said)) => said,
        _ => stored.to_owned(),
    };
    let approval = row.approval.as_ref();
    Ok(Facts {
        artifact_id: row.artifact_id.clone(),
        kind: row.kind.clone(),
        title: now(&row.title, edited.title),
        status: now(&row.status, edited.status),
        version: row.version,
        parent_ids: store::parents(cx.tx, row.seq)?,
        path: layout.shown(&layout.locate(row)?),
        resource_uri: layout::uri_of(row),
        size_bytes: document.text.len(),
        sha256,
        tampered,
        approved_at: approval.map(|approval| approval.at.rfc3339()),
        approved_by: approval.map(|approval| approval.by.clone()),
        approved_through: approval.map(|approval| approval.through.clone()),
    })
}
