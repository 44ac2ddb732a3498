//! Every family of tools, in one list that one can read.

pub mod artifacts;
pub mod desk;
pub mod ids;
pub mod tasks;

use crate::tool::Family;

/// Alphabetical, but for the desk, whose tools belong to everybody.
pub const ALL: &[&Family] = &[&desk::FAMILY, &ids::FAMILY, &tasks::FAMILY];
