use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::families;
use crate::tool::session::Session;
use crate::tool::{Access, Family, ReadCx, ReadTool, Tool};

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
    email: String,
    employee_id: Option<String>,
    /// Tools of these toolsets that need a role you do not hold
    may_not_call: Vec<&'static str>,
}

impl Tool for WhoAmI {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "whoami";
    const TITLE: &'static str = "Who am I";
    const DESCRIPTION: &'static str = "Tells whom this connection speaks for: user, roles, toolsets, repository, default project, and what it may not call.";
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
            email: caller.email.clone(),
            employee_id: caller.employee_id.clone(),
            may_not_call: families::ALL.iter().flat_map(|family| refused(session, family)).collect(),
        })
    }
}

fn refused(session: &Session, family: &'static Family) -> Vec<&'static str> {
    let offered = family.tools.iter().filter(|tool| session.offers(family, tool));
    let refused = offered.filter(|tool| match tool.access {
        Access::Everyone => false,
        Access::AnyOf(roles) => !session.caller.has_any(roles),
    });
    refused.map(|tool| tool.name).collect()
}
