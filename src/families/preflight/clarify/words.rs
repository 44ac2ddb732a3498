//! Whole words and phrases in a text: any case, any script, the longest term first.

use std::ops::Range;

/// Nothing beyond is read; an intention is a sentence, a context a page.
const LONGEST: usize = 20_000;

/// A text prepared for matching; positions count characters, so folding never shifts them.
#[derive(Clone, Debug)]
pub struct Words {
    chars: Vec<char>,
    folded: Vec<char>,
}

/// Where a term stands; `term` is its place in the list that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub term: usize,
    pub span: Range<usize>,
}

impl Words {
    pub fn of(text: &str) -> Self {
        let chars: Vec<char> = text.chars().take(LONGEST).collect();
        let folded = chars.iter().map(|c| fold(*c)).collect();
        Words { chars, folded }
    }

    /// Every term of the list, longest first and without overlaps, in the order of the text.
    ///
    /// A term's capitals are demanded of the text, its small letters match any case.
    pub fn find<'t>(&self, terms: impl IntoIterator<Item = &'t str>) -> Vec<Found> {
        self.find_where(terms, |_, _| true)
    }

    /// As [`Words::find`]; what `fits` refuses leaves its place to others.
    pub fn find_where<'t>(
        &self,
        terms: impl IntoIterator<Item = &'t str>,
        fits: impl Fn(usize, &Range<usize>) -> bool,
    ) -> Vec<Found> {
        let mut all = Vec::new();
        for (term, spelling) in terms.into_iter().enumerate() {
            let spelling: Vec<char> = spelling.chars().collect();
            let starts = (0..self.chars.len()).filter_map(|at| Some(at..self.matches(at, &spelling)?));
            all.extend(starts.filter(|span| fits(term, span)).map(|span| Found { term, span }));
        }
        longest_first(all, self.chars.len())
    }

    /// Whether the term stands anywhere in the text.
    pub fn has(&self, term: &str) -> bool {
        !self.find([term]).is_empty()
    }

    /// The first of the terms that stands in the text.
    pub fn first_of<'t>(&self, terms: &'t [String]) -> Option<&'t str> {
        let found = self.find(terms.iter().map(String::as_str));
        found.first().and_then(|found| terms.get(found.term)).map(String::as_str)
    }

    /// The folded word directly before a position, with nothing but blanks or a hyphen between.
    pub fn before(&self, at: usize) -> Option<(String, usize)> {
        let end = (0..at).rev().find(|at| !self.is_joint(*at))? + 1;
        let start = (0..end).rev().find(|at| !self.is_word(*at)).map_or(0, |at| at + 1);
        (start < end).then(|| (self.folded[start..end].iter().collect(), start))
    }

    /// The folded word directly after a position.
    pub fn after(&self, at: usize) -> Option<String> {
        let start = (at..self.chars.len()).find(|at| !self.is_joint(*at))?;
        let end = (start..self.chars.len()).find(|at| !self.is_word(*at)).unwrap_or(self.chars.len());
        (start < end).then(|| self.folded[start..end].iter().collect())
    }

    /// Whether a name is written as a name: all in capitals, or with one where no sentence begins.
    pub fn is_capital(&self, span: &Range<usize>) -> bool {
        let letters: Vec<char> =
            self.chars[span.clone()].iter().copied().filter(|c| c.is_alphabetic()).collect();
        let first = letters.first().is_some_and(|c| c.is_uppercase());
        let shouted = letters.len() > 1 && letters.iter().all(|c| c.is_uppercase());
        first && (shouted || !self.opens_sentence(span.start))
    }

    fn opens_sentence(&self, at: usize) -> bool {
        let before =
            self.chars[..at].iter().rev().find(|c| !c.is_whitespace() && !"\"'`*_([{#>-".contains(**c));
        before.is_none_or(|c| ".!?:;\n…".contains(*c))
    }

    /// The end of the term if it stands at this position as whole words.
    fn matches(&self, start: usize, spelling: &[char]) -> Option<usize> {
        let mut at = start;
        for wanted in spelling {
            if is_joint(*wanted) {
                at = self.past_joint(at)?;
                continue;
            }
            let same = if wanted.is_uppercase() { self.chars.get(at) } else { self.folded.get(at) };
            if same != Some(wanted) {
                return None;
            }
            at += 1;
        }
        (at > start && self.begins(start) && self.ends(at)).then_some(at)
    }

    /// Blanks or one hyphen: `magic link`, `magic-link` and `magic  link` are one term.
    fn past_joint(&self, at: usize) -> Option<usize> {
        let blanks = self.chars[at.min(self.chars.len())..].iter().take_while(|c| c.is_whitespace()).count();
        if blanks > 0 {
            return Some(at + blanks);
        }
        self.chars.get(at).filter(|c| is_hyphen(**c)).map(|_| at + 1)
    }

    /// A dot inside a token (`config.redis`, `vue.draggable`) joins it to one longer name.
    fn begins(&self, at: usize) -> bool {
        let joined = at > 1 && self.chars[at - 1] == '.' && self.is_word(at - 2);
        at == 0 || !self.is_word(at - 1) && !joined
    }

    fn ends(&self, at: usize) -> bool {
        let joined = self.chars.get(at) == Some(&'.') && self.is_word(at + 1);
        !self.is_word(at) && !joined
    }

    fn is_word(&self, at: usize) -> bool {
        self.chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_' || is_mark(*c))
    }

    fn is_joint(&self, at: usize) -> bool {
        self.chars.get(at).is_some_and(|c| is_joint(*c))
    }
}

