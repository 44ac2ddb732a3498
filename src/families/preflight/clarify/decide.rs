//! The outcome: a task, or a decision record with its fields, and why.

use super::answers::Provenance;
use super::catalogue::{Category, DESCRIPTION, Entry, OTHER_CATEGORY, field_name, same};
use super::plan;
use super::proposed::{self, Further};
use super::question::recommend;
use super::reading::distinct;
use super::rules;
use super::situation::Situation;

const LONGEST_DESCRIPTION: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub kind: Kind,
    pub reason: String,
    pub constraints: Vec<String>,
    pub acceptance_criteria: Vec<String>,
    /// What folders and files of the categories touched are called.
    pub path_words: Vec<String>,
    /// The answer to `allowlist_paths`, if there is one.
    pub allowlist_paths: Vec<String>,
    /// What was taken without being asked, and what was left open.
    pub notes: Vec<String>,
    /// What was answered to questions that decide no field.
    pub further: Vec<Further>,
    /// What the request names and does not get.
    pub alternatives: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    TaskOnly,
    /// The category is the one with most of the fields; every field names its own.
    Adr {
        category: String,
        fields: Vec<Decided>,
    },
}

/// A field's new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    pub category: String,
    pub field: String,
    pub value: String,
    pub provenance: Provenance,
}

/// Decides; in a record, what nobody answered takes its default, and a note says so.
pub fn decide(situation: &Situation<'_>) -> Outcome {
    let known = known(situation);
    let mut notes = left_open(situation);
    let defaults = defaults(situation);
    let changed = known.iter().filter(|field| is_change(situation, field)).cloned();
    let mut changes: Vec<Decided> = changed.chain(defaults.iter().map(|(field, _)| field.clone())).collect();
    let verdict = rules::judge(situation, &changes);
    // A description stands in for the fields of its category; beside them it is about the task.
    let described: Vec<String> = changes
        .iter()
        .filter(|change| change.field != DESCRIPTION)
        .map(|change| change.category.clone())
        .collect();
    changes.retain(|change| change.field != DESCRIPTION || !described.contains(&change.category));
    let mut kind = Kind::TaskOnly;
    if verdict.adr {
        notes.extend(defaults.into_iter().map(|(_, note)| note));
        if changes.is_empty() {
            changes = confirmed(situation, &known, &mut notes);
        }
        let category = main_category(situation, &changes);
        // The first field makes the title, which is to name the category of the record.
        changes.sort_by_key(|change| change.category != category);
        kind = Kind::Adr { category, fields: changes };
    }
    Outcome {
        constraints: constraints(situation, &known, &kind),
        acceptance_criteria: criteria(situation),
        path_words: path_words(situation, &kind),
        allowlist_paths: situation.answers.raw("allowlist_paths").unwrap_or_default().to_vec(),
        reason: verdict.reason,
        further: details(situation).into_iter().chain(proposed::answered(situation)).collect(),
        alternatives: alternatives(situation, &kind),
        kind,
        notes,
    }
}

/// Every field that was answered or detected, the categories with most hits first.
fn known(situation: &Situation<'_>) -> Vec<Decided> {
    let mut fields: Vec<Decided> = Vec::new();
    for conflict in situation.conflicts {
        if let Some((values, provenance)) = situation.answers.values(&conflict.id()) {
            let (category, field) = (conflict.category.clone(), conflict.field.clone());
            fields.push(Decided { category, field, value: values.join(", "), provenance });
        }
    }
    let mut entries: Vec<_> = situation.reading.catalogue.entries().collect();
    entries
        .sort_by_key(|(category, _)| category.map_or(usize::MAX, |category| rank(situation, &category.name)));
    for (category, entry) in entries {
        let (Some(category), Some(field)) = (category, &entry.field) else { continue };
        let Some((values, provenance)) = situation.value(entry) else { continue };
        // What only the context tells of another category is background, not a decision.
        let background =
            provenance == Provenance::Detected && situation.reading.hit(&category.name).is_none();
        let settled =
            fields.iter().any(|known| same(&known.category, &category.name) && same(&known.field, field));
        if !background && !settled && situation.applies(entry) {
            let (category, field) = (category.name.clone(), field.clone());
            fields.push(Decided { category, field, value: values.join(", "), provenance });
        }
    }
    if let Some((values, provenance)) = situation.answers.values("description") {
        let (category, field) = place(situation);
        fields.push(Decided { category, field, value: values.join(", "), provenance });
    }
    fields
}

