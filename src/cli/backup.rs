//! `backoffice backup FILE`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output::{Output, progress};
use super::{Globals, open};
use crate::config::Environment;
use crate::db::backup;
use crate::error::Result;

#[derive(Args, Debug)]
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
    let mut report = progress(output.json, "copying");
    backup::backup(&home.database(), &args.file, &mut report)?;
    let size = std::fs::metadata(&args.file).map_or(0, |found| found.len());
    if output.json {
        output.value(&json!({ "backup": args.file, "size_bytes": size, "checked": true }));
    } else {
        output.line(&format!("{} ({} KB, checked)", args.file.display(), size / 1024));
    }
    Ok(())
}
