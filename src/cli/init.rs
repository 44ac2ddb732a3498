//! `backoffice init`: registers the repository, and says what to do next.

use super::output::Output;
use super::{Globals, open, preflight, repo};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::paths::Repository;

pub(super) fn run(globals: &Globals, environment: &Environment, output: &mut Output) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    let root = preflight::root(&desk)?;
    let found = Repository::around(&root)
        .ok_or_else(|| Error::not_found(format!("`{}` is no repository any more", root.display())))?;
    repo::register(&desk, output, &found)?;
    output.note("next:");
    output.note("  backoffice preflight \"INTENTION\"   clarifies what you are about to build");
    output
        .note("  backoffice setup                   connects Claude Code, Claude Desktop, Cursor or VS Code");
    output.note("nothing was written into the repository");
    Ok(())
}
