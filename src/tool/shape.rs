//! Enforces what the input schemas publish: types, bounds, known names.
//!
//! The schema is the source, this is its compiled form; what it does not know it refuses to
//! compile, so that no bound is ever published without being enforced.

use std::collections::BTreeMap;

use serde_json::Value;

use super::JsonObject;
use crate::error::{Error, Result, nearest};

/// Words in a schema that only inform.
const INFORMATIVE: [&str; 4] = ["description", "default", "format", "title"];

/// A compiled schema.
#[derive(Debug)]
pub enum Shape {
    Object { members: BTreeMap<String, Member>, open: bool },
    List { item: Box<Shape>, least: u64, most: u64 },
    Text { least: u64, most: u64, choices: Vec<String> },
    Integer { least: i64, most: i64 },
    Number { least: f64, most: f64 },
    Truth,
    Anything,
}

#[derive(Debug)]
pub struct Member {
    shape: Shape,
    required: bool,
}

impl Shape {
    /// Compiles a portable schema. A word it does not know is a defect of the tool, found by the
    /// test over all tools, not by a caller.
    pub fn compile(schema: &Value) -> Shape {
        let Value::Object(schema) = schema else { return Shape::Anything };
        let number = |key: &str| schema.get(key).and_then(Value::as_u64);
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => Self::compile_object(schema),
            Some("array") => Shape::List {
                item: Box::new(schema.get("items").map_or(Shape::Anything, Shape::compile)),
                least: number("minItems").unwrap_or(0),
                most: number("maxItems").unwrap_or(u64::MAX),
            },
            Some("string") => Shape::Text {
                least: number("minLength").unwrap_or(0),
                most: number("maxLength").unwrap_or(u64::MAX),
                choices: schema
                    .get("enum")
                    .and_then(Value::as_array)
                    .map(|choices| choices.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                    .unwrap_or_default(),
            },
            Some("integer") => Shape::Integer {
                least: schema.get("minimum").and_then(Value::as_i64).unwrap_or(i64::MIN),
                most: schema.get("maximum").and_then(Value::as_i64).unwrap_or(i64::MAX),
            },
            Some("number") => Shape::Number {
                least: schema.get("minimum").and_then(Value::as_f64).unwrap_or(f64::NEG_INFINITY),
                most: schema.get("maximum").and_then(Value::as_f64).unwrap_or(f64::INFINITY),
            },
            Some("boolean") => Shape::Truth,
            _ => Shape::Anything,
        }
    }

    fn compile_object(schema: &JsonObject) -> Shape {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object);
        let members = properties.into_iter().flatten().map(|(name, schema)| {
            let member =
                Member { shape: Shape::compile(schema), required: required.contains(&name.as_str()) };
            (name.clone(), member)
        });
        let open = schema.get("additionalProperties") != Some(&Value::Bool(false));
        Shape::Object { members: members.collect(), open }
    }

    /// Checks a value, and takes out members that are `null`: absent and `null` mean the same.
    pub fn check(&self, value: &mut Value, path: &str) -> Result<()> {
        match (self, value) {
            (Shape::Anything, _) | (Shape::Truth, Value::Bool(_)) => Ok(()),
            (Shape::Object { members, open }, Value::Object(object)) => {
                check_object(members, *open, object, path)
            }
            (Shape::List { item, least, most }, Value::Array(items)) => {
                let count = items.len() as u64;
                if count < *least || count > *most {
                    let expected = between(*least, *most, "items");
                    return Err(misfit(path, &format!("{count} items"), &expected));
                }
                items
                    .iter_mut()
                    .enumerate()
                    .try_for_each(|(index, each)| item.check(each, &format!("{path}[{index}]")))
            }
            (Shape::Text { least, most, choices }, Value::String(text)) => {
                let length = text.chars().count() as u64;
                if !choices.is_empty() && !choices.contains(text) {
                    let near = nearest(text, choices.iter().map(String::as_str)).map(str::to_owned);
                    let error = misfit(path, &received(text), &format!("one of {}", choices.join(", ")));
                    return Err(match near {
                        Some(near) => error.hint(format!("did you mean `{near}`?")),
                        None => error,
                    });
                }
                if length < *least || length > *most {
                    let expected = between(*least, *most, "characters");
                    return Err(misfit(path, &format!("{length} characters"), &expected));
                }
                Ok(())
            }
            (Shape::Integer { least, most }, Value::Number(number)) => match number.as_i64() {
                Some(number) if (*least..=*most).contains(&number) => Ok(()),
                _ => Err(misfit(path, &number.to_string(), &self.expected())),
            },
            (Shape::Number { least, most }, Value::Number(number)) => match number.as_f64() {
                Some(number) if (*least..=*most).contains(&number) => Ok(()),
                _ => Err(misfit(path, &number.to_string(), &self.expected())),
            },
            (shape, other) => Err(misfit(path, name_of(other), &shape.expected())),
        }
    }

    fn expected(&self) -> String {
        match self {
            Shape::Object { .. } => "an object".to_owned(),
            Shape::List { .. } => "a list".to_owned(),
            Shape::Text { choices, .. } if !choices.is_empty() => format!("one of {}", choices.join(", ")),
            Shape::Text { .. } => "a text".to_owned(),
            Shape::Integer { least: i64::MIN, most: i64::MAX } => "a whole number".to_owned(),
            Shape::Integer { least, most: i64::MAX } => format!("a whole number of at least {least}"),
            Shape::Integer { least, most } => format!("a whole number from {least} to {most}"),
            Shape::Number { least, most: f64::INFINITY } if least.is_finite() => {
                format!("a number of {least} or more")
            }
            Shape::Number { least, most } => format!("a number from {least} to {most}"),
            Shape::Truth => "true or false".to_owned(),
            Shape::Anything => "anything".to_owned(),
        }
    }
}

