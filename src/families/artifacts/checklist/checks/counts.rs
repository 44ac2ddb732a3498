//! `count_range`: not too few and not too many.

use regex::Regex;

use super::super::facts::{Facts, Scope};
use super::super::finding::Finding;
use super::super::format;
use super::super::raw::{RawCount, RawCriterion};

#[derive(Debug)]
pub(in super::super) struct CountRange {
    count: RawCount,
    /// What is counted must fit, if it is given.
    pattern: Option<Regex>,
    min: usize,
    max: Option<usize>,
}

impl CountRange {
    pub fn compile(raw: &RawCriterion) -> Result<Self, String> {
        let count = raw.count.ok_or("`count` is missing")?;
        let pattern = raw.pattern.as_deref().map(format::pattern).transpose()?;
        if count == RawCount::Matches && pattern.is_none() {
            return Err("`pattern` is missing".to_owned());
        }
        if raw.min.unwrap_or(0) == 0 && raw.max.is_none() {
            return Err("`min` and `max` are both missing".to_owned());
        }
        let min = raw.min.unwrap_or(0);
        if raw.max.is_some_and(|max| max < min) {
            return Err("`max` is below `min`".to_owned());
        }
        Ok(CountRange { count, pattern, min, max: raw.max })
    }

    pub fn run(&self, facts: &Facts<'_>, scope: &Scope<'_>) -> Finding {
        let (found, first, what) = self.find(facts, scope);
        let expected = match self.max {
            Some(max) if max == self.min => format!("exactly {max}"),
            Some(max) if self.min == 0 => format!("at most {max}"),
            Some(max) => format!("{} to {max}", self.min),
            None => format!("at least {}", self.min),
        };
        let fine = found >= self.min && self.max.is_none_or(|max| found <= max);
        let line = first.map(|at| facts.line(at)).or(scope.line(facts.document));
        Finding::when(fine, format!("Found {found} {what} in {}, expected {expected}", scope.name())).at(line)
    }

    /// How many there are, where the first one is, and what they are called.
    fn find(&self, facts: &Facts<'_>, scope: &Scope<'_>) -> (usize, Option<usize>, &'static str) {
        let document = facts.document;
        let fits = |text: &str| self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(text));
        let inside = |at: usize| scope.range.contains(&at);
        let places: Vec<usize> = match self.count {
            RawCount::Subsections => {
                let level = scope.heading.map_or(2, |heading| heading.level + 1);
                let headings = document.headings_in(&scope.range).iter();
                let direct = headings.filter(|heading| heading.level == level && fits(&heading.text));
                direct.map(|heading| heading.start).collect()
            }
            RawCount::ListItems => {
                let items = document.items.iter().filter(|item| item.depth == 0 && inside(item.start));
                items
                    .filter(|item| fits(&document.text[item.start..item.end]))
                    .map(|item| item.start)
                    .collect()
            }
            RawCount::TableRows => {
                let row = |at: usize| document.text[at..].lines().next().unwrap_or_default();
                document.table_rows.iter().copied().filter(|at| inside(*at) && fits(row(*at))).collect()
            }
            RawCount::Matches => {
                let matches = self.pattern.iter().flat_map(|pattern| pattern.find_iter(scope.text(document)));
                matches.map(|found| scope.range.start + found.start()).collect()
            }
        };
        let what = match self.count {
            RawCount::Subsections => "subsections",
            RawCount::ListItems => "list items",
            RawCount::TableRows => "table rows",
            RawCount::Matches => "matches",
        };
        (places.len(), places.first().copied(), what)
    }
}
