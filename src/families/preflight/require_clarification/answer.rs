//! What a turn answers: questions, or the documents that were written; and the questions as a form.

use schemars::JsonSchema;
use serde::Serialize;

use super::super::clarify::{Proposal, Question};
use crate::tool::JsonObject;
use crate::tool::ask::{Choice, Field, FieldKind, Form};

/// The answers of both kinds of turns in one object.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// needs_clarification or completed
    pub(super) status: &'static str,
    pub(super) session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) questions: Option<Vec<Asked>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) progress: Option<Progress>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) detected: Vec<Found>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) artifacts_created: Option<Vec<Created>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    /// llm_fallback: the configured model did not help
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warning: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Asked {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) question: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) options: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_selections: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_selections: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) optional: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recommended: Option<Advice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rationale: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Advice {
    pub(super) value: String,
    pub(super) because: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Progress {
    pub(super) asked_so_far: usize,
    pub(super) answered: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Found {
    pub(super) label: String,
    pub(super) value: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Created {
    pub(super) path: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uid: Option<String>,
}

/// A question as it is put.
pub(super) fn shown(question: &Question, proposed: &[Proposal]) -> Asked {
    let proposal = proposed.iter().find(|proposal| proposal.id == question.id);
    Asked {
        id: question.id.clone(),
        kind: question.kind.word(),
        question: question.question.clone(),
        options: question.options.clone(),
        min_selections: question.min_selections,
        max_selections: question.max_selections,
        optional: question.optional,
        recommended: question
            .recommended
            .as_ref()
            .map(|advice| Advice { value: advice.value.clone(), because: advice.because.text() }),
        rationale: proposal.and_then(|proposal| proposal.rationale.clone()),
    }
}

/// The questions of a turn, for a person; their answers are those of the next one.
pub(super) fn form(output: &Output) -> Option<Form> {
    let questions = output.questions.as_ref().filter(|questions| !questions.is_empty())?;
    Some(Form {
        message: "This is open before the work begins. What is optional may stay empty.".to_owned(),
        fields: questions.iter().map(field).collect(),
        with: JsonObject::from_iter([("session_id".to_owned(), output.session_id.clone().into())]),
        into: Some("answers"),
        decides: None,
    })
}

fn field(asked: &Asked) -> Field {
    let options = asked.options.iter().map(Choice::plain).collect();
    let default = asked.recommended.as_ref().map(|advice| advice.value.clone());
    Field {
        name: asked.id.clone(),
        title: asked.question.clone(),
        description: asked
            .recommended
            .as_ref()
            .map(|advice| format!("Recommended: {}, because {}", advice.value, advice.because)),
        required: !asked.optional,
        kind: match asked.kind {
            "single_choice" => FieldKind::OneOf { options, default },
            "multi_choice" => FieldKind::Several {
                options,
                least: asked.min_selections,
                most: asked.max_selections,
                default: default.into_iter().collect(),
            },
            _ => FieldKind::Text { default },
        },
    }
}
