//! `backoffice man`: the manual pages, made from the help texts.

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use serde_json::json;

use super::Cli;
use super::output::Output;
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice man pages"])]
pub(super) struct ManArgs {
    /// The folder to write the pages to; without one, the main page is printed
    folder: Option<PathBuf>,
}

pub(super) fn run(output: &mut Output, args: &ManArgs) -> Result<()> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(|error| Error::io(error, "write the manual page"))?;
        output.line(String::from_utf8_lossy(&page).trim_end());
        return Ok(());
    };
    let failed = |error| Error::io(error, format!("write to `{}`", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    let written = fs::read_dir(folder).map_err(failed)?.flatten();
    let count = written.filter(|page| page.file_name().to_string_lossy().starts_with("backoffice")).count();
    output.answer(
        &json!({ "folder": folder, "pages": count }),
        &format!("{count} pages in {}", folder.display()),
    );
    Ok(())
}
