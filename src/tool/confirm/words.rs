//! A card in words, for whoever shows it as text.

use serde_json::Value;

/// What a card says in another place already.
const SAID: [&str; 9] =
    ["action", "mcpServer", "userId", "user", "timestamp", "expiresAt", "warnings", "before", "after"];
/// Nobody reads more than this in a form.
const MOST_LINES: usize = 30;
const LONGEST: usize = 300;

/// The question, what there is to know, and what changes.
pub fn of(question: &str, card: &Value) -> String {
    let warnings =
        card["warnings"].as_array().into_iter().flatten().map(|warning| format!("! {}", plain(warning)));
    let about = about(card).into_iter().map(|(name, value)| format!("{name}: {value}"));
    let changes =
        changes(card).into_iter().map(|(name, before, after)| format!("{name}: {before} → {after}"));
    let lines = std::iter::once(question.to_owned()).chain(warnings).chain(about).chain(changes);
    lines.take(MOST_LINES).collect::<Vec<_>>().join("\n")
}

/// Names and circumstances; the ids stand there in two spellings, and are told in one.
pub fn about(card: &Value) -> Vec<(String, String)> {
    let told = members(card).filter(|(name, value)| {
        !SAID.contains(&name.as_str()) && !name.contains('_') && !value.is_null() && !value.is_object()
    });
    told.map(|(name, value)| (name.clone(), plain(value))).collect()
}

/// The fields that change; where a row goes, all it held.
pub fn changes(card: &Value) -> Vec<(String, String, String)> {
    let (before, after) = (&card["before"], &card["after"]);
    if after.is_null() {
        let held = members(before).filter(|(_, value)| !value.is_null());
        return held.map(|(name, value)| (name.clone(), plain(value), "gone".to_owned())).collect();
    }
    let changed = members(after).filter(|(name, value)| before.get(*name) != Some(value));
    let was = |name: &str| before.get(name).map(plain).unwrap_or_default();
    changed.map(|(name, value)| (name.clone(), was(name), plain(value))).collect()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A value without quotes, cut, and without anything that would lead the eye astray.
fn plain(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let misleads = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown: String = text.chars().map(|c| if misleads(c) { ' ' } else { c }).take(LONGEST).collect();
    if text.chars().count() > LONGEST { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_changes_is_told_and_what_goes_is_told_whole() {
        let card = |after: Value| {
            json!({"action": "x", "ticket_id": "T", "ticketId": "T", "resolution": "Do\u{202e}ne", "warnings": ["big"],
                   "before": {"name": "A", "salary": 1, "note": null}, "after": after})
        };
        let told = of("Do it?", &card(json!({"name": "A", "salary": 2, "note": null})));
        assert_eq!(told, "Do it?\n! big\nticketId: T\nresolution: Do ne\nsalary: 1 → 2");
        let gone = changes(&card(Value::Null));
        assert_eq!(gone.len(), 2);
        assert_eq!(gone[1], ("salary".to_owned(), "1".to_owned(), "gone".to_owned()));
    }
}
