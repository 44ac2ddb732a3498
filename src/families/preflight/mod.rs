//! preflight: what is asked before work begins, and what is decided by it: the documents of a
//! repository's `docs/` folder.

mod branches;
pub mod clarify;
mod completion;
pub mod documents;
mod git;
pub mod model;
mod projection;
pub mod provenance;
mod read_architecture;
pub mod records;
pub mod repository;
mod require_clarification;
pub mod sessions;
pub mod store;

use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "preflight",
    guide: "Before a change that decides something: require_clarification; decided already: \
        read_architecture.",
    tools: &TOOLS,
    look: Some(projection::look),
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 2] = [
    ToolDef::read::<read_architecture::ReadArchitecture>(),
    ToolDef::write::<require_clarification::RequireClarification>(),
];
