//! A checklist as it is written in a file. Every field is known or refused.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawChecklist {
    pub artifact_type: String,
    pub version: u32,
    pub criteria: Vec<RawCriterion>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCriterion {
    pub id: String,
    pub category: String,
    pub description: String,
    pub validation_type: RawKind,
    pub check_type: Option<String>,
    pub applies_to: Option<RawVersions>,
    pub only_if: Option<RawCondition>,
    pub section: Option<String>,
    pub per_heading: Option<String>,
    pub pattern: Option<String>,
    pub min: Option<usize>,
    pub max: Option<usize>,
    pub count: Option<RawCount>,
    pub absent: Option<bool>,
    pub sequential: Option<bool>,
    pub fields: Option<Vec<String>>,
    pub required_sections: Option<Vec<String>>,
    pub reference_types: Option<Vec<String>>,
    pub allowed_statuses: Option<Vec<String>>,
    pub allowed_markers: Option<Vec<String>>,
    pub marker_sub_fields: Option<BTreeMap<String, Vec<String>>>,
    pub prohibited_patterns: Option<Vec<String>>,
    pub special_validations: Option<Vec<RawSpecial>>,
    pub decision_fields: Option<Vec<String>>,
    pub error_message_templates: Option<BTreeMap<String, String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RawKind {
    Automated,
    Agent,
    Manual,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum RawVersions {
    #[serde(rename = "all")]
    All,
    #[serde(rename = "v1")]
    First,
    #[serde(rename = "v2+")]
    Later,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RawCount {
    Subsections,
    ListItems,
    TableRows,
    Matches,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCondition {
    pub id: Option<String>,
    pub section: Option<String>,
    pub pattern: Option<String>,
    pub field: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSpecial {
    pub marker: String,
    pub field: String,
    pub valid_values: Vec<String>,
}

impl RawCriterion {
    /// The fields that belong to kinds of checks and are given.
    pub fn given(&self) -> Vec<&'static str> {
        let fields = [
            ("section", self.section.is_some()),
            ("per_heading", self.per_heading.is_some()),
            ("pattern", self.pattern.is_some()),
            ("min", self.min.is_some()),
            ("max", self.max.is_some()),
            ("count", self.count.is_some()),
            ("absent", self.absent.is_some()),
            ("sequential", self.sequential.is_some()),
            ("fields", self.fields.is_some()),
            ("required_sections", self.required_sections.is_some()),
            ("reference_types", self.reference_types.is_some()),
            ("allowed_statuses", self.allowed_statuses.is_some()),
            ("allowed_markers", self.allowed_markers.is_some()),
            ("marker_sub_fields", self.marker_sub_fields.is_some()),
            ("prohibited_patterns", self.prohibited_patterns.is_some()),
            ("special_validations", self.special_validations.is_some()),
            ("decision_fields", self.decision_fields.is_some()),
            ("error_message_templates", self.error_message_templates.is_some()),
        ];
        fields.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}
