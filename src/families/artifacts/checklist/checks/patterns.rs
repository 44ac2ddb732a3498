//! `pattern_present`: something is said, or must not be said.

use regex::Regex;

use super::super::facts::{Facts, Scope};
use super::super::finding::{Finding, counted, short};
use super::super::raw::RawCriterion;
use super::needed_pattern;

#[derive(Debug)]
pub(in super::super) struct PatternPresent {
    pattern: Regex,
    min: usize,
    absent: bool,
}

impl PatternPresent {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        let absent = raw.absent.unwrap_or_default();
        if absent && raw.min.is_some() {
            return Err("`min` and `absent` exclude each other".to_owned());
        }
        if raw.min == Some(0) {
            return Err("`min` is 0, which is always fulfilled".to_owned());
        }
        Ok(PatternPresent { pattern: needed_pattern(raw)?, min: raw.min.unwrap_or(1), absent })
    }

    pub fn run(&self, facts: &Facts<'_>, scope: &Scope<'_>) -> Finding {
        let matches = self.pattern.find_iter(scope.text(facts.document));
        let places = matches.map(|found| (scope.range.start + found.start(), found.as_str()));
        if self.absent {
            // Code may show what must not be said.
            let mut places = places.filter(|(at, _)| !facts.document.is_code(*at));
            return match places.next() {
                Some((at, text)) => {
                    Finding::fail(format!("Found \"{}\" in {}", short(text), scope.name())).at(facts.line(at))
                }
                None => Finding::pass(format!("Nothing of the kind in {}", scope.name()))
                    .at(scope.line(facts.document)),
            };
        }
        let found: Vec<(usize, &str)> = places.take(self.min).collect();
        let Some((first, text)) = found.first() else {
            return Finding::fail(format!("Nothing found in {}", scope.name()))
                .at(scope.line(facts.document));
        };
        let line = facts.line(*first);
        if found.len() < self.min {
            let details = format!(
                "Found {} in {}, expected at least {}",
                counted(found.len(), "match"),
                scope.name(),
                self.min
            );
            return Finding::fail(details).at(line);
        }
        Finding::pass(format!("Found \"{}\" in {}", short(text), scope.name())).at(line)
    }
}
