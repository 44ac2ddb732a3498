//! Questions that somebody else has proposed, such as a language model: they are put like any other,
//! and decide nothing.
//!
//! A proposal that is a question of the catalogue only moves that question forward. Any other one is
//! an extra question: it takes what the catalogue leaves of the five, and its answer becomes a
//! constraint of the task, never a field of the architecture.

use super::answers::Provenance;
use super::catalogue::{COMPANION, OTHER, Type};
use super::plan::{self, Open};
use super::question::Question;
use super::situation::Situation;

/// What the id of every extra question begins with; no question of the catalogue has it.
pub const PREFIX: &str = "x_";

/// A proposal that was found fit to be put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// One of the catalogue, or one with the prefix of extra questions.
    pub id: String,
    pub kind: Type,
    pub question: String,
    /// Without `Other (specify)`, which every choice gets.
    pub options: Vec<String>,
    pub optional: bool,
    /// Why it is worth asking.
    pub rationale: Option<String>,
}

/// An answer that decides no field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Further {
    pub about: String,
    pub value: String,
    pub provenance: Provenance,
}

/// A question as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub id: String,
    pub question: String,
}

pub fn is_extra(id: &str) -> bool {
    id.starts_with(PREFIX)
}

/// Whether a question waits for all of the catalogue's; what `Other` stands for never does.
pub(super) fn comes_last(id: &str) -> bool {
    is_extra(id) && !id.ends_with(COMPANION)
}

/// Every question that is open now, whether or not there is room to ask it.
pub fn open_questions(situation: &Situation<'_>) -> Vec<Listed> {
    let open = plan::open(situation).into_iter().map(|open| open.question);
    open.map(|Question { id, question, .. }| Listed { id, question }).collect()
}

/// The extra questions that are open, and what `Other` stands for in them.
pub(super) fn open(situation: &Situation<'_>) -> Vec<Open> {
    let mut open = Vec::new();
    for extra in extras(situation) {
        let answered = situation.answers.has(&extra.id);
        if answered && situation.answers.values(&extra.id).is_none() {
            open.push((extra.companion(), true));
        } else if !answered {
            open.push((extra.put(), !extra.optional));
        }
    }
    let open = open.into_iter();
    open.map(|(question, required)| Open { question, category: None, entry: None, required }).collect()
}

/// The place of a question among those of its kind: what was proposed comes forward, but not before
/// decisions that disagree and texts that are missing.
pub(super) fn rank(situation: &Situation<'_>, open: &Open) -> u8 {
    let named = situation.proposed.iter().any(|proposal| proposal.id == open.question.id);
    match open.entry {
        None if comes_last(&open.question.id) => 3,
        None => 0,
        Some(_) if named => 1,
        Some(_) => 2,
    }
}

/// The extra question of an id, or what asks for its `Other`.
pub(super) fn find(situation: &Situation<'_>, id: &str) -> Option<Question> {
    let parent = id.strip_suffix(COMPANION);
    extras(situation).find_map(|extra| match parent {
        Some(parent) if extra.id == parent && extra.kind != Type::FreeText => Some(extra.companion()),
        _ => (extra.id == id).then(|| extra.put()),
    })
}

/// What was answered to extra questions.
pub(super) fn answered(situation: &Situation<'_>) -> Vec<Further> {
    let told = |extra: &Proposal| {
        let (values, provenance) = situation.answers.values(&extra.id)?;
        let about = extra.question.trim_end_matches(['?', ' ']).to_owned();
        Some(Further { about, value: values.join(", "), provenance })
    };
    extras(situation).filter_map(told).collect()
}

fn extras<'a>(situation: &Situation<'a>) -> impl Iterator<Item = &'a Proposal> {
    situation.proposed.iter().filter(|proposal| is_extra(&proposal.id))
}

impl Proposal {
    fn put(&self) -> Question {
        let other = (self.kind != Type::FreeText).then(|| OTHER.to_owned());
        Question {
            id: self.id.clone(),
            kind: self.kind,
            question: self.question.clone(),
            options: self.options.iter().cloned().chain(other).collect(),
            min_selections: (self.kind == Type::MultiChoice).then_some(1),
            max_selections: None,
            optional: self.optional,
            recommended: None,
        }
    }

    fn companion(&self) -> Question {
        let asked = format!("Please specify: {}", self.question);
        Question {
            id: format!("{}{COMPANION}", self.id),
            kind: Type::FreeText,
            question: asked,
            options: Vec::new(),
            min_selections: None,
            optional: false,
            ..self.put()
        }
    }
}
