//! `linked_status` and `section_refs`: what other documents say.

use std::collections::BTreeSet;

use super::super::super::document::Document;
use super::super::super::metadata::plain_status;
use super::super::facts::{Facts, Scope};
use super::super::finding::{Finding, counted};
use super::super::linked::Reference;
use super::super::raw::RawCriterion;
use super::needed_list;
use crate::error::Result;

#[derive(Debug)]
pub(in super::super) struct LinkedStatus {
    fields: Vec<String>,
    allowed: Vec<String>,
}

impl LinkedStatus {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        Ok(LinkedStatus {
            fields: needed_list(raw.fields.as_ref(), "fields")?,
            allowed: needed_list(raw.allowed_statuses.as_ref(), "allowed_statuses")?,
        })
    }

    pub fn run(&self, facts: &Facts<'_>) -> Result<Finding> {
        let Some((label, value)) = facts.filled(&self.fields) else {
            return Ok(Finding::not_applicable(format!("{} names no document", self.fields[0])));
        };
        let line = facts.document.row(label).map(|row| facts.line(row.at.start));
        let Some(reference) = Reference::in_value(value) else {
            return Ok(Finding::fail(format!("{label} names no document by ID or path")).at(line));
        };
        let Some(status) = facts.linked.status(&reference)? else {
            return Ok(Finding::not_applicable(format!("{reference} is not in the store")).at(line));
        };
        let status = plain_status(&status);
        let fine = self.allowed.contains(&status);
        let expected = if fine { String::new() } else { format!(", expected {}", self.allowed.join(" or ")) };
        Ok(Finding::when(fine, format!("{reference} is {status}{expected}")).at(line))
    }
}

#[derive(Debug)]
pub(in super::super) struct SectionRefs {
    fields: Vec<String>,
}

impl SectionRefs {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        Ok(SectionRefs { fields: needed_list(raw.fields.as_ref(), "fields")? })
    }

    /// Each `§n.n` must be a numbered heading of one of the linked documents, or of this one.
    pub fn run(&self, facts: &Facts<'_>, scope: &Scope<'_>) -> Result<Finding> {
        let references = section_references(facts.document, scope);
        let Some((_, first)) = references.first() else {
            return Ok(Finding::pass(format!("No § references to check in {}", scope.name())));
        };
        let (mut numbers, mut known, mut unknown) = (BTreeSet::new(), Vec::new(), Vec::new());
        for (label, value) in self.fields.iter().filter_map(|field| facts.filled(std::slice::from_ref(field)))
        {
            let Some(reference) = Reference::in_value(value) else {
                unknown.push(label.to_owned());
                continue;
            };
            match facts.linked.text(&reference)? {
                Some(text) => {
                    numbers.extend(heading_numbers(&Document::read(&text)));
                    known.push(reference.to_string());
                }
                None => unknown.push(reference.to_string()),
            }
        }
        numbers.extend(heading_numbers(facts.document));
        let missing: Vec<_> = references.iter().filter(|(number, _)| !numbers.contains(*number)).collect();
        Ok(match missing.first() {
            None => Finding::pass(format!("Found {}", counted(references.len(), "valid § reference")))
                .at(facts.line(*first)),
            Some(_) if known.is_empty() && unknown.is_empty() => {
                Finding::not_applicable(format!("{} names no document", self.fields.join(", ")))
            }
            Some(_) if !unknown.is_empty() => {
                Finding::not_applicable(format!("{} is not in the store", unknown.join(", ")))
            }
            Some((_, at)) => {
                let named: Vec<String> = missing
                    .iter()
                    .take(10)
                    .map(|(number, at)| format!("§{number} (line {})", facts.line(*at)))
                    .collect();
                Finding::fail(format!("Not found in {}: {}", known.join(", "), named.join(", ")))
                    .at(facts.line(*at))
            }
        })
    }
}

/// The numbers behind `§`, outside code, each once; a heading's own number is no reference.
fn section_references<'t>(document: &Document<'t>, scope: &Scope<'_>) -> Vec<(&'t str, usize)> {
    let text = scope.text(document);
    let mut found: Vec<(&str, usize)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, mark) in text.match_indices('§') {
        let rest = &text[at + mark.len()..];
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest[..length].trim_end_matches('.');
        let place = scope.range.start + at;
        let line = &document.text[document.line_start(place)..place];
        let of_heading = line.starts_with('#') && line.trim_matches(['#', ' ']).is_empty();
        if number.starts_with(|c: char| c.is_ascii_digit())
            && !of_heading
            && !document.is_code(place)
            && seen.insert(number)
        {
            found.push((number, place));
        }
    }
    found
}

/// `4.1` of `## §4.1 Title`, `### 4.1. Title`, `## Part 4: …` has none.
fn heading_numbers(document: &Document<'_>) -> Vec<String> {
    let numbers = document.headings.iter().filter_map(|heading| {
        let text = heading.text.trim_start_matches('§').trim_start();
        let length = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let number = text[..length].trim_end_matches('.');
        number.starts_with(|c: char| c.is_ascii_digit()).then(|| number.to_owned())
    });
    numbers.collect()
}
