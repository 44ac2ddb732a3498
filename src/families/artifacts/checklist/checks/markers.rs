//! `marker_validation`: open questions say what they wait for, and answered ones who decided what.
//!
//! A first version explores: its questions are not held to the rules. From the second version on
//! each part that the criterion gives is enforced; a criterion without any part only tells which
//! of the two holds.

use std::collections::BTreeMap;

use regex::Regex;

use super::super::super::document::Document;
use super::super::super::questions::{decisions_section, question_sections};
use super::super::facts::{Alternatives, Facts, Scope, says_something};
use super::super::finding::{Finding, counted, short};
use super::super::format;
use super::super::raw::RawCriterion;
use super::{needed_list, sections};

/// The fields of a criterion that this kind uses.
pub(super) const FIELDS: [&str; 7] = [
    "required_sections",
    "allowed_markers",
    "marker_sub_fields",
    "prohibited_patterns",
    "special_validations",
    "decision_fields",
    "error_message_templates",
];

/// So many problems are told.
const TOLD: usize = 10;

/// So many lines a framed notice may have.
const FRAME: usize = 20;

/// Texts that a checklist may replace, and what they say by themselves.
const TEMPLATES: [(&str, &str); 5] = [
    ("missing_marker", "Question without an allowed marker (line {line}): {question}; allowed are {allowed}"),
    ("missing_subfields", "[{marker}] (line {line}) lacks {fields}: {question}"),
    ("invalid_time_box", "[{marker}] (line {line}): {fields} is \"{value}\", expected one of {allowed}"),
    ("prohibited_text", "Free text instead of a marker (line {line}): {value}"),
    ("missing_decision_fields", "Decision (line {line}) lacks {fields}: {question}"),
];

#[derive(Debug)]
pub(in super::super) struct MarkerValidation {
    sections: Vec<Alternatives>,
    allowed: Vec<String>,
    sub_fields: Vec<(String, Vec<String>)>,
    prohibited: Vec<Regex>,
    special: Vec<Special>,
    decision_fields: Vec<String>,
    templates: BTreeMap<String, String>,
}

/// A field of a marker that takes only certain values.
#[derive(Debug)]
struct Special {
    marker: String,
    field: String,
    values: Vec<String>,
}

