//! What tasks ask the store: whether an input is known, where it lies and how far it has come.

use std::path::Path;

use super::document::Document;
use super::integrity::{self, Integrity};
use super::kinds::Kinds;
use super::layout::{self, Layout};
use super::metadata::Metadata;
use super::store;
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::families::tasks::inputs::{Artifacts, Input, Known, Stand};
use crate::id::ArtifactId;

/// The store, as tasks see it.
#[derive(Debug)]
pub struct Store;

impl Artifacts for Store {
    fn known(&self, tx: &ReadTx<'_>, stand: &Stand<'_>, input: &Input) -> Result<Option<Known>> {
        let kinds = Kinds::of(tx, stand.project)?;
        let asked = layout::parse_uri(&input.mcp_resource_uri, &kinds)?;
        let id = ArtifactId::parse(&input.artifact_id);
        if let (Some(asked), Some(_)) = (&asked, &id)
            && asked.artifact_id != input.artifact_id
        {
            return Err(Error::invalid(format!(
                "Input '{}' is {}, but its URI names {}",
                input.name, input.artifact_id, asked.artifact_id
            ))
            .detail("field", "mcp_resource_uri")
            .reason("id_mismatch"));
        }
        let (name, version) = match (&asked, &id) {
            (Some(asked), _) => (asked.artifact_id.clone(), asked.version),
            (None, Some(id)) => (id.to_string(), None),
            (None, None) => return Ok(None),
        };
        let Some(row) = store::find(tx, stand.project, &name, version)? else {
            let kind = id.as_ref().and_then(|id| kinds.of_id(id));
            return match kind {
                // Where documents of its type are kept, one that is not is nobody's.
                Some(kind) if store::keeps(tx, stand.project, kind.type_name())? => {
                    Err(unknown(input, &name))
                }
                _ => Ok(None),
            };
        };
        let layout = Layout::new(&stand.root, stand.base);
        let file = layout.locate(&row).unwrap_or_else(|_| Path::new(&row.base).join(&row.path));
        let status = match integrity::glance(tx, &layout, &row)? {
            Integrity::Tampered => "changed since its approval".to_owned(),
            _ => row.status,
        };
        Ok(Some(Known { status, file }))
    }

    fn stated(&self, text: &str) -> Option<String> {
        Metadata::of(&Document::read(text)).status
    }
}

fn unknown(input: &Input, name: &str) -> Error {
    Error::invalid(format!("Input artifact {name} is not in the store (input name: {})", input.name))
        .detail("field", "artifact_id")
        .reason("artifact_not_found")
        .hint("store and approve it, or import the tree it lies in")
}
