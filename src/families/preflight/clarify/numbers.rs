//! How many files a text speaks of, in digits or in words.

/// From this many files on, a change is an architectural one.
pub const MANY_FILES: u64 = 10;

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
/// `25 Python files`: one word may stand between, besides the fillers.
const REACH: usize = 2;
const FILLERS: [&str; 7] = ["of", "the", "our", "or", "and", "more", "different"];

/// The largest number of files that the text names.
pub fn files_named(text: &str) -> Option<u64> {
    let lower = text.to_lowercase();
    let tokens: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '+' || c == ','))
        .filter(|token| !token.is_empty() && !FILLERS.contains(token))
        .collect();
    let files =
        tokens.iter().enumerate().filter(|(_, token)| matches!(token.trim_matches(','), "files" | "file"));
    files
        .filter_map(|(at, _)| {
            // Nearest first: in `2 of 40 files` the forty counts the files.
            (at.saturating_sub(REACH)..at)
                .rev()
                .find_map(|start| Some(with_tens(&tokens, start, number(tokens[start])?)))
        })
        .max()
}

/// `forty-five` arrives as two tokens, and the nearer one is found first.
fn with_tens(tokens: &[&str], start: usize, number: u64) -> u64 {
    let before = start.checked_sub(1).and_then(|at| tokens.get(at)).and_then(|token| tens(token));
    match before {
        Some(tens) if number < 10 => tens + number,
        _ => number,
    }
}

fn number(token: &str) -> Option<u64> {
    let token = token.trim_matches(',');
    let digits = token.trim_end_matches('+').replace(',', "");
    if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
        // More digits than fit are certainly many.
        return Some(digits.parse().unwrap_or(u64::MAX));
    }
    match token {
        "dozen" => Some(12),
        "dozens" | "scores" => Some(24),
        "hundred" | "hundreds" => Some(100),
        "thousand" | "thousands" => Some(1000),
        _ => ONES.iter().position(|one| *one == token).map(|at| at as u64).or_else(|| tens(token)),
    }
}

fn tens(token: &str) -> Option<u64> {
    TENS.iter().position(|tens| *tens == token).map(|at| 20 + 10 * at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_in_digits_and_words() {
        let cases = [
            ("touches 10+ files", Some(10)),
            ("about 1,200 files change", Some(1200)),
            ("forty-five source files", Some(45)),
            ("a dozen files", Some(12)),
            ("hundreds of files", Some(100)),
            ("2 of 40 files", Some(40)),
            ("three files", Some(3)),
            ("one file", Some(1)),
            ("10 users upload files", None),
            ("10 or more of the files", Some(10)),
            ("the config file", None),
            ("profile 12", None),
            ("99999999999999999999999 files", Some(u64::MAX)),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(files_named(text), expected, "{text}");
        }
    }
}
