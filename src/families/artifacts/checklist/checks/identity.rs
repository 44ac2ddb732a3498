//! `id_format`, `status_enum`, `metadata_field`: what the Metadata block says.

use regex::Regex;

use super::super::facts::{Facts, says_something};
use super::super::finding::{Finding, short};
use super::super::format;
use super::super::raw::RawCriterion;
use super::{needed_list, needed_pattern};

#[derive(Debug)]
pub(in super::super) struct IdFormat {
    pattern: Regex,
}

impl IdFormat {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        Ok(IdFormat { pattern: needed_pattern(raw)? })
    }

    pub fn run(&self, facts: &Facts<'_>) -> Finding {
        let id = facts.artifact_id;
        let line = facts.document.metadata.iter().find(|row| row.label.ends_with("ID"));
        let line = line.map(|row| facts.line(row.at.start));
        match &facts.metadata.id {
            _ if !self.pattern.is_match(id) => Finding::fail(format!("ID format not valid: {id}")),
            None => Finding::fail(format!("The document does not state its ID, expected {id}")).at(line),
            Some(own) if own.to_string() != id => {
                Finding::fail(format!("The document states the ID {own}, expected {id}")).at(line)
            }
            Some(_) => Finding::pass(format!("ID format valid: {id}")).at(line),
        }
    }
}

#[derive(Debug)]
pub(in super::super) struct StatusEnum {
    allowed: Vec<String>,
}

impl StatusEnum {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        Ok(StatusEnum { allowed: needed_list(raw.allowed_statuses.as_ref(), "allowed_statuses")? })
    }

    /// `Approved` is what an approval writes, so every type may have it.
    pub fn run(&self, facts: &Facts<'_>) -> Finding {
        let Some(status) = facts.metadata.status.as_deref() else {
            return Finding::fail("The Metadata block has no Status");
        };
        let line = facts.document.row("Status").map(|row| facts.line(row.at.start));
        if status == "Approved" || self.allowed.iter().any(|allowed| allowed == status) {
            return Finding::pass(format!("Status is {status}")).at(line);
        }
        let mut allowed: Vec<&str> = self.allowed.iter().map(String::as_str).collect();
        if !allowed.contains(&"Approved") {
            allowed.push("Approved");
        }
        Finding::fail(format!("Status is {}, expected one of {}", short(status), allowed.join(", "))).at(line)
    }
}

#[derive(Debug)]
pub(in super::super) struct MetadataField {
    fields: Vec<String>,
    pattern: Option<Regex>,
}

impl MetadataField {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        Ok(MetadataField {
            fields: needed_list(raw.fields.as_ref(), "fields")?,
            pattern: raw.pattern.as_deref().map(format::pattern).transpose()?,
        })
    }

    pub fn run(&self, facts: &Facts<'_>) -> Finding {
        let rows: Vec<_> = self.fields.iter().filter_map(|label| facts.document.row(label)).collect();
        let Some(first) = rows.first() else {
            return Finding::fail(format!("Missing metadata field: {}", self.fields.join(" or ")));
        };
        let line = |at: usize| facts.line(at);
        let Some(row) = rows.iter().find(|row| says_something(&row.value)) else {
            let value = if first.value.is_empty() { "nothing".to_owned() } else { short(&first.value) };
            let details = format!("Metadata field {} is not filled: {value}", first.label);
            return Finding::fail(details).at(line(first.at.start));
        };
        let fits = self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(&row.value));
        let form = if fits { "" } else { ", which does not have the expected form" };
        Finding::when(fits, format!("{} is {}{form}", row.label, short(&row.value))).at(line(row.at.start))
    }
}
