//! What is to be approved, and whether it may be.

use std::fs;
use std::path::{Path, PathBuf};

use crate::db::{ReadTx, journal};
use crate::error::{Error, Result};
use crate::families::artifacts::described::Described;
use crate::families::artifacts::document::Document;
use crate::families::artifacts::integrity::{self, Integrity};
use crate::families::artifacts::kinds::{APPROVED, Kinds};
use crate::families::artifacts::layout::Layout;
use crate::families::artifacts::questions;
use crate::families::artifacts::store::{self, Artifact};
use crate::tool::Place;

/// A document with its row and its file.
#[derive(Debug)]
pub struct Subject {
    pub row: Artifact,
    /// The base its file was found in.
    pub base: PathBuf,
    pub file: PathBuf,
    pub text: String,
    pub sha256: String,
}

/// First prerequisite: it exists, in the index and on the disk.
pub fn load(place: &Place<'_>, layout: &Layout, project: &str, artifact_id: &str) -> Result<Subject> {
    let missing = |error: Error| error.detail("artifact_id", artifact_id).reason("artifact_not_found");
    let row = place.db.read(|tx| store::find(tx, project, artifact_id, None))?.ok_or_else(|| {
        missing(Error::not_found(format!("Artifact {artifact_id} not found")))
            .hint("store it with store_artifact first; list_artifacts shows what is there")
    })?;
    journal::settle_file(place.db, &Path::new(&row.base).join(&row.path))?;
    let (base, file) = layout.locate_here(place.session.repository.as_deref(), &row).map_err(missing)?;
    let bytes = fs::read(&file).map_err(|error| Error::io(error, format!("read `{}`", file.display())))?;
    let sha256 = journal::hash(&bytes);
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::conflict(format!("`{}` is not UTF-8", layout.shown(&file))).reason("not_utf8"))?;
    Ok(Subject { row, base, file, text, sha256 })
}

/// The other three, in their order: it is where its kind begins, its nearest parent is approved, and
/// no open question stands in its way.
pub fn check(
    tx: &ReadTx<'_>,
    layout: &Layout,
    kinds: &Kinds,
    subject: &Subject,
    document: &Document<'_>,
) -> Result<Described> {
    let name = subject.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let id = &subject.row.artifact_id;
    let described = Described::of(document, name.as_deref(), kinds)
        .ok()
        .filter(|described| described.artifact_id == *id)
        .ok_or_else(|| {
            Error::conflict(format!("the file of {id} no longer says that it is {id}"))
                .reason("id_changed")
                .hint("mend the ID in its Metadata block")
        })?;
    check_status(subject, &described)?;
    check_parent(tx, layout, subject, &described)?;
    let blocking = questions::blocking(document);
    if blocking.is_empty() {
        return Ok(described);
    }
    let lines: Vec<usize> = blocking.iter().map(|question| question.line).collect();
    let count = blocking.len();
    let what = if count == 1 { "question" } else { "questions" };
    Err(Error::conflict(format!("Artifact has {count} open {what} requiring resolution"))
        .reason("blocking_open_questions")
        .detail("artifact_id", id.as_str())
        .detail("lines", lines)
        .hint("answer what is marked [REQUIRES SPIKE] or [REQUIRES ADR], then store the document again"))
}

fn check_status(subject: &Subject, described: &Described) -> Result<()> {
    let (id, status) = (&subject.row.artifact_id, described.status());
    if subject.row.approval.is_some() || status == APPROVED || subject.row.status == APPROVED {
        // The document says so itself, or the index does.
        let status = if subject.row.status == APPROVED { APPROVED } else { status };
        return Err(Error::conflict(format!("Artifact {id} already approved (status: {status})"))
            .reason("already_approved")
            .detail("artifact_id", id.as_str())
            .detail("status", status));
    }
    if described.kind.is_first(status) {
        return Ok(());
    }
    Err(Error::conflict(format!("Artifact {id} is not in Draft (status: {status})"))
        .reason("not_draft")
        .detail("artifact_id", id.as_str())
        .detail("status", status)
        .hint("only a draft can be approved; set its status back and store it again"))
}

/// The nearest parent decides, whoever else is named.
pub fn check_parent(
    tx: &ReadTx<'_>,
    layout: &Layout,
    subject: &Subject,
    described: &Described,
) -> Result<()> {
    let Some(parent) = described.metadata.parents.first() else { return Ok(()) };
    let known = store::find(tx, &subject.row.project_id, &parent.to_string(), None)?;
    let refused = |status: &str, hint: &str| {
        Error::conflict(format!("Parent {parent} must be approved first"))
            .reason("parent_not_approved")
            .detail("artifact_id", subject.row.artifact_id.as_str())
            .detail("parent_id", parent.to_string())
            .detail("parent_status", status)
            .hint(hint)
    };
    match known {
        None => Err(refused("unknown", "store and approve it, or import the tree it lies in")),
        Some(known) if known.status != APPROVED => {
            Err(refused(&known.status, "approve it with approve_artifact"))
        }
        Some(known) => match integrity::glance(tx, layout, &known)? {
            Integrity::Tampered => {
                Err(refused("changed since its approval", "store it as a new version and approve that"))
            }
            Integrity::Missing => Err(refused("approved, but its file is gone", "bring the file back")),
            Integrity::Intact | Integrity::Edited => Ok(()),
        },
    }
}
