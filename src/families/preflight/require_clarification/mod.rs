mod answer;
mod turn;

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use self::answer::{Created, Output, form};
use self::turn::{Turn, turn};
use super::repository::coded;
use super::store;
use crate::error::{Error, Kind, Result};
use crate::families::RECORDS;
use crate::tool::ask::FormOf;
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
