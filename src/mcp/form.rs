//! Forms in the protocol's own words: a flat schema of what a client of a version can show.

use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::tool::JsonObject;
use crate::tool::ask::{Choice, Field, FieldKind, Form};

/// The version of a client that can show forms; a declaration without any mode means them.
pub(super) fn shown_by(context: &RequestContext<RoleServer>) -> Option<ProtocolVersion> {
    let version = context.protocol_version().filter(|version| *version >= ProtocolVersion::V_2025_06_18)?;
    let declared = context.client_capabilities()?.elicitation?;
    (declared.form.is_some() || declared.url.is_none()).then_some(version)
}

/// The request that shows a form; none if the SDK does not understand it.
pub(super) fn request(form: &Form, version: &ProtocolVersion) -> Option<ElicitRequest> {
    let requested_schema = ElicitationSchema::from_json_schema(schema(form, version))
        .inspect_err(|error| tracing::error!(event = "form_not_understood", %error))
        .ok()?;
    let message = form.message.clone();
    Some(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    }))
}

/// Why there is nothing to take from a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unfilled {
    /// Whether a person has said no, and not merely nothing.
    pub declined: bool,
    pub note: String,
}

impl From<String> for Unfilled {
    fn from(note: String) -> Self {
        Unfilled { declined: false, note }
    }
}

/// What a person has filled in, or a note of why there is nothing to take.
pub(super) fn values(form: &Form, result: Option<&ElicitResult>) -> Result<JsonObject, Unfilled> {
    let Some(result) = result else { return Err(NOT_SHOWN.to_owned().into()) };
    match (&result.action, &result.content) {
        (ElicitationAction::Accept, Some(Value::Object(content))) => {
            form.values(content).map_err(|error| refused(error.message()).into())
        }
        (ElicitationAction::Accept, _) => Err(refused("it holds no values").into()),
        (ElicitationAction::Decline, _) => {
            let note = "A person was shown a form for this and declined.".to_owned();
            Err(Unfilled { declined: true, note })
        }
        _ => Err("A person was shown a form for this and closed it.".to_owned().into()),
    }
}

pub(super) const NOT_SHOWN: &str = "The client could not show a form for this.";

pub(super) fn refused(why: &str) -> String {
    format!("What was filled into the form for this was not accepted: {why}.")
}

