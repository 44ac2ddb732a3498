//! The vocabulary: known values with their spellings, and the words that signal what a request is.

use std::ops::Range;
use std::sync::OnceLock;

use serde::Deserialize;

use super::words::Words;
use crate::error::{Error, Result};

const VOCABULARY: &str = include_str!("../../../../assets/preflight/vocabulary.json");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vocabulary {
    pub terms: Vec<Term>,
    /// Words before a value that say it is not what is wanted: `from MySQL`, `without Redis`.
    pub left_behind: Vec<String>,
    /// Those of them that give up what was in use: `remove Clerk`.
    pub given_up: Vec<String>,
    /// What may follow a value that is given up as a whole; `remove Clerk logos` is about logos.
    pub after_given_up: Vec<String>,
    /// Where one of these stands, `MySQL to PostgreSQL` leaves the first behind.
    pub moves: Vec<String>,
    /// Between values that share what stands before the first: `without Redis or Memcached`.
    pub joins: Vec<String>,
    pub articles: Vec<String>,
    pub signals: Signals,
}

/// A known value of a question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    pub question: String,
    pub value: String,
    pub spellings: Vec<String>,
    /// For spellings that are also everyday words: one of these must hold.
    #[serde(default)]
    pub needs: Vec<Surroundings>,
    /// Neighbours that show the everyday word is meant.
    pub unless: Option<Surroundings>,
    /// A technique rather than something one would have to add.
    #[serde(default)]
    pub plain: bool,
    /// Values of the same question that this one contains: Next.js is React, too.
    #[serde(default)]
    pub includes: Vec<String>,
    /// How manifests name it: `npm:react`, `image:redis`, `file:go.mod`.
    #[serde(default)]
    pub packages: Vec<String>,
}

/// What stands around a spelling; every part that is given must hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surroundings {
    #[serde(default)]
    pub capital: bool,
    #[serde(default)]
    pub before: Vec<String>,
    #[serde(default)]
    pub after: Vec<String>,
}

/// Words that decide between a task and a decision record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signals {
    /// Phrases in which a signal or category word means something else.
    pub ignore: Vec<String>,
    pub wish: Vec<String>,
    pub no_adr: Vec<String>,
    pub non_triggers: Vec<Signal>,
    pub triggers: Vec<String>,
    pub scope: Vec<Signal>,
    pub manifests: Vec<String>,
    /// What says that something decided is to be decided anew.
    pub change: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    pub name: String,
    pub any: Vec<String>,
    /// If given, one of these has to stand in the text as well.
    #[serde(default)]
    pub with: Vec<String>,
}

/// A known value in a text.
#[derive(Clone, Debug)]
pub struct Mention {
    pub term: &'static Term,
    pub span: Range<usize>,
    /// False for what the text leaves behind: `from MySQL`.
    pub wanted: bool,
    /// Whether it was in use and is to go.
    pub given_up: bool,
}

