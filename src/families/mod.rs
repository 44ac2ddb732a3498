//! Every family of tools, in one list that one can read.

pub mod artifacts;
pub mod desk;
pub mod ids;
pub mod preflight;
pub mod tasks;

use crate::tool::Family;

/// Where tasks and artifacts are joined: what tasks ask, artifacts answer.
pub const ARTIFACTS: &dyn tasks::inputs::Artifacts = &artifacts::known::Store;

/// Alphabetical, but for the desk, whose tools belong to everybody.
pub const ALL: &[&Family] =
    &[&desk::FAMILY, &artifacts::FAMILY, &ids::FAMILY, &preflight::FAMILY, &tasks::FAMILY];
