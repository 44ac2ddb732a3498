//! What people type into a search: words, "phrases", -not, prefix*. Everything else is a word, too, so
//! that nothing anybody types is a mistake of grammar.

use crate::error::{Error, Result};

/// A query in the index's own language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query(String);

impl Query {
    pub fn parse(text: &str) -> Result<Self> {
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for (negated, quoted, word) in (Terms { rest: text }) {
            let word: String = word.chars().filter(|c| !c.is_control() && *c != '"').collect();
            if !word.chars().any(char::is_alphanumeric) {
                continue;
            }
            let prefix = !quoted && word.ends_with('*');
            let word = if prefix { word.trim_end_matches('*') } else { &word };
            let term = format!("\"{word}\"{}", if prefix { "*" } else { "" });
            if negated { unwanted.push(term) } else { wanted.push(term) }
        }
        if wanted.is_empty() {
            return Err(Error::invalid("`query` has no word to look for")
                .hint("name at least one word; -word only leaves out")
                .detail("field", "query"));
        }
        let wanted = format!("({})", wanted.join(" "));
        Ok(Query(match unwanted.is_empty() {
            true => wanted,
            // One list, however many: the index's parser refuses what is nested deeply.
            false => format!("({wanted} NOT ({}))", unwanted.join(" OR ")),
        }))
    }

    /// Looked for in these columns only.
    pub fn within(&self, columns: &str) -> String {
        format!("{{{columns}}} : {}", self.0)
    }
}

/// Words and phrases one after another: whether each is unwanted, whether it is a phrase, and its text.
struct Terms<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Terms<'a> {
    type Item = (bool, bool, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.rest.trim_start();
        if text.is_empty() {
            return None;
        }
        let (negated, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (quoted, word, rest) = match text.strip_prefix('"') {
            Some(text) => {
                let (phrase, rest) = text.split_once('"').unwrap_or((text, ""));
                (true, phrase, rest)
            }
            None => {
                let end = text.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(text.len());
                (false, &text[..end], &text[end..])
            }
        };
        self.rest = rest;
        Some((negated, quoted, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_becomes_an_expression() {
        let cases = [
            ("login timeout", r#"("login" "timeout")"#),
            (r#""log in" page"#, r#"("log in" "page")"#),
            ("invoice -refund", r#"(("invoice") NOT ("refund"))"#),
            (r#"-"no way" yes -maybe"#, r#"(("yes") NOT ("no way" OR "maybe"))"#),
            ("expo*", r#"("expo"*)"#),
            ("AND OR NOT NEAR(a b)", r#"("AND" "OR" "NOT" "NEAR(a" "b)")"#),
            ("a\"b", r#"("a" "b")"#),
            ("subject:x {y} ^z *", r#"("subject:x" "{y}" "^z")"#),
            ("'; DROP TABLE tickets; --", r#"("DROP" "TABLE" "tickets;")"#),
            ("a\u{0}b\u{202e}", "(\"ab\u{202e}\")"),
        ];
        for (typed, expected) in cases {
            assert_eq!(Query::parse(typed).unwrap().0, expected, "{typed}");
        }
        for nothing in ["", "  ", "\"\"", "-", "* !", "-only -not", "\u{0}"] {
            assert!(Query::parse(nothing).is_err(), "{nothing:?}");
        }
    }
}
