//! A question on lines: its options have numbers, and an answer is a line of input.

use std::io::{self, BufRead, Write};

use super::{Answered, Left};
use crate::cli::preflight::questions::Asked;
use crate::cli::style::printable;
use crate::families::preflight::clarify::catalogue::{Type, same};

/// Shows the question, and asks until a line makes sense. A line that nobody types is repeated, so that
/// what is read afterwards makes sense as well.
pub(super) fn ask(
    input: &mut impl BufRead,
    typed: bool,
    talk: &mut impl Write,
    question: &Asked,
) -> io::Result<Answered> {
    writeln!(talk, "\n{}{}", question.question, manner(question))?;
    for (number, label) in (1..).zip(question.labels()) {
        writeln!(talk, "  {number:>2}  {label}")?;
    }
    loop {
        write!(talk, "> ")?;
        talk.flush()?;
        let mut bytes = Vec::new();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            writeln!(talk)?;
            return Ok(Err(Left::Ended));
        }
        let line = String::from_utf8_lossy(&bytes);
        if !typed {
            writeln!(talk, "{}", printable(line.trim()))?;
        }
        match understood(question, line.trim()) {
            Ok(values) => return Ok(Ok(values)),
            Err(why) => writeln!(talk, "  {why}")?,
        }
    }
}

fn manner(question: &Asked) -> &'static str {
    match (question.kind, question.optional) {
        (Type::MultiChoice, false) => " (several, with commas between them)",
        (Type::MultiChoice, true) => " (several, with commas between them; an empty line skips it)",
        (_, true) => " (an empty line skips it)",
        (_, false) => "",
    }
}

/// What a line says; nothing if it skips the question.
fn understood(question: &Asked, line: &str) -> Result<Option<Vec<String>>, String> {
    if line.is_empty() {
        return if question.optional { Ok(None) } else { Err("it needs an answer".to_owned()) };
    }
    match question.kind {
        Type::FreeText => Ok(Some(vec![line.to_owned()])),
        Type::SingleChoice => Ok(Some(vec![option(question, line)?])),
        Type::MultiChoice => {
            let parts = line.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(|part| option(question, part)).collect::<Result<Vec<_>, _>>().map(Some)
        }
    }
}

/// An option by its text or its number. Other texts are left to the session, which knows more names.
fn option(question: &Asked, text: &str) -> Result<String, String> {
    let options = &question.options;
    if let Some(option) = options.iter().find(|option| same(option, text)) {
        return Ok(option.clone());
    }
    let Ok(number) = text.parse::<usize>() else { return Ok(text.to_owned()) };
    let chosen = number.checked_sub(1).and_then(|at| options.get(at));
    chosen.cloned().ok_or_else(|| format!("there is no option {number}; they are 1 to {}", options.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(kind: Type, optional: bool) -> Asked {
        let options = ["OAuth", "SAML", "Other (specify)"].map(str::to_owned).to_vec();
        let (id, text) = ("auth_strategy".to_owned(), "Which one?".to_owned());
        Asked { id, kind, question: text, options, optional, recommended: None }
    }

    #[test]
    fn a_line_is_a_number_a_text_or_several() {
        let (one, several) = (question(Type::SingleChoice, false), question(Type::MultiChoice, true));
        let cases = [
            (&one, "2", Ok(Some(vec!["SAML"]))),
            (&one, "oauth", Ok(Some(vec!["OAuth"]))),
            (&one, "SSO, or so", Ok(Some(vec!["SSO, or so"]))),
            (&one, "0", Err("there is no option 0; they are 1 to 3")),
            (&one, "4", Err("there is no option 4; they are 1 to 3")),
            (&one, "", Err("it needs an answer")),
            (&several, "1, saml", Ok(Some(vec!["OAuth", "SAML"]))),
            (&several, "1, 9", Err("there is no option 9; they are 1 to 3")),
            (&several, "", Ok(None)),
        ];
        for (question, line, expected) in cases {
            let expected = expected
                .map(|values| values.map(|values| values.into_iter().map(str::to_owned).collect()))
                .map_err(str::to_owned);
            assert_eq!(understood(question, line), expected, "{line}");
        }
    }

    #[test]
    fn wrong_lines_are_asked_again_and_the_end_is_noticed() {
        let question = question(Type::SingleChoice, false);
        let mut talk = Vec::new();
        let answered = ask(&mut &b"7\n\xff\n"[..], false, &mut talk, &question).unwrap();
        assert_eq!(answered, Ok(Some(vec!["\u{fffd}".to_owned()])), "the session judges other texts");
        assert!(String::from_utf8(talk).unwrap().contains("there is no option 7"));
        assert_eq!(ask(&mut &b""[..], true, &mut Vec::new(), &question).unwrap(), Err(Left::Ended));
    }
}
