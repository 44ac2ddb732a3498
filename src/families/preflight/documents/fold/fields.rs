//! Every field that was ever set, found by any of its spellings.

use std::collections::{BTreeMap, HashMap};

use super::field::Field;
use crate::families::preflight::documents::names;

/// A field stays where it is: its place is its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    all: Vec<Field>,
    by_key: BTreeMap<(String, String), usize>,
    /// Spellings that were met before, by category. Every snapshot repeats them all.
    spelled: HashMap<String, HashMap<String, usize>>,
}

impl Fields {
    pub fn find(&self, category: &str, name: &str) -> Option<usize> {
        let met = self.spelled.get(category).and_then(|fields| fields.get(name));
        met.or_else(|| self.by_key.get(&key_of(category, name))).copied()
    }

    /// The place of a field, also of a new one.
    pub fn place(&mut self, category: &str, name: &str) -> usize {
        if let Some(at) = self.spelled.get(category).and_then(|fields| fields.get(name)) {
            return *at;
        }
        let key = key_of(category, name);
        let at = match self.by_key.get(&key) {
            Some(at) => *at,
            None => {
                let (category, name) = self.spelling(category, name);
                self.all.push(Field::new(category, name));
                self.by_key.insert(key, self.all.len() - 1);
                self.all.len() - 1
            }
        };
        self.spelled.entry(category.to_owned()).or_default().insert(name.to_owned(), at);
        at
    }

    /// How a field is spelled: as the schema does, else as the first document did.
    pub fn spelling(&self, category: &str, name: &str) -> (String, String) {
        let key = key_of(category, name);
        if let Some(at) = self.by_key.get(&key) {
            return (self.all[*at].category.clone(), self.all[*at].name.clone());
        }
        let mut same_category = self.by_key.range((key.0.clone(), String::new())..);
        let neighbour = same_category.next().filter(|((category, _), _)| *category == key.0);
        let category =
            neighbour.map_or_else(|| names::category(category), |(_, at)| self.all[*at].category.clone());
        let name = names::field(&category, name);
        (category, name)
    }

    pub fn get(&self, at: usize) -> &Field {
        &self.all[at]
    }

    pub fn get_mut(&mut self, at: usize) -> &mut Field {
        &mut self.all[at]
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }
}

fn key_of(category: &str, name: &str) -> (String, String) {
    (names::key(&names::category(category)), names::key(&names::field(category, name)))
}
