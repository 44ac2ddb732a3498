//! A form for a person: what a tool would like to hear from one, as data.
//!
//! A tool whose answer leaves something open may say how a person could be asked. Whoever serves the
//! client shows the form if the client can, and calls the tool again with what was filled in. A client
//! that cannot show one sees the answer alone, and goes on as it likes.

use serde_json::Value;

use super::JsonObject;
use crate::error::{Error, Result};

/// Who has filled in the values of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speaker {
    /// The program at the other end, for its model.
    #[default]
    Client,
    /// A person, in a form that this office has asked for.
    Person,
}

/// How a tool puts a form beside its answer, where the answer leaves something open.
pub type FormOf<Output> = fn(&Output) -> Option<Form>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// What it is about, in a sentence or two.
    pub message: String,
    pub fields: Vec<Field>,
    /// What is different in the following call; the other arguments are those of the first one.
    pub with: JsonObject,
    /// The argument that takes the values by the names of their fields; without one, each value is
    /// an argument itself.
    pub into: Option<&'static str>,
    /// The confirmation that is decided by what is filled in, instead of calling again.
    pub decides: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// What is asked.
    pub title: String,
    pub description: Option<String>,
    pub required: bool,
    pub kind: FieldKind,
}

/// What can be filled in; the default is what stands there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    OneOf { options: Vec<Choice>, default: Option<String> },
    Several { options: Vec<Choice>, least: Option<usize>, most: Option<usize>, default: Vec<String> },
    Text { default: Option<String> },
    YesNo { default: Option<bool> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub value: String,
    /// What a person reads instead of the value.
    pub title: Option<String>,
}

impl Choice {
    pub fn plain(value: impl Into<String>) -> Self {
        Choice { value: value.into(), title: None }
    }