impl MarkerValidation {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        let list = |list: &Option<Vec<String>>, name| match list {
            None => Ok(Vec::new()),
            list => needed_list(list.as_ref(), name),
        };
        let mut sub_fields = Vec::new();
        for (marker, fields) in raw.marker_sub_fields.iter().flatten() {
            sub_fields.push((bare(marker), needed_list(Some(fields), "marker_sub_fields")?));
        }
        let mut special = Vec::new();
        for each in raw.special_validations.iter().flatten() {
            let values = needed_list(Some(&each.valid_values), "valid_values")?;
            special.push(Special { marker: bare(&each.marker), field: each.field.clone(), values });
        }
        let templates = raw.error_message_templates.clone().unwrap_or_default();
        if let Some(unknown) = templates.keys().find(|name| !TEMPLATES.iter().any(|(known, _)| known == name))
        {
            return Err(format!("there is no message `{unknown}`"));
        }
        let names = list(&raw.required_sections, "required_sections")?;
        let patterns = list(&raw.prohibited_patterns, "prohibited_patterns")?;
        Ok(MarkerValidation {
            sections: names.iter().map(|name| format::section(name)).collect::<Result<_, _>>()?,
            allowed: list(&raw.allowed_markers, "allowed_markers")?
                .iter()
                .map(|marker| bare(marker))
                .collect(),
            sub_fields,
            prohibited: patterns.iter().map(|text| format::pattern(text)).collect::<Result<_, _>>()?,
            special,
            decision_fields: list(&raw.decision_fields, "decision_fields")?,
            templates,
        })
    }

    pub fn run(&self, facts: &Facts<'_>) -> Finding {
        if facts.version < 2 {
            return Finding::pass(
                "Version 1: questions are exploratory, markers are enforced from version 2 on",
            );
        }
        let parts = [
            (!self.sections.is_empty())
                .then(|| sections::require(&self.sections, facts.document, &Scope::whole(facts.document))),
            (!self.allowed.is_empty()).then(|| self.markers(facts)),
            (!self.sub_fields.is_empty()).then(|| self.sub_fields(facts)),
            (!self.special.is_empty()).then(|| self.special(facts)),
            (!self.prohibited.is_empty()).then(|| self.prohibited(facts)),
            (!self.decision_fields.is_empty()).then(|| self.decisions(facts)),
        ];
        let mut findings: Vec<Finding> = Vec::new();
        for finding in parts.into_iter().flatten() {
            // Two parts may miss the same section.
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        if findings.is_empty() {
            return Finding::pass(format!("Version {}: markers are enforced", facts.version));
        }
        let failed = findings.iter().any(Finding::failed);
        let told: Vec<&Finding> = findings.iter().filter(|finding| !failed || finding.failed()).collect();
        let details: Vec<&str> = told.iter().map(|finding| finding.details.as_str()).collect();
        Finding::when(!failed, details.join("; ")).at(told.iter().find_map(|finding| finding.line))
    }

    fn markers(&self, facts: &Facts<'_>) -> Finding {
        let allowed = |marker: &String| self.allowed.contains(marker);
        let unmarked = facts
            .questions()
            .iter()
            .filter(|question| question.markers.is_empty() || !question.markers.iter().all(allowed));
        let told = unmarked.map(|question| {
            let values = [("question", short(&question.text)), ("allowed", self.allowed.join(", "))];
            (question.line, self.say("missing_marker", question.line, &values))
        });
        let fine = format!("{} with an allowed marker", counted(facts.questions().len(), "open question"));
        problems(told.collect(), fine)
    }

    fn sub_fields(&self, facts: &Facts<'_>) -> Finding {
        let (mut told, mut checked) = (Vec::new(), 0);
        for (marker, required) in &self.sub_fields {
            for question in facts.questions().iter().filter(|question| question.markers.contains(marker)) {
                checked += 1;
                let missing = missing(required, &question.fields);
                if !missing.is_empty() {
                    let values = [
                        ("question", short(&question.text)),
                        ("marker", marker.clone()),
                        ("fields", missing),
                    ];
                    told.push((question.line, self.say("missing_subfields", question.line, &values)));
                }
            }
        }
        let names: Vec<String> = self.sub_fields.iter().map(|(marker, _)| format!("[{marker}]")).collect();
        let fine = match checked {
            0 => format!("No question carries {}", names.join(" or ")),
            _ => format!("{} with all sub-fields", counted(checked, "marked question")),
        };
        problems(told, fine)
    }

    fn special(&self, facts: &Facts<'_>) -> Finding {
        let mut told = Vec::new();
        for rule in &self.special {
            for question in
                facts.questions().iter().filter(|question| question.markers.contains(&rule.marker))
            {
                let value = value_of(&question.fields, &rule.field).unwrap_or_default();
                let plain = value.trim_end_matches('.').trim();
                if !rule.values.iter().any(|valid| valid.eq_ignore_ascii_case(plain)) {
                    let values = [
                        ("question", short(&question.text)),
                        ("marker", rule.marker.clone()),
                        ("fields", rule.field.clone()),
                        ("value", short(value)),
                        ("allowed", rule.values.join(", ")),
                    ];
                    told.push((question.line, self.say("invalid_time_box", question.line, &values)));
                }
            }
        }
        let names: Vec<String> =
            self.special.iter().map(|rule| format!("{} of [{}]", rule.field, rule.marker)).collect();
        problems(told, format!("No other value for {}", names.join(", ")))
    }

    /// Looks through the question sections; a notice framed by ⚠️ speaks about the rule itself.
    fn prohibited(&self, facts: &Facts<'_>) -> Finding {
        let document = facts.document;
        let mut told = Vec::new();
        for (section, _) in question_sections(document) {
            let body = document.body(section);
            for found in self.prohibited.iter().flat_map(|pattern| pattern.find_iter(body)) {
                let at = section.body.start + found.start();
                if told.len() == TOLD {
                    break;
                }
                if !document.is_code(at) && !is_framed(document, at) {
                    let line = facts.line(at);
                    told.push((line, self.say("prohibited_text", line, &[("value", short(found.as_str()))])));
                }
            }
        }
        problems(told, "No free text in place of markers".to_owned())
    }

    fn decisions(&self, facts: &Facts<'_>) -> Finding {
        let Some(section) = decisions_section(facts.document) else {
            return Finding::fail("Missing sections: Decisions Made");
        };
        let line = facts.line(section.start);
        if facts.decisions().is_empty() {
            let body = facts.document.body(section).trim_start();
            let none = ["No ", "None"].iter().any(|word| body.starts_with(word));
            let details = if none { "No decisions to check" } else { "No decision entries found" };
            return Finding::when(none, details).at(line);
        }
        let mut told = Vec::new();
        for decision in facts.decisions() {
            let missing = missing(&self.decision_fields, &decision.fields);
            if !missing.is_empty() {
                let values = [("question", short(&decision.text)), ("fields", missing)];
                told.push((decision.line, self.say("missing_decision_fields", decision.line, &values)));
            }
        }
        problems(told, format!("{} complete", counted(facts.decisions().len(), "decision")))
    }

    /// A message in the checklist's words or in ours, with its values in place.
    fn say(&self, name: &str, line: usize, values: &[(&str, String)]) -> String {
        let own = TEMPLATES.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| *text);
        let mut text =
            self.templates.get(name).map_or(own, String::as_str).replace("{line}", &line.to_string());
        for (key, value) in values {
            text = text.replace(&format!("{{{key}}}"), value);
        }
        text
    }
}

fn problems(told: Vec<(usize, String)>, fine: String) -> Finding {
    match told.first() {
        None => Finding::pass(fine),
        Some((line, _)) => {
            let line = *line;
            let texts: Vec<String> = told.into_iter().take(TOLD).map(|(_, text)| text).collect();
            Finding::fail(texts.join("; ")).at(line)
        }
    }
}

/// `[REQUIRES SPIKE]` and `REQUIRES SPIKE` name the same marker.
fn bare(marker: &str) -> String {
    marker.trim_matches(['[', ']', ' ']).to_uppercase()
}

fn value_of<'f>(fields: &'f [(String, String)], name: &str) -> Option<&'f str> {
    let found = fields.iter().find(|(label, _)| label.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// The required fields that say nothing, joined. `N/A` is an answer here: no workaround, for one.
fn missing(required: &[String], fields: &[(String, String)]) -> String {
    let lacks = |name: &&String| {
        value_of(fields, name)
            .is_none_or(|value| !says_something(value) && !value.to_uppercase().starts_with('N'))
    };
    required.iter().filter(lacks).map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Whether a line or one of the few before it, in the same paragraph, carries the warning sign.
fn is_framed(document: &Document<'_>, at: usize) -> bool {
    let mut start = document.line_start(at);
    let mut line = document.text[start..].lines().next().unwrap_or_default();
    for _ in 0..FRAME {
        if line.contains('⚠') {
            return true;
        }
        if start == 0 || line.trim_matches(['>', ' ', '\t', '\r']).is_empty() {
            return false;
        }
        let end = start - 1;
        start = document.line_start(end);
        line = &document.text[start..end];
    }
    false
}
