//! Clarification: reads an intention, asks at most five questions, decides task or decision record.
//!
//! ```text
//! Reading::of(intention, context)      what the text says; the same text always reads the same
//! Hints::read(root), files(root)       what the repository shows; the only part that reads files
//! Situation { reading, answers, … }    where a session stands
//! accept(situation, answers, by)       new answers, checked, all or none
//! Proposal                             a question of somebody else's, put like any other
//! next_questions(situation)            the next turn; complete when nothing needed is open
//! decide(situation), lists(files, …)   the outcome
//! ```
//!
//! Everything but `repository` is pure: a session keeps the text, the answers and the ids it asked,
//! and gets the same detections, questions and outcome again after a restart.

pub mod answers;
pub mod catalogue;
pub mod decide;
pub mod hits;
#[cfg(test)]
mod intentions_tests;
mod manifests;
mod numbers;
pub mod paths;
pub mod plan;
pub mod proposed;
pub mod question;
pub mod reading;
pub mod repository;
pub mod rules;
#[cfg(test)]
mod rules_tests;
pub mod situation;
pub mod vocabulary;
pub mod words;

pub use answers::{Answer, Answers, Invalid, Provenance, accept};
pub use decide::{Decided, Kind, Outcome, decide};
pub use paths::{Lists, lists};
pub use plan::{Plan, next_questions, progress};
pub use proposed::{Further, Listed, Proposal, open_questions};
pub use question::{Because, Question, Recommended};
pub use reading::{Detected, Reading, distinct};
pub use repository::{Hints, files};
pub use situation::{Conflict, Decisions, Situation};