/// Longer spans win, earlier ones among equals; what overlaps a winner is dropped.
fn longest_first(mut all: Vec<Found>, length: usize) -> Vec<Found> {
    all.sort_by_key(|found| (std::cmp::Reverse(found.span.len()), found.span.start, found.term));
    let mut taken = vec![false; length];
    all.retain(|found| {
        let place = &mut taken[found.span.clone()];
        let is_free = !place.contains(&true);
        if is_free {
            place.fill(true);
        }
        is_free
    });
    all.sort_by_key(|found| found.span.start);
    all
}

pub fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// One character for one, so that positions stay; typographic apostrophes are plain ones.
fn fold(c: char) -> char {
    match c {
        '’' | 'ʼ' => '\'',
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

fn is_joint(c: char) -> bool {
    c.is_whitespace() || is_hyphen(c)
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

/// Combining marks belong to the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_a_whole_word_in_any_script() {
        let cases = [
            ("Build the user guide page", "ui", false),
            ("Give feedback on it", "db", false),
            ("Polish the UI.", "ui", true),
            ("ÜberUI", "ui", false),
            ("naïve uí", "ui", false),
            ("u\u{301}i ui\u{308}", "ui", false),
            ("redis_url", "redis", false),
            ("config.redis", "redis", false),
            ("(redis)", "redis", true),
            ("Redis’s", "redis", true),
            ("数据库 redis 缓存", "redis", true),
            ("magic-link", "magic link", true),
            ("magic \n link", "magic-link", true),
            ("C# and .NET", "c#", true),
            ("asp.net", ".net", false),
            ("take a REST", "REST", true),
            ("take a rest", "REST", false),
            ("debug the prefix", "bug", false),
            ("", "ui", false),
            ("ui", "", false),
        ];
        for (text, term, expected) in cases {
            assert_eq!(Words::of(text).has(term), expected, "`{term}` in `{text}`");
        }
    }

    #[test]
    fn the_longest_term_wins_and_nothing_overlaps() {
        let found = Words::of("React Native app in React").find(["react", "react native"]);
        assert_eq!(found.iter().map(|found| found.term).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn a_capital_at_the_start_of_a_sentence_says_nothing() {
        let words = Words::of("Go there. Write it in Go");
        let spans: Vec<bool> = words.find(["go"]).iter().map(|found| words.is_capital(&found.span)).collect();
        assert_eq!(spans, [false, true]);
        assert_eq!(words.before(22).map(|(word, _)| word).as_deref(), Some("in"));
        assert_eq!(words.after(2).as_deref(), Some("there"));
    }
}
