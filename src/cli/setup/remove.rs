//! `backoffice setup CLIENT --remove`

use std::path::PathBuf;

use serde_json::{Value, json};

use super::clients::Facts;
use super::document::Document;
use super::file::ConfigFile;
use super::told;
use crate::cli::output::Output;
use crate::clock::Clock;
use crate::error::Result;

pub(super) fn run(facts: &'static Facts, path: PathBuf, output: &mut Output) -> Result<()> {
    let file = ConfigFile::read(path)?;
    let text = file.text.as_deref().unwrap_or_default();
    let document = Document::parse(&file.path, text, facts)?;
    let (name, shown) = (facts.name, file.path.display());
    let Some(entry) = document.entry()? else {
        let line = format!("{name} is not set up in {shown}, nothing to remove");
        told(output, facts, &file, json!({ "state": "absent" }), &line);
        return Ok(());
    };
    let now = Clock::System.now();
    let kept = if let Some(earlier) = earlier(&file, text, &entry, facts) {
        file.write(&earlier, true, now)?
    } else if !file.is_link() && after_setup(&file, "", &entry, facts).as_deref() == Some(text) {
        file.delete(now)?
    } else {
        document.remove()?;
        file.write(&document.text(), true, now)?
    };
    let line = format!("{name} is no longer set up in {shown}");
    told(output, facts, &file, json!({ "state": "removed", "backup": kept }), &line);
    if let Some(kept) = kept {
        output.note(&format!("the file as it was is kept as {}", kept.display()));
    }
    Ok(())
}

/// The text from before the entry came, if the entry is all that has changed since: taking it out of
/// the file as it stands could not tell an empty list of servers from none.
fn earlier(file: &ConfigFile, text: &str, entry: &Value, facts: &'static Facts) -> Option<String> {
    let led_here = |copy: &String| after_setup(file, copy, entry, facts).as_deref() == Some(text);
    file.copies().into_iter().find(led_here)
}

/// What setting up makes of a text that has no entry yet.
fn after_setup(file: &ConfigFile, text: &str, entry: &Value, facts: &'static Facts) -> Option<String> {
    let document = Document::parse(&file.path, text, facts).ok()?;
    if document.entry().ok()?.is_some() {
        return None;
    }
    document.set(entry).ok()?;
    Some(document.text())
}
