//! Checklists: what a document of a type has to fulfil, as data, and the engine that applies them.
//!
//! A checklist is loaded as a whole or refused as a whole. Every result says what was found; what
//! does not apply says why and is not counted; what no machine can decide is left to an agent or a
//! person.

mod brackets;
mod checks;
mod facts;
mod finding;
mod format;
mod library;
mod linked;
mod raw;
mod roles;
mod run;
mod tokens;

use regex::Regex;

use self::checks::Check;
use self::facts::Alternatives;
pub use self::library::{Checklists, ids, text};
pub use self::linked::{Linked, NoStore, Reference};
pub use self::run::{Outcome, Report, validate, version_of};

/// The criteria for one type of document.
#[derive(Debug)]
pub struct Checklist {
    pub artifact_type: String,
    pub version: u32,
    criteria: Vec<Criterion>,
}

#[derive(Debug)]
struct Criterion {
    id: String,
    category: String,
    description: String,
    by: By,
    applies_to: Versions,
    only_if: Option<Condition>,
    place: Place,
}

/// Who decides a criterion.
#[derive(Debug)]
enum By {
    Machine(Check),
    Agent,
    Person,
}

/// The versions of a document that a criterion is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Versions {
    All,
    First,
    Later,
}

/// What must hold for a criterion to apply at all.
#[derive(Debug)]
struct Condition {
    id: Option<Regex>,
    section: Option<Alternatives>,
    pattern: Option<Regex>,
    field: Option<String>,
}

/// Where a check looks.
#[derive(Debug, Default)]
struct Place {
    section: Option<Alternatives>,
    per_heading: Option<Regex>,
}

impl Checklist {
    /// Reads a checklist; a bad one is refused as a whole, with the line and the reason.
    pub fn parse(json: &str) -> Result<Self, String> {
        format::parse(json).map_err(|refusal| refusal.to_string())
    }

    /// How many criteria a machine decides, an agent, and a person.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |by: fn(&By) -> bool| self.criteria.iter().filter(|each| by(&each.by)).count();
        (
            count(|by| matches!(by, By::Machine(_))),
            count(|by| matches!(by, By::Agent)),
            count(|by| matches!(by, By::Person)),
        )
    }
}
