//! artifacts: documents that are validated, stored and approved; the approval is bound to their bytes.

pub mod adoption;
mod approve_artifact;
pub mod changes;
pub mod checklist;
mod completion;
pub mod described;
pub mod document;
pub mod import;
mod inputs;
pub mod integrity;
pub mod kinds;
pub mod known;
pub mod layout;
pub mod linked;
mod list_artifacts;
pub mod metadata;
pub mod parts;
mod prompts;
mod query;
pub mod questions;
mod read_artifact;
mod renaming;
mod resources;
mod side_file;
mod storable;
pub mod store;
mod store_artifact;
pub mod tree;
mod validate_artifact;

use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "artifacts",
    guide: "Documents: validate_artifact, store_artifact as Draft; once a person agrees, approve_artifact.",
    tools: &TOOLS,
    resources: Some(&resources::RESOURCES),
    prompts: &prompts::PROMPTS,
    complete: Some(completion::complete),
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 5] = [
    ToolDef::write::<approve_artifact::ApproveArtifact>(),
    ToolDef::read::<list_artifacts::ListArtifacts>(),
    ToolDef::read::<read_artifact::ReadArtifact>(),
    ToolDef::write::<store_artifact::StoreArtifact>(),
    ToolDef::read::<validate_artifact::ValidateArtifact>(),
];
