//! A session between two turns: what was asked and answered so far, whether it has expired, and how it
//! goes on after that.

use std::path::Path;

use serde_json::{Map, Value};

use super::clarify::{
    self, Answer, Answers, Conflict, Decisions, Hints, Invalid, Provenance, Question, Reading, Situation,
    answers, catalogue,
};
use super::repository;
use super::store::{self, Session};
use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::{Error, Result};

/// A session lives this long after its last turn.
pub const INACTIVE_MINUTES: i64 = 30;

impl Session {
    pub fn expires_at(&self) -> Timestamp {
        self.touched_at.plus_minutes(INACTIVE_MINUTES)
    }

    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at() <= now
    }
}

/// A session with everything that its questions depend on.
#[derive(Debug)]
pub struct Standing {
    pub session: Session,
    reading: Reading,
    hints: Hints,
    decisions: Decisions,
    conflicts: Vec<Conflict>,
}

impl Standing {
    pub fn of(tx: &ReadTx<'_>, root: &Path, session: Session) -> Result<Self> {
        let state = repository::decisions(tx, root)?.state;
        Ok(Standing {
            reading: Reading::of(&session.intention, session.context.as_deref())?,
            hints: Hints::read(root)?,
            decisions: repository::as_decisions(&state),
            conflicts: repository::as_conflicts(&state),
            session,
        })
    }

    /// What the intention itself says: label and value.
    pub fn detected(&self) -> Vec<(String, String)> {
        self.reading.detected.iter().map(|found| (found.label.clone(), found.value())).collect()
    }

    /// A question as it would be put now.
    pub fn question(&self, id: &str) -> Option<Question> {
        answers::find(&self.situation(), id).ok()
    }

    /// Every question that was put or answered, with its answer.
    pub fn questions(&self) -> Vec<(Question, Option<&Answer>)> {
        let answers = &self.session.answers;
        let is_companion = |id: &str| id.ends_with(catalogue::COMPANION);
        let unasked =
            answers.0.keys().filter(|id| !self.session.asked.contains(id) && !is_companion(id.as_str()));
        let ids = self.session.asked.iter().chain(unasked);
        ids.filter_map(|id| Some((self.question(id)?, answers.0.get(id)))).collect()
    }

    /// Questions that were put, have no answer, and still have a point.
    pub fn unanswered(&self) -> Vec<Question> {
        let situation = self.situation();
        let has_a_point = |question: &Question| {
            let entry = situation.reading.catalogue.entry(&question.id);
            entry.is_none_or(|(_, entry)| situation.applies(entry) && situation.value(entry).is_none())
        };
        let open = self.questions().into_iter().filter(|(_, answer)| answer.is_none());
        open.map(|(question, _)| question).filter(has_a_point).collect()
    }

    /// The values of an answer, with what `Other` stands for.
    pub fn values(&self, id: &str) -> Vec<String> {
        self.session.answers.values(id).map(|(values, _)| values).unwrap_or_default()
    }

    /// Whether an answer would be taken.
    pub fn check(&self, id: &str, value: &Value) -> Result<(), Invalid> {
        let given = Map::from_iter([(id.to_owned(), value.clone())]);
        clarify::accept(&self.situation(), &given, Provenance::Person).map(drop)
    }

    fn situation(&self) -> Situation<'_> {
        Situation {
            reading: &self.reading,
            answers: &self.session.answers,
            hints: &self.hints,
            decisions: &self.decisions,
            conflicts: &self.conflicts,
            asked: &self.session.asked,
            proposed: &self.session.proposed,
            force_adr: self.session.force_adr,
            ask_for_paths: false,
        }
    }

    /// The same session anew: its text, and those of its answers that still fit. The second value are
    /// the ids of the others.
    pub fn renewed(&self, session_id: String, now: Timestamp) -> (Session, Vec<String>) {
        let fits = |id: &str, answer: &Answer| {
            let text = |value: &String| Value::String(value.clone());
            let one = answer.values.first().filter(|_| answer.values.len() == 1).map(text);
            let value = one.unwrap_or_else(|| answer.values.iter().map(text).collect());
            self.check(id, &value).is_ok()
        };
        let stored = self.session.answers.0.clone();
        let (kept, dropped): (Vec<_>, Vec<_>) = stored.into_iter().partition(|(id, answer)| fits(id, answer));
        let session = Session {
            session_id,
            asked: Vec::new(),
            answers: Answers(kept.into_iter().collect()),
            created_at: now,
            touched_at: now,
            turn: 0,
            ..self.session.clone()
        };
        (session, dropped.into_iter().map(|(id, _)| id).collect())
    }
}

/// Puts a session that was begun anew in the place of the one that has expired.
pub fn replace(tx: &WriteTx<'_>, expired: &str, renewed: &Session, now: Timestamp) -> Result<()> {
    if !store::drop_open(tx, expired)? {
        return Err(Error::conflict(format!("the session `{expired}` has just been taken up or dropped"))
            .hint("look at what is open now, and try again"));
    }
    store::save(tx, renewed, now).map(drop)
}
