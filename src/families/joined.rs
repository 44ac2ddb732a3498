//! Where families meet that do not know each other: what one asks, another answers.

use std::path::Path;

use super::artifacts::adoption;
use super::docs::joins::{Artifacts, Held, Known};
use super::finance::joins::{Employee, Employees};
use super::{docs, hr, preflight};
use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// What docs ask of artifacts.
#[derive(Debug)]
pub struct Stored;

impl Artifacts for Stored {
    fn known(&self, tx: &ReadTx<'_>, root: &Path, project: &str) -> Result<Vec<Known>> {
        let known = adoption::below(tx, root, project)?;
        let known = known.into_iter().map(|(file, uri, row)| Known {
            key: row.seq,
            file,
            uri,
            artifact_id: row.artifact_id,
            title: row.title,
            sha256: row.sha256,
            approved_sha256: row.approval.map(|approval| approval.sha256),
        });
        Ok(known.collect())
    }

    fn approved(&self, tx: &ReadTx<'_>, key: i64) -> Result<Option<String>> {
        adoption::approved(tx, key)
    }

    fn edited(&self, tx: &WriteTx<'_>, key: i64, held: &Held<'_>, now: Timestamp) -> Result<()> {
        adoption::edited(tx, key, (held.text, held.sha256), (held.bytes, held.modified_ns), now)
    }

    fn adopted(
        &self,
        tx: &WriteTx<'_>,
        key: i64,
        sha256: &str,
        by: (&str, &str),
        now: Timestamp,
    ) -> Result<()> {
        adoption::adopted(tx, key, sha256, by, now)
    }
}

/// What preflight asks of docs.
#[derive(Debug)]
pub struct Records;

impl preflight::records::Records for Records {
    fn suspended(&self, tx: &ReadTx<'_>, root: &Path) -> Result<Vec<preflight::records::Suspended>> {
        let cases = docs::review::cases(tx, root)?;
        let adrs = cases.into_iter().filter(|case| case.row.kind == docs::places::Kind::Adr);
        let suspended = adrs.map(|case| preflight::records::Suspended {
            file: case.row.path.rsplit('/').next().unwrap_or_default().to_owned(),
            text: case.recorded,
        });
        Ok(suspended.collect())
    }

    fn written(&self, tx: &WriteTx<'_>, root: &Path, path: &str, text: &str, now: Timestamp) -> Result<()> {
        docs::look::written(tx, root, path, text, now)
    }
}

/// What finance asks of hr.
#[derive(Debug)]
pub struct Named;

impl Employees for Named {
    fn find(&self, tx: &ReadTx<'_>, reference: &str) -> Result<Option<Employee>> {
        let found = hr::directory::find(tx, reference)?;
        Ok(found.map(|named| Employee {
            employee_id: named.employee_id,
            number: named.number,
            name: named.name,
        }))
    }
}
