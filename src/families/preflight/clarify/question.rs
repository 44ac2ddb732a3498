//! A question as it is put: its options in order, the recommended one first and marked.

use super::catalogue::{Category, Choice, Entry, OTHER, Type, same};
use super::situation::{Conflict, Situation};

/// The option to do without; the first only where the request does away with something.
const NOTHING: &str = "None";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub id: String,
    pub kind: Type,
    pub question: String,
    /// Empty for free text; otherwise the last one is `Other (specify)`.
    pub options: Vec<String>,
    pub min_selections: Option<usize>,
    pub max_selections: Option<usize>,
    pub optional: bool,
    pub recommended: Option<Recommended>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recommended {
    pub value: String,
    pub because: Because,
}

/// Why an option is recommended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// An earlier decision says so.
    Decided,
    /// This file of the repository shows it.
    Shown(String),
    /// The request names it, beside others.
    Named,
    /// The request does away with what there was.
    Dropped,
    /// The catalogue's own advice.
    Usual,
}

impl Because {
    pub fn text(&self) -> String {
        match self {
            Because::Decided => "it is what was decided before".to_owned(),
            Because::Shown(source) => format!("`{source}` shows it"),
            Because::Named => "the request names it first".to_owned(),
            Because::Dropped => "the request does away with what there was".to_owned(),
            Because::Usual => "it is the usual choice".to_owned(),
        }
    }
}

impl Question {
    /// Puts a question of the catalogue.
    pub fn of(situation: &Situation<'_>, category: Option<&Category>, entry: &Entry) -> Self {
        let recommended = recommend(situation, category, entry);
        let mut options: Vec<String> = recommended.iter().map(|advice| advice.value.clone()).collect();
        let named = situation.reading.named.iter().find(|(question, _)| *question == entry.id);
        let named = named.into_iter().flat_map(|(_, values)| values.clone());
        let listed = suited(situation, entry).into_iter().map(|choice| choice.value().to_owned());
        for value in named.chain(listed) {
            if !options.iter().any(|option| same(option, &value)) {
                options.push(value);
            }
        }
        if entry.is_choice() {
            options.push(OTHER.to_owned());
        }
        Question {
            id: entry.id.clone(),
            kind: entry.kind,
            question: entry.question.clone(),
            options,
            min_selections: entry.min_selections,
            max_selections: entry.max_selections,
            optional: entry.optional,
            recommended,
        }
    }

    /// Asks what `Other` stands for, as a plain question.
    pub fn companion(entry: &Entry) -> Self {
        let question = format!("Please specify the {}:", entry.label());
        Question { kind: Type::FreeText, ..plain(entry.companion(), question) }
    }

    /// Asks which of two decisions holds.
    pub fn settle(conflict: &Conflict) -> Self {
        let Conflict { category, field, values } = conflict;
        let mut options: Vec<String> = Vec::new();
        for value in values.iter().rev() {
            if !options.iter().any(|option| same(option, value)) {
                options.push(value.clone());
            }
        }
        let recommended = options.first().cloned();
        options.push(OTHER.to_owned());
        let question = format!("Decisions disagree on {category}.{field}: which value holds?");
        Question {
            options,
            recommended: recommended.map(|value| Recommended { value, because: Because::Decided }),
            ..plain(conflict.id(), question)
        }
    }
}

fn plain(id: String, question: String) -> Question {
    Question {
        id,
        kind: Type::SingleChoice,
        question,
        options: Vec::new(),
        min_selections: None,
        max_selections: None,
        optional: false,
        recommended: None,
    }
}

/// What is on record, else what the repository shows, else the catalogue's first that suits.
pub fn recommend(
    situation: &Situation<'_>,
    category: Option<&Category>,
    entry: &Entry,
) -> Option<Recommended> {
    // Generic questions and free text have nothing to recommend.
    let category = category.filter(|_| entry.is_choice())?;
    let reading = situation.reading;
    let wanted = |value: &&str| !reading.refuses(&entry.id, value);
    let advise = |value: &str, because| Some(Recommended { value: value.to_owned(), because });
    let named = reading.named.iter().find(|(question, _)| *question == entry.id);
    if let Some(value) = situation.decided(category, entry).filter(wanted) {
        return advise(value, Because::Decided);
    }
    let hints = situation.hints.of(&entry.id);
    if let Some(hint) = hints.iter().find(|hint| wanted(&hint.value.as_str())) {
        return advise(&hint.value, Because::Shown(hint.source.clone()));
    }
    if let Some(value) = named.and_then(|(_, values)| values.first()) {
        return advise(value, Because::Named);
    }
    let focused = reading.hit(&category.name).is_some_and(|hit| hit.focus.contains(&entry.id.as_str()));
    let suited = suited(situation, entry);
    let mut values = suited.iter().map(|choice| choice.value());
    if reading.gives_up(&entry.id) && !focused && values.clone().any(|value| value == NOTHING) {
        return advise(NOTHING, Because::Dropped);
    }
    advise(values.find(wanted)?, Because::Usual)
}

/// The options in order: what suits the things in use, what suits anything, the rest, none, and what is
/// not wanted.
///
/// Where nothing that any option asks for is known, the catalogue's order holds.
fn suited<'e>(situation: &Situation<'_>, entry: &'e Entry) -> Vec<&'e Choice> {
    let in_use = situation.in_use();
    let uses = |with: &String| in_use.iter().any(|used| same(used, with));
    let catalogue = situation.reading.catalogue;
    let mut all = catalogue.entries().flat_map(|(_, entry)| &entry.options).flat_map(Choice::with);
    let something_known = all.any(uses);
    let rank = |choice: &&Choice| match choice.with() {
        _ if situation.reading.refuses(&entry.id, choice.value()) => 4,
        [] if choice.value() == NOTHING => 3,
        [] => 1,
        with if with.iter().any(uses) => 0,
        _ if something_known => 2,
        _ => 1,
    };
    let mut choices: Vec<&Choice> = entry.options.iter().collect();
    choices.sort_by_key(rank);
    choices
}