/// Where a description belongs: the category answered, else the one touched most, else Other.
fn place(situation: &Situation<'_>) -> (String, String) {
    let answered = situation.answers.values("category").and_then(|(values, _)| values.into_iter().next());
    let touched = situation.reading.hits.first().map(|hit| hit.category.to_owned());
    let Some(name) = answered.or(touched) else { return (OTHER_CATEGORY.to_owned(), DESCRIPTION.to_owned()) };
    match situation.reading.catalogue.category(&name) {
        Some(category) => (category.name.clone(), DESCRIPTION.to_owned()),
        // A name of the person's own is a field of Other, which takes any.
        None => (OTHER_CATEGORY.to_owned(), field_name(&name)),
    }
}

/// The recommended value for each field that should have been answered, with its note.
fn defaults(situation: &Situation<'_>) -> Vec<(Decided, String)> {
    let open = plan::open(situation).into_iter().filter(|open| open.required);
    open.filter_map(|open| {
        let (category, entry) = (open.category?, open.entry?);
        let (field, advice) = (entry.field.as_ref()?, recommend(situation, open.category, entry)?);
        // What is decided stays as it is when nobody answers.
        if situation.decided(category, entry).is_some() {
            return None;
        }
        let why = if situation.asked.contains(&entry.id) { "was not answered" } else { "was not asked" };
        let because = advice.because.text();
        let note = format!("{}.{field} {why}; {} was taken because {because}", category.name, advice.value);
        let (category, field, value) = (category.name.clone(), field.clone(), advice.value);
        Some((Decided { category, field, value, provenance: Provenance::Default }, note))
    })
    .collect()
}

/// What has no default: conflicts, and an `Other` that nobody explained.
fn left_open(situation: &Situation<'_>) -> Vec<String> {
    let open = plan::open(situation).into_iter().filter(|open| open.required && open.entry.is_none());
    let mut notes: Vec<String> = open.map(|open| format!("`{}` stays open", open.question.id)).collect();
    for (_, entry) in situation.reading.catalogue.entries() {
        if situation.answers.has(&entry.id) && !situation.applies(entry) {
            notes.push(format!("`{}` does not apply; its answer is not used", entry.id));
        }
    }
    notes
}

fn is_change(situation: &Situation<'_>, field: &Decided) -> bool {
    let contested = situation
        .conflicts
        .iter()
        .any(|conflict| same(&conflict.category, &field.category) && same(&conflict.field, &field.field));
    let on_record = situation.on_record(&field.category, &field.field);
    contested || !on_record.is_some_and(|value| same(value, &field.value))
}

/// A record that was asked for says something even if nothing changes.
fn confirmed(situation: &Situation<'_>, known: &[Decided], notes: &mut Vec<String>) -> Vec<Decided> {
    if !known.is_empty() {
        notes.push("nothing on record changes; the decisions are confirmed".to_owned());
        return known.to_vec();
    }
    let (category, field) = place(situation);
    notes.push(format!("{category}.{field} was not answered; the intention's own words were taken"));
    let words: Vec<&str> = situation.reading.intention.split_whitespace().collect();
    let value = words.join(" ").chars().take(LONGEST_DESCRIPTION).collect();
    vec![Decided { category, field, value, provenance: Provenance::Default }]
}

/// The category with most fields; among equals the one touched most.
fn main_category(situation: &Situation<'_>, fields: &[Decided]) -> String {
    let count = |name: &str| fields.iter().filter(|field| field.category == name).count();
    let order = |name: &&str| (std::cmp::Reverse(count(name)), rank(situation, name));
    let names = distinct(fields.iter().map(|field| field.category.as_str()));
    names.into_iter().min_by_key(order).unwrap_or(OTHER_CATEGORY).to_owned()
}

/// The place of a category: by hits, then by the catalogue.
fn rank(situation: &Situation<'_>, name: &str) -> usize {
    let hits = &situation.reading.hits;
    let categories = &situation.reading.catalogue.categories;
    let by_hits = hits.iter().position(|hit| hit.category == name);
    let listed = || categories.iter().position(|category| category.name == name).unwrap_or(categories.len());
    by_hits.unwrap_or_else(|| hits.len() + listed())
}

