//! The file beside a document that repeats its metadata, for programs that do not read Markdown.

use serde::Serialize;

use super::store::{Approval, New};
use crate::error::{Error, Result};

#[derive(Serialize)]
struct SideFile<'a> {
    artifact_id: &'a str,
    artifact_type: &'a str,
    version: i64,
    status: &'a str,
    /// The nearest one.
    parent_id: Option<&'a str>,
    parent_ids: &'a [String],
    title: &'a str,
    file_path: &'a str,
    size_bytes: i64,
    sha256: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by: Option<&'a str>,
}

/// The bytes of the side file; `shown` is the document's path as people name it.
pub fn bytes(new: &New, shown: &str, approval: Option<&Approval>) -> Result<Vec<u8>> {
    let side = SideFile {
        artifact_id: &new.artifact_id,
        artifact_type: &new.kind,
        version: new.version,
        status: &new.status,
        parent_id: new.parents.first().map(String::as_str),
        parent_ids: &new.parents,
        title: &new.title,
        file_path: shown,
        size_bytes: new.size_bytes,
        sha256: &new.sha256,
        approved_at: approval.map(|approval| approval.at.rfc3339()),
        approved_by: approval.map(|approval| approval.by.as_str()),
    };
    let mut bytes = serde_json::to_vec_pretty(&side)
        .map_err(|error| Error::internal("the metadata cannot be written as JSON").because(error))?;
    bytes.push(b'\n');
    Ok(bytes)
}
