//! Texts that are only there to be searched and measured.
//!
//! Words are drawn as in natural language, where the word at rank r is about r times as rare as the first.
//! Sixteen buckets of doubling size are equally likely, so that a word of bucket b is drawn with the
//! chance 1 / (16 · 2^b): the first word is every sixteenth one, and of the 32,768 words of the last bucket
//! each is in about one of 13,000 tickets. The first 100 or so are real words, the others are made of
//! syllables.
//!
//! [`MARKERS`] are in exactly as many descriptions as they say, and in nothing else.

use super::dice::Dice;
use super::words::WORDS;

const BUCKETS: usize = 16;

/// A word and the size of a group: the last ticket of each such group has it, counted from the first ticket
/// of `more`. So `quetzal` is in one of 10,000, the first of them being the 10,000th.
pub const MARKERS: [(&str, usize); 5] =
    [("marigold", 2), ("sextant", 10), ("obelisk", 100), ("zeppelin", 1_000), ("quetzal", 10_000)];

const SYLLABLES: [&str; 32] = [
    "ba", "co", "du", "fe", "gi", "ha", "jo", "ku", "le", "mi", "na", "po", "ru", "se", "ti", "va", "wo",
    "xu", "ye", "zi", "bra", "cle", "dro", "fli", "gru", "pla", "ste", "tro", "vri", "sno", "thu", "kre",
];

/// A sentence of so many words.
pub fn sentence(words: usize, dice: &mut Dice) -> String {
    let mut text = String::with_capacity(words * 8);
    for place in 0..words {
        if place > 0 {
            text.push(' ');
        }
        push_word(&mut text, rank(dice));
    }
    text
}

/// Twenty-five to forty-five words, and the markers whose turn it is.
pub fn description(index: usize, dice: &mut Dice) -> String {
    let mut text = sentence(25 + dice.below(21), dice);
    for (marker, every) in MARKERS {
        if (index + 1).is_multiple_of(every) {
            text.push(' ');
            text.push_str(marker);
        }
    }
    text
}

fn rank(dice: &mut Dice) -> usize {
    let bucket = dice.below(BUCKETS);
    (1 << bucket) + dice.below(1 << bucket) - 1
}

/// Four syllables of 32 each tell a million words apart, so that none is made twice.
fn push_word(text: &mut String, rank: usize) {
    match WORDS.frequent.get(rank) {
        Some(word) => text.push_str(word),
        None => (0..4).for_each(|place| text.push_str(SYLLABLES[(rank >> (5 * place)) % 32])),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn frequent_words_are_frequent_and_rare_ones_rare() {
        let mut dice = Dice::new("zipf", 0);
        let drawn: Vec<usize> = (0..64_000).map(|_| rank(&mut dice)).collect();
        let count = |wanted: usize| drawn.iter().filter(|rank| **rank == wanted).count();
        assert!((3_500..4_500).contains(&count(0)), "{}", count(0));
        assert!(count(40_000) < 5, "{}", count(40_000));
        assert!(drawn.iter().all(|rank| *rank < 1 << BUCKETS));
    }

    #[test]
    fn no_two_ranks_share_a_word_and_no_word_is_a_marker() {
        let words: HashSet<String> = (0..1 << BUCKETS)
            .map(|rank| {
                let mut text = String::new();
                push_word(&mut text, rank);
                text
            })
            .collect();
        assert_eq!(words.len(), 1 << BUCKETS);
        assert!(MARKERS.iter().all(|(marker, _)| !words.contains(*marker)));
    }

    #[test]
    fn markers_are_where_they_are_told_to_be() {
        let with = |marker: &str| {
            (0..2_000)
                .filter(|index| description(*index, &mut Dice::new("ticket", *index)).contains(marker))
                .count()
        };
        assert_eq!(MARKERS.map(|(marker, _)| with(marker)), [1000, 200, 20, 2, 0]);
    }
}
