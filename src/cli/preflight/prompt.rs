//! `docs/AGENT_PROMPT.md`: written anew at the end of each session, in one step.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::families::preflight::documents::prompt_file;

pub(super) const PATH: &str = "docs/AGENT_PROMPT.md";

/// What an agent reads first, in this order; of the decisions, the one that was just made.
const READ_FIRST: [&str; 2] = ["docs/ARCHITECTURE_STATE.md", "docs/CURRENT_TASK.md"];

/// Writes the file, and returns the prompt in it.
pub(super) fn write(root: &Path, created: &[String]) -> Result<String> {
    let decisions = created.iter().filter(|path| path.starts_with("docs/adr/")).cloned();
    let files = READ_FIRST.map(str::to_owned).into_iter().chain(decisions);
    let files: Vec<String> = files.filter(|path| root.join(path).is_file()).collect();
    let document = prompt_file::write(&files);
    let target = inside(root)?;
    let staged = target.with_file_name(format!(".AGENT_PROMPT.md.{:016x}.tmp", fastrand::u64(..)));
    let placed = stage(&staged, &document).and_then(|()| fs::rename(&staged, &target));
    placed.map_err(|error| {
        let _ = fs::remove_file(&staged);
        Error::io(error, format!("write `{PATH}`")).detail("code", "FILESYSTEM_ERROR")
    })?;
    Ok(prompt_file::prompt(&document).unwrap_or_default())
}

fn stage(staged: &Path, document: &str) -> std::io::Result<()> {
    let mut file = fs::File::options().write(true).create_new(true).open(staged)?;
    file.write_all(document.as_bytes())?;
    file.sync_all()
}

/// The file to write. It may be a link, but only to a place in the repository.
fn inside(root: &Path) -> Result<PathBuf> {
    let leads_out = || {
        Error::conflict(format!("`{PATH}` leads out of the repository"))
            .detail("code", "FILESYSTEM_ERROR")
            .reason("path_traversal")
            .hint("replace the link by a file of its own; the other documents are written")
    };
    let path = root.join(PATH);
    let real_root = root.canonicalize().map_err(|error| Error::io(error, "find the repository"))?;
    let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let target = match folder {
        // A link that leads nowhere would be followed by the next reader.
        Some(_) if is_link => path.canonicalize().map_err(|_| leads_out())?,
        Some(folder) => folder.join("AGENT_PROMPT.md"),
        None => return Err(leads_out()),
    };
    if target.starts_with(&real_root) { Ok(target) } else { Err(leads_out()) }
}
