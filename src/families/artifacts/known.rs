//! What tasks ask the store: whether an input is known, where it lies and how far it has come.

use std::path::Path;

use super::document::Document;
use super::kinds::Kinds;
use super::layout;
use super::metadata::Metadata;
use super::store::{self, Artifact};
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::families::tasks::inputs::{Artifacts, Input, Known};

/// The store, as tasks see it.
#[derive(Debug)]
pub struct Store;

impl Artifacts for Store {
    fn known(&self, tx: &ReadTx<'_>, project: &str, input: &Input) -> Result<Option<Known>> {
        let Some(asked) = layout::parse_uri(&input.mcp_resource_uri, &Kinds::of(tx, project)?)? else {
            return Ok(None);
        };
        if input.artifact_id != "N/A" && input.artifact_id != asked.artifact_id {
            return Err(Error::invalid(format!(
                "Input '{}' is {}, but its URI names {}",
                input.name, input.artifact_id, asked.artifact_id
            ))
            .detail("field", "mcp_resource_uri")
            .reason("id_mismatch"));
        }
        let found = store::find(tx, project, &asked.artifact_id, asked.version)?;
        Ok(found.map(|artifact| Known { status: artifact.status.clone(), file: file(&artifact) }))
    }

    fn stated(&self, text: &str) -> Option<String> {
        Metadata::of(&Document::read(text)).status
    }
}

fn file(artifact: &Artifact) -> std::path::PathBuf {
    Path::new(&artifact.base).join(&artifact.path)
}