impl Vocabulary {
    /// The compiled-in vocabulary, read once.
    pub fn get() -> Result<&'static Self> {
        static VOCABULARY_READ: OnceLock<Vocabulary> = OnceLock::new();
        if let Some(vocabulary) = VOCABULARY_READ.get() {
            return Ok(vocabulary);
        }
        let vocabulary: Vocabulary = serde_json::from_str(VOCABULARY)
            .map_err(|error| Error::internal("the built-in vocabulary is broken").because(error))?;
        Ok(VOCABULARY_READ.get_or_init(|| vocabulary))
    }

    /// Every known value that the text names, in its order.
    pub fn mentions(&'static self, words: &Words) -> Vec<Mention> {
        let spellings: Vec<(&'static Term, &'static str)> = self
            .terms
            .iter()
            .flat_map(|term| term.spellings.iter().map(move |s| (term, s.as_str())))
            .collect();
        // What its surroundings rule out must not take the place of a shorter term.
        let fits = |term: usize, span: &Range<usize>| spellings[term].0.fits(words, span);
        let found = words.find_where(spellings.iter().map(|(_, spelling)| *spelling), fits);
        let mut mentions: Vec<Mention> = Vec::new();
        for found in found {
            let at = found.span.start;
            self.leave(words, mentions.last_mut(), spellings[found.term].0, at);
            let before = mentions.last().filter(|before| self.joined(words, before.span.end, at));
            let shared = before.filter(|before| !before.wanted).map(|before| before.given_up);
            let goes = self.follows(&self.given_up, words, at) || shared == Some(true);
            let whole = words.after(found.span.end).is_none_or(|next| self.after_given_up.contains(&next));
            mentions.push(Mention {
                term: spellings[found.term].0,
                wanted: shared.is_none() && !self.follows(&self.left_behind, words, at),
                given_up: goes && whole,
                span: found.span,
            });
        }
        mentions
    }

    /// The value of a question that somebody spells differently.
    pub fn value(&self, question: &str, spelling: &str) -> Option<&str> {
        let spelling = spelling.trim().to_lowercase();
        let mut terms = self.terms.iter().filter(|term| term.question == question);
        let known = |term: &&Term| {
            term.value.to_lowercase() == spelling
                || term.spellings.iter().any(|known| known.to_lowercase() == spelling)
        };
        terms.find(known).map(|term| term.value.as_str())
    }

    /// Whether nothing but a joining word stands between two values.
    fn joined(&self, words: &Words, end: usize, at: usize) -> bool {
        between(words, end, at).is_some_and(|word| self.joins.contains(&word))
    }

    /// Marks the value from which a move to another one of the same question sets out.
    fn leave(&self, words: &Words, before: Option<&mut Mention>, next: &Term, at: usize) {
        let Some(before) = before.filter(|before| before.term.question == next.question) else { return };
        let moves = between(words, before.span.end, at).is_some_and(|word| word == "to");
        if moves && before.term.value != next.value && words.first_of(&self.moves).is_some() {
            (before.wanted, before.given_up) = (false, true);
        }
    }

    /// Whether one of the words or pairs stands before a value.
    fn follows(&self, list: &[String], words: &Words, at: usize) -> bool {
        let Some((mut word, mut start)) = words.before(at) else { return false };
        while self.articles.contains(&word) {
            let Some(next) = words.before(start) else { return false };
            (word, start) = next;
        }
        let pair = words.before(start).map(|(first, _)| format!("{first} {word}"));
        list.contains(&word) || pair.is_some_and(|pair| list.contains(&pair))
    }
}

/// The one word between two places, if there is just one.
fn between(words: &Words, end: usize, at: usize) -> Option<String> {
    let (word, start) = words.before(at)?;
    let blanks = start.checked_sub(end).filter(|blanks| (1..=2).contains(blanks));
    blanks.and(words.after(end)).filter(|next| *next == word)
}

impl Term {
    fn fits(&self, words: &Words, span: &Range<usize>) -> bool {
        let ruled_out = self.unless.as_ref().is_some_and(|unless| unless.touches(words, span));
        !ruled_out && (self.needs.is_empty() || self.needs.iter().any(|need| need.holds(words, span)))
    }
}

impl Surroundings {
    fn holds(&self, words: &Words, span: &Range<usize>) -> bool {
        (!self.capital || words.is_capital(span))
            && (self.before.is_empty() || self.is_before(words, span))
            && (self.after.is_empty() || self.is_after(words, span))
    }

    fn touches(&self, words: &Words, span: &Range<usize>) -> bool {
        self.is_before(words, span) || self.is_after(words, span)
    }

    fn is_before(&self, words: &Words, span: &Range<usize>) -> bool {
        words.before(span.start).is_some_and(|(word, _)| self.before.contains(&word))
    }

    fn is_after(&self, words: &Words, span: &Range<usize>) -> bool {
        words.after(span.end).is_some_and(|word| self.after.contains(&word))
    }
}

