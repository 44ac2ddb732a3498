//! artifacts: documents as the workflow sees them.

pub mod document;
pub mod metadata;
