//! A turn: what was asked and answered so far, what is asked next, and what is written at the end.

use std::sync::Arc;

use super::Args;
use super::answer::{Asked, Found, Progress, shown};
use crate::db::journal::{self, Batch};
use crate::error::{Error, Kind, Result};
use crate::families::preflight::clarify::{self, Answers, Hints, Invalid, Provenance, Reading, Situation};
use crate::families::preflight::completion::{self, Before, Laid, Made};
use crate::families::preflight::repository::{self, coded};
use crate::families::preflight::sessions::INACTIVE_MINUTES;
use crate::families::preflight::store::{self, Session};
use crate::families::preflight::{branches, model};
use crate::tool::ask::Speaker;
use crate::tool::{JsonObject, Place};

/// A turn, as far as files and rules can tell.
#[derive(Debug)]
pub(super) struct Turn {
    pub session: Session,
    pub detected: Vec<Found>,
    pub questions: Vec<Asked>,
    pub progress: Progress,
    pub notes: Vec<String>,
    pub fallback: Option<String>,
    pub completed: Option<Completed>,
}

#[derive(Debug)]
pub(super) struct Completed {
    pub files: Batch,
    pub made: Vec<Made>,
    /// What is to be kept on record: paths and texts.
    pub recorded: Vec<(String, String)>,
    pub summary: String,
    pub reason: String,
}

pub(super) fn turn(place: &Place<'_>, args: &Args) -> Result<Turn> {
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
