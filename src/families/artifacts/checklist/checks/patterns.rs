//! `pattern_present`: something is said, or must not be said.

use regex::Regex;

use super::super::facts::{Facts, Scope};
use super::super::finding::{Finding, short};
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
        let places = matches.map(|found| scope.range.start + found.start());
        let document = facts.document;
        let shown = |at: usize| format!("Found \"{}\" in {}", line_at(document.text, at), scope.name());
        if self.absent {
            // Code may show what must not be said.
            let mut places = places.filter(|at| !document.is_code(*at));
            return match places.next() {
                Some(at) => Finding::fail(shown(at)).at(facts.line(at)),
                None => {
                    Finding::pass(format!("Nothing of the kind in {}", scope.name())).at(scope.line(document))
                }
            };
        }
        let found: Vec<usize> = places.take(self.min).collect();
        let Some(first) = found.first() else {
            return Finding::fail(format!("Nothing found in {}", scope.name())).at(scope.line(document));
        };
        if found.len() < self.min {
            let few = format!("Found {} in {}, expected at least {}", found.len(), scope.name(), self.min);
            return Finding::fail(few).at(facts.line(*first));
        }
        Finding::pass(shown(*first)).at(facts.line(*first))
    }
}

/// The line that a match begins on, without the marks of lists, headings and emphasis.
fn line_at(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    short(line.replace("**", "").trim_start_matches(['-', '+', '#', '>', '|', ' ', '\u{feff}']))
}
