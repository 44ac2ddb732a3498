//! Every family of tools, in one list that one can read.

pub mod artifacts;
pub mod company;
pub mod departments;
pub mod desk;
pub mod docs;
pub mod finance;
pub mod hr;
pub mod ids;
mod joined;
pub mod preflight;
pub mod sales;
pub mod support;
pub mod tasks;

use crate::tool::{Family, FirstUse};

/// Where tasks and artifacts are joined: what tasks ask, artifacts answer.
pub const ARTIFACTS: &dyn tasks::inputs::Artifacts = &artifacts::known::Store;

/// What docs ask, artifacts answer; what preflight asks, docs answer, and the other way round.
pub const STORED: &dyn docs::joins::Artifacts = &joined::Stored;
pub const RECORDS: &dyn preflight::records::Records = &joined::Records;
pub const ARCHITECTURE: docs::joins::Architecture = preflight::repository::state_text;

/// What finance asks of employees, hr answers.
pub const EMPLOYEES: &dyn finance::joins::Employees = &joined::Named;

/// Whoever asks for business data before there is any gets the sample of a company.
pub const FIRST_USE: FirstUse =
    FirstUse { is_due: crate::db::origins::is_untouched, run: company::load_sample };

/// Alphabetical, but for the desk, whose tools belong to everybody.
pub const ALL: &[&Family] = &[
    &desk::FAMILY,
    &artifacts::FAMILY,
    &docs::FAMILY,
    &finance::FAMILY,
    &hr::FAMILY,
    &ids::FAMILY,
    &preflight::FAMILY,
    &sales::FAMILY,
    &support::FAMILY,
    &tasks::FAMILY,
];
