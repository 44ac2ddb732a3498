//! Gives an error the form its family's contract asks for.

use serde_json::{Value, json};

use super::JsonObject;
use crate::error::{Error, Kind};

/// The forms of an error on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorForm {
    /// A JSON-RPC error with code, message and data.
    JsonRpc,
    /// `{"error": {"code": 404, "message": …}}` as the text of a failed result.
    Status,
    /// `{"status": "error", "error": {code, message, details, recovery_hint}}` as the text of a failed
    /// result; the code is the error's own, or the one of its kind.
    Clarification,
}

/// A failure in its final form.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    Protocol { code: i32, message: String, data: Option<Value> },
    InBand(Value),
}

pub fn render(error: &Error, form: ErrorForm) -> Failure {
    match form {
        ErrorForm::JsonRpc => json_rpc(error),
        ErrorForm::Clarification => clarification(error),
        ErrorForm::Status => {
            let code = match error.kind() {
                Kind::Invalid => 400,
                Kind::Forbidden => 403,
                Kind::NotFound => 404,
                Kind::Conflict => 409,
                _ => 500,
            };
            Failure::InBand(json!({ "error": { "code": code, "message": with_hint(error) } }))
        }
    }
}

fn clarification(error: &Error) -> Failure {
    let mut details: JsonObject = error.details().clone();
    let code = match (details.remove("code"), error.kind()) {
        (Some(code), _) => code,
        (None, Kind::Invalid | Kind::NotFound | Kind::Conflict | Kind::Forbidden) => {
            json!("VALIDATION_FAILED")
        }
        (None, Kind::Busy | Kind::Unusable | Kind::Storage | Kind::Internal) => json!("FILESYSTEM_ERROR"),
    };
    let hint = error.hint_text().unwrap_or("read the message and repeat the call");
    let told = json!({ "code": code, "message": error.message(), "details": details, "recovery_hint": hint });
    Failure::InBand(json!({ "status": "error", "error": told }))
}

fn json_rpc(error: &Error) -> Failure {
    let (code, prefix) = match error.kind() {
        Kind::Invalid => (-32602, "Invalid params: "),
        Kind::NotFound => (-32001, "Resource not found: "),
        Kind::Forbidden => (-32000, "Permission denied: "),
        Kind::Busy => (-32000, "Request timeout: "),
        Kind::Conflict => (-32000, ""),
        Kind::Unusable | Kind::Storage | Kind::Internal => (-32603, "Internal error: "),
    };
    let mut data: JsonObject = error.details().clone();
    if let Some(hint) = error.hint_text() {
        data.insert("hint".to_owned(), hint.into());
    }
    let data = (!data.is_empty()).then_some(Value::Object(data));
    Failure::Protocol { code, message: format!("{prefix}{}", error.message()), data }
}

/// Message and hint in one sentence, for forms that have no place for a hint.
pub fn with_hint(error: &Error) -> String {
    match error.hint_text() {
        Some(hint) => format!("{}; {hint}", error.message()),
        None => error.message().to_owned(),
    }
}
