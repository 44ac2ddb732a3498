//! The parts a document is to be taken apart into: where they are defined, what they are called so
//! far, and how the document reads once they have real numbers.
//!
//! A placeholder (`HLS-AAA`) counts only where it is *defined*: by a heading, a list item or a table
//! row of the decomposition section that begins with it. `renaming.rs` gives them their numbers.

use std::ops::Range;

use super::document::{Document, Heading, Item};
use super::kinds::{Children, Decomposition};
use crate::error::{Error, Result};
use crate::id::ArtifactId;

/// What one approval may bring forth: as many as one reservation holds.
pub const MOST: usize = 100;

/// A part, in the order of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: Name,
    /// Where the name stands, or would stand.
    pub(super) at: Range<usize>,
    /// The whole of its definition: the item with its details, the section under the heading.
    pub(super) extent: Range<usize>,
}

/// What a part is called so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// `HLS-AAA`
    Placeholder(String),
    /// A number it was given before.
    Real(ArtifactId),
    /// Nothing: it is the n-th of those without a name.
    Item(usize),
}

/// The parts that a document defines.
#[derive(Debug)]
pub struct Parts<'d> {
    pub(super) document: &'d Document<'d>,
    pub(super) prefix: &'static str,
    pub parts: Vec<Part>,
    section: Range<usize>,
    /// What a careful reader would ask about: nothing of it was taken for a part.
    pub remarks: Vec<String>,
}

/// Subsections that speak about the parts and define none.
const ABOUT: [&str; 8] =
    ["strategy", "rationale", "notes", "dependencies", "order", "sequence", "approach", "summary"];

impl<'d> Parts<'d> {
    /// Finds the parts. A document without such a section has none.
    pub fn of(document: &'d Document<'d>, children: &Children) -> Result<Self> {
        let (parts, remarks) = (Vec::new(), Vec::new());
        let mut found = Parts { document, prefix: children.prefix, parts, section: 0..0, remarks };
        let Decomposition::Sections { names, unnumbered } = children.from else { return Ok(found) };
        let Some(section) = names.iter().find_map(|name| document.section(name)) else { return Ok(found) };
        if declines(document, children) {
            return Ok(found);
        }
        found.section = section.body.clone();
        found.parts = found.defined(section);
        if unnumbered {
            found.parts.extend(found.unnamed_items(section));
            found.parts.sort_by_key(|part| part.at.start);
            let items = found.parts.iter_mut().filter_map(|part| match &mut part.name {
                Name::Item(number) => Some(number),
                _ => None,
            });
            (1..).zip(items).for_each(|(n, number)| *number = n);
        }
        found.remark(section);
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

    /// Everything of the section that begins with an id. What headings define is only mentioned by
    /// the lists below them.
    fn defined(&self, section: &Heading) -> Vec<Part> {
        let mut parts: Vec<Part> = self.below(section).filter_map(|heading| self.heading(heading)).collect();
        let by_heading: Vec<Name> = parts.iter().map(|part| part.name.clone()).collect();
        let mut others: Vec<Part> = self.items().filter_map(|item| self.item(item)).collect();
        others.extend(self.rows());
        others.sort_by_key(|part| part.at.start);
        if !by_heading.is_empty() {
            let mut seen = by_heading;
            others.retain(|part| {
                let new = !seen.contains(&part.name);
                seen.push(part.name.clone());
                new
            });
        }
        parts.extend(others);
        parts.sort_by_key(|part| part.at.start);
        parts
    }

    fn below(&self, section: &Heading) -> impl Iterator<Item = &'d Heading> {
        let (body, level) = (section.body.clone(), section.level);
        self.document
            .headings
            .iter()
            .filter(move |heading| body.contains(&heading.start) && heading.level > level)
    }

