//! artifacts: documents that are validated, stored and approved; the approval is bound to their bytes.

mod approve_artifact;
pub mod changes;
pub mod described;
pub mod document;
pub mod import;
mod inputs;
pub mod integrity;
pub mod kinds;
pub mod known;
pub mod layout;
mod list_artifacts;
pub mod metadata;
pub mod parts;
pub mod questions;
mod read_artifact;
mod side_file;
pub mod store;
mod store_artifact;

use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "artifacts",
    guide: "Documents: validate_artifact, then store_artifact as Draft; once a person agrees, approve_artifact \
        gives its parts IDs and queues them.",
    tools: &TOOLS,
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 4] = [
    ToolDef::write::<approve_artifact::ApproveArtifact>(),
    ToolDef::read::<list_artifacts::ListArtifacts>(),
    ToolDef::read::<read_artifact::ReadArtifact>(),
    ToolDef::write::<store_artifact::StoreArtifact>(),
];
