//! Portable JSON Schemas from Rust types: what every client accepts.
//!
//! Clients refuse a whole list of tools for one `$ref`, one bare `true`, one root `anyOf`. So
//! schemas are inlined, their root is an object, and what only Rust knows (`uint32`) is dropped.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::JsonObject;

/// The schema of a tool's arguments. Absent and `null` mean the same, so `null` is not published.
pub fn input<T: JsonSchema>() -> JsonObject {
    generate::<T>(false)
}

/// The schema of a tool's answer, in which `null` can be a value.
pub fn output<T: JsonSchema>() -> JsonObject {
    generate::<T>(true)
}

fn generate<T: JsonSchema>(nullable: bool) -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema, nullable);
    let mut root = match schema {
        Value::Object(root) => root,
        _ => Map::new(),
    };
    root.remove("title");
    root.remove("description");
    root.entry("type").or_insert_with(|| json!("object"));
    root
}

fn tidy(schema: &mut Value, nullable: bool) {
    if schema == &Value::Bool(true) {
        *schema = json!({});
    }
    let Value::Object(object) = schema else { return };
    object.remove("$schema");
    object.remove("title");
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
    let numeric =
        |format: &str| format.starts_with("int") || format.starts_with("uint") || format == "double";
    if object.get("format").and_then(Value::as_str).is_some_and(numeric) {
        object.remove("format");
    }
    if !nullable {
        drop_null(object);
    }
    for key in ["properties", "items", "additionalProperties", "anyOf", "oneOf"] {
        match object.get_mut(key) {
            Some(Value::Object(members)) if key == "properties" => {
                members.values_mut().for_each(|member| tidy(member, nullable));
            }
            Some(Value::Array(members)) => members.iter_mut().for_each(|member| tidy(member, nullable)),
            Some(member @ Value::Object(_)) => tidy(member, nullable),
            Some(member @ Value::Bool(true)) => tidy(member, nullable),
            _ => {}
        }
    }
}

/// `[T, "null"]` becomes `T`, and `anyOf [T, null]` becomes `T`.
fn drop_null(object: &mut JsonObject) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(members)) = object.get_mut("enum") {
        members.retain(|member| !member.is_null());
    }
    let Some(Value::Array(mut choices)) = object.remove("anyOf") else { return };
    choices.retain(|choice| choice.get("type") != Some(&json!("null")));
    match choices.as_mut_slice() {
        [Value::Object(only)] => {
            for (key, value) in std::mem::take(only) {
                object.entry(key).or_insert(value);
            }
        }
        _ => {
            object.insert("anyOf".to_owned(), Value::Array(choices));
        }
    }
}
