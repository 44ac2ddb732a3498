//! The architecture as all decisions together make it, and where they disagree.
//!
//! A field's value is what its last decision says, and the last one is not the one with the latest date
//! but the one that knew the others. Where several stand beside each other and say different things, two
//! branches decided without knowing of each other: the later UID's value holds for the time being, and the
//! conflict is told until a decision that knows them all sets the field again.

mod field;
mod fields;
mod lineage;

use std::collections::BTreeMap;
use std::fmt;

use super::adr::{Adr, Kept, Mark, Told};
use super::uid::Uid;
use field::Entry;
use fields::Fields;
use lineage::Lineage;

/// The architecture after some decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The highest UID so far.
    pub uid: Option<Uid>,
    pub categories: BTreeMap<String, BTreeMap<String, Value>>,
    /// By category and field.
    pub conflicts: Vec<Conflict>,
    lineage: Lineage,
    fields: Fields,
    /// The file of the last decision; files with the same UID go by name.
    last_file: String,
}

/// A value and the decision that set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub text: String,
    pub set_by: Uid,
}

/// Decisions about one field that did not know of each other and say different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub category: String,
    pub field: String,
    /// In UID order; the last one's value holds for the time being.
    pub sides: Vec<Value>,
}

/// One step of a field's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub uid: Uid,
    pub old: Option<String>,
    pub new: String,
}

/// A decision that belongs before one that was already applied: fold all of them again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfOrder;

impl fmt::Display for OutOfOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decision came after one with a higher UID")
    }
}

impl std::error::Error for OutOfOrder {}

/// The architecture that these decisions make, in whichever order they are given.
pub fn fold<'a>(adrs: impl IntoIterator<Item = &'a Adr>) -> State {
    let mut adrs: Vec<&Adr> = adrs.into_iter().collect();
    adrs.sort_by(|a, b| (&a.uid, &a.file).cmp(&(&b.uid, &b.file)));
    let mut state = State::default();
    for adr in adrs {
        let in_order = state.apply(adr);
        debug_assert_eq!(in_order, Ok(()), "they were sorted");
    }
    state
}

impl State {
    /// Adds the decision with the next UID.
    pub fn apply(&mut self, adr: &Adr) -> Result<(), OutOfOrder> {
        if self.uid.as_ref().is_some_and(|uid| (uid, &self.last_file) > (&adr.uid, &adr.file)) {
            return Err(OutOfOrder);
        }
        (self.uid, self.last_file) = (Some(adr.uid.clone()), adr.file.clone());
        let entered = self.lineage.enter(&adr.uid, adr.number, adr.status);
        self.learn(entered.node, adr);
        let decides = adr.status.decides();
        let mut touched = if decides { self.changes(entered.node, adr) } else { Vec::new() };
        touched.extend(self.carried(entered.node, adr));
        if entered.expected {
            // Somebody had named it before it came: what was thought of it and of others may change.
            self.lineage.spread(entered.node);
            touched = (0..self.fields.count()).collect();
            for at in &touched {
                let field = self.fields.get_mut(*at);
                field.forget_hearsay(entered.node, decides);
                field.settle_again(&self.lineage);
            }
        }
        touched.into_iter().for_each(|at| self.show(at));
        Ok(())
    }

    /// The decisions that set a field, in UID order.
    pub fn why(&self, category: &str, field: &str) -> Vec<Step> {
        let Some(at) = self.fields.find(category, field) else { return Vec::new() };
        let field = self.fields.get(at);
        let mut entries: Vec<&Entry> = field.entries.iter().collect();
        entries.sort_by_key(|entry| self.lineage.place(entry.node));
        let step = |entry: &Entry| Step {
            uid: self.lineage.uid(entry.node).clone(),
            old: entry.old.clone(),
            new: entry.text.clone(),
        };
        entries.into_iter().map(step).collect()
    }

    /// The value that holds, however its name is spelled.
    pub fn value(&self, category: &str, field: &str) -> Option<&Value> {
        let field = self.fields.get(self.fields.find(category, field)?);
        self.categories.get(&field.category)?.get(&field.name)
    }

    /// How a field is spelled: as the schema does, else as the first document did.
    pub fn spelling(&self, category: &str, field: &str) -> (String, String) {
        self.fields.spelling(category, field)
    }

    /// The decisions that none took the place of: what the next one knows beside the one before it.
    pub fn ends(&self) -> Vec<Uid> {
        self.lineage.ends()
    }

