//! One field of the architecture: every decision about it, and those that none of the others replaced.

use super::Value;
use super::lineage::Lineage;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub category: String,
    pub name: String,
    pub entries: Vec<Entry>,
    /// Places in `entries`.
    heads: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub node: usize,
    pub text: String,
    pub old: Option<String>,
    /// Known only because another decision carries it forward.
    pub hearsay: bool,
}

impl Field {
    pub fn new(category: String, name: String) -> Self {
        Field { category, name, entries: Vec::new(), heads: Vec::new() }
    }

    pub fn set(&mut self, entry: Entry, lineage: &Lineage) {
        let at = self.entries.len();
        self.entries.push(entry);
        self.raise(at, lineage);
    }

    /// Puts an entry among the heads, in the place of those that its decision knew.
    fn raise(&mut self, at: usize, lineage: &Lineage) {
        let node = self.entries[at].node;
        if self.heads.iter().any(|head| lineage.supersedes(self.entries[*head].node, node)) {
            return;
        }
        let entries = &self.entries;
        self.heads.retain(|head| !lineage.supersedes(node, entries[*head].node));
        self.heads.push(at);
    }

    /// Finds the heads anew, after decisions have turned out to know more.
    pub fn settle_again(&mut self, lineage: &Lineage) {
        self.heads.clear();
        (0..self.entries.len()).for_each(|at| self.raise(at, lineage));
    }

    /// Drops what others said of a decision whose own document has come.
    pub fn forget_hearsay(&mut self, node: usize, decides: bool) {
        let told = self.entries.iter().any(|entry| entry.node == node && !entry.hearsay);
        if told || !decides {
            self.entries.retain(|entry| entry.node != node || !entry.hearsay);
        }
    }

    pub fn is_set_by(&self, node: usize) -> bool {
        self.entries.iter().any(|entry| entry.node == node)
    }

    /// The decisions whose value is this one and has not been replaced.
    pub fn heads(&self, text: &str) -> Vec<usize> {
        let heads = self.heads.iter().map(|head| &self.entries[*head]);
        heads.filter(|entry| entry.text == text).map(|entry| entry.node).collect()
    }

    /// What a decision found in this field.
    pub fn newest_known(&self, node: usize, lineage: &Lineage) -> Option<String> {
        let known = self.entries.iter().filter(|entry| lineage.knows(node, entry.node));
        known.max_by_key(|entry| lineage.place(entry.node)).map(|entry| entry.text.clone())
    }

    /// The values that stand beside each other, in UID order.
    pub fn sides(&self, lineage: &Lineage) -> Vec<Value> {
        let mut heads: Vec<&Entry> = self.heads.iter().map(|head| &self.entries[*head]).collect();
        let gives_way = |entry: &Entry| lineage.status(entry.node).gives_way();
        if !heads.iter().all(|entry| gives_way(entry)) {
            heads.retain(|entry| !gives_way(entry));
        }
        heads.sort_by_key(|entry| lineage.place(entry.node));
        let value =
            |entry: &Entry| Value { text: entry.text.clone(), set_by: lineage.uid(entry.node).clone() };
        heads.into_iter().map(value).collect()
    }
}