impl Signals {
    /// The first of the terms that stands in the text and means what it says.
    pub fn first<'t>(&self, words: &Words, terms: &'t [String]) -> Option<&'t str> {
        let found = words.find(terms.iter().chain(&self.ignore).map(String::as_str));
        found.iter().find_map(|found| terms.get(found.term)).map(String::as_str)
    }

    /// The first word that asks for a record; `ADR 7` and `ADR-007` only point to one that exists.
    pub fn wished<'t>(&'t self, words: &Words) -> Option<&'t str> {
        let found = words.find(self.wish.iter().chain(&self.ignore).map(String::as_str));
        let points =
            |at: usize| words.after(at).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
        let meant = found.iter().filter(|found| !points(found.span.end));
        meant.filter_map(|found| self.wish.get(found.term)).map(String::as_str).next()
    }

    /// The first signal of the list, with the word that gave it.
    pub fn signal<'t>(&self, words: &Words, list: &'t [Signal]) -> Option<(&'t Signal, &'t str)> {
        list.iter().find_map(|signal| {
            let word = self.first(words, &signal.any)?;
            let complete = signal.with.is_empty() || words.first_of(&signal.with).is_some();
            complete.then_some((signal, word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::Catalogue;
    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        let mentions = Vocabulary::get().unwrap().mentions(&Words::of(text));
        mentions
            .into_iter()
            .filter(|mention| mention.wanted)
            .map(|mention| mention.term.value.as_str())
            .collect()
    }

    #[test]
    fn the_vocabulary_fits_the_catalogue() {
        let (vocabulary, catalogue) = (Vocabulary::get().unwrap(), Catalogue::get().unwrap());
        let mut values: Vec<(&str, &str)> =
            vocabulary.terms.iter().map(|term| (term.question.as_str(), term.value.as_str())).collect();
        values.sort_unstable();
        values.dedup();
        assert!(values.len() >= 130, "{} values", values.len());
        for term in &vocabulary.terms {
            let (_, entry) = catalogue.entry(&term.question).unwrap();
            assert!(entry.is_choice(), "{}", term.question);
            assert!(!term.spellings.is_empty() && term.spellings.iter().all(|spelling| !spelling.is_empty()));
            let option = entry.options.iter().find(|option| option.value().eq_ignore_ascii_case(&term.value));
            assert!(
                option.is_none_or(|option| option.value() == term.value),
                "{}: two spellings",
                term.value
            );
        }
    }

    #[test]
    fn everyday_words_are_not_products() {
        let cases: [(&str, &[&str]); 30] = [
            ("Style the rest of the page", &[]),
            ("Expose a REST interface", &["REST"]),
            ("add rest endpoints", &["REST"]),
            ("Show the Next button on the next page", &[]),
            ("Port it to next.js", &["Next.js"]),
            ("Go to the settings and go back", &[]),
            ("Prepare the go-live", &[]),
            ("Rewrite the worker in Go", &["Go"]),
            ("Write a go service", &["Go"]),
            ("Express the total in euros; offer express shipping", &[]),
            ("Add an express middleware", &["Express"]),
            ("Paint it Neon green", &[]),
            ("Keep users in Neon", &["Neon"]),
            ("Remix the playlist, run a Remix contest", &[]),
            ("Rewrite the shop in Remix", &["Remix"]),
            ("Give it a solid background and SOLID principles", &[]),
            ("Prepare the spring sale", &[]),
            ("Use Spring Boot", &["Spring Boot"]),
            ("Draw a flask icon", &[]),
            ("Serve it with Flask", &["Flask"]),
            ("Add a Franz Kafka quote", &[]),
            ("Publish to kafka", &["Kafka"]),
            ("Render the page", &[]),
            ("Deploy to Render", &["Render"]),
            ("React to clicks quickly", &[]),
            ("Ask for the passport number", &[]),
            ("Integrate with Google Maps", &["Google"]),
            ("Sell celery salad", &[]),
            ("Guard rails for prompts", &[]),
            ("The court clerk signs", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_left_behind_is_not_wanted() {
        assert_eq!(found("Migrate from MySQL to PostgreSQL"), ["PostgreSQL"]);
        assert_eq!(found("Replace our Sequelize with Prisma"), ["Prisma"]);
        assert_eq!(found("Cache without Redis, instead of the Memcached"), [""; 0]);
        assert_eq!(found("OAuth2 login via NextAuth.js and Auth0"), ["OAuth", "NextAuth.js", "Auth0"]);
    }
}
