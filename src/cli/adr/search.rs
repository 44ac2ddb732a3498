//! `backoffice adr search`: the decisions that contain all of some words.

use clap::Args;
use serde_json::{Value, json};

use super::{Decisions, path};
use crate::cli::output::Output;
use crate::cli::style::{Style, fit, printable};
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice adr search oauth clerk"])]
pub(super) struct SearchArgs {
    /// Words that all have to be there, whatever their case
    #[arg(required = true)]
    words: Vec<String>,
}

/// How much of a line is shown where no terminal says how wide it is.
const SNIPPET: usize = 120;

pub(super) fn run(decisions: &Decisions, output: &mut Output, args: &SearchArgs) -> Result<()> {
    let words: Vec<String> =
        args.words.iter().flat_map(|words| words.split_whitespace()).map(str::to_lowercase).collect();
    if words.is_empty() {
        return Err(Error::invalid("there is no word to look for"));
    }
    let mut found = Vec::new();
    for adr in &decisions.library.adrs {
        // What has gone since it was listed is not found.
        let Ok(text) = decisions.text(adr) else { continue };
        if let Some(hit) = Hit::of(&text, &words) {
            found.push((adr, hit));
        }
    }
    // The newest first where the number of hits is the same.
    found.reverse();
    found.sort_by_key(|(_, hit)| std::cmp::Reverse(hit.count));
    if output.json {
        let hits = found.iter().map(|(adr, hit)| {
            json!({
                "uid": adr.uid.as_str(), "title": adr.title, "path": path(adr), "hits": hit.count,
                "snippet": hit.snippet,
            })
        });
        output.value(&json!({ "hits": hits.collect::<Vec<Value>>() }));
        return Ok(());
    }
    if found.is_empty() {
        output.note("no decision contains all of these words");
    }
    for (adr, hit) in &found {
        let uid = output.paint(Style::Strong, adr.uid.as_str());
        output.line(&format!("{uid}  {}  ({})", printable(&adr.title), hit.count));
        let columns = output.width.unwrap_or(SNIPPET).saturating_sub(2);
        output.line(&format!("  {}", fit(&printable(&hit.snippet), columns)));
    }
    decisions.tell_problems(output);
    Ok(())
}

/// How often the words occur, and the line that has most of them.
#[derive(Debug, PartialEq, Eq)]
struct Hit {
    count: usize,
    snippet: String,
}

impl Hit {
    /// Nothing if one of the words is missing.
    fn of(text: &str, words: &[String]) -> Option<Self> {
        let lower = text.to_lowercase();
        let counts: Vec<usize> = words.iter().map(|word| lower.matches(word.as_str()).count()).collect();
        if counts.contains(&0) {
            return None;
        }
        let (mut most, mut snippet) = (0, "");
        for line in text.lines() {
            let lower = line.to_lowercase();
            let held = words.iter().filter(|word| lower.contains(word.as_str())).count();
            if held > most {
                (most, snippet) = (held, line.trim());
            }
        }
        Some(Hit { count: counts.iter().sum(), snippet: snippet.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_are_needed_and_the_fullest_line_is_shown() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let text = "# OAuth\n\nWe use Clerk.\n- OAuth with Clerk, in Größe\n";
        let hit = Hit::of(text, &words("oauth clerk")).unwrap();
        assert_eq!(hit, Hit { count: 4, snippet: "- OAuth with Clerk, in Größe".to_owned() });
        assert_eq!(Hit::of(text, &words("größe")).unwrap().count, 1);
        assert_eq!(Hit::of(text, &words("oauth saml")), None);
    }
}
