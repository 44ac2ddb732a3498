//! One request over HTTP. Nothing of it is logged; redirects are not followed, so that a key never
//! reaches a host that nobody has named.

#[cfg(feature = "model")]
pub use self::client::post;

/// Whether this build can ask anybody.
pub const IS_BUILT_IN: bool = cfg!(feature = "model");

/// What a provider has answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The seconds that the provider wants to be left alone for.
    pub retry_after: Option<u64>,
    pub body: Vec<u8>,
}

#[cfg(feature = "model")]
mod client {
    use std::io::ErrorKind;
    use std::time::Duration;

    use ureq::config::AutoHeaderValue;
    use ureq::{Agent, Error};

    use super::super::failure::Failure;
    use super::super::settings::{Form, Settings};
    use super::Answer;

    /// No list of two questions is longer.
    const LARGEST: u64 = 1024 * 1024;
    const VERSION: &str = "2023-06-01";

    /// Asks once, and waits no longer than this for the whole of it.
    pub fn post(settings: &Settings, body: &[u8], patience: Duration) -> Result<Answer, Failure> {
        let key = settings.key()?;
        // Neither the environment's proxy nor its certificates: what counts is what was configured here.
        let agent: Agent = Agent::config_builder()
            .timeout_global(Some(patience))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(AutoHeaderValue::Provided(format!("backoffice/{}", env!("CARGO_PKG_VERSION")).into()))
            .build()
            .into();
        let mut request = agent.post(&settings.url).header("content-type", "application/json");
        match (settings.form, key) {
            (Form::Messages, Some(key)) => {
                request = request.header("x-api-key", key.reveal()).header("anthropic-version", VERSION);
            }
            (Form::ChatCompletions { .. }, Some(key)) => {
                request = request.header("authorization", format!("Bearer {}", key.reveal()));
            }
            (_, None) => {}
        }
        let mut answer = request.send(body).map_err(|error| failure(&error))?;
        let retry_after = answer.headers().get("retry-after");
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let status = answer.status().as_u16();
        // What a refusal says in its body is of no use.
        let body = match status {
            200..300 => answer
                .body_mut()
                .with_config()
                .limit(LARGEST)
                .read_to_vec()
                .map_err(|error| failure(&error))?,
            _ => Vec::new(),
        };
        Ok(Answer { status, retry_after, body })
    }

    fn failure(error: &Error) -> Failure {
        match error {
            Error::Timeout(_) => Failure::Timeout,
            Error::Io(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
                Failure::Timeout
            }
            Error::BodyExceedsLimit(_) => Failure::Invalid("it is too large"),
            Error::Protocol(_) => Failure::Invalid("it is not HTTP as agreed"),
            Error::Http(_) | Error::BadUri(_) => Failure::Request,
            _ => Failure::Connection,
        }
    }
}

#[cfg(not(feature = "model"))]
pub fn post(
    _: &super::settings::Settings,
    _: &[u8],
    _: std::time::Duration,
) -> Result<Answer, super::failure::Failure> {
    Err(super::failure::Failure::Unsupported)
}
