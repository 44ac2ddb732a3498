//! ARCHITECTURE_STATE.md comes back when it is gone: it says nothing that the decisions do not say.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::documents::state_file;
use super::repository;
use crate::db::journal::{Batch, Content};
use crate::error::Result;
use crate::paths::git_is_busy_since;
use crate::tool::follow::Around;

/// What git is in the middle of is waited for: a file that it is about to write is not ours to write.
const BUSY: Duration = Duration::from_secs(1);
/// A merge may wait for days, and a lock that was left behind for ever.
const BUSY_FOR_LONG: Duration = Duration::from_secs(300);

pub fn look(around: &Around<'_>) -> Result<Option<Duration>> {
    let docs = around.root.join("docs");
    let file = docs.join("ARCHITECTURE_STATE.md");
    // Also behind a link nothing is written.
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    if file.symlink_metadata().is_ok() || !is_folder(&docs) || !is_folder(&docs.join("adr")) {
        return Ok(None);
    }
    if let Some(since) = git_is_busy_since(around.root) {
        let lasts = Duration::from_millis(around.clock.now().0.abs_diff(since / 1_000_000));
        return Ok(Some(lasts.clamp(BUSY, BUSY_FOR_LONG)));
    }
    let known = around.db.read(|tx| repository::decisions(tx, around.root))?;
    if known.library.adrs.is_empty() {
        return Ok(None);
    }
    let text = state_file::write(&known.state);
    let batch =
        Arc::new(Batch::stage([Content { before: Some(None), ..Content::of(&file, text.as_bytes()) }])?);
    let (promised, now) = (Arc::clone(&batch), around.clock.now());
    match around.db.write(move |tx| promised.promise(tx, "projection", now)) {
        Ok(()) => batch.keep(around.db).map(|()| None),
        // Somebody else was quicker.
        Err(error) if error.details().get("reason").is_some_and(|reason| reason == "file_changed") => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
