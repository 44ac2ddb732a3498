//! Applies a checklist to a document.

use super::super::document::Document;
use super::super::metadata::Metadata;
use super::checks::Check;
use super::facts::{Facts, Scope};
use super::finding::Finding;
use super::linked::Linked;
use super::{By, Checklist, Condition, Criterion, Place, Versions};
use crate::error::Result;

/// What became of every criterion, in the checklist's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub results: Vec<Outcome>,
}

/// What became of one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub id: String,
    pub category: String,
    pub description: String,
    /// `None` where it does not apply, or where an agent or a person decides.
    pub passed: Option<bool>,
    pub validation_type: &'static str,
    pub details: String,
    pub line: Option<usize>,
    /// Whether an agent or a person has to look.
    pub left_open: bool,
}

impl Report {
    /// Whether no automated criterion has failed.
    pub fn passed(&self) -> bool {
        self.results.iter().all(|outcome| outcome.passed != Some(false))
    }

    /// `n/m`: how many automated criteria passed of those that apply.
    pub fn automated_pass_rate(&self) -> String {
        let decided = self.results.iter().filter_map(|outcome| outcome.passed);
        let (passed, all) = decided.fold((0, 0), |(passed, all), fine| (passed + usize::from(fine), all + 1));
        format!("{passed}/{all}")
    }

    pub fn agent_reviews(&self) -> usize {
        self.results.iter().filter(|outcome| outcome.requires_agent_review()).count()
    }

    pub fn manual_reviews(&self) -> usize {
        self.results.iter().filter(|outcome| outcome.validation_type == "manual" && outcome.left_open).count()
    }
}

impl Outcome {
    pub fn requires_agent_review(&self) -> bool {
        self.validation_type == "agent" && self.left_open
    }
}

/// Checks a document. The same bytes, version and store give the same report.
pub fn validate(
    document: &Document<'_>,
    artifact_id: &str,
    version: i64,
    checklist: &Checklist,
    linked: &dyn Linked,
) -> Result<Report> {
    let facts = Facts::new(document, artifact_id, version, linked);
    let outcome = |criterion: &Criterion| {
        let excluded = excluded(&facts, criterion);
        let left_open = excluded.is_none() && !matches!(criterion.by, By::Machine(_));
        let left_to =
            |whom: &str| Finding { passed: None, details: format!("Needs {whom} review"), line: None };
        let (validation_type, finding) = match (&criterion.by, excluded) {
            (By::Machine(_), Some(finding)) => ("automated", finding),
            (By::Machine(check), None) => ("automated", decide(&facts, criterion, check)?),
            (By::Agent, excluded) => ("agent", excluded.unwrap_or_else(|| left_to("an agent's"))),
            (By::Person, excluded) => ("manual", excluded.unwrap_or_else(|| left_to("a person's"))),
        };
        Ok(Outcome {
            id: criterion.id.clone(),
            category: criterion.category.clone(),
            description: criterion.description.clone(),
            passed: finding.passed,
            validation_type,
            details: finding.details,
            line: finding.line,
            left_open,
        })
    };
    Ok(Report { results: checklist.criteria.iter().map(outcome).collect::<Result<_>>()? })
}

/// A document's version: by its file's name if that is known, else by its label, else by the suffix
/// of its status, else the first.
pub fn version_of(document: &Document<'_>, named: Option<i64>) -> i64 {
    let suffix = || {
        let status = &document.row("Status")?.value;
        let (_, version) = status.rsplit_once("(v")?;
        version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    named.or_else(|| Metadata::of(document).version).or_else(suffix).unwrap_or(1).max(1)
}

fn decide(facts: &Facts<'_>, criterion: &Criterion, check: &Check) -> Result<Finding> {
    match scopes(facts, &criterion.place) {
        Ok(scopes) => every(facts, check, &scopes),
        Err(finding) => Ok(finding),
    }
}

/// Why a criterion does not apply.
fn excluded(facts: &Facts<'_>, criterion: &Criterion) -> Option<Finding> {
    let version = facts.version;
    match criterion.applies_to {
        Versions::First if version > 1 => {
            Some(Finding::not_applicable(format!("it is for version 1, this is version {version}")))
        }
        Versions::Later if version < 2 => {
            Some(Finding::not_applicable("it is for version 2 and later, this is version 1"))
        }
        _ => criterion.only_if.as_ref().and_then(|condition| unmet(facts, condition)),
    }
}

fn unmet(facts: &Facts<'_>, condition: &Condition) -> Option<Finding> {
    let why = if condition.id.as_ref().is_some_and(|pattern| !pattern.is_match(facts.artifact_id)) {
        format!("it is not for {}", facts.artifact_id)
    } else if let Some(section) =
        condition.section.as_ref().filter(|section| section.find(&facts.document.headings).is_none())
    {
        format!("there is no section {}", section.shown)
    } else if let Some(field) =
        condition.field.as_ref().filter(|field| facts.filled(std::slice::from_ref(field)).is_none())
    {
        format!("{field} is not filled")
    } else if condition.pattern.as_ref().is_some_and(|pattern| !pattern.is_match(facts.document.text)) {
        "nothing in the document calls for it".to_owned()
    } else {
        return None;
    };
    Some(Finding::not_applicable(why))
}

/// Where a check looks; a place that is missing is a finding of its own.
fn scopes<'d>(facts: &Facts<'d>, place: &Place) -> Result<Vec<Scope<'d>>, Finding> {
    let document = facts.document;
    let outer = match &place.section {
        None => Scope::whole(document),
        Some(section) => match section.find(&document.headings) {
            Some(heading) => Scope::of(heading),
            None => return Err(Finding::fail(format!("Missing section: {}", section.shown))),
        },
    };
    let Some(pattern) = &place.per_heading else { return Ok(vec![outer]) };
    let headings = document.headings_in(&outer.range).iter();
    let inner: Vec<Scope<'_>> =
        headings.filter(|heading| pattern.is_match(&heading.text)).map(Scope::of).collect();
    if inner.is_empty() {
        return Err(Finding::fail(format!("No subsection of the expected kind in {}", outer.name()))
            .at(outer.line(document)));
    }
    Ok(inner)
}

/// All places must satisfy the check; the first that does not is told.
fn every(facts: &Facts<'_>, check: &Check, scopes: &[Scope<'_>]) -> Result<Finding> {
    let mut first: Option<Finding> = None;
    for scope in scopes {
        let finding = check.run(facts, scope)?;
        if finding.passed != Some(true) {
            return Ok(finding);
        }
        first.get_or_insert(finding);
    }
    let mut finding = first.unwrap_or_else(|| Finding::fail("There is nowhere to look"));
    if scopes.len() > 1 {
        finding.details = format!("All {} subsections, for example: {}", scopes.len(), finding.details);
    }
    Ok(finding)
}
