//! `backoffice restore FILE`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output::{Output, confirm};
use super::{Globals, open, progress};
use crate::clock::Clock;
use crate::config::Environment;
use crate::db::backup;
use crate::error::{Error, Result};

#[derive(Args, Debug)]
pub(super) struct RestoreArgs {
    /// A file made by `backoffice backup`
    file: PathBuf,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &RestoreArgs,
) -> Result<()> {
    if globals.read_only {
        return Err(Error::forbidden("a restore replaces the data, and --read-only forbids writing"));
    }
    let home = open::home(globals, environment)?;
    home.create()?;
    if !args.yes && home.database().exists() {
        confirm(&format!("Replace {} by {}?", home.database().display(), args.file.display()))?;
    }
    let mut report = progress::bar(output.json, "restoring");
    let restored = backup::restore(&home.database(), &args.file, &Clock::System, &mut report)?;
    if output.json {
        let kept = &restored.kept;
        output.value(&json!({ "restored": true, "kept": kept, "counters_kept": restored.counters_kept, "was_damaged": restored.was_damaged }));
        return Ok(());
    }
    output.line(&format!("restored {}", home.database().display()));
    if let Some(kept) = &restored.kept {
        output.note(&format!("the file as it was is kept as {}", kept.display()));
    }
    if restored.was_damaged {
        output.note("it was damaged: number sequences were kept as far as they could be read;");
        output.note("servers that are running still have the damaged file open, start them again");
    }
    if restored.counters_kept > 0 {
        output.note(&format!("{} number sequences stay where they were", restored.counters_kept));
    }
    Ok(())
}
