//! A `docs/` folder that is read again and again: only what changed is parsed, only what is new is folded.

use std::collections::HashMap;
use std::fs::{self, DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::adr::{self, Adr, Problem};
use super::fold::{State, fold};
use super::library::Library;
use super::task;
use super::uid::Uid;
use crate::paths::Stamp;

/// No decision that a person reads is larger.
const LARGEST: u64 = 1 << 20;

/// What was read, for the next time.
#[derive(Debug, Default)]
pub struct Shelf {
    docs: PathBuf,
    files: HashMap<String, (Stamp, Result<Arc<Adr>, Problem>)>,
    folded: Vec<Arc<Adr>>,
    state: Arc<State>,
}

impl Shelf {
    /// Reads the folder; files that look as they did are not opened.
    pub fn read(&mut self, docs: &Path) -> Library {
        if self.docs != docs {
            *self = Shelf { docs: docs.to_owned(), ..Shelf::default() };
        }
        let (mut adrs, mut problems, mut files) = (Vec::new(), Vec::new(), HashMap::new());
        for (name, entry) in entries(&docs.join("adr")).filter(|(name, _)| is_document(name)) {
            let Some((stamp, found)) = self.file(&name, &entry) else { continue };
            match &found {
                Ok(adr) => adrs.push(Arc::clone(adr)),
                Err(problem) => problems.push((name.clone(), problem.clone())),
            }
            files.insert(name, (stamp, found));
        }
        self.files = files;
        let mut library = Library::arranged(adrs, problems);
        // Also of a file that cannot be read, or whose name is not what it says inside.
        library.in_use(self.files.keys().filter_map(|name| Uid::leading(name)).max());
        let archive = docs.join("archive");
        if is_folder(&archive) {
            library.archived = entries(&archive.join("task")).map(|(name, _)| name).collect();
        }
        library.in_use(library.archived.iter().filter_map(|name| Uid::leading(name)).max());
        library.in_use(current_task(&docs.join("CURRENT_TASK.md")));
        library
    }

    /// The state of what was read: the last one and the decisions after it, or all of them anew if one came
    /// in between or changed.
    pub fn state(&mut self, library: &Library) -> Arc<State> {
        let known = self.folded.len();
        let goes_on = known <= library.adrs.len()
            && self.folded.iter().zip(&library.adrs).all(|(folded, adr)| Arc::ptr_eq(folded, adr));
        if goes_on && known == library.adrs.len() {
            return Arc::clone(&self.state);
        }
        let added = &library.adrs[if goes_on { known } else { 0 }..];
        let state = Arc::make_mut(&mut self.state);
        let in_order = goes_on && added.iter().all(|adr| state.apply(adr).is_ok());
        if !in_order {
            *state = fold(library.adrs.iter().map(AsRef::as_ref));
        }
        self.folded.clone_from(&library.adrs);
        Arc::clone(&self.state)
    }

    fn file(&self, name: &str, entry: &DirEntry) -> Option<(Stamp, Result<Arc<Adr>, Problem>)> {
        // Of the link itself, if it is one.
        let metadata = entry.metadata().ok()?;
        let stamp = Stamp::of(&metadata);
        let known = self.files.get(name).filter(|(known, _)| *known == stamp);
        match known {
            Some((_, found)) => Some((stamp, found.clone())),
            None => (!metadata.is_dir()).then(|| (stamp, parsed(name, &entry.path(), &metadata))),
        }
    }
}

fn parsed(name: &str, path: &Path, metadata: &Metadata) -> Result<Arc<Adr>, Problem> {
    let text = text(path, metadata)?;
    adr::read(&text, name).map(Arc::new)
}

/// The text of a decision, by the name of its file; links are not followed.
pub fn document(docs: &Path, name: &str) -> Result<String, Problem> {
    let path = docs.join("adr").join(name);
    let metadata = fs::symlink_metadata(&path);
    let metadata = metadata.map_err(|error| Problem::Unreadable { reason: error.to_string() })?;
    text(&path, &metadata)
}

fn text(path: &Path, metadata: &Metadata) -> Result<String, Problem> {
    if metadata.is_symlink() {
        return Err(Problem::Link);
    }
    if !metadata.is_file() {
        return Err(Problem::NotText);
    }
    if metadata.len() > LARGEST {
        return Err(Problem::TooLarge { bytes: metadata.len() });
    }
    let bytes = fs::read(path).map_err(|error| Problem::Unreadable { reason: error.to_string() })?;
    String::from_utf8(bytes).map_err(|_| Problem::NotText)
}

/// The UID of the task that is under way.
fn current_task(path: &Path) -> Option<Uid> {
    let metadata = fs::symlink_metadata(path).ok()?;
    task::read(&text(path, &metadata).ok()?).uid
}

fn is_document(name: &str) -> bool {
    !name.starts_with('.') && name.to_ascii_lowercase().ends_with(".md")
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// The entries of a folder, but not those behind a link.
fn entries(folder: &Path) -> impl Iterator<Item = (String, DirEntry)> {
    let listed = Some(folder).filter(|folder| is_folder(folder)).and_then(|folder| fs::read_dir(folder).ok());
    listed
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry)))
}

#[cfg(test)]
#[path = "shelf_tests.rs"]
mod tests;