/// What the work has to keep to.
fn constraints(situation: &Situation<'_>, known: &[Decided], kind: &Kind) -> Vec<String> {
    let line = |category: &str, field: &str, value: &str| match field {
        DESCRIPTION => value.to_owned(),
        _ => format!("{category} {}: {value}", field.replace('_', " ")),
    };
    let defaults = match kind {
        Kind::Adr { fields, .. } => fields.as_slice(),
        Kind::TaskOnly => &[],
    };
    let taken = |field: &&Decided| field.provenance == Provenance::Default && field.field != DESCRIPTION;
    let defaults = defaults.iter().filter(taken);
    // A small request is not made larger by what its words happen to name.
    let small = rules::asks_nothing(situation);
    let said = known.iter().filter(|field| !small || field.provenance != Provenance::Detected);
    let mut lines: Vec<String> =
        said.chain(defaults).map(|field| line(&field.category, &field.field, &field.value)).collect();
    let details = details(situation).into_iter().filter(|_| !small);
    let further = details.chain(proposed::answered(situation));
    lines.extend(further.map(|further| format!("{}: {}", further.about, further.value)));
    if !small {
        for hit in situation.hits().iter() {
            let record = situation.decisions.iter().filter(|(name, _)| same(name, hit.category));
            for (field, value) in record.flat_map(|(_, fields)| fields) {
                if !known.iter().any(|known| known.category == hit.category && same(&known.field, field)) {
                    lines.push(format!("{} (as decided)", line(hit.category, field, value)));
                }
            }
        }
    }
    distinct(lines)
}

/// What is known of follow-ups that decide no field.
fn details(situation: &Situation<'_>) -> Vec<Further> {
    let entries = situation.reading.catalogue.entries().map(|(_, entry)| entry);
    let details = entries.filter(|entry| entry.field.is_none() && entry.depends_on.is_some());
    let known = details.filter(|entry| situation.applies(entry)).filter_map(|entry| {
        let (values, provenance) = situation.value(entry)?;
        Some(Further { about: entry.label().to_owned(), value: values.join(", "), provenance })
    });
    known.collect()
}

/// Values of the decided fields that the request names, too.
fn alternatives(situation: &Situation<'_>, kind: &Kind) -> Vec<String> {
    let Kind::Adr { fields, .. } = kind else { return Vec::new() };
    let reading = situation.reading;
    let mut lines = Vec::new();
    for (category, entry) in reading.catalogue.entries() {
        let decided = fields.iter().find(|decided| {
            category.is_some_and(|category| category.name == decided.category)
                && entry.field.as_ref().is_some_and(|field| *field == decided.field)
        });
        let Some(Decided { category, field, value, .. }) = decided else { continue };
        let named = reading.named.iter().filter(|(question, _)| *question == entry.id);
        let named = named.flat_map(|(_, values)| values).map(|value| (value, "named in the request"));
        let refused = reading.refused.iter().filter(|(question, _)| *question == entry.id);
        let refused = refused.map(|(_, value)| (value, "the request does not want it"));
        let others = named.chain(refused).filter(|(other, _)| !same(other, value));
        lines.extend(others.map(|(other, how)| format!("{category}.{field} = {other} ({how})")));
    }
    distinct(lines)
}

fn criteria(situation: &Situation<'_>) -> Vec<String> {
    match situation.answers.raw("acceptance_criteria") {
        Some(given) => given.to_vec(),
        None => {
            let words: Vec<&str> = situation.reading.intention.split_whitespace().collect();
            vec![format!("Done and working: {}", words.join(" "))]
        }
    }
}

fn path_words(situation: &Situation<'_>, kind: &Kind) -> Vec<String> {
    let catalogue = situation.reading.catalogue;
    let touched = situation.hits();
    let hits = touched.iter().map(|hit| hit.category.to_owned());
    let decided = match kind {
        Kind::Adr { category, .. } => Some(category.clone()),
        Kind::TaskOnly => situation.answers.values("category").map(|(values, _)| values.join(" ")),
    };
    let categories = distinct(decided.into_iter().chain(hits));
    let categories = categories.iter().filter_map(|name| catalogue.category(name));
    distinct(categories.flat_map(|category| words_of(situation, category)).cloned())
}

/// A category of independent questions is only spoken of as a whole where it is named.
fn words_of<'c>(situation: &Situation<'_>, category: &'c Category) -> Vec<&'c String> {
    let hit = situation.hits().iter().find(|hit| hit.category == category.name).cloned();
    let concerned = |entry: &&Entry| {
        let named = hit.as_ref().is_some_and(|hit| hit.focus.contains(&entry.id.as_str()));
        named || situation.value(entry).is_some() || situation.reading.concerns(&entry.id)
    };
    let concerned: Vec<&Entry> = category.questions.iter().filter(concerned).collect();
    let whole = concerned.is_empty() || hit.is_some_and(|hit| hit.general);
    match category.independent && !whole {
        true => concerned.iter().flat_map(|entry| &entry.path_words).collect(),
        false => category.path_words.iter().collect(),
    }
}