    pub fn shown(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

impl Form {
    /// The values of a form that was filled in: those of its fields only, empty ones left out.
    pub fn values(&self, filled_in: &JsonObject) -> Result<JsonObject> {
        let mut values = JsonObject::new();
        for field in &self.fields {
            let value = match filled_in.get(&field.name) {
                Some(value) => field.value(value)?,
                None => None,
            };
            match value {
                Some(value) => drop(values.insert(field.name.clone(), value)),
                None if field.required => return Err(field.error("is needed")),
                None => {}
            }
        }
        Ok(values)
    }

    /// The arguments of the call that follows, from those of the first one.
    pub fn arguments(&self, first: &JsonObject, values: JsonObject) -> JsonObject {
        let mut arguments = first.clone();
        arguments.extend(self.with.clone());
        match self.into {
            Some(name) => drop(arguments.insert(name.to_owned(), Value::Object(values))),
            None => arguments.extend(values),
        }
        arguments
    }
}

impl Field {
    /// A value that fits; none if the field was left empty.
    fn value(&self, value: &Value) -> Result<Option<Value>> {
        match (&self.kind, value) {
            (_, Value::Null) => Ok(None),
            (FieldKind::YesNo { .. }, Value::Bool(_)) => Ok(Some(value.clone())),
            (FieldKind::YesNo { .. }, _) => Err(self.error("takes yes or no")),
            (_, Value::String(text)) if text.trim().is_empty() => Ok(None),
            (FieldKind::Text { .. }, Value::String(_)) => Ok(Some(value.clone())),
            (FieldKind::Text { .. }, _) => Err(self.error("takes a text")),
            (FieldKind::OneOf { options, .. }, Value::String(text)) => {
                self.option(options, text).map(|option| Some(option.into()))
            }
            (FieldKind::OneOf { .. }, _) => Err(self.error("takes one of its options")),
            (FieldKind::Several { options, least, most, .. }, _) => {
                let chosen = self.several(options, value)?;
                let fits = least.is_none_or(|least| chosen.len() >= least)
                    && most.is_none_or(|most| chosen.len() <= most);
                match chosen.is_empty() {
                    true => Ok(None),
                    false if fits => Ok(Some(chosen.into())),
                    false => Err(self.error("takes another number of its options")),
                }
            }
        }
    }

    /// A list, or a text with commas where a client's forms know no lists.
    fn several(&self, options: &[Choice], value: &Value) -> Result<Vec<String>> {
        let parts: Option<Vec<&str>> = match value {
            Value::Array(items) => items.iter().map(Value::as_str).collect(),
            Value::String(text) => Some(text.split(',').filter(|part| !part.trim().is_empty()).collect()),
            _ => None,
        };
        let mut chosen: Vec<String> = Vec::new();
        for part in parts.ok_or_else(|| self.error("takes a list of its options"))? {
            let option = self.option(options, part)?;
            if !chosen.contains(&option) {
                chosen.push(option);
            }
        }
        Ok(chosen)
    }

    fn option(&self, options: &[Choice], text: &str) -> Result<String> {
        let same = |one: &str| one.to_lowercase() == text.trim().to_lowercase();
        let exact = options.iter().find(|option| option.value == text);
        let found = exact.or_else(|| options.iter().find(|one| same(&one.value) || same(one.shown())));
        found.map(|option| option.value.clone()).ok_or_else(|| self.error("takes one of its options"))
    }

    fn error(&self, what: &str) -> Error {
        Error::invalid(format!("`{}` {what}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> Form {
        let options =
            || vec![Choice::plain("Red"), Choice { value: "g".into(), title: Some("Green".into()) }];
        let field = |name: &str, required: bool, kind: FieldKind| Field {
            name: name.to_owned(),
            title: name.to_owned(),
            description: None,
            required,
            kind,
        };
        let several = FieldKind::Several { options: options(), least: None, most: Some(1), default: vec![] };
        Form {
            message: "Paint".to_owned(),
            fields: vec![
                field("wall", true, FieldKind::OneOf { options: options(), default: None }),
                field("doors", false, several),
                field("why", false, FieldKind::Text { default: None }),
                field("sure", false, FieldKind::YesNo { default: None }),
            ],
            with: object(json!({"session": 7})),
            into: Some("answers"),
            decides: None,
        }
    }

    fn object(value: Value) -> JsonObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn only_what_fits_is_taken_and_what_is_empty_is_left_out() {
        let cases = [
            (json!({"wall": "Red"}), Ok(json!({"wall": "Red"}))),
            (json!({"wall": "Green", "doors": ["g"]}), Ok(json!({"wall": "g", "doors": ["g"]}))),
            (json!({"wall": "red ", "doors": "Green, g,"}), Ok(json!({"wall": "Red", "doors": ["g"]}))),
            (
                json!({"wall": "g", "why": "  ", "doors": [], "sure": null, "ceiling": 1}),
                Ok(json!({"wall": "g"})),
            ),
            (
                json!({"wall": "g", "why": "so", "sure": false}),
                Ok(json!({"wall": "g", "why": "so", "sure": false})),
            ),
            (json!({}), Err("`wall` is needed")),
            (json!({"wall": ""}), Err("`wall` is needed")),
            (json!({"wall": "Blue"}), Err("`wall` takes one of its options")),
            (json!({"wall": ["Red"]}), Err("`wall` takes one of its options")),
            (json!({"wall": "g", "doors": ["Red", "g"]}), Err("`doors` takes another number of its options")),
            (json!({"wall": "g", "doors": [1]}), Err("`doors` takes a list of its options")),
            (json!({"wall": "g", "why": 3}), Err("`why` takes a text")),
            (json!({"wall": "g", "sure": "yes"}), Err("`sure` takes yes or no")),
        ];
        for (filled_in, expected) in cases {
            let values = form().values(&object(filled_in.clone()));
            let values = values.map(Value::Object).map_err(|error| error.message().to_owned());
            assert_eq!(values, expected.map_err(str::to_owned), "{filled_in}");
        }
    }

    #[test]
    fn the_following_call_is_the_first_one_with_the_values() {
        let first = object(json!({"what": "house", "answers": {"wall": "g"}}));
        let values = object(json!({"wall": "Red"}));
        let following = json!({"what": "house", "session": 7, "answers": {"wall": "Red"}});
        assert_eq!(form().arguments(&first, values.clone()), object(following));
        let confirmation = Form { into: None, ..form() };
        let following = json!({"what": "house", "session": 7, "answers": {"wall": "g"}, "wall": "Red"});
        assert_eq!(confirmation.arguments(&first, values), object(following));
    }
}
