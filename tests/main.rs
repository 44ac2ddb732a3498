//! One integration binary; a file per subject.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::needless_pass_by_value, reason = "JSON literals are easier to read where they stand")]

mod approvals;
mod approvals_cli;
mod artifact_mends;
mod artifact_resources;
mod artifacts;
mod artifacts_cli;
mod catalogue;
mod cli;
mod client;
mod company;
mod confirmation_forms;
mod confirmations;
mod daemon;
mod data_cli;
mod docs;
mod docs_followed;
mod documents;
mod file;
mod finance;
mod finance_writes;
mod forms;
mod hr;
mod hr_chart;
mod hr_writes;
mod ids;
mod listings;
mod logs;
mod masking;
#[cfg(feature = "model")]
mod model;
mod office;
mod personal_tasks;
mod preflight;
mod preflight_branches;
mod preflight_cli;
mod processes;
mod protocol;
mod queue_tasks;
mod resources;
mod restore;
mod roles;
mod sales;
mod schema;
mod sessions;
mod setup;
mod support;
#[cfg(unix)]
mod terminal;
mod tidy;
mod validate;
mod wire;
