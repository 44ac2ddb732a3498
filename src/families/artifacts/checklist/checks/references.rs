//! `references_valid`: other documents and requirements are referred to, by ids of the right form.

use std::collections::BTreeSet;

use super::super::facts::{Facts, Scope};
use super::super::finding::Finding;
use super::super::raw::RawCriterion;
use super::super::tokens::Token;
use super::needed_list;
use crate::error::Result;
use crate::id::ArtifactId;

/// So many are named.
const NAMED: usize = 10;

#[derive(Debug)]
pub(in super::super) struct ReferencesValid {
    prefixes: Vec<String>,
    min: usize,
}

impl ReferencesValid {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        let prefixes = needed_list(raw.reference_types.as_ref(), "reference_types")?;
        Ok(ReferencesValid { prefixes, min: raw.min.unwrap_or(1) })
    }

    pub fn run(&self, facts: &Facts<'_>, scope: &Scope<'_>) -> Result<Finding> {
        let (mut found, mut malformed): (Vec<&Token<'_>>, Vec<&Token<'_>>) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for token in facts.tokens().iter().filter(|token| scope.range.contains(&token.at)) {
            let wanted = self.prefixes.iter().any(|prefix| prefix == token.prefix) && token.is_number();
            if !wanted || token.text == facts.artifact_id {
                continue;
            }
            if token.is_short() {
                if !facts.document.is_code(token.at) && seen.insert(token.text) {
                    malformed.push(token);
                }
            } else if is_said(facts, token.at) && seen.insert(token.text) {
                found.push(token);
            }
        }
        let first = found.first().map(|token| facts.line(token.at)).or(scope.line(facts.document));
        Ok(if let Some(wrong) = malformed.first() {
            let named: Vec<String> = malformed
                .iter()
                .take(NAMED)
                .map(|token| format!("{} (line {})", token.text, facts.line(token.at)))
                .collect();
            Finding::fail(format!("Malformed references: {}", named.join(", "))).at(facts.line(wrong.at))
        } else if found.is_empty() && self.min > 0 {
            Finding::fail(format!("No references found, expected {}", self.prefixes.join(", "))).at(first)
        } else if found.len() < self.min {
            Finding::fail(format!("Found {} references, expected at least {}", found.len(), self.min))
                .at(first)
        } else {
            let unknown = unknown(facts, &found)?;
            let unknown = match unknown.is_empty() {
                true => String::new(),
                false => format!("; not in the store: {}", unknown.join(", ")),
            };
            Finding::pass(format!("Found {} valid references{unknown}", found.len())).at(first)
        })
    }
}

/// Code quotes ids; but Metadata rows name files in it.
fn is_said(facts: &Facts<'_>, at: usize) -> bool {
    let rows = &facts.document.metadata;
    let block = rows.first().zip(rows.last()).map(|(first, last)| first.at.start..last.at.end);
    !facts.document.is_code(at) || block.is_some_and(|block| block.contains(&at))
}

/// The first few that the store does not know. It is told and not held against the document: what
/// is referred to may be still to come. Where the store keeps none of a kind, nothing can be said.
fn unknown<'t>(facts: &Facts<'_>, found: &[&Token<'t>]) -> Result<Vec<&'t str>> {
    let mut kept: Vec<(&str, bool)> = Vec::new();
    let mut unknown = Vec::new();
    for token in found {
        let Some(id) = ArtifactId::parse(token.text) else { continue };
        let known_prefix = kept.iter().find(|(prefix, _)| *prefix == token.prefix).map(|(_, keeps)| *keeps);
        let keeps = match known_prefix {
            Some(keeps) => keeps,
            None => {
                let keeps = facts.linked.keeps(token.prefix)?;
                kept.push((token.prefix, keeps));
                keeps
            }
        };
        if keeps && !facts.linked.knows(&id)? {
            unknown.push(token.text);
        }
        if unknown.len() == NAMED {
            break;
        }
    }
    Ok(unknown)
}
