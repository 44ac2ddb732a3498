//! `backoffice backup FILE`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output::Output;
use super::{Globals, open, progress};
use crate::config::Environment;
use crate::db::backup;
use crate::error::Result;

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice backup today.db"])]
pub(super) struct BackupArgs {
    /// The file to write; it must not exist
    file: PathBuf,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &BackupArgs,
) -> Result<()> {
    let home = open::home(globals, environment)?;
    let mut report = progress::bar(output.json, "copying");
    backup::backup(&home.database(), &args.file, &mut report)?;
    let size = std::fs::metadata(&args.file).map_or(0, |found| found.len());
    let line = format!("{} ({} KB, checked)", args.file.display(), size / 1024);
    output.answer(&json!({ "backup": args.file, "size_bytes": size, "checked": true }), &line);
    Ok(())
}