    /// Notes what the decision shows that it knew.
    fn learn(&mut self, node: usize, adr: &Adr) {
        let previous = adr.previous.clone().map(Mark::Uid);
        let carried = adr.snapshot.values().flat_map(|fields| fields.values());
        let replaced = adr.changes.iter().filter_map(|change| change.was.as_ref());
        let shown = carried.chain(replaced).filter_map(|kept| kept.set_by.as_ref());
        // The previous one first: mostly it knew all the others.
        for mark in previous.iter().chain(&adr.merges).chain(shown) {
            let is_own = matches!(mark, Mark::Uid(uid) if *uid == adr.uid);
            if !is_own {
                self.lineage.learn_of(node, mark);
            }
        }
        // A value that it says it replaces, without saying whose it was.
        for change in &adr.changes {
            let Some(was) = change.was.as_ref().filter(|was| was.set_by.is_none()) else { continue };
            let at = self.fields.find(&change.category, &change.field);
            let heads = at.map(|at| self.fields.get(at).heads(&was.text)).unwrap_or_default();
            heads.into_iter().for_each(|head| self.lineage.learn(node, head));
        }
    }

    fn changes(&mut self, node: usize, adr: &Adr) -> Vec<usize> {
        let mut touched = Vec::new();
        for change in &adr.changes {
            let at = self.fields.place(&change.category, &change.field);
            let (field, lineage) = (self.fields.get_mut(at), &self.lineage);
            let only_repeats = change.told == Told::Assumed && !field.heads(&change.value).is_empty();
            if !only_repeats {
                let old = change.was.as_ref().map(|was| was.text.clone());
                let old = old.or_else(|| field.newest_known(node, lineage));
                field.set(Entry { node, text: change.value.clone(), old, hearsay: false }, lineage);
                touched.push(at);
            }
        }
        touched
    }

    /// Takes from the snapshot what no document at hand has set: its own document is lost, or was never
    /// one. Everything else that is carried forward is known better from where it was decided.
    fn carried(&mut self, node: usize, adr: &Adr) -> Vec<usize> {
        let mut touched = Vec::new();
        for (category, fields) in &adr.snapshot {
            for (name, kept) in fields {
                let at = self.fields.place(category, name);
                if let Some(setter) = self.lost_setter(node, at, kept) {
                    let entry = Entry { node: setter, text: kept.text.clone(), old: None, hearsay: true };
                    self.fields.get_mut(at).set(entry, &self.lineage);
                    touched.push(at);
                }
            }
        }
        touched
    }

    fn lost_setter(&self, node: usize, at: usize, kept: &Kept) -> Option<usize> {
        let field = self.fields.get(at);
        let named = match &kept.set_by {
            Some(Mark::Uid(uid)) => self.lineage.first(uid),
            _ => None,
        };
        match named.filter(|setter| !self.lineage.is_seen(*setter)) {
            Some(lost) => (!field.is_set_by(lost)).then_some(lost),
            None => {
                let setter = named.unwrap_or(node);
                // What was only proposed does not come into force because somebody carries it along.
                (field.entries.is_empty() && self.lineage.status(setter).decides()).then_some(setter)
            }
        }
    }

    /// Brings the visible state of a field up to date.
    fn show(&mut self, at: usize) {
        let field = self.fields.get(at);
        let sides = field.sides(&self.lineage);
        let at = self.conflicts.binary_search_by(|known| {
            (known.category.as_str(), known.field.as_str())
                .cmp(&(field.category.as_str(), field.name.as_str()))
        });
        let differ = sides.iter().any(|side| side.text != sides[0].text);
        if let Some(value) = sides.last() {
            let shown = self.categories.entry(field.category.clone()).or_default();
            shown.insert(field.name.clone(), value.clone());
        } else if let Some(shown) = self.categories.get_mut(&field.category) {
            // Others had told of it, and its own document says that it never was in force.
            shown.remove(&field.name);
            self.categories.retain(|_, fields| !fields.is_empty());
        }
        let conflict = || Conflict { category: field.category.clone(), field: field.name.clone(), sides };
        match (at, differ) {
            (Ok(at), true) => self.conflicts[at] = conflict(),
            (Ok(at), false) => drop(self.conflicts.remove(at)),
            (Err(at), true) => self.conflicts.insert(at, conflict()),
            (Err(_), false) => {}
        }
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