fn schema(form: &Form, version: &ProtocolVersion) -> JsonObject {
    let properties: JsonObject =
        form.fields.iter().map(|field| (field.name.clone(), property(field, version))).collect();
    let required: Vec<&str> =
        form.fields.iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

fn property(field: &Field, version: &ProtocolVersion) -> Value {
    // Lists, titles of options and defaults of texts came with this version.
    let newer = *version >= ProtocolVersion::V_2025_11_25;
    let mut description = field.description.clone();
    let mut property = match &field.kind {
        FieldKind::Text { default } => {
            json!({"type": "string", "default": default.as_ref().filter(|_| newer)})
        }
        FieldKind::YesNo { default } => json!({"type": "boolean", "default": default}),
        FieldKind::OneOf { options, default } => {
            let mut property = json!({"type": "string", "default": default.as_ref().filter(|_| newer)});
            if !is_titled(options) {
                property["enum"] = plain(options);
            } else if newer {
                property["oneOf"] = titled(options);
            } else {
                property["enum"] = plain(options);
                property["enumNames"] = options.iter().map(Choice::shown).collect();
            }
            property
        }
        FieldKind::Several { options, least, most, default } if newer => {
            let items = match is_titled(options) {
                true => json!({"anyOf": titled(options)}),
                false => json!({"type": "string", "enum": plain(options)}),
            };
            let default = Some(default).filter(|default| !default.is_empty());
            // Whoever may leave it out may also choose none.
            let least = least.filter(|_| field.required);
            json!({"type": "array", "items": items, "minItems": least, "maxItems": most, "default": default})
        }
        FieldKind::Several { options, .. } => {
            let options: Vec<&str> = options.iter().map(Choice::shown).collect();
            let how = format!("Several, with commas between them, of: {}", options.join(", "));
            description = Some(description.map_or(how.clone(), |text| format!("{text}. {how}")));
            json!({"type": "string"})
        }
    };
    property["title"] = field.title.clone().into();
    property["description"] = description.into();
    if let Value::Object(members) = &mut property {
        members.retain(|_, value| !value.is_null());
    }
    property
}

fn is_titled(options: &[Choice]) -> bool {
    options.iter().any(|option| option.title.is_some())
}

fn plain(options: &[Choice]) -> Value {
    options.iter().map(|option| option.value.as_str()).collect()
}

fn titled(options: &[Choice]) -> Value {
    options.iter().map(|option| json!({"const": option.value, "title": option.shown()})).collect()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn form() -> Form {
        let field = |name: &str, required: bool, kind: FieldKind| Field {
            name: name.to_owned(),
            title: format!("Which {name}?"),
            description: required.then(|| "Recommended: A".to_owned()),
            required,
            kind,
        };
        let options = || vec![Choice::plain("A"), Choice::plain("B")];
        let titles =
            || vec![Choice { value: "A".into(), title: Some("The first".into()) }, Choice::plain("B")];
        let several = |options, least| FieldKind::Several {
            options,
            least: Some(least),
            most: Some(2),
            default: vec!["A".to_owned()],
        };
        let default = || Some("A".to_owned());
        Form {
            message: "Choose".to_owned(),
            fields: vec![
                field("one", true, FieldKind::OneOf { options: options(), default: default() }),
                field("named", false, FieldKind::OneOf { options: titles(), default: None }),
                field("all", true, several(options(), 1)),
                field("any", false, several(titles(), 1)),
                field("text", false, FieldKind::Text { default: default() }),
                field("sure", true, FieldKind::YesNo { default: Some(false) }),
            ],
            with: JsonObject::new(),
            into: None,
            decides: None,
        }
    }

    /// The fields as they go over the wire: what the SDK does not know of a schema would be lost.
    fn sent(version: &ProtocolVersion) -> String {
        let params = serde_json::to_value(&request(&form(), version).unwrap().params).unwrap();
        assert_eq!((&params["mode"], &params["message"]), (&json!("form"), &json!("Choose")));
        let schema = params["requestedSchema"].as_object().unwrap();
        assert_eq!(schema.keys().collect::<Vec<_>>(), ["type", "properties", "required"]);
        assert_eq!(schema["required"], json!(["one", "all", "sure"]));
        let fields = schema["properties"].as_object().unwrap().iter();
        fields.map(|(name, field)| format!("{name} {field}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_newer_versions_show_lists_titles_and_defaults() {
        let shown = sent(&ProtocolVersion::V_2025_11_25);
        assert_eq!(sent(&ProtocolVersion::V_2026_07_28), shown);
        assert_snapshot!(shown, @r#"
        one {"type":"string","title":"Which one?","description":"Recommended: A","enum":["A","B"],"default":"A"}
        named {"type":"string","title":"Which named?","oneOf":[{"const":"A","title":"The first"},{"const":"B","title":"B"}]}
        all {"type":"array","title":"Which all?","description":"Recommended: A","minItems":1,"maxItems":2,"items":{"type":"string","enum":["A","B"]},"default":["A"]}
        any {"type":"array","title":"Which any?","maxItems":2,"items":{"anyOf":[{"const":"A","title":"The first"},{"const":"B","title":"B"}]},"default":["A"]}
        text {"type":"string","title":"Which text?","default":"A"}
        sure {"type":"boolean","title":"Which sure?","description":"Recommended: A","default":false}
        "#);
    }

    #[test]
    fn the_first_version_with_forms_shows_texts_instead_of_lists() {
        assert_snapshot!(sent(&ProtocolVersion::V_2025_06_18), @r#"
        one {"type":"string","title":"Which one?","description":"Recommended: A","enum":["A","B"]}
        named {"type":"string","title":"Which named?","enum":["A","B"],"enumNames":["The first","B"]}
        all {"type":"string","title":"Which all?","description":"Recommended: A. Several, with commas between them, of: A, B"}
        any {"type":"string","title":"Which any?","description":"Several, with commas between them, of: The first, B"}
        text {"type":"string","title":"Which text?"}
        sure {"type":"boolean","title":"Which sure?","description":"Recommended: A","default":false}
        "#);
    }
}
