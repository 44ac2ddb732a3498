//! What a person decides about a document that was changed although it must not be: to stand by the
//! change, or to take it back.

use std::fs;
use std::path::{Path, PathBuf};

use super::places::Kind;
use super::store::{self, Indexed};
use crate::clock::Timestamp;
use crate::db::journal::{self, Batch, Content};
use crate::db::{ReadTx, WriteTx};
use crate::error::{Error, Result};
use crate::families::STORED;
use crate::paths::existing_file_inside;

/// A document under review.
#[derive(Clone, Debug)]
pub struct Case {
    pub row: Indexed,
    pub file: PathBuf,
    /// What it says now.
    pub now: String,
    /// What it must say, if that is known to the byte.
    pub recorded: Option<String>,
}

/// Everything to be decided below a root.
pub fn cases(tx: &ReadTx<'_>, root: &Path) -> Result<Vec<Case>> {
    let rows = store::tampered(tx, &root.to_string_lossy())?;
    rows.into_iter().map(|row| case(tx, root, row)).collect()
}

fn case(tx: &ReadTx<'_>, root: &Path, row: Indexed) -> Result<Case> {
    let (body, recorded) = store::texts(tx, row.doc)?;
    // A text that was cut or was no text is not what the document said.
    let exact = |text: &String| Some(journal::hash(text.as_bytes())) == row.recorded_sha256;
    Ok(Case { file: root.join(&row.path), now: body, recorded: recorded.filter(exact), row })
}

/// Stands by the change: these bytes are what the document must keep from now on.
pub fn adopt(
    tx: &WriteTx<'_>,
    (root, project): (&Path, &str),
    case: &Case,
    by: (&str, &str),
    now: Timestamp,
) -> Result<()> {
    // Reading a pipe would keep the writer for ever.
    let is_file = case.file.symlink_metadata().is_ok_and(|found| found.is_file());
    let held = is_file.then(|| fs::read(&case.file).ok()).flatten();
    let held = held.map(|bytes| journal::hash(&bytes)).unwrap_or_default();
    if held != case.row.sha256 || !store::adopt(tx, &root.to_string_lossy(), case.row.doc, &held)? {
        return Err(changed_meanwhile(case));
    }
    match case.row.kind {
        Kind::Artifact => {
            let known = STORED.known(tx, root, project)?;
            let known = known.iter().find(|known| known.file == case.file);
            known.map_or(Ok(()), |known| STORED.adopted(tx, known.key, &held, by, now))
        }
        _ => Ok(()),
    }
}

/// Lays out the recorded bytes, to take the change back: [`revert`] promises them, and once that is
/// committed they are put in place.
pub fn lay_out(root: &Path, case: &Case) -> Result<Batch> {
    let Some(recorded) = &case.recorded else {
        return Err(Error::conflict(format!("what `{}` said before is not known here", case.row.path))
            .reason("unknown_original")
            .hint("bring the file back from your version control; that lifts the suspension as well"));
    };
    // A link could lead the bytes somewhere else.
    let inside =
        Path::new(&case.row.path).is_absolute() || existing_file_inside(root, &case.row.path).is_ok();
    let is_file = case.file.symlink_metadata().is_ok_and(|found| found.is_file());
    if !inside || !is_file {
        return Err(changed_meanwhile(case));
    }
    Batch::stage([Content {
        before: Some(Some(&case.row.sha256)),
        ..Content::of(&case.file, recorded.as_bytes())
    }])
}

/// Takes the change back: the recorded bytes are what the document holds.
pub fn revert(tx: &WriteTx<'_>, root: &Path, case: &Case, batch: &Batch, now: Timestamp) -> Result<()> {
    batch.promise(tx, "repo review", now)?;
    let reverted = store::revert(tx, &root.to_string_lossy(), case.row.doc, &case.row.sha256)?;
    reverted.then_some(()).ok_or_else(|| changed_meanwhile(case))
}

fn changed_meanwhile(case: &Case) -> Error {
    Error::conflict(format!("`{}` has changed meanwhile", case.row.path))
        .reason("file_changed")
        .hint("look at it again: `backoffice repo review`")
}
