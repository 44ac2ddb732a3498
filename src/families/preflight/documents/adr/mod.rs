//! An architecture decision record: what one decision sets, and the whole architecture after it.

mod changes;
mod read;
mod status;
mod write;

pub use crate::families::preflight::provenance::Provenance;
use std::collections::BTreeMap;
use std::fmt;

use super::uid::{self, Uid};

pub use read::read;
pub use status::Status;
pub use write::{snapshot_blocks, write};

/// A decision. What people and the existing program wrote is kept as they spelled it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adr {
    pub uid: Uid,
    /// `3` in documents whose title is `ADR-003: …`; ours have none.
    pub number: Option<u32>,
    pub category: String,
    /// `YYYY-MM-DD`, as it is written.
    pub date: String,
    pub status: Status,
    pub previous: Option<Uid>,
    /// Decisions that this one knew beside the previous one and those before it: the other branches.
    pub merges: Vec<Mark>,
    pub title: String,
    pub context: String,
    pub decision: String,
    pub rationale: String,
    pub alternatives: Vec<String>,
    pub consequences: Consequences,
    /// What this decision itself sets.
    pub changes: Vec<Change>,
    /// The architecture after it, with all that it carries forward.
    pub snapshot: Snapshot,
    pub answers: Vec<Answer>,
    /// The name of the file it was read from; empty for one that is not yet written.
    pub file: String,
}

impl Adr {
    /// `<UID>_<slug>.md`
    pub fn file_name(&self) -> String {
        uid::file_name(&self.uid, &self.title)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consequences {
    pub positive: Vec<String>,
    pub negative: Vec<String>,
    pub neutral: Vec<String>,
}

/// One value that a decision sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub category: String,
    pub field: String,
    pub value: String,
    pub was: Option<Kept>,
    pub told: Told,
}

/// How we know that a decision sets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Its list of changes says so.
    Listed,
    /// Its snapshot marks the value as its own.
    Marked,
    /// It says nothing about whose value it is; it may only repeat what was there.
    Assumed,
}

/// Category, field, value.
pub type Snapshot = BTreeMap<String, BTreeMap<String, Kept>>;

/// A value with the decision that set it, as far as the document tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub text: String,
    pub set_by: Option<Mark>,
}

/// How a document names a decision: `ADR 20261118T051234.994Z-A470`, or `ADR-003`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    Uid(Uid),
    Number(u32),
}

/// An answer that the decision rests on, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was asked: `Database.Type`, or the question itself.
    pub about: String,
    pub value: String,
    pub provenance: Provenance,
}

/// Why a document cannot be used as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Neither a comment, nor a label, nor the file's name holds a UID.
    NoUid,
    /// It can be read, but no value of the architecture was found in it.
    SetsNothing,
    /// Another file has the same UID; both are kept.
    SameUid {
        other: String,
    },
    /// A link is not followed: it may lead out of the folder.
    Link,
    NotText,
    TooLarge {
        bytes: u64,
    },
    Unreadable {
        reason: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoUid => f.write_str("it has no UID, neither inside nor in its name"),
            Problem::SetsNothing => f.write_str("it sets no value of the architecture"),
            Problem::SameUid { other } => write!(f, "its UID is also that of `{other}`"),
            Problem::Link => f.write_str("it is a link, and links are not followed"),
            Problem::NotText => f.write_str("it is no UTF-8 text"),
            Problem::TooLarge { bytes } => write!(f, "it is too large to be a decision ({bytes} bytes)"),
            Problem::Unreadable { reason } => write!(f, "it cannot be read: {reason}"),
        }
    }
}

impl Mark {
    pub fn uid(&self) -> Option<&str> {
        match self {
            Mark::Uid(uid) => Some(uid.as_str()),
            Mark::Number(_) => None,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::Uid(uid) => write!(f, "ADR {uid}"),
            Mark::Number(number) => write!(f, "ADR-{number:03}"),
        }
    }
}

impl Kept {
    pub fn new(text: impl Into<String>, set_by: Option<Uid>) -> Self {
        Kept { text: text.into(), set_by: set_by.map(Mark::Uid) }
    }
}

#[cfg(test)]
#[path = "adr_tests.rs"]
mod tests;
