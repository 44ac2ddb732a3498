//! `backoffice artifacts verify`: whether approved documents still have the bytes that were approved.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::leftovers;
use super::{counted, layout};
use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::progress::spinner;
use crate::cli::style::{Style, printable};
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::families::artifacts::integrity::{self, Integrity};
use crate::families::artifacts::layout::Layout;
use crate::families::artifacts::store::{self, Artifact};

/// So many rows are read at once.
const PAGE: i64 = 500;

/// Every approved version is hashed. Temporary files that an ended process left behind are removed.
#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts verify",
    "backoffice artifacts verify --json",
])]
pub(super) struct VerifyArgs {}

/// What the approved documents of a project look like.
#[derive(Debug, Default)]
struct Verified {
    approved: usize,
    findings: Vec<(Artifact, Integrity, String)>,
    folders: BTreeSet<PathBuf>,
}

pub(super) fn run(desk: &Desk, output: &mut Output, _: &VerifyArgs) -> Result<()> {
    let layout = layout(desk)?;
    let mut watch = spinner(output.json, "hashing");
    let verified = every(desk, &layout, &mut watch, integrity::look)?;
    drop(watch);
    let removed = leftovers::remove(desk, &verified.folders, &layout)?;
    if output.json {
        let findings = verified.findings.iter().map(value);
        output.value(&json!({
            "project_id": desk.session.project, "verified": verified.approved,
            "findings": findings.collect::<Vec<_>>(), "temporary_files_removed": removed,
        }));
    } else {
        show(output, &verified, removed);
    }
    match verified.findings.len() {
        0 => Ok(()),
        bad => Err(not_as_approved(bad, verified.approved)),
    }
}

/// What a finding means and what to do about it.
fn not_as_approved(bad: usize, approved: usize) -> Error {
    Error::conflict(format!("{bad} of {} not as approved", counted(approved, "approved document")))
        .reason("tampered")
        .hint(
            "put the approved bytes back from your version control; a wanted change belongs into a new \
             version, with its own approval",
        )
}

/// The same for the doctor, who only looks closer at files with another size or time.
pub(in crate::cli) fn examine(desk: &Desk) -> Result<()> {
    let verified = every(desk, &layout(desk)?, &mut |_| (), integrity::glance)?;
    match verified.findings.as_slice() {
        [] => Ok(()),
        [(first, ..), ..] => Err(Error::conflict(format!(
            "{} of {} not as approved, the first is {}",
            verified.findings.len(),
            counted(verified.approved, "approved document"),
            first.artifact_id
        ))
        .hint("`backoffice artifacts verify` lists them all and says what to do")),
    }
}

fn every(
    desk: &Desk,
    layout: &Layout,
    watch: &mut dyn FnMut(&str),
    judge: fn(&ReadTx<'_>, &Layout, &Artifact) -> Result<Integrity>,
) -> Result<Verified> {
    let project = &desk.session.project;
    let mut verified = Verified::default();
    let mut after = 0;
    loop {
        let page = desk.office.db.read(|tx| store::every(tx, project, after, PAGE))?;
        let Some(last) = page.last() else { return Ok(verified) };
        after = last.seq;
        for row in page {
            let file = layout.locate(&row).unwrap_or_else(|_| Path::new(&row.base).join(&row.path));
            verified.folders.extend(file.parent().map(Path::to_owned));
            if row.approval.is_none() {
                continue;
            }
            watch(&row.artifact_id);
            verified.approved += 1;
            let found = desk.office.db.read(|tx| judge(tx, layout, &row))?;
            if matches!(found, Integrity::Tampered | Integrity::Missing) {
                verified.findings.push((row, found, layout.shown(&file)));
            }
        }
    }
}

fn word(found: Integrity) -> &'static str {
    match found {
        Integrity::Intact => "intact",
        Integrity::Edited => "edited",
        Integrity::Tampered => "tampered",
        Integrity::Missing => "missing",
    }
}

fn value((row, found, file): &(Artifact, Integrity, String)) -> Value {
    json!({
        "artifact_id": row.artifact_id, "version": row.version, "found": word(*found), "path": file,
        "approved_sha256": row.approval.as_ref().map(|approval| &approval.sha256),
        "approved_by": row.approval.as_ref().map(|approval| &approval.by),
        "approved_at": row.approval.as_ref().map(|approval| approval.at.rfc3339()),
    })
}

fn show(output: &mut Output, verified: &Verified, removed: usize) {
    let cells = |(row, found, file): &(Artifact, Integrity, String)| {
        let by = row.approval.as_ref().map(|approval| printable(&approval.by)).unwrap_or_default();
        vec![
            printable(&row.artifact_id),
            row.version.to_string(),
            word(*found).to_owned(),
            by,
            printable(file),
        ]
    };
    let rows: Vec<Vec<String>> = verified.findings.iter().map(cells).collect();
    if rows.is_empty() {
        output.line(&format!("{}, all as approved", counted(verified.approved, "approved document")));
    } else {
        let headings = ["ID", "V", "FOUND", "APPROVED BY", "FILE"];
        output.painted_table(
            &headings,
            &rows,
            |column, _| if column == 2 { Style::Bad } else { Style::Plain },
        );
    }
    if removed > 0 {
        output.note(&format!("{} removed", counted(removed, "abandoned temporary file")));
    }
}
