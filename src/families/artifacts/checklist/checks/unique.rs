//! `unique_ids`: what is defined here is defined once, and in order where that is asked.

use regex::Regex;

use super::super::facts::{Facts, Scope};
use super::super::finding::{Finding, counted};
use super::super::raw::RawCriterion;
use super::needed_pattern;

#[derive(Debug)]
pub(in super::super) struct UniqueIds {
    /// Its first group is the id where it is defined.
    pattern: Regex,
    sequential: bool,
}

impl UniqueIds {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        let pattern = needed_pattern(raw)?;
        if pattern.captures_len() < 2 {
            return Err("`pattern` needs a group around the id".to_owned());
        }
        Ok(UniqueIds { pattern, sequential: raw.sequential.unwrap_or_default() })
    }

    pub fn run(&self, facts: &Facts<'_>, scope: &Scope<'_>) -> Finding {
        let captures = self.pattern.captures_iter(scope.text(facts.document));
        let places = captures.filter_map(|captures| captures.get(1));
        let defined: Vec<(&str, usize)> = places
            .map(|found| (found.as_str(), scope.range.start + found.start()))
            .filter(|(_, at)| !facts.document.is_code(*at))
            .collect();
        let Some((_, first)) = defined.first() else {
            return Finding::fail(format!("No IDs found in {}", scope.name())).at(scope.line(facts.document));
        };
        let mut sorted = defined.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let lines = (facts.line(twice[0].1), facts.line(twice[1].1));
            return Finding::fail(format!(
                "Duplicate ID: {} (lines {} and {})",
                twice[0].0, lines.0, lines.1
            ))
            .at(lines.1);
        }
        let gap = defined.windows(2).find(|pair| !follows(pair[0].0, pair[1].0));
        if let Some(gap) = gap.filter(|_| self.sequential) {
            let line = facts.line(gap[1].1);
            return Finding::fail(format!("Not sequential: {} (line {line}) follows {}", gap[1].0, gap[0].0))
                .at(line);
        }
        let order = if self.sequential { ", in order" } else { "" };
        Finding::pass(format!("Found {}{order}", counted(defined.len(), "unique ID"))).at(facts.line(*first))
    }
}

/// `HLS-007` after `HLS-006`, `HLS-BBB` after `HLS-AAA`.
fn follows(before: &str, after: &str) -> bool {
    let tail = |id: &str| id.rsplit_once('-').map_or(id.to_owned(), |(_, tail)| tail.to_owned());
    let (before, after) = (tail(before), tail(after));
    match (before.parse::<u64>(), after.parse::<u64>()) {
        (Ok(before), Ok(after)) => before.checked_add(1) == Some(after),
        (Err(_), Err(_)) => match (before.bytes().next(), after.bytes().next()) {
            (Some(b'Z'), Some(b'A')) => after.len() == before.len() + 1,
            (Some(before), Some(after)) => before.checked_add(1) == Some(after),
            _ => false,
        },
        _ => false,
    }
}
