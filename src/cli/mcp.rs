//! `backoffice mcp`: serves one client over standard input and output.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use super::{Globals, open};
use crate::config::Environment;
use crate::error::Result;

pub(super) fn run(globals: &Globals, environment: &Environment) -> Result<()> {
    let desk = open::desk(globals, environment, "mcp")?;
    if io::stdin().is_terminal() {
        explain(environment);
    }
    crate::mcp::serve_stdio(Arc::clone(&desk.office), Arc::clone(&desk.session))
}

/// A person has started what only programs talk to.
fn explain(environment: &Environment) {
    let program =
        environment.executable.as_ref().map_or("backoffice".to_owned(), |path| path.display().to_string());
    let _ = writeln!(
        io::stderr(),
        "This is an MCP server: it speaks JSON-RPC on standard input and output, one message a line.\n\
         Connect a client instead of typing here (Ctrl-D ends it):\n\n  \
         claude mcp add backoffice -- {program} mcp\n\n\
         Other clients: command `{program}`, arguments [\"mcp\"]."
    );
}
