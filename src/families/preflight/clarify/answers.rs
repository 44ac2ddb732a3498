//! Answers: checked against their questions, kept with where they came from.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use super::catalogue::{COMPANION, Entry, OTHER, Type, same};
use super::paths;
use super::proposed;
use super::question::Question;
use super::situation::Situation;
use crate::error::nearest;
pub use crate::families::preflight::provenance::Provenance;

/// Longer texts belong into documents, not into an answer.
const LONGEST: usize = 4_000;
const MOST_ITEMS: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// One value, but for choices of several and lists.
    pub values: Vec<String>,
    pub by: Provenance,
}

/// What was answered so far, by question id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers(pub BTreeMap<String, Answer>);

/// An answer that does not fit its question; nothing was taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    pub question: String,
    pub message: String,
    /// What would fit; empty for free text.
    pub options: Vec<String>,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.question, self.message)
    }
}

impl std::error::Error for Invalid {}

impl Answers {
    pub fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// The values as given, `Other (specify)` included.
    pub fn raw(&self, id: &str) -> Option<&[String]> {
        self.0.get(id).map(|answer| answer.values.as_slice())
    }

    /// The values with `Other` replaced by its text; none if there is no text.
    pub fn values(&self, id: &str) -> Option<(Vec<String>, Provenance)> {
        let answer = self.0.get(id)?;
        let other = self.raw(&format!("{id}{COMPANION}")).and_then(|values| values.first());
        let text = |value: &String| if value == OTHER { other.cloned() } else { Some(value.clone()) };
        let values: Vec<String> = answer.values.iter().filter_map(text).collect();
        (!values.is_empty()).then_some((values, answer.by))
    }

    /// The values of the catalogue's questions: an extra one says nothing about what is in use.
    pub fn all_values(&self) -> impl Iterator<Item = &str> {
        let own = self.0.iter().filter(|(id, _)| !proposed::is_extra(id)).map(|(_, answer)| answer);
        own.flat_map(|answer| &answer.values).map(String::as_str)
    }
}

/// Checks new answers and adds them to the earlier ones, all or none; a new one replaces an old one.
pub fn accept(
    situation: &Situation<'_>,
    given: &Map<String, Value>,
    by: Provenance,
) -> Result<Answers, Invalid> {
    let mut answers = situation.answers.clone();
    for (id, value) in given {
        let question = find(situation, id)?;
        let Some(values) = check(situation, &question, value)? else { continue };
        answers.0.insert(id.clone(), Answer { values, by });
    }
    // A text for `Other` says that `Other` was meant.
    for id in given.keys().filter_map(|id| id.strip_suffix(COMPANION)) {
        let text = answers.has(&format!("{id}{COMPANION}"));
        if text && !answers.has(id) {
            answers.0.insert(id.to_owned(), Answer { values: vec![OTHER.to_owned()], by });
        }
    }
    Ok(answers)
}

/// The question of an id as it would be put now.
pub fn find(situation: &Situation<'_>, id: &str) -> Result<Question, Invalid> {
    let catalogue = situation.reading.catalogue;
    if let Some((category, entry)) = catalogue.entry(id) {
        return Ok(Question::of(situation, category, entry));
    }
    let parent = id.strip_suffix(COMPANION);
    if let Some(conflict) = situation
        .conflicts
        .iter()
        .find(|conflict| conflict.id() == id || Some(conflict.id().as_str()) == parent)
    {
        let question = Question::settle(conflict);
        let text =
            Question { id: id.to_owned(), kind: Type::FreeText, options: Vec::new(), ..question.clone() };
        return Ok(if parent.is_some() { text } else { question });
    }
    let choice = |entry: &&Entry| entry.is_choice();
    if let Some(entry) =
        parent.and_then(|parent| catalogue.entry(parent)).map(|(_, entry)| entry).filter(choice)
    {
        return Ok(Question::companion(entry));
    }
    if let Some(question) = proposed::find(situation, id) {
        return Ok(question);
    }
    let mut known: Vec<String> = situation.conflicts.iter().map(super::situation::Conflict::id).collect();
    known.extend(catalogue.ids());
    known.extend(situation.proposed.iter().map(|proposal| proposal.id.clone()));
    let hint = nearest(id, known.iter().map(String::as_str)).map(|near| format!("; did you mean `{near}`?"));
    let asked = situation.asked.to_vec();
    Err(Invalid {
        question: shortened(id),
        message: format!("there is no such question{}", hint.unwrap_or_default()),
        options: asked,
    })
}

