//! `template_sections`: the sections of the template are there and say something.

use super::super::super::document::{Document, Heading};
use super::super::facts::{Alternatives, Facts, Scope};
use super::super::finding::Finding;
use super::super::format;
use super::super::raw::RawCriterion;
use super::needed_list;

#[derive(Debug)]
pub(in super::super) struct TemplateSections {
    required: Vec<Alternatives>,
}

impl TemplateSections {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        let names = needed_list(raw.required_sections.as_ref(), "required_sections")?;
        Ok(TemplateSections {
            required: names.iter().map(|name| format::section(name)).collect::<Result<_, _>>()?,
        })
    }

    pub fn run(&self, facts: &Facts<'_>, scope: &Scope<'_>) -> Finding {
        require(&self.required, facts.document, scope)
    }
}

/// Names what is missing and what is empty.
pub(super) fn require(required: &[Alternatives], document: &Document<'_>, scope: &Scope<'_>) -> Finding {
    let headings = document.headings_in(&scope.range);
    let (mut missing, mut empty) = (Vec::new(), Vec::new());
    let mut line = scope.line(document);
    for section in required {
        match section.find(headings) {
            None => missing.push(section.shown.as_str()),
            Some(heading) if is_empty(document, heading) => {
                line = line.or(Some(document.line(heading.start)));
                empty.push(section.shown.as_str());
            }
            Some(_) => {}
        }
    }
    let mut problems = Vec::new();
    if !missing.is_empty() {
        problems.push(format!("Missing sections: {}", missing.join(", ")));
    }
    if !empty.is_empty() {
        problems.push(format!("Empty sections: {}", empty.join(", ")));
    }
    if !problems.is_empty() {
        return Finding::fail(problems.join("; ")).at(line);
    }
    let first = required.first().and_then(|section| section.find(headings));
    Finding::pass(format!("Found {0}/{0} required sections", required.len()))
        .at(first.map(|heading| document.line(heading.start)))
}

/// Whether a section holds nothing but headings, rules and comments.
pub(super) fn is_empty(document: &Document<'_>, section: &Heading) -> bool {
    let mut at = section.body.start;
    let mut headings = document.headings_in(&section.body).iter().peekable();
    for line in document.body(section).split_inclusive('\n') {
        at += line.len();
        if headings.next_if(|heading| heading.start < at).is_some() {
            continue;
        }
        let text = line.trim();
        let says_nothing = text.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '))
            || (text.starts_with("<!--") && text.ends_with("-->"));
        if !says_nothing {
            return false;
        }
    }
    true
}
