//! The desk: tools that belong to every toolset.

mod get_confirmation;
mod whoami;

use crate::tool::{Family, ToolDef};

pub static FAMILY: Family = Family {
    name: "desk",
    guide: "whoami: whom you speak for. pending_confirmation: a person decides, a later reply tells.",
    everywhere: true,
    tools: &TOOLS,
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 2] =
    [ToolDef::read::<get_confirmation::GetConfirmation>(), ToolDef::read::<whoami::WhoAmI>()];
