//! All decisions in a repository's `docs/` folder, and the UIDs that are in use there.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::adr::{Adr, Problem};
use super::shelf::Shelf;
use super::uid::Uid;

/// What a `docs/` folder holds.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// By UID, then by the file's name.
    pub adrs: Vec<Arc<Adr>>,
    /// Files of `docs/adr` with what is wrong with them; some of them are in `adrs` all the same.
    pub problems: Vec<(String, Problem)>,
    /// The names in `docs/archive/task`.
    pub archived: BTreeSet<String>,
    /// Of decisions, archived tasks and the current task.
    pub highest: Option<Uid>,
}

/// Reads a `docs/` folder. A missing folder is an empty one; links in it are not followed.
pub fn read_folder(docs: &Path) -> Library {
    Shelf::default().read(docs)
}

impl Library {
    /// Decisions in their order, with what is strange about them as a whole.
    pub(super) fn arranged(mut adrs: Vec<Arc<Adr>>, mut problems: Vec<(String, Problem)>) -> Self {
        adrs.sort_by(|a, b| (&a.uid, &a.file).cmp(&(&b.uid, &b.file)));
        for pair in adrs.windows(2).filter(|pair| pair[0].uid == pair[1].uid) {
            problems.push((pair[1].file.clone(), Problem::SameUid { other: pair[0].file.clone() }));
        }
        for adr in adrs.iter().filter(|adr| adr.changes.is_empty() && adr.snapshot.is_empty()) {
            problems.push((adr.file.clone(), Problem::SetsNothing));
        }
        problems.sort_by(|a, b| a.0.cmp(&b.0));
        let highest = adrs.last().map(|adr| adr.uid.clone());
        Library { adrs, problems, archived: BTreeSet::new(), highest }
    }

    /// Takes note of a UID that is in use, here or on another branch.
    pub fn in_use(&mut self, uid: Option<Uid>) {
        self.highest = self.highest.take().max(uid);
    }
}
