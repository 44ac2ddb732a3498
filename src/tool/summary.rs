//! What the log keeps of a call's arguments: their shape, never content or secrets.

use serde_json::{Value, json};

use super::{JsonObject, ToolDef};
use crate::error::Error;

const LONGEST: usize = 100;
const LONGEST_NAME: usize = 64;
/// Arguments whose values are somebody's words.
const WORDS: [&str; 12] = [
    "title",
    "description",
    "completion_notes",
    "notes",
    "reason",
    "loss_reason",
    "resolution",
    "query",
    "cursor",
    "answers",
    "user_intention",
    "optional_context",
];
/// Arguments whose values are nobody else's business.
const PRIVATE: [&str; 1] = ["new_salary"];

pub(super) fn of(tool: &ToolDef, arguments: &JsonObject) -> Value {
    let known = tool.schemas().input.get("properties").and_then(Value::as_object);
    let fields = arguments.iter().take(50).map(|(name, value)| {
        let shown = match known.is_some_and(|known| known.contains_key(name)) {
            true => field(name, value),
            // A misspelt name may stand before anything at all.
            false => json!("<unknown argument>"),
        };
        (cut(name, LONGEST_NAME), shown)
    });
    Value::Object(fields.collect())
}

/// A text, cut with a sign of it.
pub(super) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What went wrong, without a value that is nobody else's business.
pub(super) fn failure(error: &Error) -> String {
    match error.details().get("field").and_then(Value::as_str) {
        Some(field) if PRIVATE.contains(&field) => format!("`{field}` does not fit"),
        _ => cut(&error.chain(), 300),
    }
}

fn field(name: &str, value: &Value) -> Value {
    match value {
        _ if PRIVATE.contains(&name) => json!("<hidden>"),
        Value::String(text) if name.ends_with("content") => {
            json!(format!("<content: {} chars>", text.chars().count()))
        }
        Value::String(text) if WORDS.contains(&name) => json!(format!("<{} chars>", text.chars().count())),
        Value::String(text) => json!(cut(text, LONGEST)),
        Value::Array(items) => json!(format!("<{} items>", items.len())),
        Value::Object(members) => json!(format!("<{} members>", members.len())),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_was_refused_is_not_told_where_it_is_private() {
        let error = |field: &str| Error::invalid("`x` is 123456").detail("field", field);
        assert_eq!(failure(&error("new_salary")), "`new_salary` does not fit");
        assert_eq!(failure(&error("limit")), "`x` is 123456");
    }

    #[test]
    fn content_and_words_are_counted_and_the_rest_is_cut() {
        for (name, value, expected) in [
            ("artifact_content", json!("# Secret plan"), json!("<content: 13 chars>")),
            ("title", json!("call the bank"), json!("<13 chars>")),
            ("loss_reason", json!("their CEO is ill"), json!("<16 chars>")),
            ("new_salary", json!(120_000), json!("<hidden>")),
            ("task_id", json!("abc-123"), json!("abc-123")),
            ("count", json!(3), json!(3)),
            ("tasks", json!([1, 2]), json!("<2 items>")),
            ("name", json!("ä".repeat(150)), json!(format!("{}…", "ä".repeat(100)))),
        ] {
            assert_eq!(field(name, &value), expected, "{name}");
        }
    }
}
