//! Open questions and decisions: what a document still asks, and what it has settled.

mod denials;
mod entries;
mod markers;

use self::entries::Entry;
pub use self::markers::{marker, markers_in};
use super::document::{Document, Heading};

/// Something a document leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub line: usize,
    pub at: usize,
    /// The question in its own words, without emphasis and markers.
    pub text: String,
    /// What it waits for, such as `REQUIRES SPIKE`.
    pub markers: Vec<String>,
    /// Label and value of what is said about it.
    pub fields: Vec<(String, String)>,
}

/// A question that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub line: usize,
    pub text: String,
    pub fields: Vec<(String, String)>,
}

/// Sections that hold questions, as headings are compared, besides those that begin with `OPEN`.
const SECTIONS: [&str; 4] = [
    "strategic uncertainties",
    "task-level uncertainties & blockers",
    "task-level uncertainties and blockers",
    "implementation uncertainties",
];

/// How most of them begin.
const OPEN: &str = "open questions";

/// Sections that hold questions among other things; a section of the list above within them is
/// preferred, and without one only what carries a marker is a question.
const MIXED: [&str; 2] = ["risks & open questions", "risks and open questions"];

/// What makes a section that begins with `OPEN` a mixed one.
const OTHERS: [&str; 3] = ["assumption", "decision", "risk"];

/// What stops an approval: work that has to be done before the document can be relied on.
const BLOCKING: [&str; 2] = ["REQUIRES SPIKE", "REQUIRES ADR"];

/// The sections that hold a document's questions, and whether they hold nothing else. Deeper
/// headings are not looked at, nor acceptance criteria: they quote these names.
pub fn question_sections<'d>(document: &'d Document<'_>) -> Vec<(&'d Heading, bool)> {
    let mut found: Vec<(&Heading, bool)> = Vec::new();
    let mut criteria = false;
    for heading in &document.headings {
        if heading.level == 2 {
            criteria = heading.name.contains("acceptance criteria");
        }
        let inside = found.last().is_some_and(|(outer, _)| outer.body.contains(&heading.start));
        let Some(only_questions) = holds_questions(heading).filter(|_| !inside && !criteria) else {
            continue;
        };
        let mut within = document.headings_in(&heading.body).iter();
        if only_questions || !within.any(|inner| holds_questions(inner) == Some(true)) {
            found.push((heading, only_questions));
        }
    }
    found
}

/// Whether a section holds questions, and if so, nothing else.
fn holds_questions(heading: &Heading) -> Option<bool> {
    let name = heading.name.as_str();
    let open = name.strip_prefix(OPEN).filter(|rest| !rest.starts_with(char::is_alphanumeric));
    if !(2..=3).contains(&heading.level) {
        None
    } else if MIXED.contains(&name) {
        Some(false)
    } else if let Some(rest) = open {
        Some(!OTHERS.iter().any(|other| rest.contains(other)))
    } else {
        SECTIONS.contains(&name).then_some(true)
    }
}

/// Every open question. A sentence that says there are none takes nothing away.
pub fn open_questions(document: &Document<'_>) -> Vec<Question> {
    let mut questions = Vec::new();
    for (section, only_questions) in question_sections(document) {
        let entries = entries::of(document, section);
        let asked = entries
            .iter()
            .filter(|entry| !entry.is_legend() && !entry.is_struck())
            .map(|entry| question(document, entry));
        questions.extend(asked.filter(|question| only_questions || !question.markers.is_empty()));
    }
    questions
}

/// The questions that stop an approval.
pub fn blocking(document: &Document<'_>) -> Vec<Question> {
    let mut questions = open_questions(document);
    questions.retain(|question| question.markers.iter().any(|marker| BLOCKING.contains(&marker.as_str())));
    questions
}

/// The section in which answered questions stand.
pub fn decisions_section<'d>(document: &'d Document<'_>) -> Option<&'d Heading> {
    let named = |names: &[&str]| {
        let candidates = document.headings.iter().filter(|heading| (2..=3).contains(&heading.level));
        candidates.into_iter().find(|heading| names.contains(&heading.name.as_str()))
    };
    named(&["decisions made", "decisions"]).or_else(|| named(&["risks & decisions made"]))
}

