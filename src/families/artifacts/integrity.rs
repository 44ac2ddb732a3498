//! Whether an approved document still has the bytes that were approved.

use std::fs;
use std::path::Path;

use super::layout::Layout;
use super::store::Artifact;
use crate::db::{ReadTx, journal};
use crate::error::Result;

/// What has become of a document's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrity {
    /// As the index has it.
    Intact,
    /// A draft that somebody has edited; that is what drafts are for.
    Edited,
    /// Approved, and other bytes since.
    Tampered,
    Missing,
}

/// Looks at the file's size and time, and at its bytes only where those differ.
pub fn glance(tx: &ReadTx<'_>, layout: &Layout, artifact: &Artifact) -> Result<Integrity> {
    let untouched =
        layout.locate(artifact).ok().and_then(|file| fs::metadata(file).ok()).is_some_and(|found| {
            journal::modified_ns(&found).is_ok_and(|at| at == artifact.modified_ns)
                && i64::try_from(found.len()).is_ok_and(|length| length == artifact.size_bytes)
        });
    if untouched { Ok(Integrity::Intact) } else { look(tx, layout, artifact) }
}

/// Looks at the bytes.
pub fn look(tx: &ReadTx<'_>, layout: &Layout, artifact: &Artifact) -> Result<Integrity> {
    let hash =
        layout.locate(artifact).ok().and_then(|file| fs::read(file).ok()).map(|bytes| journal::hash(&bytes));
    judge(tx, artifact, hash.as_deref())
}

/// Compares the bytes that are there with those that should be.
pub fn judge(tx: &ReadTx<'_>, artifact: &Artifact, hash: Option<&str>) -> Result<Integrity> {
    let expected = artifact.approval.as_ref().map_or(&artifact.sha256, |approval| &approval.sha256);
    if hash == Some(expected) {
        return Ok(Integrity::Intact);
    }
    // Between a commit and its rename the old bytes are there, or none; nobody has touched them.
    let file = Path::new(&artifact.base).join(&artifact.path);
    if journal::held_until_placed(tx, &file)?.iter().any(|before| before.as_deref() == hash) {
        return Ok(Integrity::Intact);
    }
    Ok(match (hash, &artifact.approval) {
        (None, _) => Integrity::Missing,
        (Some(_), Some(_)) => Integrity::Tampered,
        (Some(_), None) => Integrity::Edited,
    })
}
