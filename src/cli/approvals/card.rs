//! A card: what would happen, to which rows, and how long one has.

use serde_json::Value;

use super::super::output::{Output, text};
use super::super::style::{Style, printable};
use crate::clock::Timestamp;
use crate::db::confirmations::Confirmation;
use crate::tool::confirm::{Outcome, outcome_at};

/// What the card says in other words already.
const SAID: [&str; 9] =
    ["action", "mcpServer", "userId", "user", "timestamp", "expiresAt", "warnings", "before", "after"];

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
    let about: Vec<Vec<String>> = members(&card)
        .filter(|(name, value)| !SAID.contains(&name.as_str()) && !value.is_null() && !value.is_object())
        // The ids stand there in two spellings.
        .filter(|(name, _)| !name.contains('_'))
        .map(|(name, value)| vec![printable(name), text(value)])
        .collect();
    output.line("");
    output.table(&["ABOUT", ""], &about);
    let rows = compared(&card["before"], &card["after"]);
    if !rows.is_empty() {
        output.line("");
        output.fitted_table(&["FIELD", "BEFORE", "AFTER"], &rows, 1, |column, _| match column {
            2 => Style::Waiting,
            _ => Style::Plain,
        });
    }
}

/// The fields that change; where a row goes, all it held.
fn compared(before: &Value, after: &Value) -> Vec<Vec<String>> {
    if after.is_null() {
        let gone = |(name, value): (&String, &Value)| {
            (!value.is_null()).then(|| vec![printable(name), text(value), "gone".to_owned()])
        };
        return members(before).filter_map(gone).collect();
    }
    let changed = members(after).filter(|(name, value)| before.get(*name) != Some(value));
    changed
        .map(|(name, value)| {
            let was = before.get(name).map(text).unwrap_or_default();
            vec![printable(name), was, text(value)]
        })
        .collect()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_changes_is_shown_and_what_goes_is_shown_whole() {
        let before = json!({"name": "A", "salary": 1, "note": null});
        assert_eq!(
            compared(&before, &json!({"name": "A", "salary": 2, "note": null})),
            [["salary", "1", "2"]]
        );
        assert_eq!(compared(&before, &Value::Null), [["name", "A", "gone"], ["salary", "1", "gone"]]);
    }
}
