//! Whether a decision is in force, for documents that say so.
//!
//! Git is the lifecycle of what this program writes: every ADR of ours is accepted, and changing one's mind
//! is a new ADR. People and other tools do write a status, and it decides what a document may do:
//!
//! * accepted, or nothing we know: it sets its values, as ever;
//! * proposed or rejected: it sets nothing, not even by way of another document's snapshot, but keeps its
//!   place, so that what comes after it knows all that came before;
//! * superseded or deprecated: it was in force once and stays in the history. It gives way to any other
//!   decision about a field, in whichever order they came, and is never one side of a conflict. A field
//!   that nobody has decided since keeps its value: that one is no longer wanted does not say what is.

use crate::families::preflight::documents::outline::Outline;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    #[default]
    Accepted,
    Proposed,
    Rejected,
    Superseded,
    Deprecated,
}

impl Status {
    /// What a document says about itself: in its head, or in a section of that name.
    pub(super) fn of(outline: &Outline<'_>) -> Self {
        let named = outline.comment("Status").or_else(|| outline.label("Status"));
        let head = named.or_else(|| outline.line("Status"));
        let section = || outline.find_below_title(&["status"]).map(|at| outline.body(at).join(" "));
        head.map(str::to_owned).or_else(section).map(|text| Self::told(&text)).unwrap_or_default()
    }

    /// `Accepted, superseded by ADR 5`: the last word counts, but no word brings back what was rejected.
    fn told(text: &str) -> Self {
        let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
        let told: Vec<Self> = words.filter_map(|word| Self::named(&word)).collect();
        let rejected = told.contains(&Status::Rejected).then_some(Status::Rejected);
        rejected.or(told.last().copied()).unwrap_or_default()
    }

    fn named(word: &str) -> Option<Self> {
        match word {
            "accepted" | "approved" | "adopted" | "decided" | "implemented" | "active" => {
                Some(Status::Accepted)
            }
            "proposed" | "proposal" | "draft" | "drafted" | "pending" | "review" | "discussion" | "wip" => {
                Some(Status::Proposed)
            }
            "rejected" | "declined" | "withdrawn" | "abandoned" | "cancelled" | "canceled" => {
                Some(Status::Rejected)
            }
            "superseded" | "superceded" | "replaced" => Some(Status::Superseded),
            "deprecated" | "obsolete" | "retired" => Some(Status::Deprecated),
            _ => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Status::Accepted => "Accepted",
            Status::Proposed => "Proposed",
            Status::Rejected => "Rejected",
            Status::Superseded => "Superseded",
            Status::Deprecated => "Deprecated",
        }
    }

    /// Whether it ever was a decision.
    pub fn decides(self) -> bool {
        !matches!(self, Status::Proposed | Status::Rejected)
    }

    /// Whether it gives way to any other decision.
    pub fn gives_way(self) -> bool {
        matches!(self, Status::Superseded | Status::Deprecated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_found_in_every_form_and_the_last_word_counts() {
        let cases = [
            ("# X\n", Status::Accepted),
            ("<!-- Status: Draft -->\n# X\n", Status::Proposed),
            ("# X\n**Status:** Rejected\n", Status::Rejected),
            ("# X\n- **Status**: Superseded by [ADR-005](5.md)\n", Status::Superseded),
            ("---\nstatus: deprecated\n---\n# X\n", Status::Deprecated),
            ("# X\n* Status: proposed\n", Status::Proposed),
            ("# X\n## Status\n\nAccepted\n\nSupersedes [3. Y](3.md)\n", Status::Accepted),
            (
                "# X\n## 2. Status\n\nAccepted\n\nSuperceded by [9. Z](9.md)\n## Context\nrejected\n",
                Status::Superseded,
            ),
            ("# X\n**Status:** Proposed 2026-01-01, accepted 2026-02-01\n", Status::Accepted),
            ("# X\n**Status:** Rejected, replaced by ADR 9\n", Status::Rejected),
            ("# X\n**Status:** In review\n", Status::Proposed),
            ("# X\n**Status:** Ratified by everybody\n", Status::Accepted),
            ("# Status\nrejected\n", Status::Accepted),
            ("# X\n## Context\n**Status:** Rejected\n", Status::Accepted),
        ];
        for (text, expected) in cases {
            assert_eq!(Status::of(&Outline::read(text)), expected, "{text}");
        }
    }
}
