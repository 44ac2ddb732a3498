//! The parts a document is to be taken apart into: where they are defined, what they are called so
//! far, and how the document reads once they have real numbers.
//!
//! A placeholder (`HLS-AAA`) counts only where it is *defined*: by a heading, a list item or a table
//! row of the decomposition section that begins with it. Elsewhere it refers to that definition.
//! `XXX`, `YYY` and `ZZZ` are the exception: outside the section people write them as wildcards.

use std::collections::BTreeMap;
use std::ops::Range;

use super::document::{Document, Heading};
use super::kinds::{Children, Decomposition};
use crate::error::{Error, Result};
use crate::id::ArtifactId;

/// What one approval may bring forth: as many as one reservation holds.
pub const MOST: usize = 100;
const WILDCARDS: [&str; 3] = ["XXX", "YYY", "ZZZ"];

/// A part, in the order of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: Name,
    /// Where the name stands, or would stand.
    at: Range<usize>,
}

/// What a part is called so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// `HLS-AAA`
    Placeholder(String),
    /// A number it was given before.
    Real(ArtifactId),
    /// Nothing: it is the n-th item of a numbered list.
    Item(usize),
}

/// The parts that a document defines.
#[derive(Debug)]
pub struct Parts<'d> {
    document: &'d Document<'d>,
    prefix: &'static str,
    pub parts: Vec<Part>,
    section: Range<usize>,
}

/// A change of the document: a range of its bytes, and what stands there afterwards.
pub type Edit = (Range<usize>, String);

impl<'d> Parts<'d> {
    /// Finds the parts. A document without such a section has none.
    pub fn of(document: &'d Document<'d>, children: &Children) -> Result<Self> {
        let mut found = Parts { document, prefix: children.prefix, parts: Vec::new(), section: 0..0 };
        let Decomposition::Sections { names, unnumbered } = children.from else { return Ok(found) };
        let Some(section) = names.iter().find_map(|name| document.section(name)) else { return Ok(found) };
        found.section = section.body.clone();
        found.parts = found.in_headings(section);
        if found.parts.is_empty() {
            found.parts = found.in_lines(unnumbered);
        }
        if found.parts.len() > MOST {
            return Err(Error::conflict(format!(
                "`{}` defines {} parts, and one approval makes at most {MOST}",
                section.text,
                found.parts.len()
            ))
            .reason("too_many_parts")
            .hint("split the document"));
        }
        Ok(found)
    }

    /// How many need a number.
    pub fn unnamed(&self) -> usize {
        self.parts.iter().filter(|part| !matches!(part.name, Name::Real(_))).count()
    }

    fn in_headings(&self, section: &Heading) -> Vec<Part> {
        let below =
            |heading: &&Heading| section.body.contains(&heading.start) && heading.level > section.level;
        let lines = self.document.headings.iter().filter(below).map(|heading| {
            let line = &self.document.text[heading.start..heading.body.start];
            (heading.start, line.lines().next().unwrap_or_default())
        });
        lines.filter_map(|(start, line)| self.definition(start, line.trim_start_matches('#'), line)).collect()
    }

    /// List items and table rows. Items that are indented belong to the one above them.
    fn in_lines(&self, unnumbered: bool) -> Vec<Part> {
        let (mut parts, mut items) = (Vec::new(), Vec::new());
        let mut at = self.section.start;
        for line in self.document.text[self.section.clone()].split_inclusive('\n') {
            let (start, line) = (at, line.trim_end());
            at += self.document.text[at..].find('\n').map_or(0, |end| end + 1);
            let indent = line.len() - line.trim_start().len();
            if indent > 3 || line.trim().is_empty() || self.document.is_code(start + indent) {
                continue;
            }
            if let Some(cells) = line.trim_start().strip_prefix('|') {
                // The id stands in the first column, or in the second behind a running number.
                let cells = cells.split('|').scan(line.len() - cells.len(), |from, cell| {
                    let begins = *from;
                    *from += cell.len() + 1;
                    Some((begins, cell))
                });
                let defined = cells.take(2).find_map(|(from, cell)| self.cell(start + from, cell));
                parts.extend(defined);
            } else if let Some((rest, ordered)) = item(line) {
                match self.definition(start, rest, line) {
                    Some(part) => parts.push(part),
                    None if ordered && unnumbered => {
                        let from = start + line.len() - rest.len();
                        let bold = rest.starts_with("**");
                        items.push((bold, from + if bold { 2 } else { 0 }));
                    }
                    None => {}
                }
            }
        }
        // Titles are bold; a numbered remark beside them is not one.
        let titled = items.iter().any(|(bold, _)| *bold);
        let named = items.into_iter().filter(|(bold, _)| *bold || !titled).enumerate();
        parts.extend(named.map(|(index, (_, from))| Part { name: Name::Item(index + 1), at: from..from }));
        parts.sort_by_key(|part| part.at.start);
        parts
    }

    /// A line that begins with an id and a colon or a dash behind it.
    fn definition(&self, start: usize, rest: &str, line: &str) -> Option<Part> {
        let rest = rest.trim_start();
        let unchecked = ["[ ] ", "[x] ", "[X] "].iter().find_map(|checkbox| rest.strip_prefix(checkbox));
        let text = unchecked.unwrap_or(rest).trim_start_matches([' ', '*', '_', '[']);
        let (name, length) = self.name_at(text)?;
        let behind = text[length..].trim_start_matches(['*', '_', ']']).trim_start();
        let defines = behind.is_empty() || behind.starts_with([':', '-', '–', '—']);
        let from = start + line.len() - text.len();
        defines.then(|| Part { name, at: from..from + length })
    }

