use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::tool::{Access, ReadCx, ReadTool, Tool};

/// Tells who the connection speaks for and where it stands.
pub struct WhoAmI;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    user_id: String,
    name: String,
    roles: Vec<String>,
    department: Option<String>,
    /// Whether the connection speaks for this person only.
    pinned: bool,
    toolsets: Vec<String>,
    repository: Option<String>,
    project_id: String,
}

impl Tool for WhoAmI {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "whoami";
    const TITLE: &'static str = "Who am I";
    const DESCRIPTION: &'static str =
        "Tells whom this connection speaks for: user, roles, toolsets, repository and default project.";
    const ACCESS: Access = Access::Everyone;
}

impl ReadTool for WhoAmI {
    fn run(cx: &ReadCx<'_>, _: Args) -> Result<Output> {
        let (caller, session) = (cx.caller(), cx.session);
        Ok(Output {
            user_id: caller.user_id.clone(),
            name: caller.name.clone(),
            roles: caller.roles.iter().map(ToString::to_string).collect(),
            department: caller.department.clone(),
            pinned: caller.pinned,
            toolsets: session.toolsets.names().into_iter().map(str::to_owned).collect(),
            repository: session.repository.as_ref().map(|root| root.display().to_string()),
            project_id: session.project.clone(),
        })
    }
}
