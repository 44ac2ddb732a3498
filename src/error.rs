//! The one error type: kind, message, hint, details, source.
//!
//! A caller's mistake is an answer, our mistake is a failure; both travel as this type and are
//! given their family's form by [`crate::tool::render`]. Nothing is ever classified by its text.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as far as a program needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The arguments do not fit; nothing was changed.
    Invalid,
    /// The named thing does not exist, or not for this caller.
    NotFound,
    /// The caller may not do this.
    Forbidden,
    /// The thing exists, but its state does not allow this now.
    Conflict,
    /// Somebody else holds the file; the same call may succeed in a moment.
    Busy,
    /// The data file cannot be used: newer, foreign, corrupt, read-only.
    Unusable,
    /// The disk refused the write; nothing was changed.
    Storage,
    /// Our mistake.
    Internal,
}

impl Kind {
    /// The word that goes into logs, the audit trail and error data.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Invalid => "invalid",
            Kind::NotFound => "not_found",
            Kind::Forbidden => "forbidden",
            Kind::Conflict => "conflict",
            Kind::Busy => "busy",
            Kind::Unusable => "unusable",
            Kind::Storage => "storage",
            Kind::Internal => "internal",
        }
    }
}

/// An error; cheap to move, and clonable because one failed commit answers a whole batch.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: Kind,
    message: String,
    hint: Option<String>,
    details: Map<String, Value>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            details: Map::new(),
            source: None,
        }))
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(Kind::Forbidden, message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Kind::Conflict, message)
    }

    pub fn unusable(message: impl Into<String>) -> Self {
        Self::new(Kind::Unusable, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// Adds what to do next; shown after the message.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds a machine-readable fact to the error's data.
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(key.to_owned(), value.into());
        self
    }

    /// Names the reason by a stable code, such as `expired`.
    pub fn reason(self, code: &str) -> Self {
        self.detail("reason", code)
    }

    /// Keeps the cause; it goes to the log, not to the caller.
    pub fn because(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }

    /// The message and every cause below it, for the log and the terminal.
    pub fn chain(&self) -> String {
        let mut text = self.0.message.clone();
        let mut next = std::error::Error::source(self);
        while let Some(cause) = next {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            next = cause.source();
        }
        text
    }

    /// Wraps a failed file operation; a full disk is its own kind.
    pub fn io(error: std::io::Error, doing: impl fmt::Display) -> Self {
        use std::io::ErrorKind::{
            NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        let kind = match error.kind() {
            StorageFull | QuotaExceeded => Kind::Storage,
            ReadOnlyFilesystem => Kind::Unusable,
            NotFound => Kind::NotFound,
            PermissionDenied => Kind::Forbidden,
            _ => Kind::Internal,
        };
        Self::new(kind, format!("cannot {doing}")).because(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.kind.word(), self.chain())?;
        match &self.0.hint {
            Some(hint) => write!(f, " (hint: {hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// The known name nearest to a misspelt one, if any is near enough to be worth a hint.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(wrong, name), name))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_tells_every_cause_and_repeats_none() {
        let cause = std::io::Error::other("device on fire");
        let error = Error::io(cause, "write `a.db`").hint("move away");
        assert_eq!(error.chain(), "cannot write `a.db`: device on fire");
        assert_eq!(error.to_string(), "cannot write `a.db`");
    }

    #[test]
    fn the_nearest_name_is_near() {
        let known = ["title", "description", "priority"];
        assert_eq!(nearest("titel", known), Some("title"));
        assert_eq!(nearest("zzz", known), None);
    }
}