    fn cell(&self, start: usize, cell: &str) -> Option<Part> {
        let text = cell.trim_start_matches([' ', '*', '_']);
        let (name, length) = self.name_at(text)?;
        let from = start + cell.len() - text.len();
        let ends = !text[length..].starts_with(char::is_alphanumeric);
        ends.then(|| Part { name, at: from..from + length })
    }

    /// The id at the beginning of a text, and its length.
    fn name_at(&self, text: &str) -> Option<(Name, usize)> {
        let behind = text.strip_prefix(self.prefix)?.strip_prefix('-')?;
        let letters = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_uppercase()).len();
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length = self.prefix.len() + 1 + letters.max(digits);
        if text[length..].starts_with(char::is_alphanumeric) {
            return None;
        }
        if (3..=4).contains(&letters) {
            return Some((Name::Placeholder(text[..length].to_owned()), length));
        }
        ArtifactId::parse(&text[..length]).map(|id| (Name::Real(id), length))
    }

    /// The ids of all parts, given numbers for those without one, in order of appearance; and what
    /// becomes of each placeholder. Where one stands for several parts, their order tells.
    pub fn named(&self, first: i64) -> (Vec<ArtifactId>, Vec<(String, ArtifactId)>) {
        let mut next = first;
        let (mut ids, mut mapping) = (Vec::new(), Vec::new());
        for part in &self.parts {
            let id = match &part.name {
                Name::Real(id) => id.clone(),
                Name::Placeholder(_) | Name::Item(_) => {
                    next += 1;
                    ArtifactId::new(self.prefix, next - 1)
                }
            };
            match &part.name {
                Name::Placeholder(name) => mapping.push((name.clone(), id.clone())),
                Name::Item(number) => mapping.push((format!("item {number}"), id.clone())),
                Name::Real(_) => {}
            }
            ids.push(id);
        }
        (ids, mapping)
    }

    /// The changes that give the document its real ids. Code stays as it is.
    pub fn edits(&self, ids: &[ArtifactId]) -> Result<Vec<Edit>> {
        let mut edits: Vec<Edit> = Vec::new();
        let mut defined: BTreeMap<&str, Vec<(&Part, &ArtifactId)>> = BTreeMap::new();
        for (part, id) in self.parts.iter().zip(ids) {
            match &part.name {
                Name::Placeholder(name) => defined.entry(name).or_default().push((part, id)),
                Name::Item(_) => edits.push((part.at.clone(), format!("{id}: "))),
                Name::Real(_) => {}
            }
        }
        let mentioned = if defined.is_empty() { BTreeMap::new() } else { self.mentioned() };
        for (name, parts) in defined {
            for (part, id) in &parts {
                edits.push((part.at.clone(), id.to_string()));
            }
            let places = mentioned.get(name).map_or(&[][..], Vec::as_slice);
            for at in places.iter().copied().filter(|at| self.is_reference(name, *at, &parts)) {
                let [(_, id)] = parts.as_slice() else {
                    return Err(Error::conflict(format!(
                        "{name} is defined {} times, and line {} does not say which one it means",
                        parts.len(),
                        self.document.line(at)
                    ))
                    .reason("ambiguous_placeholder")
                    .hint("give each part a placeholder of its own"));
                };
                edits.push((at..at + name.len(), id.to_string()));
            }
        }
        edits.sort_by_key(|(range, _)| range.start);
        Ok(edits)
    }

    /// Where each placeholder stands, as a whole word and not in code.
    fn mentioned(&self) -> BTreeMap<&'d str, Vec<usize>> {
        let text = self.document.text;
        let mut mentioned: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, begins) in text.match_indices(&format!("{}-", self.prefix)) {
            let letters = &text[at + begins.len()..];
            let behind = letters.trim_start_matches(|c: char| c.is_ascii_uppercase());
            let whole = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-')
                && !behind.starts_with(char::is_alphanumeric);
            if whole && !self.document.is_code(at) {
                mentioned.entry(&text[at..text.len() - behind.len()]).or_default().push(at);
            }
        }
        mentioned
    }

    /// Whether a mention of a placeholder refers to one of its definitions, and is not one itself.
    fn is_reference(&self, name: &str, at: usize, parts: &[(&Part, &ArtifactId)]) -> bool {
        let wildcard =
            WILDCARDS.iter().any(|letters| name.ends_with(letters) && name.len() == self.prefix.len() + 4);
        (!wildcard || self.section.contains(&at)) && !parts.iter().any(|(part, _)| part.at.start == at)
    }
}

/// The text of a list item, and whether its list is numbered.
fn item(line: &str) -> Option<(&str, bool)> {
    let text = line.trim_start();
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet)) {
        return Some((rest.trim_start(), false));
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = rest.strip_prefix(['.', ')']).filter(|_| rest.len() < text.len())?;
    behind.starts_with([' ', '\t']).then(|| (behind.trim_start(), true))
}

/// The text with its changes made. They are in order and do not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut written = String::with_capacity(text.len() + edits.len() * 8);
    let mut done = 0;
    for (range, new) in edits {
        written.push_str(&text[done..range.start]);
        written.push_str(new);
        done = range.end;
    }
    written.push_str(&text[done..]);
    written
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
