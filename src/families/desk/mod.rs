//! The desk: tools that belong to every toolset.

mod whoami;

use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "desk",
    guide: "whoami tells which user and project this connection has.",
    everywhere: true,
    tools: &TOOLS,
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 1] = [ToolDef::read::<whoami::WhoAmI>()];
