//! The optional language model: it may propose questions, and decides nothing.
//!
//! ```text
//! Settings::of(environment)     which model, or none; the default is none, and nothing leaves the machine
//! summary, redact               what it is told
//! ask, forms, http, failure     how it is asked, and what can go wrong
//! repair                        what of its answer is put to people
//! ```
//!
//! A model that fails is not missed: the built-in questions stand in, and the answer says so. Only
//! where somebody wants it strict is that an error.

mod address;
mod ask;
pub mod failure;
mod forms;
mod http;
mod redact;
mod repair;
pub mod settings;
mod summary;

use std::path::Path;

pub use self::settings::Settings;
use super::clarify::plan::MOST;
use super::clarify::{Plan, Proposal, Situation, files, open_questions, rules};
use super::repository::coded;
use crate::error::{Kind, Result};

/// What came of asking.
#[derive(Debug, Default)]
pub struct Advice {
    pub proposed: Vec<Proposal>,
    /// Why the built-in questions had to do.
    pub fallback: Option<String>,
}

/// Asks for better questions than the ones that are planned, where there are any: what needs no
/// question needs no model.
pub fn advise(settings: &Settings, situation: &Situation<'_>, plan: &Plan, root: &Path) -> Result<Advice> {
    if plan.is_complete() || rules::asks_nothing(situation) {
        return Ok(Advice::default());
    }
    let open = open_questions(situation);
    let summary = summary::of(situation, &open, &files(root))?;
    // One of the five is kept back, so that `Other` can still be followed up.
    let room = (MOST - 1).saturating_sub(plan.questions.len());
    match ask::ask(settings, &summary) {
        Ok(questions) => {
            let proposed = repair::proposals(&questions, situation.reading.catalogue, &open, room);
            Ok(Advice { proposed, fallback: None })
        }
        Err(failure) if settings.strict => {
            let message = format!("LLM unavailable ({})", failure.reason());
            Err(coded(Kind::Conflict, failure.code(), message, failure.hint()))
        }
        Err(failure) => {
            let fallback = format!("LLM unavailable ({}), using deterministic mode", failure.reason());
            Ok(Advice { fallback: Some(fallback), ..Advice::default() })
        }
    }
}
