//! Every family of tools, in one list that one can read.

pub mod artifacts;
pub mod desk;
pub mod docs;
pub mod ids;
mod joined;
pub mod preflight;
pub mod tasks;

use crate::tool::Family;

/// Where tasks and artifacts are joined: what tasks ask, artifacts answer.
pub const ARTIFACTS: &dyn tasks::inputs::Artifacts = &artifacts::known::Store;

/// What docs ask, artifacts answer; what preflight asks, docs answer, and the other way round.
pub const STORED: &dyn docs::joins::Artifacts = &joined::Stored;
pub const RECORDS: &dyn preflight::records::Records = &joined::Records;
pub const ARCHITECTURE: docs::joins::Architecture = preflight::repository::state_text;

/// Alphabetical, but for the desk, whose tools belong to everybody.
pub const ALL: &[&Family] =
    &[&desk::FAMILY, &artifacts::FAMILY, &docs::FAMILY, &ids::FAMILY, &preflight::FAMILY, &tasks::FAMILY];
