//! docs: an index of the documents below a root, to search in, to tell listeners what has changed,
//! and to notice when a document that must not change has changed.
//!
//! Who writes a document is another family's business; this one only looks at files. What it has to
//! know of artifacts and of the architecture's state, it asks through [`joins`].

pub mod joins;
pub mod look;
pub mod places;
mod resources;
pub mod review;
mod search_docs;
pub mod store;

use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "docs",
    guide: "What was decided or planned: search_docs.",
    tools: &TOOLS,
    resources: Some(&resources::RESOURCES),
    look: Some(look::look),
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 1] = [ToolDef::read::<search_docs::SearchDocs>()];
