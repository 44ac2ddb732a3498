//! Sentences that name a marker only to say that nothing waits for it.

/// Words that deny what follows them.
const DENIALS: [&str; 5] = ["no", "none", "nothing", "without", "zero"];

/// What may stand between a denial and what it denies.
const BETWEEN: [&str; 27] = [
    "a",
    "additional",
    "any",
    "are",
    "blocking",
    "current",
    "currently",
    "further",
    "is",
    "left",
    "longer",
    "marked",
    "more",
    "new",
    "of",
    "open",
    "other",
    "outstanding",
    "pending",
    "remaining",
    "remains",
    "such",
    "the",
    "these",
    "those",
    "unanswered",
    "unresolved",
];

/// What is denied; anything else that is missing may well be a question.
const DENIED: [&str; 8] =
    ["question", "questions", "marker", "markers", "uncertainty", "uncertainties", "blocker", "blockers"];

/// With one of these a denial leaves something open.
const EXCEPTIONS: [&str; 8] = ["except", "excepting", "but", "besides", "apart", "aside", "than", "unless"];

/// What has been done with all of them.
const DONE: [&str; 6] = ["resolved", "answered", "closed", "addressed", "settled", "decided"];

/// With one of these it is still to be done.
const NOT_YET: [&str; 12] =
    ["must", "should", "shall", "need", "needs", "will", "until", "before", "once", "when", "not", "be"];

/// A text as its sentences; what stands in brackets is not taken apart.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut in_brackets = false;
    let mut after_end = false;
    text.split_inclusive(move |c: char| {
        let ends = after_end && c.is_whitespace();
        match c {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ => {}
        }
        after_end = !in_brackets && matches!(c, '.' | ';' | '!' | '?');
        ends
    })
}

/// Whether a text ends where a sentence does.
pub(super) fn is_finished(text: &str) -> bool {
    text.trim_end_matches(['*', '_', ' ']).ends_with(['.', ';', '!', '?', ':'])
}

/// The part of a sentence that it does not deny: all of it, or what stands before the denial.
pub(super) fn undenied(sentence: &str) -> &str {
    if sentence.trim_end().ends_with('?') {
        return sentence;
    }
    let mut first = None;
    let mut denies: Option<usize> = None;
    for (at, word) in words(sentence) {
        let begins = *first.get_or_insert(at) == at;
        if begins && (word == "none" || (word == "all" && is_all_done(sentence))) {
            return if is_excepted(sentence) { sentence } else { &sentence[..at] };
        }
        if DENIALS.contains(&word.as_str()) {
            denies = Some(at);
        } else if let Some(from) = denies {
            if DENIED.contains(&word.as_str()) || sentence[at..].starts_with('[') {
                return if is_excepted(sentence) { sentence } else { &sentence[..from] };
            }
            if !BETWEEN.contains(&word.as_str()) {
                denies = None;
            }
        }
    }
    sentence
}

/// `All questions marked [REQUIRES ADR] have been resolved`.
fn is_all_done(sentence: &str) -> bool {
    let says = |list: &[&str]| words(sentence).any(|(_, word)| list.contains(&word.as_str()));
    says(&DONE) && !says(&NOT_YET)
}

fn is_excepted(sentence: &str) -> bool {
    words(sentence).any(|(_, word)| EXCEPTIONS.contains(&word.as_str()))
}

/// The words in small letters, each with its place. A bracket keeps its place, too.
fn words(sentence: &str) -> impl Iterator<Item = (usize, String)> {
    let mut at = 0;
    sentence.split_inclusive([' ', '\t', '/']).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let word = piece.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[');
        let place = start + piece.len() - word.len();
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        (!word.is_empty()).then_some((place, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_denied_is_taken_away() {
        for (sentence, kept) in [
            ("There are no open questions marked [A] or [B].", "There are "),
            ("no [A] markers remain.", ""),
            ("None of these is [A].", ""),
            ("**No** blocking questions ([A], [B])", "**"),
            ("All [A] questions have been resolved.", ""),
            ("All [A] questions must be resolved.", "All [A] questions must be resolved."),
            ("No ADR exists for the cache yet [A]", "No ADR exists for the cache yet [A]"),
            ("There is no cache [A]", "There is no cache [A]"),
            ("No open questions except the cache [A]", "No open questions except the cache [A]"),
            ("Are there no questions [A]?", "Are there no questions [A]?"),
            ("The cache [A], and no other questions", "The cache [A], and "),
        ] {
            assert_eq!(undenied(sentence), kept, "{sentence}");
        }
        let found: Vec<_> = sentences("One 1.5 two. [a. b] three; four").collect();
        assert_eq!(found, ["One 1.5 two. ", "[a. b] three; ", "four"]);
    }
}
