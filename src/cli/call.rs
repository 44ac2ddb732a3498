//! `backoffice call TOOL`: any tool, with JSON arguments.

use std::io::Read;

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::completions::tools;
use super::output::Output;
use super::{Globals, open};
use crate::config::Environment;
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice call whoami",
    "backoffice call get_next_available_id '{\"artifact_type\": \"US\"}'",
])]
pub(super) struct CallArgs {
    /// The tool, such as get_next_available_id
    #[arg(add = ArgValueCompleter::new(tools))]
    tool: String,
    /// Its arguments as a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    arguments: String,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &CallArgs,
) -> Result<()> {
    let mut text = args.arguments.clone();
    if text == "-" {
        text.clear();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Error::io(error, "read the arguments from standard input"))?;
    }
    let arguments = serde_json::from_str(&text)
        .map_err(|error| Error::invalid("the arguments are not JSON").because(error))?;
    let answer = open::desk(globals, environment, "cli")?.call(&args.tool, arguments)?;
    output.value(&answer);
    Ok(())
}
