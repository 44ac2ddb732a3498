//! `unique_ids`: what is defined here is defined once, and in order where that is asked.

use std::collections::BTreeSet;

use regex::Regex;

use super::super::super::document::Document;
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
        let places = places.map(|found| (found.as_str(), scope.range.start + found.start()));
        let said: Vec<(&str, usize)> = places.filter(|(_, at)| !facts.document.is_code(*at)).collect();
        let mut defined = definitions(facts.document, scope, &said);
        let Some(first) = defined.first().map(|definition| definition.at) else {
            return Finding::fail(format!("No IDs found in {}", scope.name())).at(scope.line(facts.document));
        };
        let mut sorted: Vec<&Definition<'_>> = defined.iter().collect();
        sorted.sort_unstable_by_key(|definition| definition.key());
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0].same_as(pair[1])) {
            let lines = (facts.line(twice[0].at), facts.line(twice[1].at));
            return Finding::fail(format!(
                "Duplicate ID: {} (lines {} and {})",
                twice[0].id, lines.0, lines.1
            ))
            .at(lines.1);
        }
        // What is told again elsewhere counts once, where it stands first.
        let mut seen = BTreeSet::new();
        defined.retain(|definition| seen.insert(definition.id));
        let gap = defined.windows(2).find(|pair| !follows(pair[0].id, pair[1].id));
        if let Some(gap) = gap.filter(|_| self.sequential) {
            let line = facts.line(gap[1].at);
            return Finding::fail(format!(
                "Not sequential: {} (line {line}) follows {}",
                gap[1].id, gap[0].id
            ))
            .at(line);
        }
        let order = if self.sequential { ", in order" } else { "" };
        Finding::pass(format!("Found {}{order}", counted(defined.len(), "unique ID"))).at(facts.line(first))
    }
}

/// How an id is defined: the same id in another form or in another subsection is a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Heading,
    Row,
    Line,
}

#[derive(Debug)]
struct Definition<'t> {
    id: &'t str,
    form: Form,
    /// Where the nearest heading above stands; headings themselves are compared everywhere.
    subsection: usize,
    at: usize,
}

impl<'t> Definition<'t> {
    fn key(&self) -> (&'t str, Form, usize, usize) {
        (self.id, self.form, self.subsection, self.at)
    }

    fn same_as(&self, other: &Self) -> bool {
        (self.id, self.form, self.subsection) == (other.id, other.form, other.subsection)
    }
}

/// The places that define something, in the order of the text; a table that traces or maps ids
/// defines none.
fn definitions<'t>(
    document: &Document<'_>,
    scope: &Scope<'_>,
    said: &[(&'t str, usize)],
) -> Vec<Definition<'t>> {
    let headings = document.headings_in(&scope.range);
    let mut said = said.iter().copied().peekable();
    let (mut found, mut end) = (Vec::new(), scope.range.start);
    // Whether the table that a line belongs to maps ids; its first line says so.
    let mut table: Option<bool> = None;
    for line in scope.text(document).split_inclusive('\n') {
        let start = end;
        end += line.len();
        table = line.trim_start().starts_with('|').then(|| table.unwrap_or_else(|| maps_ids(line)));
        while let Some((id, at)) = said.next_if(|(_, at)| *at < end) {
            let above = headings[..headings.partition_point(|heading| heading.start <= at)].last();
            let (form, subsection) = match above {
                Some(heading) if heading.start >= start => (Form::Heading, 0),
                above => {
                    let form = if table.is_some() { Form::Row } else { Form::Line };
                    (form, above.map_or(0, |heading| heading.start))
                }
            };
            if table != Some(true) {
                found.push(Definition { id, form, subsection, at });
            }
        }
    }
    found
}

/// Whether the head of a table says that its rows repeat what is defined elsewhere.
fn maps_ids(head: &str) -> bool {
    let head = head.to_lowercase();
    ["trace", "tracing", "cover", "mapping", "mapped", "maps to"].iter().any(|word| head.contains(word))
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
