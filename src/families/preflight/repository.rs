//! The repository a call is about, and the decisions in it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::clarify::{Conflict, Decisions};
use super::documents::State;
use super::documents::library::Library;
use super::documents::shelf::Shelf;
use crate::error::{Error, Kind, Result};
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

/// The decisions of a repository, folded from all of its ADRs; what has not changed is not read again.
pub fn decisions(root: &Path) -> Result<(Library, Arc<State>)> {
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