/// The answer's values; none where an optional question is skipped.
fn check(
    situation: &Situation<'_>,
    question: &Question,
    value: &Value,
) -> Result<Option<Vec<String>>, Invalid> {
    let blank = value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    if blank && question.optional {
        return Ok(None);
    }
    let is_list = situation.reading.catalogue.details.iter().any(|entry| entry.id == question.id);
    if question.kind == Type::FreeText && value.as_str().is_some_and(|text| same(text.trim(), OTHER)) {
        return Err(invalid(question, &format!("takes the text itself, not `{OTHER}`")));
    }
    let values = match question.kind {
        Type::FreeText if is_list => list(question, value)?,
        Type::FreeText => vec![text(question, value)?],
        Type::SingleChoice => vec![choice(situation, question, &text(question, value)?)?],
        Type::MultiChoice => several(situation, question, value)?,
    };
    Ok(Some(values))
}

/// A scalar as one line of text.
fn text(question: &Question, value: &Value) -> Result<String, Invalid> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => return Err(invalid(question, "needs an answer")),
        Value::Array(_) if question.kind == Type::SingleChoice => {
            return Err(invalid(question, "takes one value, not a list"));
        }
        Value::Array(_) | Value::Object(_) => return Err(invalid(question, "takes a text")),
    };
    if text.chars().count() > LONGEST {
        return Err(invalid(question, &format!("takes at most {LONGEST} characters")));
    }
    // A line break would end the value in the documents.
    let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    if line.is_empty() { Err(invalid(question, "needs a text that is not empty")) } else { Ok(line) }
}

fn choice(situation: &Situation<'_>, question: &Question, text: &str) -> Result<String, Invalid> {
    if let Some(option) = question.options.iter().find(|option| same(option, text)) {
        return Ok(option.clone());
    }
    if same(text, "Other") {
        return Ok(OTHER.to_owned());
    }
    if let Some(value) = situation.reading.vocabulary.value(&question.id, text) {
        return Ok(value.to_owned());
    }
    if question.id == "category"
        && let Some(category) = situation.reading.catalogue.category(text)
    {
        return Ok(category.name.clone());
    }
    let Question { id, .. } = question;
    let shown = shortened(text);
    Err(invalid(
        question,
        &format!(
            "`{shown}` is not one of the options; for anything else choose `{OTHER}` and put it into `{id}{COMPANION}`"
        ),
    ))
}

fn several(situation: &Situation<'_>, question: &Question, value: &Value) -> Result<Vec<String>, Invalid> {
    let parts: Vec<String> = match value {
        Value::Array(items) if items.len() > MOST_ITEMS => {
            return Err(invalid(question, "takes fewer values"));
        }
        Value::Array(items) => items.iter().map(|item| text(question, item)).collect::<Result<_, _>>()?,
        _ => text(question, value)?
            .split(',')
            .map(|part| part.trim().to_owned())
            .filter(|part| !part.is_empty())
            .collect(),
    };
    let mut values: Vec<String> = Vec::new();
    for part in parts {
        let value = choice(situation, question, &part)?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let least = question.min_selections.unwrap_or(1).max(1);
    if values.len() < least {
        return Err(invalid(question, &format!("needs at least {least} of the options")));
    }
    match question.max_selections.filter(|most| values.len() > *most) {
        Some(most) => Err(invalid(question, &format!("takes at most {most} of the options"))),
        None => Ok(values),
    }
}

/// Paths and criteria: a list, or a text with commas or line breaks.
fn list(question: &Question, value: &Value) -> Result<Vec<String>, Invalid> {
    let items: Vec<String> = match value {
        Value::Array(items) => items.iter().map(|item| text(question, item)).collect::<Result<_, _>>()?,
        Value::String(text) => text.split([',', '\n']).map(str::to_owned).collect(),
        _ => vec![text(question, value)?],
    };
    let items: Vec<String> =
        items.iter().map(|item| item.trim()).filter(|item| !item.is_empty()).map(str::to_owned).collect();
    if items.is_empty() || items.len() > MOST_ITEMS {
        return Err(invalid(question, &format!("needs 1 to {MOST_ITEMS} entries")));
    }
    let items: Vec<String> =
        items.into_iter().map(|item| text(question, &Value::String(item))).collect::<Result<_, _>>()?;
    if question.id != "allowlist_paths" {
        return Ok(items);
    }
    items.iter().map(|item| paths::normal(item).map_err(|why| invalid(question, &why))).collect()
}

fn invalid(question: &Question, message: &str) -> Invalid {
    Invalid { question: question.id.clone(), message: message.to_owned(), options: question.options.clone() }
}

/// What the caller sent, short enough to be shown again.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    let start: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect();
    if text.chars().count() > SHOWN { format!("{start}…") } else { start }
}