/// Every answered question.
pub fn decisions(document: &Document<'_>) -> Vec<Decision> {
    let Some(section) = decisions_section(document) else { return Vec::new() };
    let entries = entries::of(document, section);
    entries
        .into_iter()
        .map(|entry| Decision {
            line: document.line(entry.at),
            text: markers::without_markers(&entry.text),
            fields: entry.fields,
        })
        .collect()
}

fn question(document: &Document<'_>, entry: &Entry) -> Question {
    Question {
        line: document.line(entry.at),
        at: entry.at,
        text: markers::without_markers(&entry.text),
        markers: entry.markers(),
        fields: entry.fields.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(body: &str) -> String {
        format!("# T\n\n## Open Questions\n\n{body}\n\n## Next\n1. Not here [REQUIRES SPIKE]\n")
    }

    fn seen(text: &str) -> Vec<(String, Vec<String>, Vec<String>)> {
        let labels = |question: &Question| question.fields.iter().map(|(label, _)| label.clone()).collect();
        let questions = open_questions(&Document::read(text));
        questions
            .iter()
            .map(|question| (question.text.clone(), question.markers.clone(), labels(question)))
            .collect()
    }

    fn one(text: &str, markers: &[&str], labels: &[&str]) -> Vec<(String, Vec<String>, Vec<String>)> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        vec![(text.to_owned(), owned(markers), owned(labels))]
    }

    #[test]
    fn every_spelling_of_a_question_is_read() {
        for body in [
            "1. **Cache:** which one? [REQUIRES SPIKE]\n   - **Time Box:** 2 days\n   - **Blocking:** yes",
            "1. **Cache:** which one? [REQUIRES SPIKE]\n  - **Time Box:** 2 days\n  - **Blocking:** yes",
            "1. **[REQUIRES SPIKE] Cache:** which one?\n   - **Time Box:** 2 days\n   - Blocking: yes",
            "1. **Cache:** which one? `[REQUIRES SPIKE]`\n   - **Time Box:** 2 days\n   - **Blocking:** yes",
            "- **Cache:** which one?\n  `[REQUIRES SPIKE]`\n  - **Time Box:** 2 days\n  - **Blocking:** yes",
            "- **Cache:** which one?\n  - `[REQUIRES SPIKE]`\n  - **Time Box:** 2 days\n  - **Blocking:** yes",
            "- **Cache:** which one?\n  [REQUIRES SPIKE]\n  - **Time Box:** 2 days\n  - **Blocking:** yes",
            "- **Cache:** which one?\n  - [REQUIRES SPIKE]\n  - **Time Box:** 2 days\n  - **Blocking:**\n    - yes",
        ] {
            assert_eq!(
                seen(&document(body)),
                one("Cache: which one?", &["REQUIRES SPIKE"], &["Time Box", "Blocking"]),
                "{body}"
            );
        }
        for body in [
            "**Question 1:** Which cache?\n- **Marker:** [REQUIRES SPIKE]\n- **Time Box:** 2 days",
            "**Question 1:** Which cache?\n\n- **Marker:** [REQUIRES SPIKE]\n- **Time Box:** 2 days",
            "**Question 1:** Which cache?\n**Marker:** [REQUIRES SPIKE]\n**Time Box:** 2 days",
            "### Question 1: Which cache?\n\n- **Marker:** [REQUIRES SPIKE]\n- **Time Box:** 2 days",
            "**Question 1:** Which cache?\n- **Marker:** `[REQUIRES SPIKE]`\n- **Time Box:** 2 days",
        ] {
            assert_eq!(
                seen(&document(body)),
                one("Question 1: Which cache?", &["REQUIRES SPIKE"], &["Marker", "Time Box"]),
                "{body}"
            );
        }
        let plain = "Which cache? [REQUIRES SPIKE]";
        assert_eq!(seen(&document(plain)), one("Which cache?", &["REQUIRES SPIKE"], &[]));
        let row = "| Question | Waits for |\n|---|---|\n| Which cache? | [REQUIRES SPIKE] |";
        assert_eq!(seen(&document(row))[0].1, ["REQUIRES SPIKE"]);
        assert_eq!(
            seen(&document("1. Who pays? [BLOCKED BY US-040]\r\n2. When?\r\n"))
                .iter()
                .map(|(_, markers, _)| markers.len())
                .collect::<Vec<_>>(),
            [1, 0]
        );
    }

    #[test]
    fn what_only_speaks_of_markers_is_no_question() {
        for body in [
            "- [REQUIRES SPIKE] - Time-boxed investigation\n- [REQUIRES ADR] - A decision to record",
            "- **[REQUIRES SPIKE]** – Time-boxed investigation",
            "- `[REQUIRES SPIKE]`: Time-boxed investigation",
            "| [REQUIRES SPIKE] | Time-boxed investigation |\n",
            "Questions marked [REQUIRES ADR] are decided by the architects.",
            "> **Note:** Questions marked [REQUIRES ADR] are decided by the architects.",
            "- **Note:** [REQUIRES ADR] is for decisions",
            "allowed_markers: [\"[REQUIRES SPIKE]\", \"[REQUIRES ADR]\"]",
            "Use [REQUIRES SPIKE], [REQUIRES ADR] or [REQUIRES TECH LEAD].",
            "```\n1. Which cache? [REQUIRES SPIKE]\n```",
            "No open questions that would be [REQUIRES SPIKE].",
            "### Decisions Made\n1. Which cache? [REQUIRES SPIKE]",
            "The marker `[REQUIRES SPIKE]` is explained elsewhere.",
            "allowed_markers: [`[REQUIRES SPIKE]`, `[REQUIRES ADR]`]",
            "There are no open questions marked [REQUIRES SPIKE] or [REQUIRES ADR].",
            "There are no open questions\nmarked [REQUIRES SPIKE] or\n[REQUIRES ADR].",
            "All questions resolved; no [REQUIRES SPIKE] markers remain.",
            "- No blocking questions ([REQUIRES SPIKE], [REQUIRES ADR])\n  - **Context:** all decided",
            "All questions marked [REQUIRES ADR] have been answered.",
            "- **[REQUIRES SPIKE]** Time-boxed investigation of a technical question\n- **[REQUIRES ADR]** A decision",
            "- [REQUIRES SPIKE] Time-boxed investigation",
            "- `[REQUIRES SPIKE]` Time-boxed investigation",
            "- **[REQUIRES SPIKE]**: None\n- **[REQUIRES ADR]:** N/A.",
            "1. ~~Which cache? [REQUIRES SPIKE]~~ Resolved: Redis\n   - **Time Box:** 2 days",
            "- ~~**Cache:** which one?~~ [REQUIRES SPIKE]",
            "~~Which cache?\n[REQUIRES SPIKE]~~",
            "| ~~Which cache?~~ | [REQUIRES SPIKE] |",
            "### ~~Q1: Which cache?~~\n- **Marker:** [REQUIRES SPIKE]",
        ] {
            assert_eq!(seen(&document(body)), [], "{body}");
        }
        let criterion = "# T\n## Acceptance Criteria\n### Open Questions are listed\n1. x [REQUIRES SPIKE]\n";
        assert_eq!(seen(criterion), []);
        let criterion = "# T\n## Acceptance Criteria\n### Scenario 2: Open Questions are listed\n1. x [REQUIRES SPIKE]\n\
            #### Open Questions\n1. x [REQUIRES SPIKE]\n";
        assert_eq!(seen(criterion), []);
    }

    #[test]
    fn each_type_has_its_section() {
        let question = "1. Which? [REQUIRES SPIKE]";
        for (section, expected) in [
            ("## Open Questions", 1),
            ("## 7. Open Questions (v2)", 1),
            ("## Open Questions & Implementation Uncertainties", 1),
            ("## Task-Level Uncertainties & Blockers", 1),
            ("## Constraints\n### Strategic Uncertainties", 1),
            ("## Risks & Open Questions\n1. A risk\n### Open Questions", 1),
            ("## Risks & Open Questions\n1. A risk", 1),
            ("## Open Questions & Assumptions\n### Open Questions", 1),
            ("## Open Questions and Uncertainties", 1),
            ("## Open Questions / Blockers", 1),
            ("### Open Questions: Technical", 1),
            ("## Open Questions and Risks\n1. A risk", 1),
            ("## Open Questions\n### Open Questions & Risks", 1),
            ("## Risks & Open Questions\n1. A risk\n#### Open Questions", 1),
            ("## Openness", 0),
            ("## Answers to Open Questions", 0),
            ("## Implementation", 0),
        ] {
            assert_eq!(seen(&format!("# T\n{section}\n{question}\n")).len(), expected, "{section}");
        }
    }

    #[test]
    fn only_two_markers_stop_an_approval_and_no_sentence_lifts_them() {
        let text = document(
            "1. A? [REQUIRES TECH LEAD]\n2. B? [REQUIRES ADR]\n   - **Context:** the [REQUIRES SPIKE] of US-1\n3. C?\n\n\
             No open questions requiring spikes remain.",
        );
        let read = Document::read(&text);
        let blocking = blocking(&read);
        assert_eq!(blocking.len(), 1);
        assert_eq!((blocking[0].text.as_str(), blocking[0].line), ("B?", 6));
        assert_eq!(blocking[0].markers, ["REQUIRES ADR"]);
        assert!(text[blocking[0].at..].starts_with("2. B?"));
        assert_eq!(open_questions(&read).len(), 3);
    }

    #[test]
    fn what_waits_stops_an_approval_whatever_else_is_said() {
        for body in [
            "- **[REQUIRES SPIKE]**: Which cache?",
            "- **[REQUIRES SPIKE]**: Evaluate the caches",
            "- [REQUIRES SPIKE]: Evaluate the caches",
            "- **[REQUIRES SPIKE]:** Evaluate the caches",
            "- **[REQUIRES SPIKE] Cache:** evaluate the libraries",
            "- [REQUIRES SPIKE] Cache\n  - Which one?",
            "- [REQUIRES SPIKE] Cache\n  - **Time Box:** 2 days",
            "1. [REQUIRES SPIKE] Evaluate the caches",
            "1. Evaluate the caches `[REQUIRES SPIKE]`",
            "| Q1 | Which cache? | `[REQUIRES SPIKE]` | Ann |",
            "1. ~~Which cache?~~ Which database? [REQUIRES SPIKE]",
            "1. Which cache? ~~[REQUIRES ADR]~~ [REQUIRES SPIKE]",
            "No ADR exists for the cache yet [REQUIRES SPIKE].",
            "No open questions requiring spikes.\n\n- Which cache? [REQUIRES SPIKE]",
            "No open questions requiring spikes.\nThe cache is undecided [REQUIRES SPIKE].",
            "- No open questions requiring spikes\n  - Which cache? [REQUIRES SPIKE]",
            "No open questions remain. The cache is undecided [REQUIRES SPIKE].",
            "No open questions except the cache [REQUIRES SPIKE].",
            "1. Which cache? [REQUIRES SPIKE]\n\nNo open questions requiring spikes.",
            "Note: answer soon.\nWhich cache? [REQUIRES SPIKE]",
            "1. Which? [REQUIRES SPIKE] [REQUIRES UX DESIGN] [REQUIRES TECH LEAD]",
        ] {
            let text = document(body);
            let found = blocking(&Document::read(&text));
            assert_eq!(found.len(), 1, "{body}");
            assert!(found[0].markers.iter().any(|marker| marker == "REQUIRES SPIKE"), "{body}");
        }
    }

    #[test]
    fn decisions_have_their_fields() {
        let text = "# T\n## Decisions Made\n\n**Q1: Which cache?**\n- **Decision:** Redis\n- **Rationale:** known\n\
            - **Decided By:** Ann, 2025-01-02\n\n- **Q2: Who?**\n  - **Decision:** Bob\n\n### Q3: When?\n**Decision:** Now\n";
        let found = decisions(&Document::read(text));
        let shown: Vec<_> =
            found.iter().map(|each| (each.text.as_str(), each.line, each.fields.len())).collect();
        assert_eq!(shown, [("Q1: Which cache?", 4, 3), ("Q2: Who?", 9, 1), ("Q3: When?", 12, 1)]);
        assert!(decisions(&Document::read("# T\n")).is_empty());
    }
}
