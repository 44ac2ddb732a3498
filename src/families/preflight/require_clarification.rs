use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::branches;
use super::clarify::{self, Answers, Hints, Invalid, Provenance, Reading, Situation};
use super::completion::{self, Before, Laid, Made};
use super::model;
use super::repository::{self, coded};
use super::sessions::INACTIVE_MINUTES;
use super::store::{self, Session};
use crate::db::journal::{self, Batch};
use crate::error::{Error, Kind, Result};
use crate::families::RECORDS;
use crate::tool::ask::{Choice, Field, FieldKind, Form, FormOf, Speaker};
use crate::tool::{Access, ErrorForm, JsonObject, Place, Tool, WriteCx, WriteTool};

/// Asks what an intention leaves open, and writes down what was decided.
#[derive(Debug)]
pub struct RequireClarification;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What is to be done, in a sentence
    #[schemars(length(min = 1, max = 4000))]
    user_intention: String,
    #[schemars(length(max = 20_000))]
    optional_context: Option<String>,
    /// Of the turn before
    #[schemars(length(max = 64))]
    session_id: Option<String>,
    /// By question id
    answers: Option<JsonObject>,
    preferences: Option<Preferences>,
    /// A folder of the repository; default: the connection's
    #[schemars(length(min = 1, max = 1000))]
    repo_path: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Preferences {
    force_adr: Option<bool>,
}

