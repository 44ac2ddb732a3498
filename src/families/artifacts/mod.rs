//! artifacts: documents as the workflow sees them.

pub mod checklist;
pub mod document;
pub mod metadata;
pub mod questions;
pub mod validate_artifact;
