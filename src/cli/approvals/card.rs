//! A card: what would happen, to which rows, and how long one has.

use serde_json::Value;

use super::super::output::{Output, text};
use super::super::style::{Style, printable};
use crate::clock::Timestamp;
use crate::db::confirmations::Confirmation;
use crate::tool::confirm::{Outcome, outcome_at, words};

pub(super) fn show(output: &mut Output, found: &Confirmation, now: Timestamp) {
    let card: Value = serde_json::from_str(&found.card).unwrap_or_default();
    let outcome = outcome_at(found, now);
    output.line(&output.paint(Style::Strong, &printable(&found.message)));
    for warning in card["warnings"].as_array().into_iter().flatten() {
        output.line(&output.paint(Style::Waiting, &format!("! {}", text(warning))));
    }
    output.line("");
    let when = match (outcome, found.decided_at) {
        (Outcome::Pending, _) => format!("{} s left", (found.expires_at.0 - now.0) / 1000),
        (_, Some(at)) => format!("{} at {}", outcome.as_str(), at.rfc3339()),
        (..) => format!("expired at {}", found.expires_at.rfc3339()),
    };
    let how = found.decided_how.as_ref().map_or(String::new(), |how| format!(" ({how})"));
    for (label, said) in [
        ("tool", found.tool.clone()),
        ("asked by", format!("{} through {}", found.caller, found.client)),
        ("state", format!("{when}{how}")),
        ("id", found.confirmation_id.clone()),
    ] {
        output.line(&format!("{label:<9} {}", printable(&said)));
    }
    if let Some(reason) = &found.reason {
        output.line(&format!("{:<9} {}", "reason", printable(reason)));
    }
    let about: Vec<Vec<String>> = words::about(&card)
        .into_iter()
        .map(|(name, value)| vec![printable(&name), printable(&value)])
        .collect();
    output.line("");
    output.table(&["ABOUT", ""], &about);
    let changes = words::changes(&card).into_iter();
    let rows: Vec<Vec<String>> = changes
        .map(|(name, before, after)| [name, before, after].map(|text| printable(&text)).to_vec())
        .collect();
    if !rows.is_empty() {
        output.line("");
        output.fitted_table(&["FIELD", "BEFORE", "AFTER"], &rows, 1, |column, _| match column {
            2 => Style::Waiting,
            _ => Style::Plain,
        });
    }
}
