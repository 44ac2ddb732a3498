//! How a document reads once its parts have real numbers.
//!
//! Outside its definition a placeholder refers to it, wherever it stands. `XXX`, `YYY` and `ZZZ` are
//! the exception: people write them as wildcards, so they refer only among the definitions.

use std::collections::BTreeMap;
use std::ops::Range;

use super::parts::{Name, Part, Parts, goes_on};
use crate::error::{Error, Result};
use crate::id::ArtifactId;

const WILDCARDS: [&str; 3] = ["XXX", "YYY", "ZZZ"];

/// A change of the document: a range of its bytes, and what stands there afterwards.
pub type Edit = (Range<usize>, String);

impl<'d> Parts<'d> {
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
    pub(super) fn mentioned(&self) -> BTreeMap<&'d str, Vec<usize>> {
        let text = self.document.text;
        let mut mentioned: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, begins) in text.match_indices(&format!("{}-", self.prefix)) {
            let letters = &text[at + begins.len()..];
            let behind = letters.trim_start_matches(|c: char| c.is_ascii_uppercase());
            let whole = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-')
                && (3..=4).contains(&(letters.len() - behind.len()))
                && !goes_on(behind);
            if whole && !self.document.is_code(at) {
                mentioned.entry(&text[at..text.len() - behind.len()]).or_default().push(at);
            }
        }
        mentioned
    }

    pub(super) fn is_wildcard(&self, name: &str) -> bool {
        WILDCARDS.iter().any(|letters| name.ends_with(letters) && name.len() == self.prefix.len() + 4)
    }

    /// Whether a mention of a placeholder refers to one of its definitions, and is not one itself. A
    /// wildcard does so only among the definitions.
    fn is_reference(&self, name: &str, at: usize, parts: &[(&Part, &ArtifactId)]) -> bool {
        let among = || self.parts.iter().any(|part| part.extent.contains(&at));
        (!self.is_wildcard(name) || among()) && !parts.iter().any(|(part, _)| part.at.start == at)
    }
}

/// The text with its changes made, in order. Of two that overlap the first counts.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut written = String::with_capacity(text.len() + edits.len() * 8);
    let mut done = 0;
    for (range, new) in edits.iter().filter(|(range, _)| range.start <= range.end) {
        if range.start < done {
            continue;
        }
        written.push_str(&text[done..range.start]);
        written.push_str(new);
        done = range.end;
    }
    written.push_str(&text[done..]);
    written
}
