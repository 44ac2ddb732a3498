//! `no_placeholders`: every field of the template has been filled in.

use super::super::super::kinds::{Decomposition, Kinds};
use super::super::brackets::is_placeholder;
use super::super::facts::{Facts, Scope};
use super::super::finding::Finding;
use super::super::tokens::Token;
use crate::id::ArtifactId;

/// The statuses in which documents that are still to come have placeholders for their numbers.
const BEFORE_APPROVAL: [&str; 6] = ["Draft", "Backlog", "To Do", "Planned", "Proposed", "In Review"];

/// So many are named.
const NAMED: usize = 10;

pub(super) fn run(facts: &Facts<'_>, scope: &Scope<'_>) -> Finding {
    let open = facts.brackets().iter().filter(|bracket| scope.range.contains(&bracket.at));
    let mut found: Vec<(usize, String)> = open
        .filter(|bracket| is_placeholder(bracket.content))
        .map(|bracket| (bracket.at, format!("[{}]", shortened(bracket.content))))
        .collect();
    let status = facts.metadata.status.as_deref();
    let left = status.is_some_and(|status| !BEFORE_APPROVAL.contains(&status));
    if let Some(prefix) = own_parts(facts.artifact_id).filter(|_| left) {
        let ids = facts.tokens().iter().filter(|token| scope.range.contains(&token.at));
        let open = ids.filter(|token| token.prefix == prefix && counts(facts, token));
        found.extend(open.map(|token| (token.at, token.text.to_owned())));
        found.sort();
    }
    let Some((first, _)) = found.first() else {
        return Finding::pass("No placeholder fields remaining");
    };
    let named: Vec<String> =
        found.iter().take(NAMED).map(|(at, text)| format!("{text} (line {})", facts.line(*at))).collect();
    let more = if found.len() > NAMED { ", …" } else { "" };
    Finding::fail(format!("Found {} placeholders: {}{more}", found.len(), named.join(", ")))
        .at(facts.line(*first))
}

/// The prefix of the parts that an approval gives their numbers. The PRD of an epic has the epic's
/// number; parts of parts get theirs later.
fn own_parts(id: &str) -> Option<&'static str> {
    let children = Kinds::built_in().of_id(&ArtifactId::parse(id)?)?.children?;
    (children.from != Decomposition::SameNumber).then_some(children.prefix)
}

/// An id without a number; a wildcard such as `TASK-XXX` only where it is defined.
fn counts(facts: &Facts<'_>, token: &Token<'_>) -> bool {
    !token.is_number() && !facts.document.is_code(token.at) && (!token.is_wildcard() || defines(facts, token))
}

/// Whether a line begins with the id and a colon follows it: `### TASK-XXX: title`.
fn defines(facts: &Facts<'_>, token: &Token<'_>) -> bool {
    let text = facts.document.text;
    let before = &text[facts.document.line_start(token.at)..token.at];
    let after = text[token.at + token.text.len()..].trim_start_matches('*');
    let begins = before
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, ' ' | '\t' | '#' | '-' | '*' | '+' | '.' | '['));
    begins && after.starts_with(':')
}

fn shortened(content: &str) -> String {
    let short: String = content.chars().take(40).collect();
    if short.len() < content.len() { format!("{short}…") } else { short }
}
