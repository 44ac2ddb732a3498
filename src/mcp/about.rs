//! What a client is told about this server before it asks for anything.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{Icon, Implementation, JsonObject, ResourcesCapability, ServerCapabilities, ServerConfig};

use super::{completion, resources};
use crate::tool::dispatch::Office;
use crate::tool::session::Session;

const ICON: &str = include_str!("../../assets/icon.svg");

pub(super) fn config(office: &Office, session: &Session) -> ServerConfig {
    let icon = format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(ICON.trim()));
    let icon = Icon::new(icon).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()]);
    let implementation = Implementation::new("backoffice", env!("CARGO_PKG_VERSION"))
        .with_title("Back office")
        .with_description(env!("CARGO_PKG_DESCRIPTION"))
        .with_icons(vec![icon]);
    ServerConfig::new(capabilities(office, session))
        .with_server_info(implementation)
        .with_instructions(instructions(office, session))
}

fn capabilities(office: &Office, session: &Session) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
    if resources::is_offered(office, session) {
        let mut offered = ResourcesCapability::default();
        (offered.subscribe, offered.list_changed) = (Some(true), Some(true));
        capabilities.resources = Some(offered);
    }
    if completion::is_offered(office, session) {
        capabilities.completions = Some(JsonObject::new());
    }
    capabilities
}

/// What a model is told before it sees any tool.
fn instructions(office: &Office, session: &Session) -> String {
    let mut text = "backoffice keeps the records that must not be lost or given twice.".to_owned();
    if session.read_only {
        text.push_str(" This connection can only read.");
    } else {
        for family in office.families().iter().filter(|family| session.toolsets.has(family)) {
            text.push(' ');
            text.push_str(family.guide);
        }
    }
    if resources::is_offered(office, session) {
        text.push_str(" What it keeps can also be read as resources.");
    }
    text.push_str(
        " project_id may be left out inside a repository. Lists come in pages: pass next_cursor back as \
         cursor. Errors say what to do next; nothing was changed when one comes back.",
    );
    text
}
