//! The repository a call is about, and the decisions in it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::clarify::{Conflict, Decisions};
use super::documents::fold::fold;
use super::documents::library::Library;
use super::documents::shelf::Shelf;
use super::documents::{Adr, State, adr, state_file};
use super::records::Suspended;
use crate::db::ReadTx;
use crate::error::{Error, Kind, Result};
use crate::families::RECORDS;
use crate::paths::Repository;
use crate::tool::session::Session;

/// So many repositories are remembered; more than anybody works in at once.
const REMEMBERED: usize = 16;

/// An error with a code of the contract.
pub fn coded(kind: Kind, code: &str, message: impl Into<String>, hint: &str) -> Error {
    Error::new(kind, message).detail("code", code).hint(hint)
}

/// The root: the one named, else the one the connection stands in.
pub fn root(session: &Session, named: Option<&str>) -> Result<PathBuf> {
    let found = match named {
        Some(path) => Repository::around(Path::new(path)).map(|repository| repository.root),
        None => session.repository.clone(),
    };
    found.ok_or_else(|| {
        coded(
            Kind::NotFound,
            "REPO_NOT_FOUND",
            "No git repository found",
            "Run from a git repository or provide repo_path",
        )
    })
}

/// The decisions of a repository, and what they add up to.
#[derive(Clone, Debug)]
pub struct Known {
    pub library: Library,
    pub state: Arc<State>,
    /// The decisions that somebody has edited; counted as they were taken.
    pub suspended: Vec<Suspended>,
}

/// The decisions of a repository, folded from all of its ADRs; what has not changed is not read again.
pub fn decisions(tx: &ReadTx<'_>, root: &Path) -> Result<Known> {
    let (library, state) = on_disk(root)?;
    let suspended = RECORDS.suspended(tx, root)?;
    let as_taken = |adr: &Arc<Adr>| {
        let record = suspended.iter().find(|record| record.file == adr.file)?;
        adr::read(record.text.as_ref()?, &adr.file).ok().map(Arc::new)
    };
    if suspended.is_empty() {
        return Ok(Known { library, state, suspended });
    }
    let mut adrs: Vec<Arc<Adr>> =
        library.adrs.iter().map(|adr| as_taken(adr).unwrap_or_else(|| Arc::clone(adr))).collect();
    // An edit that leaves nothing to be read takes back no decision either.
    let unread = suspended.iter().filter(|record| library.adrs.iter().all(|adr| adr.file != record.file));
    adrs.extend(
        unread.filter_map(|record| adr::read(record.text.as_ref()?, &record.file).ok().map(Arc::new)),
    );
    adrs.sort_by(|one, other| (&one.uid, &one.file).cmp(&(&other.uid, &other.file)));
    let state = Arc::new(fold(adrs.iter().map(AsRef::as_ref)));
    Ok(Known { library: Library { adrs, ..library }, state, suspended })
}

/// The text of ARCHITECTURE_STATE.md, as the decisions make it.
pub fn state_text(tx: &ReadTx<'_>, root: &Path) -> Result<String> {
    let known = decisions(tx, root)?;
    if known.library.adrs.is_empty() {
        return Err(Error::not_found("nothing has been decided here yet"));
    }
    Ok(state_file::write(&known.state))
}

fn on_disk(root: &Path) -> Result<(Library, Arc<State>)> {
    static SHELVES: OnceLock<Mutex<HashMap<PathBuf, Shelf>>> = OnceLock::new();
    let shelves = SHELVES.get_or_init(Mutex::default);
    let mut shelves = shelves.lock().map_err(|_| Error::internal("the shelves were left unusable"))?;
    if shelves.len() >= REMEMBERED && !shelves.contains_key(root) {
        shelves.clear();
    }
    let shelf = shelves.entry(root.to_owned()).or_default();
    let library = shelf.read(&root.join("docs"));
    let state = shelf.state(&library);
    Ok((library, state))
}

/// What is decided, as the clarification asks about it.
pub fn as_decisions(state: &State) -> Decisions {
    let fields = |values: &std::collections::BTreeMap<String, super::documents::fold::Value>| {
        values.iter().map(|(field, value)| (field.clone(), value.text.clone())).collect()
    };
    state.categories.iter().map(|(category, values)| (category.clone(), fields(values))).collect()
}

/// What two branches have decided differently.
pub fn as_conflicts(state: &State) -> Vec<Conflict> {
    let sides = |conflict: &super::documents::fold::Conflict| {
        let mut values: Vec<String> = Vec::new();
        for side in &conflict.sides {
            if !values.contains(&side.text) {
                values.push(side.text.clone());
            }
        }
        values
    };
    let conflicts = state.conflicts.iter().map(|conflict| Conflict {
        category: conflict.category.clone(),
        field: conflict.field.clone(),
        values: sides(conflict),
    });
    conflicts.collect()
}
