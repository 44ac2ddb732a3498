//! Where a clarification stands: what was read, answered, asked, and what is on record.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::answers::{Answers, Provenance};
use super::catalogue::{Category, Entry, OTHER, same};
use super::hits::Hit;
use super::proposed::Proposal;
use super::reading::Reading;
use super::repository::Hints;

/// The decisions on record: category → field → value.
pub type Decisions = BTreeMap<String, BTreeMap<String, String>>;

/// A field that two decisions set differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub category: String,
    pub field: String,
    /// In the order of the decisions; the latest is recommended.
    pub values: Vec<String>,
}

impl Conflict {
    /// The id of the question that settles it.
    pub fn id(&self) -> String {
        format!("conflict__{}__{}", self.category.to_lowercase(), self.field.to_lowercase())
    }
}

/// Everything a turn depends on; the same situation always has the same next step.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    pub reading: &'a Reading,
    /// Accepted so far, in all turns.
    pub answers: &'a Answers,
    pub hints: &'a Hints,
    pub decisions: &'a Decisions,
    pub conflicts: &'a [Conflict],
    /// The ids of all questions that were shown, in all turns.
    pub asked: &'a [String],
    /// What somebody else would ask; the catalogue's questions come first.
    pub proposed: &'a [Proposal],
    pub force_adr: bool,
    /// Whether to ask for paths, because the repository shows none that fit.
    pub ask_for_paths: bool,
}

impl<'a> Situation<'a> {
    /// The categories that the request touches: those it names, else the one that was answered.
    pub fn hits(&self) -> Cow<'a, [Hit]> {
        if !self.reading.hits.is_empty() {
            return Cow::Borrowed(&self.reading.hits);
        }
        let answered = self.answers.values("category").and_then(|(values, _)| values.into_iter().next());
        let category = answered.and_then(|name| self.reading.catalogue.category(&name));
        let hit = |category: &'static Category| Hit {
            category: &category.name,
            count: 1,
            word: category.name.clone(),
            general: true,
            focus: Vec::new(),
        };
        Cow::Owned(category.map(hit).into_iter().collect())
    }

    /// What a question is known to be: answered, else detected.
    pub fn value(&self, entry: &Entry) -> Option<(Vec<String>, Provenance)> {
        if self.answers.has(&entry.id) {
            return self.answers.values(&entry.id);
        }
        self.reading.detected(&entry.id).map(|found| (found.values.clone(), Provenance::Detected))
    }

    /// Whether the condition of a question holds, if it has one.
    pub fn applies(&self, entry: &Entry) -> bool {
        let Some(condition) = &entry.depends_on else { return true };
        let parent = self.reading.catalogue.entry(&condition.question);
        let Some((category, parent)) = parent else { return false };
        let known = self.value(parent).map(|(values, _)| values);
        let known =
            known.or_else(|| Some(vec![self.decided(category?, parent)?.to_owned()])).unwrap_or_default();
        known.iter().any(|value| condition.values.iter().any(|wanted| same(wanted, value)))
    }

    /// Whether `Other` was chosen and nobody said what.
    pub fn lacks_text(&self, entry: &Entry) -> bool {
        entry.is_choice()
            && self.answers.raw(&entry.id).is_some_and(|values| values.iter().any(|value| value == OTHER))
            && self.answers.raw(&entry.companion()).is_none()
    }

    /// The value that is on record for a question's field.
    pub fn decided(&self, category: &Category, entry: &Entry) -> Option<&'a str> {
        self.on_record(&category.name, entry.field.as_deref()?)
    }

    /// The value on record; documents written by hand may spell names in their own way.
    pub fn on_record(&self, category: &str, field: &str) -> Option<&'a str> {
        let plain = |name: &str| name.replace([' ', '/', '-'], "_");
        let of_category = self.decisions.iter().filter(|(name, _)| same(name, category));
        let mut values = of_category.flat_map(|(_, fields)| fields);
        values.find(|(name, _)| same(&plain(name), &plain(field))).map(|(_, value)| value.as_str())
    }

    /// Everything known to be in use, to tell which options suit.
    pub fn in_use(&self) -> Vec<&str> {
        let detected = self.reading.detected.iter().flat_map(|found| &found.values).map(String::as_str);
        let decided = self.decisions.values().flat_map(BTreeMap::values).map(String::as_str);
        self.answers.all_values().chain(detected).chain(decided).chain(self.hints.values()).collect()
    }
}
