//! Asks a model: three attempts at the most, each with its own time, all of them within one.

use std::time::Duration;

use serde_json::Value;

use super::failure::Failure;
use super::settings::Settings;
use super::{forms, http};
use crate::clock::Stopwatch;

const MOST_ATTEMPTS: usize = 3;

/// The questions of a model, as it wrote them.
pub fn ask(settings: &Settings, summary: &Value) -> Result<Vec<Value>, Failure> {
    let since = Stopwatch::start();
    let request = forms::request(settings, summary).to_string();
    let mut attempts = 0;
    loop {
        attempts += 1;
        let left = settings.patience.all.saturating_sub(since.elapsed());
        let failure = match attempt(settings, request.as_bytes(), left.min(settings.patience.attempt)) {
            Ok(questions) => {
                tracing::info!(event = "llm_answered", attempts, questions = questions.len());
                return Ok(questions);
            }
            Err(failure) => failure,
        };
        let pause = failure.pause(settings.patience.pause);
        // A pause that is longer than the time that is left is not waited for.
        let pause = pause.filter(|pause| since.elapsed() + *pause < settings.patience.all);
        let Some(pause) = pause.filter(|_| attempts < MOST_ATTEMPTS) else {
            tracing::warn!(event = "llm_failed", attempts, code = failure.code(), reason = failure.reason());
            return Err(failure);
        };
        std::thread::sleep(pause);
    }
}

fn attempt(settings: &Settings, request: &[u8], patience: Duration) -> Result<Vec<Value>, Failure> {
    settings.key()?;
    if !http::IS_BUILT_IN {
        return Err(Failure::Unsupported);
    }
    let answer = http::post(settings, request, patience)?;
    match answer.status {
        200..300 => {}
        429 => return Err(Failure::RateLimited(answer.retry_after.map(Duration::from_secs))),
        status => return Err(Failure::Status(status)),
    }
    let body: Value = serde_json::from_slice(&answer.body).map_err(|_| Failure::Invalid("it is not JSON"))?;
    forms::questions(settings.form, &body).ok_or(Failure::Invalid("it has another shape"))
}
