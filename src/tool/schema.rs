//! Portable JSON Schemas from Rust types: what every client accepts.
//!
//! Clients refuse a whole list of tools for one `$ref`, one bare `true`, one root `anyOf`. So
//! schemas are inlined, their root is an object, and what only Rust knows (`uint32`) is dropped.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::JsonObject;

/// The schema of a tool's arguments. Absent and `null` mean the same, so `null` is not published.
pub fn input<T: JsonSchema>() -> JsonObject {
    generate(SchemaSettings::draft2020_12().for_deserialize(), T::json_schema, &mut drop_null)
}

/// The schema of a tool's answer: a field that is left out when empty is optional, one that is
/// always there may be `null`.
pub fn output<T: JsonSchema>() -> JsonObject {
    generate(SchemaSettings::draft2020_12().for_serialize(), T::json_schema, &mut null_where_it_is_sent)
}

type Rewrite<'a> = &'a mut dyn FnMut(&mut JsonObject);

/// The type is a function here, so that this is in the program once, and not once for every tool.
fn generate(
    settings: SchemaSettings,
    root: fn(&mut SchemaGenerator) -> Schema,
    rewrite: Rewrite<'_>,
) -> JsonObject {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = root(&mut settings.into_generator()).to_value();
    tidy(&mut schema, rewrite);
    let mut root = match schema {
        Value::Object(root) => root,
        _ => Map::new(),
    };
    root.remove("description");
    root.entry("type").or_insert_with(|| json!("object"));
    root
}

fn tidy(schema: &mut Value, rewrite: Rewrite<'_>) {
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
    rewrite(object);
    if let Some(Value::Object(members)) = object.get_mut("properties") {
        members.values_mut().for_each(|member| tidy(member, rewrite));
    }
    for key in ["items", "additionalProperties"] {
        if let Some(member) = object.get_mut(key).filter(|member| **member != Value::Bool(false)) {
            tidy(member, rewrite);
        }
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(members)) = object.get_mut(key) {
            members.iter_mut().for_each(|member| tidy(member, rewrite));
        }
    }
}

/// Members that may be absent are never `null`; in the others, `[T, "null"]` becomes the `anyOf`
/// that more clients understand.
fn null_where_it_is_sent(object: &mut JsonObject) {
    let required = object.get("required").cloned().unwrap_or_default();
    let always =
        |name: &str| required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
    let Some(Value::Object(members)) = object.get_mut("properties") else { return };
    for (name, member) in members.iter_mut() {
        let Value::Object(member) = member else { continue };
        let nullable =
            member.get("type").and_then(Value::as_array).is_some_and(|types| types.contains(&json!("null")));
        if !always(name) {
            drop_null(member);
        } else if nullable {
            drop_null(member);
            let description = member.remove("description");
            let plain = std::mem::take(member);
            member.insert("anyOf".to_owned(), json!([plain, { "type": "null" }]));
            member.extend(description.map(|text| ("description".to_owned(), text)));
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
