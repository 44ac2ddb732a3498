//! Why a model gave no questions.

use std::time::Duration;

/// A failure in words that hold nothing of what was sent, of keys or of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Timeout,
    /// No connection, or one that broke.
    Connection,
    /// An answer that cannot be used, and why.
    Invalid(&'static str),
    /// With the pause that the provider asks for.
    RateLimited(Option<Duration>),
    Status(u16),
    /// The request itself cannot be made: a key with a line break, for instance.
    Request,
    /// The variable to set.
    NoKey(&'static str),
    /// Built without a client.
    Unsupported,
}

impl Failure {
    /// The code of the contract.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Timeout => "LLM_TIMEOUT",
            Failure::Invalid(_) => "LLM_INVALID_RESPONSE",
            Failure::RateLimited(_) => "LLM_RATE_LIMITED",
            Failure::NoKey(_) => "LLM_CREDENTIALS_MISSING",
            Failure::Connection | Failure::Status(_) | Failure::Request | Failure::Unsupported => {
                "LLM_PROVIDER_ERROR"
            }
        }
    }

    pub fn reason(&self) -> String {
        match self {
            Failure::Timeout => "no answer in time".to_owned(),
            Failure::Connection => "no connection to the provider".to_owned(),
            Failure::Invalid(why) => format!("unusable answer: {why}"),
            Failure::RateLimited(_) => "rate limit".to_owned(),
            Failure::Status(status @ (401 | 403)) => format!("the provider refuses the key, status {status}"),
            Failure::Status(404) => "the provider does not know the model or the path, status 404".to_owned(),
            Failure::Status(status @ 300..=399) => format!("the provider redirects, status {status}"),
            Failure::Status(status) => format!("the provider answered with status {status}"),
            Failure::Request => "the request cannot be made; look at the key".to_owned(),
            Failure::NoKey(variable) => format!("{variable} is not set"),
            Failure::Unsupported => "this build has no model support".to_owned(),
        }
    }

    pub fn hint(&self) -> &'static str {
        match self {
            Failure::NoKey(_) => {
                "set the key in the environment of this server, or unset PREFLIGHTS_LLM_PROVIDER"
            }
            Failure::Timeout | Failure::Connection | Failure::Invalid(_) | Failure::RateLimited(_) => {
                "repeat the call later, or unset PREFLIGHTS_LLM_STRICT to go on without the model"
            }
            Failure::Status(_) | Failure::Request | Failure::Unsupported => {
                "correct the PREFLIGHTS_LLM variables, or unset PREFLIGHTS_LLM_STRICT to go on without the model"
            }
        }
    }

    /// How long to wait before another attempt; none where another one would fail alike.
    pub fn pause(&self, usual: Duration) -> Option<Duration> {
        match self {
            Failure::Timeout | Failure::Connection | Failure::Invalid(_) | Failure::Status(500..=599) => {
                Some(usual)
            }
            Failure::RateLimited(wished) => Some(wished.unwrap_or(usual)),
            Failure::Status(_) | Failure::Request | Failure::NoKey(_) | Failure::Unsupported => None,
        }
    }
}
