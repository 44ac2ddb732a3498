//! What the log keeps of a call's arguments: their shape, never content or secrets.

use serde_json::{Value, json};

use super::JsonObject;

const LONGEST: usize = 100;
/// Arguments whose values are somebody's words.
const WORDS: [&str; 9] = [
    "title",
    "description",
    "completion_notes",
    "notes",
    "reason",
    "resolution",
    "query",
    "cursor",
    "answers",
];

pub(super) fn of(arguments: &JsonObject) -> Value {
    let fields = arguments.iter().map(|(name, value)| (name.clone(), field(name, value)));
    Value::Object(fields.collect())
}

fn field(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if name.ends_with("content") => {
            json!(format!("<content: {} chars>", text.chars().count()))
        }
        Value::String(text) if WORDS.contains(&name) => json!(format!("<{} chars>", text.chars().count())),
        Value::String(text) if text.chars().count() > LONGEST => {
            json!(format!("{}…", text.chars().take(LONGEST).collect::<String>()))
        }
        Value::Array(items) => json!(format!("<{} items>", items.len())),
        Value::Object(members) => json!(format!("<{} members>", members.len())),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_and_words_are_counted_and_the_rest_is_cut() {
        let Value::Object(arguments) = json!({
            "artifact_content": "# Secret plan", "title": "call the bank", "task_id": "abc-123",
            "count": 3, "tasks": [1, 2], "name": "x".repeat(150),
        }) else {
            unreachable!()
        };
        let summary = of(&arguments);
        assert_eq!(summary["artifact_content"], "<content: 13 chars>");
        assert_eq!(summary["title"], "<13 chars>");
        assert_eq!(summary["task_id"], "abc-123");
        assert_eq!(summary["count"], 3);
        assert_eq!(summary["tasks"], "<2 items>");
        assert_eq!(summary["name"].as_str().unwrap().chars().count(), 101);
    }
}
