//! What the checks ask about a document again and again, found out once and only when asked.

use std::cell::OnceCell;
use std::ops::Range;

use super::super::document::{Document, Heading, normalised};
use super::super::metadata::Metadata;
use super::super::questions::{self, Decision, Question};
use super::brackets::{self, Bracket};
use super::linked::Linked;
use super::tokens::{self, Token};

pub(super) struct Facts<'d> {
    pub document: &'d Document<'d>,
    pub artifact_id: &'d str,
    pub version: i64,
    pub metadata: Metadata,
    pub linked: &'d dyn Linked,
    brackets: OnceCell<Vec<Bracket<'d>>>,
    tokens: OnceCell<Vec<Token<'d>>>,
    questions: OnceCell<Vec<Question>>,
    decisions: OnceCell<Vec<Decision>>,
}

impl<'d> Facts<'d> {
    pub fn new(
        document: &'d Document<'d>,
        artifact_id: &'d str,
        version: i64,
        linked: &'d dyn Linked,
    ) -> Self {
        Facts {
            document,
            artifact_id,
            version,
            metadata: Metadata::of(document),
            linked,
            brackets: OnceCell::new(),
            tokens: OnceCell::new(),
            questions: OnceCell::new(),
            decisions: OnceCell::new(),
        }
    }

    pub fn brackets(&self) -> &[Bracket<'d>] {
        self.brackets.get_or_init(|| brackets::brackets(self.document))
    }

    pub fn tokens(&self) -> &[Token<'d>] {
        self.tokens.get_or_init(|| tokens::tokens(self.document))
    }

    pub fn questions(&self) -> &[Question] {
        self.questions.get_or_init(|| questions::open_questions(self.document))
    }

    pub fn decisions(&self) -> &[Decision] {
        self.decisions.get_or_init(|| questions::decisions(self.document))
    }

    pub fn line(&self, at: usize) -> usize {
        self.document.line(at)
    }

    /// The value of the first of some labels that says something: `N/A` and the like do not.
    pub fn filled(&self, labels: &[String]) -> Option<(&str, &str)> {
        let rows = labels.iter().filter_map(|label| self.document.row(label));
        rows.map(|row| (row.label.as_str(), row.value.as_str())).find(|(_, value)| says_something(value))
    }
}

/// Whether a value is an answer.
pub(super) fn says_something(value: &str) -> bool {
    let plain = value.trim_matches(['*', '`', '_', '[', ']', ' ']);
    let word = plain.split([' ', '(', ',', ';', '-', '—', '–']).next().unwrap_or_default();
    let nothing = ["", "N/A", "NA", "NONE", "TBD", "TODO", "…", "..."];
    !nothing.contains(&word.to_uppercase().as_str())
}

/// The part of a document that a check looks at.
#[derive(Clone, Debug)]
pub(super) struct Scope<'d> {
    pub range: Range<usize>,
    pub heading: Option<&'d Heading>,
}

impl<'d> Scope<'d> {
    pub fn whole(document: &Document<'_>) -> Self {
        Scope { range: 0..document.text.len(), heading: None }
    }

    pub fn of(heading: &'d Heading) -> Self {
        Scope { range: heading.body.clone(), heading: Some(heading) }
    }

    /// How it is called in a sentence.
    pub fn name(&self) -> String {
        self.heading.map_or_else(|| "the document".to_owned(), |heading| format!("\"{}\"", heading.text))
    }

    pub fn line(&self, document: &Document<'_>) -> Option<usize> {
        self.heading.map(|heading| document.line(heading.start))
    }

    pub fn text<'t>(&self, document: &Document<'t>) -> &'t str {
        &document.text[self.range.clone()]
    }
}

/// A section under any of several names.
#[derive(Clone, Debug)]
pub(super) struct Alternatives {
    /// As headings are compared.
    names: Vec<String>,
    /// The first name, as it is shown.
    pub shown: String,
}

impl Alternatives {
    /// Reads `Risks | Dependencies & Risks`.
    pub fn parse(text: &str) -> Option<Self> {
        let names: Vec<&str> = text.split(" | ").map(str::trim).collect();
        let fine = names.iter().all(|name| !normalised(name).is_empty());
        fine.then(|| Alternatives {
            shown: names[0].to_owned(),
            names: names.iter().map(|name| normalised(name)).collect(),
        })
    }

    /// The first name that exists, among the main sections before all others.
    pub fn find<'h>(&self, headings: &'h [Heading]) -> Option<&'h Heading> {
        let named = |level: fn(u8) -> bool| {
            let candidates = move |name: &String| {
                headings.iter().find(|heading| level(heading.level) && heading.name == *name)
            };
            self.names.iter().find_map(candidates)
        };
        named(|level| level == 2).or_else(|| named(|level| level > 2))
    }
}
