//! What becomes of a document when its file is changed outside of backoffice: a draft is indexed
//! again, an approved one waits until a person stands by the change or takes it back.

use std::path::{Path, PathBuf};

use super::document::Document;
use super::kinds::APPROVED;
use super::layout;
use super::metadata::Metadata;
use super::store::{self, Approval, Artifact, Event, New};
use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::{Error, Result};

const PAGE: i64 = 1_000;

/// Every version of every document of a project whose tree lies below a root: its file and its
/// resource.
pub fn below(tx: &ReadTx<'_>, root: &Path, project: &str) -> Result<Vec<(PathBuf, String, Artifact)>> {
    let mut found = Vec::new();
    let mut after = 0;
    loop {
        let page = store::every(tx, project, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(found) };
        after = last.seq;
        let here = page.into_iter().filter(|row| Path::new(&row.base).starts_with(root));
        found.extend(here.map(|row| (Path::new(&row.base).join(&row.path), layout::uri_of(&row), row)));
    }
}

/// The bytes that were approved, if any were.
pub fn approved(tx: &ReadTx<'_>, seq: i64) -> Result<Option<String>> {
    Ok(store::by_seq(tx, seq)?.and_then(|known| known.approval).map(|approval| approval.sha256))
}

/// A draft has other bytes: what it says of itself now is what the index says.
pub fn edited(
    tx: &WriteTx<'_>,
    seq: i64,
    (text, sha256): (&str, &str),
    (bytes, modified_ns): (u64, i64),
    now: Timestamp,
) -> Result<()> {
    let Some(known) = store::by_seq(tx, seq)?.filter(|known| known.approval.is_none()) else { return Ok(()) };
    let said = Metadata::of(&Document::read(text));
    // Nothing becomes approved by being edited.
    let status = said.status.filter(|status| status != APPROVED).unwrap_or(known.status);
    let new = New {
        artifact_id: known.artifact_id,
        kind: known.kind,
        version: known.version,
        title: said.title.unwrap_or(known.title),
        status,
        base: known.base,
        path: known.path,
        sha256: sha256.to_owned(),
        size_bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
        modified_ns,
        parents: said.parents.iter().map(ToString::to_string).collect(),
    };
    store::put(tx, &known.project_id, &new, Some(seq), now)?;
    store::remember(tx, seq, Event::Reindexed, ("unknown", "files"), &new.status, sha256, None, now)
}

/// A person stands by the bytes an approved document has now: its approval is theirs.
pub fn adopted(
    tx: &WriteTx<'_>,
    seq: i64,
    sha256: &str,
    (caller, client): (&str, &str),
    now: Timestamp,
) -> Result<()> {
    let known = store::by_seq(tx, seq)?.ok_or_else(|| Error::internal("an artifact has gone"))?;
    let approval = Approval {
        sha256: sha256.to_owned(),
        at: now,
        by: caller.to_owned(),
        through: "repo review".to_owned(),
    };
    store::adopt(tx, seq, &approval)?;
    store::remember(tx, seq, Event::Approved, (caller, client), &known.status, &known.sha256, None, now)
}