/// The answers of both kinds of turns in one object.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// needs_clarification or completed
    status: &'static str,
    session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<Vec<Asked>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    detected: Vec<Found>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts_created: Option<Vec<Created>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// llm_fallback: the configured model did not help
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Asked {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    question: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_selections: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_selections: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    optional: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended: Option<Advice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rationale: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Advice {
    value: String,
    because: String,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Progress {
    asked_so_far: usize,
    answered: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Found {
    label: String,
    value: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Created {
    path: String,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<String>,
}

/// A turn, as far as files and rules can tell.
#[derive(Debug)]
struct Turn {
    session: Session,
    detected: Vec<Found>,
    questions: Vec<Asked>,
    progress: Progress,
    notes: Vec<String>,
    fallback: Option<String>,
    completed: Option<Completed>,
}

#[derive(Debug)]
struct Completed {
    files: Batch,
    made: Vec<Made>,
    recorded: Vec<(String, String)>,
    summary: String,
    reason: String,
}

#[derive(Debug, Default)]
pub struct Prepared(Option<Turn>);

impl Tool for RequireClarification {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "require_clarification";
    const TITLE: &'static str = "Clarify an intention";
    const DESCRIPTION: &'static str = "Call before you build. Asks at most five questions about what the intention \
        leaves open; answer with session_id and answers. At the end it writes docs/CURRENT_TASK.md and, for \
        a decision, an immutable ADR.";
    const ACCESS: Access = Access::Everyone;
    const FORM: Option<FormOf<Output>> = Some(form);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Clarification
    }
}

impl WriteTool for RequireClarification {
    type Prepared = Prepared;
    const TOUCHES_FILES: bool = true;
    // Another session that ends at the same moment archives this one's task, or the other way round.
    const STARTS_AGAIN: bool = true;

    fn prepare(place: &Place<'_>, args: &Args) -> Result<Prepared> {
        turn(place, args).map(|turn| Prepared(Some(turn)))
    }

    fn run(cx: &WriteCx<'_>, _: &Args, prepared: &Prepared) -> Result<Output> {
        let turn = prepared.0.as_ref().ok_or_else(|| Error::internal("nothing was prepared"))?;
        if !store::save(cx.write, &turn.session, cx.now)? {
            return Err(coded(
                Kind::Conflict,
                "VALIDATION_FAILED",
                "another turn of this session was quicker",
                "repeat the call: it goes on from there",
            ));
        }
        let session_id = turn.session.session_id.clone();
        let (detected, notes) = (turn.detected.clone(), turn.notes.clone());
        let Some(completed) = &turn.completed else {
            return Ok(Output {
                status: "needs_clarification",
                session_id,
                questions: Some(turn.questions.clone()),
                progress: Some(turn.progress),
                detected,
                notes,
                warning: turn.fallback.as_ref().map(|_| "llm_fallback"),
                message: turn.fallback.clone(),
                ..Output::default()
            });
        };
        completed.files.promise(cx.write, "require_clarification", cx.now)?;
        for (path, text) in &completed.recorded {
            RECORDS.written(cx.write, Path::new(&turn.session.root), path, text, cx.now)?;
        }
        let created = completed.made.iter().map(|made| Created {
            path: made.path.clone(),
            kind: made.kind,
            uid: made.uid.clone(),
        });
        Ok(Output {
            status: "completed",
            session_id,
            detected,
            notes,
            artifacts_created: Some(created.collect()),
            summary: Some(completed.summary.clone()),
            decision_reason: Some(completed.reason.clone()),
            ..Output::default()
        })
    }

    fn finish(place: &Place<'_>, prepared: &Prepared, _: &Output) -> Result<()> {
        let completed = prepared.0.as_ref().and_then(|turn| turn.completed.as_ref());
        completed.map_or(Ok(()), |completed| completed.files.keep(place.db))
    }

    fn abandon(prepared: &Prepared) {
        let completed = prepared.0.as_ref().and_then(|turn| turn.completed.as_ref());
        completed.into_iter().for_each(|completed| completed.files.abandon());
    }
}

fn turn(place: &Place<'_>, args: &Args) -> Result<Turn> {
    let root = repository::root(place.session, args.repo_path.as_deref())?;
    let mut session = session(place, args, &root.to_string_lossy())?;
    // A model is asked once, before the first question.
    let model = if session.turn == 0 { model::Settings::of(place.model)? } else { None };
    // Another process may have committed a moment ago and be about to put its documents in place.
    journal::settle_file(place.db, &root.join("docs/CURRENT_TASK.md"))?;
    let task = completion::current_task(&root)?;
    let mut known = place.db.read(|tx| repository::decisions(tx, &root))?;
    let state = Arc::clone(&known.state);
    let reading = Reading::of(&session.intention, session.context.as_deref())?;
    let (hints, decisions) = (Hints::read(&root)?, repository::as_decisions(&state));
    let conflicts = repository::as_conflicts(&state);
    // Whoever types at a terminal or fills in a form is a person; a client speaks for its model.
    let person = place.speaker == Speaker::Person || place.session.client.starts_with("cli-");
    let by = if person { Provenance::Person } else { Provenance::Agent };
    let (asked, answers) = (session.asked.clone(), session.answers.clone());
    let proposed = session.proposed.clone();
    let mut situation = Situation {
        reading: &reading,
        answers: &answers,
        hints: &hints,
        decisions: &decisions,
        conflicts: &conflicts,
        asked: &asked,
        proposed: &proposed,
        force_adr: session.force_adr,
        ask_for_paths: false,
    };
    session.answers = clarify::accept(&situation, args.answers.as_ref().unwrap_or(&JsonObject::new()), by)
        .map_err(|invalid| invalid_answer(&invalid))?;
    let answers: Answers = session.answers.clone();
    situation.answers = &answers;
    let mut plan = clarify::next_questions(&situation);
    let mut fallback = None;
    if let Some(settings) = &model {
        let advice = model::advise(settings, &situation, &plan, &root)?;
        (session.proposed, fallback) = (advice.proposed, advice.fallback);
    }
    let proposed = session.proposed.clone();
    situation.proposed = &proposed;
    if model.is_some() {
        plan = clarify::next_questions(&situation);
    }
    session.asked.extend(plan.questions.iter().map(|question| question.id.clone()));
    let asked = session.asked.clone();
    situation.asked = &asked;
    let (asked_so_far, answered) = clarify::progress(&situation);
    let detected =
        reading.detected.iter().map(|found| Found { label: found.label.clone(), value: found.value() });
    let mut turn = Turn {
        detected: detected.collect(),
        questions: plan
            .outstanding
            .iter()
            .chain(&plan.questions)
            .map(|question| shown(question, &proposed))
            .collect(),
        progress: Progress { asked_so_far, answered },
        notes: plan.notes.clone(),
        fallback,
        completed: None,
        session,
    };
    if plan.is_complete() {
        let outcome = clarify::decide(&situation);
        let now = place.clock.now();
        known.library.in_use(branches::highest(&root));
        let before = Before { task, library: &known.library, state: &state };
        let Laid { files, made, recorded, notes } =
            completion::lay_out(&root, &turn.session, &outcome, before, now, fastrand::u16(..))?;
        let what =
            if made.iter().any(|made| made.kind == "adr") { "Decision documented and task" } else { "Task" };
        turn.notes.extend(outcome.notes.iter().cloned().chain(notes));
        turn.session.completed = true;
        let summary = format!("{what} created for: {}", turn.session.intention);
        turn.completed = Some(Completed { files, made, recorded, summary, reason: outcome.reason });
    }
    Ok(turn)
}

/// The session that goes on, or a new one.
fn session(place: &Place<'_>, args: &Args, root: &str) -> Result<Session> {
    let now = place.clock.now();
    let force_adr = args.preferences.as_ref().and_then(|preferences| preferences.force_adr).unwrap_or(false);
    let Some(id) = &args.session_id else {
        return Ok(Session {
            session_id: place.ids.uuid(),
            root: root.to_owned(),
            intention: args.user_intention.trim().to_owned(),
            context: args.optional_context.clone().filter(|context| !context.trim().is_empty()),
            force_adr,
            asked: Vec::new(),
            answers: Answers::default(),
            proposed: Vec::new(),
            completed: false,
            created_at: now,
            touched_at: now,
            turn: 0,
        });
    };
    let unknown = || {
        coded(
            Kind::NotFound,
            "SESSION_NOT_FOUND",
            format!("there is no session `{id}` in this repository"),
            "start a new one without session_id",
        )
    };
    let found = place.db.read(|tx| store::find(tx, id))?.filter(|found| found.root == root);
    let mut found = found.ok_or_else(unknown)?;
    if found.completed {
        return Err(coded(
            Kind::Conflict,
            "VALIDATION_FAILED",
            format!("the session `{id}` is completed"),
            "start a new one without session_id",
        )
        .reason("session_completed"));
    }
    if found.has_expired(now) {
        return Err(coded(
            Kind::Conflict,
            "SESSION_EXPIRED",
            format!("the session `{id}` has had no turn for {INACTIVE_MINUTES} minutes"),
            "start a new one without session_id",
        ));
    }
    found.force_adr |= force_adr;
    Ok(found)
}

fn shown(question: &clarify::Question, proposed: &[clarify::Proposal]) -> Asked {
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
fn form(output: &Output) -> Option<Form> {
    let questions = output.questions.as_ref().filter(|questions| !questions.is_empty())?;
    Some(Form {
        message: "This is open before the work begins. What is optional may stay empty.".to_owned(),
        fields: questions.iter().map(field).collect(),
        with: JsonObject::from_iter([("session_id".to_owned(), output.session_id.clone().into())]),
        into: Some("answers"),
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

fn invalid_answer(invalid: &Invalid) -> Error {
    coded(
        Kind::Invalid,
        "INVALID_ANSWER",
        invalid.message.clone(),
        "answer with one of the options, by question id",
    )
    .detail("question", invalid.question.as_str())
    .detail("options", invalid.options.clone())
}