    /// The items of the outermost lists; what lies within one belongs to it.
    fn items(&self) -> impl Iterator<Item = &'d Item> {
        let section = self.section.clone();
        self.document.items.iter().filter(move |item| section.contains(&item.start) && item.depth == 0)
    }

    fn heading(&self, heading: &Heading) -> Option<Part> {
        let line = self.line_at(heading.start);
        let text = line.trim_start_matches('#').trim_start();
        // `6.1 HLS-AAA: title` and `1. HLS-AAA` are numbered by hand.
        let plain = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let text = if plain.len() < text.len() { plain.trim_start_matches([')', ' ']) } else { text };
        let (name, from, length) = self.leading(text)?;
        let at = heading.start + line.len() - text.len() + from;
        Some(Part { name, at: at..at + length, extent: heading.start..heading.body.end })
    }

    /// An item that begins with an id and a colon, a dash or a parenthesis behind it. One that is set
    /// apart (bold, in brackets) or numbered needs nothing behind it.
    fn item(&self, item: &Item) -> Option<Part> {
        let line = self.line_at(item.start);
        let text = marked(line)?;
        let (name, from, length) = self.leading(text)?;
        let behind = &text[from + length..];
        let apart = from > 0 && behind.starts_with(['*', '_', ']', '`']);
        let rest = behind.trim_start_matches(['*', '_', ']', '`']).trim_start();
        let defines = item.ordered || apart || rest.is_empty() || rest.starts_with([':', '-', '–', '—', '(']);
        let at = item.start + line.len() - text.len() + from;
        defines.then(|| Part { name, at: at..at + length, extent: item.start..item.end })
    }

    /// The id stands in the first column, or in the second behind a running number.
    fn rows(&self) -> Vec<Part> {
        let rows = self.document.table_rows.iter().filter(|start| self.section.contains(start));
        rows.filter_map(|start| {
            let line = self.line_at(*start);
            let mut at = line.len() - line.trim_start().trim_start_matches('|').len();
            for cell in line[at..].split('|').take(2) {
                if let Some((name, from, length)) = self.leading(cell.trim_start()) {
                    let begins = start + at + cell.len() - cell.trim_start().len() + from;
                    return Some(Part {
                        name,
                        at: begins..begins + length,
                        extent: *start..start + line.len(),
                    });
                }
                at += cell.len() + 1;
            }
            None
        })
        .collect()
    }

    /// Numbered items without an id, as real documents write their stories: `1. **Title** (~5 SP)`;
    /// also `### Story 1: Title` and `- **Story 1:** Title`. An id in parentheses names them, too.
    fn unnamed_items(&self, section: &Heading) -> Vec<Part> {
        let known: Vec<Range<usize>> = self.parts.iter().map(|part| part.extent.clone()).collect();
        let is_known = |at: usize| known.iter().any(|extent| extent.contains(&at));
        let numbered = self.below(section).filter(|heading| heading.level == section.level + 1);
        let by_heading: Vec<Part> = numbered
            .filter(|heading| !is_known(heading.start) && is_numbered_story(&heading.text))
            .map(|heading| {
                let line = self.line_at(heading.start);
                let at = heading.start + line.len() - line.trim_start_matches('#').trim_start().len();
                Part { name: Name::Item(0), at: at..at, extent: heading.start..heading.body.end }
            })
            .collect();
        if !by_heading.is_empty()
            || self.parts.iter().any(|part| self.document.text[part.extent.clone()].starts_with('#'))
        {
            return by_heading;
        }
        let first = self.below(section).next().map_or(section.body.end, |heading| heading.start);
        let about = |at: usize| {
            let within = self.below(section).filter(|heading| heading.body.contains(&at));
            within.into_iter().any(|heading| ABOUT.iter().any(|word| heading.name.contains(word)))
        };
        let stories = |item: &&Item| {
            let text = marked(self.line_at(item.start)).unwrap_or_default();
            !is_known(item.start) && (item.ordered || is_numbered_story(text.trim_start_matches('*')))
        };
        // What stands before the first subsection is the list; else the subsections hold it.
        let before: Vec<&Item> = self.items().filter(|item| item.start < first).filter(stories).collect();
        let items = if before.is_empty() && !known.iter().any(|extent| extent.start < first) {
            self.items().filter(|item| !about(item.start)).filter(stories).collect()
        } else {
            before
        };
        items.into_iter().map(|item| self.unnamed_item(item)).collect()
    }

    fn unnamed_item(&self, item: &Item) -> Part {
        let line = self.line_at(item.start);
        let text = marked(line).unwrap_or(line);
        let begins = item.start + line.len() - text.len();
        let extent = item.start..item.end;
        for (open, _) in text.match_indices('(') {
            if let Some((name, length)) = self.name_at(&text[open + 1..])
                && text[open + 1 + length..].starts_with(')')
            {
                let at = begins + open + 1;
                return Part { name, at: at..at + length, extent };
            }
        }
        let at = begins + text.len() - text.trim_start_matches('*').len().min(text.len());
        Part { name: Name::Item(0), at: at..at, extent }
    }

    fn line_at(&self, start: usize) -> &'d str {
        self.document.text[start..].lines().next().unwrap_or_default()
    }

    /// The id a text begins with, however it is set: its name, where it begins, its length.
    fn leading(&self, text: &str) -> Option<(Name, usize, usize)> {
        let unchecked = ["[ ] ", "[x] ", "[X] "].iter().find_map(|checkbox| text.strip_prefix(checkbox));
        let plain = unchecked.unwrap_or(text).trim_start_matches([' ', '*', '_', '[', '`']);
        let (name, length) = self.name_at(plain)?;
        Some((name, text.len() - plain.len(), length))
    }

    /// The id at the beginning of a text, and its length.
    fn name_at(&self, text: &str) -> Option<(Name, usize)> {
        let behind = text.strip_prefix(self.prefix)?.strip_prefix('-')?;
        let letters = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_uppercase()).len();
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length = self.prefix.len() + 1 + letters.max(digits);
        if goes_on(&text[length..]) {
            return None;
        }
        if (3..=4).contains(&letters) {
            return Some((Name::Placeholder(text[..length].to_owned()), length));
        }
        ArtifactId::parse(&text[..length]).map(|id| (Name::Real(id), length))
    }

    /// Tells of placeholders that nothing defines, and of a section in which no part was found.
    fn remark(&mut self, section: &Heading) {
        let defined: Vec<&str> = self.parts.iter().filter_map(|part| part.placeholder()).collect();
        let undefined: Vec<String> = self
            .mentioned()
            .into_iter()
            .filter(|(name, _)| !defined.contains(name) && !self.is_wildcard(name))
            .filter_map(|(name, places)| {
                let at = places.into_iter().find(|at| self.section.contains(at))?;
                Some(format!(
                    "{name} (line {}) is defined nowhere and stays as it is",
                    self.document.line(at)
                ))
            })
            .collect();
        if self.parts.is_empty() && undefined.is_empty() && !self.document.body(section).trim().is_empty() {
            self.remarks.push(format!("no part was found in `{}`", section.text));
        }
        self.remarks.extend(undefined);
    }
}

