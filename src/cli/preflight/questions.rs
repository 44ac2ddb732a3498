//! A question as the command line knows it, and all questions of a turn on paper.

use serde_json::Value;

use crate::cli::output::{Output, text};
use crate::cli::style::{Style, printable};
use crate::families::preflight::clarify::Question;
use crate::families::preflight::clarify::catalogue::{OTHER, Type};

/// A question that a turn has put. Its id and options are as the session knows them; what is only shown is
/// printable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub id: String,
    pub kind: Type,
    pub question: String,
    pub options: Vec<String>,
    pub optional: bool,
    /// Which option, and why.
    pub recommended: Option<(String, String)>,
}

impl Asked {
    pub fn read(question: &Value) -> Self {
        let kind = match question["type"].as_str() {
            Some("single_choice") => Type::SingleChoice,
            Some("multi_choice") => Type::MultiChoice,
            _ => Type::FreeText,
        };
        let advice = &question["recommended"];
        Asked {
            id: raw(&question["id"]),
            kind,
            question: text(&question["question"]),
            options: question["options"].as_array().into_iter().flatten().map(raw).collect(),
            optional: question["optional"] == true,
            recommended: advice.is_object().then(|| (raw(&advice["value"]), text(&advice["because"]))),
        }
    }

    pub fn all(turn: &Value) -> Vec<Self> {
        turn["questions"].as_array().into_iter().flatten().map(Asked::read).collect()
    }

    /// One that may stay without an answer.
    pub fn optional(question: &Question) -> Self {
        let advice = question.recommended.as_ref();
        Asked {
            id: question.id.clone(),
            kind: question.kind,
            question: printable(&question.question),
            options: question.options.clone(),
            optional: true,
            recommended: advice.map(|advice| (advice.value.clone(), printable(&advice.because.text()))),
        }
    }

    /// Why an option is recommended, if it is.
    pub fn advice(&self, option: &str) -> Option<&str> {
        let (_, because) = self.recommended.as_ref().filter(|(value, _)| value == option)?;
        Some(because)
    }

    /// The options with what is to be said of them.
    pub fn labels(&self) -> Vec<String> {
        let label = |option: &String| match self.advice(option) {
            Some(because) => format!("{}  (recommended: {because})", printable(option)),
            None => printable(option),
        };
        self.options.iter().map(label).collect()
    }
}

/// Prints the questions of a turn, and how to answer them.
pub(super) fn print(output: &mut Output, turn: &Value) {
    if output.json {
        return output.value(turn);
    }
    output.line(&format!("session  {}", text(&turn["session_id"])));
    for (label, value) in detected(turn) {
        output.line(&format!("detected  {label}: {value}"));
    }
    let asked = Asked::all(turn);
    for question in &asked {
        output.line("");
        let id = output.paint(Style::Strong, &printable(&question.id));
        let optional = if question.optional { ", optional" } else { "" };
        output.line(&format!("{id}  {}  ({}{optional})", question.question, question.kind.word()));
        for label in question.labels() {
            output.line(&format!("  - {label}"));
        }
    }
    notes(output, turn);
    let all_optional = asked.iter().all(|question| question.optional);
    let pairs: Vec<String> = asked
        .iter()
        .filter(|question| all_optional || !question.optional)
        .map(|question| format!("{}=…", printable(&question.id)))
        .collect();
    output.note(&format!("answer with `backoffice preflight answer {}`", pairs.join(" ")));
    if all_optional {
        output.note("or leave it open with `backoffice preflight answer`");
    }
    if asked.iter().any(|question| !question.options.is_empty()) {
        output.note(&format!("for `{OTHER}`, put the text into the id with `__other` at its end"));
    }
    output.note("or `backoffice preflight resume` asks them one by one");
}

/// What the intention itself has told: label and value.
pub(super) fn detected(turn: &Value) -> Vec<(String, String)> {
    let found = turn["detected"].as_array().into_iter().flatten();
    found.map(|found| (text(&found["label"]), text(&found["value"]))).collect()
}

pub(super) fn notes(output: &mut Output, turn: &Value) {
    for note in turn["notes"].as_array().into_iter().flatten() {
        output.note(&format!("note: {}", text(note)));
    }
}

fn raw(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
