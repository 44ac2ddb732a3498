//! From the file to the checklist: strict, whole or not at all, patterns compiled once.

use std::collections::BTreeSet;
use std::fmt;

use regex::{Regex, RegexBuilder};

use super::checks::Check;
use super::facts::Alternatives;
use super::raw::{RawChecklist, RawCondition, RawCriterion, RawKind, RawVersions};
use super::{By, Checklist, Condition, Criterion, Place, Versions};

/// The largest compiled pattern: a checklist is data, and data must not eat the memory.
const PATTERN_BYTES: usize = 1 << 20;

/// Why a checklist is not accepted, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub line: usize,
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

pub(super) fn parse(json: &str) -> Result<Checklist, Refusal> {
    let raw: RawChecklist = serde_json::from_str(json)
        .map_err(|error| Refusal { line: error.line(), reason: without_place(&error) })?;
    if raw.criteria.is_empty() {
        return Err(Refusal { line: 1, reason: "there are no criteria".to_owned() });
    }
    let mut seen = BTreeSet::new();
    let mut criteria = Vec::with_capacity(raw.criteria.len());
    for each in &raw.criteria {
        let refuse = |reason: String| {
            let line = line_of(json, &each.id, usize::from(seen.contains(&each.id)));
            Refusal { line, reason: format!("criterion `{}`: {reason}", each.id) }
        };
        if each.id.trim().is_empty() || seen.contains(&each.id) {
            return Err(refuse("its id is empty or there twice".to_owned()));
        }
        criteria.push(criterion(each).map_err(refuse)?);
        seen.insert(each.id.clone());
    }
    Ok(Checklist { artifact_type: raw.artifact_type, version: raw.version, criteria })
}

/// The parser's words without the place, which is told apart.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

/// The line on which a criterion names itself, the first time or the second.
fn line_of(json: &str, id: &str, nth: usize) -> usize {
    let quoted = serde_json::Value::from(id).to_string();
    let at = json.match_indices(&quoted).nth(nth).map_or(0, |(at, _)| at);
    1 + json[..at].matches('\n').count()
}

fn criterion(raw: &RawCriterion) -> Result<Criterion, String> {
    let by = match (raw.validation_type, raw.check_type.as_deref()) {
        (RawKind::Automated, Some(kind)) => By::Machine(Check::compile(kind, raw)?),
        (RawKind::Automated, None) => return Err("an automated criterion needs a `check_type`".to_owned()),
        (_, Some(_)) => return Err("`check_type` is for automated criteria only".to_owned()),
        (kind, None) => {
            if let Some(field) = raw.given().first() {
                return Err(format!("`{field}` is for automated criteria only"));
            }
            if kind == RawKind::Agent { By::Agent } else { By::Person }
        }
    };
    let place = Place {
        section: raw.section.as_deref().map(section).transpose()?,
        per_heading: raw.per_heading.as_deref().map(pattern).transpose()?,
    };
    Ok(Criterion {
        id: raw.id.clone(),
        category: raw.category.clone(),
        description: raw.description.clone(),
        by,
        applies_to: match raw.applies_to {
            None | Some(RawVersions::All) => Versions::All,
            Some(RawVersions::First) => Versions::First,
            Some(RawVersions::Later) => Versions::Later,
        },
        only_if: raw.only_if.as_ref().map(condition).transpose()?,
        place,
    })
}

fn condition(raw: &RawCondition) -> Result<Condition, String> {
    let condition = Condition {
        id: raw.id.as_deref().map(pattern).transpose()?,
        section: raw.section.as_deref().map(section).transpose()?,
        pattern: raw.pattern.as_deref().map(pattern).transpose()?,
        field: raw.field.clone(),
    };
    let empty = condition.id.is_none() && condition.section.is_none();
    if empty && condition.pattern.is_none() && condition.field.is_none() {
        return Err("`only_if` says nothing".to_owned());
    }
    Ok(condition)
}

/// A pattern; line ends of either kind are line ends.
pub(super) fn pattern(text: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(text).crlf(true).size_limit(PATTERN_BYTES).build();
    built.map_err(|error| {
        // The library draws a picture over several lines; its last line holds the reason.
        let reason = error.to_string();
        let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        format!("the pattern `{text}` cannot be used: {last}")
    })
}

pub(super) fn section(text: &str) -> Result<Alternatives, String> {
    Alternatives::parse(text).ok_or_else(|| format!("`{text}` does not name a section"))
}
