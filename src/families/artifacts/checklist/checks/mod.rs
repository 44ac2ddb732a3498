//! The kinds of checks, a file each.

mod counts;
mod identity;
mod linked_documents;
mod markers;
mod patterns;
mod placeholders;
mod references;
mod sections;
mod unique;

use regex::Regex;

use self::counts::CountRange;
use self::identity::{IdFormat, MetadataField, StatusEnum};
use self::linked_documents::{LinkedStatus, SectionRefs};
use self::markers::MarkerValidation;
use self::patterns::PatternPresent;
use self::references::ReferencesValid;
use self::sections::TemplateSections;
use self::unique::UniqueIds;
use super::facts::{Facts, Scope};
use super::finding::Finding;
use super::format;
use super::raw::RawCriterion;
use crate::error::Result;

/// A check with everything it needs, ready to run.
#[derive(Debug)]
pub(super) enum Check {
    CountRange(CountRange),
    IdFormat(IdFormat),
    LinkedStatus(LinkedStatus),
    Markers(MarkerValidation),
    MetadataField(MetadataField),
    NoPlaceholders,
    PatternPresent(PatternPresent),
    ReferencesValid(ReferencesValid),
    SectionRefs(SectionRefs),
    StatusEnum(StatusEnum),
    TemplateSections(TemplateSections),
    UniqueIds(UniqueIds),
    /// A kind of a later version; it fails rather than being passed over.
    Unknown(String),
}

impl Check {
    /// Takes what the kind needs; what it does not use is refused.
    pub fn compile(kind: &str, raw: &RawCriterion) -> Result<Self, String> {
        let place = ["section", "per_heading"];
        let (used, placed): (&[&str], bool) = match kind {
            "count_range" => (&["count", "min", "max", "pattern"], true),
            "id_format" => (&["pattern"], false),
            "linked_status" => (&["fields", "allowed_statuses"], false),
            "marker_validation" => (&markers::FIELDS, false),
            "metadata_field" => (&["fields", "pattern"], false),
            "no_placeholders" => (&[], true),
            "pattern_present" => (&["pattern", "min", "absent"], true),
            "references_valid" => (&["reference_types", "min"], true),
            "section_refs" => (&["fields"], true),
            "status_enum" => (&["allowed_statuses"], false),
            "template_sections" => (&["required_sections"], true),
            "unique_ids" => (&["pattern", "sequential"], true),
            _ => return Ok(Check::Unknown(kind.to_owned())),
        };
        let fits = |field: &&&'static str| used.contains(*field) || (placed && place.contains(*field));
        if let Some(field) = raw.given().iter().find(|field| !fits(field)) {
            return Err(format!("`{kind}` does not use `{field}`"));
        }
        Ok(match kind {
            "count_range" => Check::CountRange(CountRange::compile(raw)?),
            "id_format" => Check::IdFormat(IdFormat::compile(raw)?),
            "linked_status" => Check::LinkedStatus(LinkedStatus::compile(raw)?),
            "marker_validation" => Check::Markers(MarkerValidation::compile(raw)?),
            "metadata_field" => Check::MetadataField(MetadataField::compile(raw)?),
            "no_placeholders" => Check::NoPlaceholders,
            "pattern_present" => Check::PatternPresent(PatternPresent::compile(raw)?),
            "references_valid" => Check::ReferencesValid(ReferencesValid::compile(raw)?),
            "section_refs" => Check::SectionRefs(SectionRefs::compile(raw)?),
            "status_enum" => Check::StatusEnum(StatusEnum::compile(raw)?),
            "template_sections" => Check::TemplateSections(TemplateSections::compile(raw)?),
            _ => Check::UniqueIds(UniqueIds::compile(raw)?),
        })
    }

    pub fn run(&self, facts: &Facts<'_>, scope: &Scope<'_>) -> Result<Finding> {
        Ok(match self {
            Check::CountRange(check) => check.run(facts, scope),
            Check::IdFormat(check) => check.run(facts),
            Check::LinkedStatus(check) => check.run(facts)?,
            Check::Markers(check) => check.run(facts),
            Check::MetadataField(check) => check.run(facts),
            Check::NoPlaceholders => placeholders::run(facts, scope),
            Check::PatternPresent(check) => check.run(facts, scope),
            Check::ReferencesValid(check) => check.run(facts, scope)?,
            Check::SectionRefs(check) => check.run(facts, scope)?,
            Check::StatusEnum(check) => check.run(facts),
            Check::TemplateSections(check) => check.run(facts, scope),
            Check::UniqueIds(check) => check.run(facts, scope),
            Check::Unknown(kind) => Finding::fail(format!("Unknown check type: {kind}")),
        })
    }
}

/// A pattern that a kind cannot do without.
fn needed_pattern(raw: &RawCriterion) -> Result<Regex, String> {
    format::pattern(raw.pattern.as_deref().ok_or("`pattern` is missing")?)
}

/// A list that a kind cannot do without.
fn needed_list(list: Option<&Vec<String>>, field: &str) -> Result<Vec<String>, String> {
    match list {
        Some(list) if !list.is_empty() && list.iter().all(|entry| !entry.trim().is_empty()) => {
            Ok(list.clone())
        }
        _ => Err(format!("`{field}` is missing or empty")),
    }
}