/// The words of a schema that are neither enforced nor merely informative; must be empty.
pub fn unenforced(schema: &Value) -> Vec<String> {
    const ENFORCED: [&str; 12] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "enum",
        "minimum",
        "maximum",
    ];
    let Value::Object(schema) = schema else { return Vec::new() };
    let mut found: Vec<String> = schema
        .keys()
        .filter(|key| !ENFORCED.contains(&key.as_str()) && !INFORMATIVE.contains(&key.as_str()))
        .cloned()
        .collect();
    if let Some(Value::Object(members)) = schema.get("properties") {
        found.extend(members.values().flat_map(unenforced));
    }
    found.extend(schema.get("items").into_iter().flat_map(unenforced));
    found
}

fn check_object(
    members: &BTreeMap<String, Member>,
    open: bool,
    object: &mut JsonObject,
    path: &str,
) -> Result<()> {
    object.retain(|_, value| !value.is_null());
    for (name, value) in object.iter_mut() {
        match members.get(name) {
            Some(member) => member.shape.check(value, &join(path, name))?,
            None if open => {}
            None => return Err(unknown(members, path, name)),
        }
    }
    match members.iter().find(|(name, member)| member.required && !object.contains_key(*name)) {
        Some((name, member)) => Err(misfit(&join(path, name), "nothing", &member.shape.expected())),
        None => Ok(()),
    }
}

fn unknown(members: &BTreeMap<String, Member>, path: &str, name: &str) -> Error {
    let known: Vec<&str> = members.keys().map(String::as_str).collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "it takes no arguments".to_owned(),
        None => format!("it takes {}", known.join(", ")),
    };
    Error::invalid(format!("unknown argument `{}`", join(path, name)))
        .hint(hint)
        .detail("field", join(path, name))
        .reason("unknown_argument")
}

fn misfit(path: &str, received: &str, expected: &str) -> Error {
    let message = match received {
        "nothing" => format!("`{path}` is missing, expected {expected}"),
        _ => format!("`{path}` is {received}, expected {expected}"),
    };
    Error::invalid(message)
        .detail("field", path)
        .detail("received", received)
        .detail("expected", expected)
        .reason("invalid_argument")
}

fn between(least: u64, most: u64, what: &str) -> String {
    match (least, most) {
        (least, u64::MAX) => format!("at least {least} {what}"),
        (0, most) => format!("at most {most} {what}"),
        (least, most) => format!("{least} to {most} {what}"),
    }
}

fn received(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    format!("\"{short}\"")
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
