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
    /// `{"status": "error", code, message, suggestedAction}` as the text of a failed result.
    Envelope,
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
        ErrorForm::Envelope => Failure::InBand(envelope(error)),
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

/// What the caller can do something about is told; what only we can is in the log.
pub fn envelope(error: &Error) -> Value {
    let own = error.details().get("code").and_then(Value::as_str);
    let reason = error.details().get("reason").and_then(Value::as_str);
    let code = own.unwrap_or(match (error.kind(), reason) {
        (Kind::Invalid, Some("invalid_argument" | "unknown_argument")) => "VALIDATION_ERROR",
        (Kind::Invalid | Kind::NotFound, _) => "INVALID_INPUT",
        (Kind::Forbidden, _) => "INSUFFICIENT_PERMISSIONS",
        (Kind::Busy | Kind::Storage | Kind::Unusable, _) => "DATABASE_ERROR",
        (Kind::Conflict | Kind::Internal, _) => "OPERATION_FAILED",
    });
    let field = error.details().get("field").and_then(Value::as_str);
    let next = match (error.hint_text(), code, field) {
        (Some(hint), ..) => hint.to_owned(),
        (None, "VALIDATION_ERROR", Some(field)) => format!("{field}: correct it and repeat the call"),
        (None, "DATABASE_ERROR" | "OPERATION_FAILED", _) => {
            "repeat the call; if it fails again, run `backoffice doctor`".to_owned()
        }
        (None, ..) => "correct the call and repeat it".to_owned(),
    };
    json!({ "status": "error", "code": code, "message": error.message(), "suggestedAction": next })
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
