//! Which categories a text touches, and how strongly.

use super::catalogue::{Catalogue, Category};
use super::reading::distinct;
use super::vocabulary::{Mention, Vocabulary};
use super::words::{Words, overlap};

/// A category that the text touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub category: &'static str,
    pub count: usize,
    /// The first word or value that showed it.
    pub word: String,
    /// Whether one of its own words stands there, not only a value or a single question's word.
    pub general: bool,
    /// The questions whose own words stand there.
    pub focus: Vec<&'static str>,
}

/// A word of a category, of one of its questions, or a value.
#[derive(Clone, Copy)]
enum Sign {
    Word,
    Question(&'static str),
    Value,
}

/// The categories by number of hits; among equals, what the text names first.
pub fn hits(
    catalogue: &'static Catalogue,
    vocabulary: &'static Vocabulary,
    words: &Words,
    mentions: &[Mention],
) -> Vec<Hit> {
    let mut all: Vec<(usize, Hit)> = Vec::new();
    for category in &catalogue.categories {
        let mut signs = named(category, vocabulary, words, mentions);
        signs.extend(values(catalogue, category, mentions));
        signs.sort_by_key(|(at, _, _)| *at);
        let Some((at, _, word)) = signs.first().copied() else { continue };
        let focus = signs.iter().filter_map(|(_, sign, _)| match sign {
            Sign::Question(id) => Some(*id),
            _ => None,
        });
        let hit = Hit {
            category: &category.name,
            count: signs.len(),
            word: word.to_owned(),
            general: signs.iter().any(|(_, sign, _)| matches!(sign, Sign::Word)),
            focus: distinct(focus),
        };
        all.push((at, hit));
    }
    all.sort_by_key(|(at, hit)| (std::cmp::Reverse(hit.count), *at));
    all.into_iter().map(|(_, hit)| hit).collect()
}

/// The category's own words, where they are not part of a product's name.
fn named(
    category: &'static Category,
    vocabulary: &'static Vocabulary,
    words: &Words,
    mentions: &[Mention],
) -> Vec<(usize, Sign, &'static str)> {
    let own = category.words.iter().map(|word| (Sign::Word, word.as_str()));
    let of_questions = category
        .questions
        .iter()
        .flat_map(|entry| entry.words.iter().map(move |word| (Sign::Question(&entry.id), word.as_str())));
    let terms: Vec<(Sign, &'static str)> = own.chain(of_questions).collect();
    let ignored = vocabulary.signals.ignore.iter().map(String::as_str);
    let found = words.find(terms.iter().map(|(_, word)| *word).chain(ignored));
    let free = |span| mentions.iter().all(|mention| !overlap(&mention.span, span));
    let found = found.iter().filter(|found| free(&found.span));
    found
        .filter_map(|found| terms.get(found.term).map(|(sign, word)| (found.span.start, *sign, *word)))
        .collect()
}

/// The values of the category's questions; a follow-up's value alone does not speak of it.
fn values(
    catalogue: &'static Catalogue,
    category: &'static Category,
    mentions: &[Mention],
) -> Vec<(usize, Sign, &'static str)> {
    let of_category = |mention: &&Mention| {
        catalogue.entry(&mention.term.question).is_some_and(|(of, entry)| {
            of.is_some_and(|of| of.name == category.name) && entry.depends_on.is_none()
        })
    };
    let values = mentions.iter().filter(of_category);
    values.map(|mention| (mention.span.start, Sign::Value, mention.term.value.as_str())).collect()
}