impl Part {
    fn placeholder(&self) -> Option<&str> {
        match &self.name {
            Name::Placeholder(name) => Some(name),
            Name::Real(_) | Name::Item(_) => None,
        }
    }
}

/// Whether a word does not end here: `HLS-AAAA`, `HLS-AAA-1`.
pub(super) fn goes_on(behind: &str) -> bool {
    let rest = behind.strip_prefix('-').unwrap_or(behind);
    rest.starts_with(char::is_alphanumeric)
}

/// Whether a story says itself that it makes no tasks, whatever it lists as an example.
fn declines(document: &Document<'_>, children: &Children) -> bool {
    let evaluation =
        document.section("implementation tasks evaluation").filter(|_| children.prefix == "TASK");
    evaluation.is_some_and(|section| {
        document.body(section).lines().map(str::to_lowercase).any(|line| {
            line.contains("decision")
                && (line.contains("no tasks needed") || line.contains("tasks not needed"))
        })
    })
}

/// `Story 1: Title`, `2. Title`: numbered by hand.
fn is_numbered_story(text: &str) -> bool {
    let text = text.to_lowercase();
    let rest = ["backlog ", "user "]
        .iter()
        .fold(text.as_str(), |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let rest = rest.strip_prefix("story ").unwrap_or(rest);
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < rest.len() && behind.trim_start().starts_with([':', '.', ')', '-', '–', '—'])
}

/// The text of a list item, without its bullet or number.
fn marked(line: &str) -> Option<&str> {
    let text = line.trim_start();
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet)) {
        return Some(rest.trim_start());
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = rest.strip_prefix(['.', ')']).filter(|_| rest.len() < text.len())?;
    Some(behind.trim_start())
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
