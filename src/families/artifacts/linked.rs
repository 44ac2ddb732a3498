//! What a checklist asks about other documents, answered by the store.

use super::checklist::{Linked, Reference};
use super::kinds::Kinds;
use super::layout::Layout;
use super::read_artifact::text_of;
use super::store::{self, Artifact};
use crate::db::ReadTx;
use crate::error::Result;
use crate::id::ArtifactId;
use crate::tool::ReadCx;

/// The documents of a project, as criteria see them.
#[derive(Debug)]
pub struct StoreLinks<'a> {
    tx: &'a ReadTx<'a>,
    project: &'a str,
    layout: Layout,
}

impl<'a> StoreLinks<'a> {
    pub fn new(cx: &ReadCx<'a>, project: &'a str) -> Self {
        StoreLinks { tx: cx.tx, project, layout: Layout::seen_by(cx, project) }
    }

    fn find(&self, reference: &Reference) -> Result<Option<Artifact>> {
        match reference {
            Reference::Artifact(id) => store::find(self.tx, self.project, &id.to_string(), None),
            Reference::File(name) => {
                let stem = name.strip_suffix(".md").unwrap_or(name);
                store::find(self.tx, self.project, stem, None)
            }
        }
    }
}

impl Linked for StoreLinks<'_> {
    fn status(&self, reference: &Reference) -> Result<Option<String>> {
        Ok(self.find(reference)?.map(|row| row.status))
    }

    fn text(&self, reference: &Reference) -> Result<Option<String>> {
        Ok(self.find(reference)?.and_then(|row| text_of(&self.layout, &row).ok()))
    }

    fn keeps(&self, prefix: &str) -> Result<bool> {
        let kinds = Kinds::of(self.tx, self.project)?;
        match kinds.of_id(&ArtifactId::new(prefix, 1)) {
            Some(kind) => store::keeps(self.tx, self.project, kind.type_name()),
            None => Ok(false),
        }
    }

    fn knows(&self, id: &ArtifactId) -> Result<bool> {
        store::is_known(self.tx, self.project, &id.to_string())
    }
}
