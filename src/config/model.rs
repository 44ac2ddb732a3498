//! What the environment says about the optional language model. Nothing of it is judged here: a wrong
//! value is told to whoever needs the model, not to everybody at the start.

use std::fmt;
use std::time::Duration;

/// Who proposes questions: `anthropic`, `openai`, `openrouter` or the URL of a server that speaks the
/// OpenAI way; nobody when it is unset, empty, `none` or `mock`.
pub const PROVIDER: &str = "PREFLIGHTS_LLM_PROVIDER";
/// The model, when not the provider's usual one.
pub const MODEL: &str = "PREFLIGHTS_LLM_MODEL";
/// `1` makes a failing model an error; otherwise the built-in questions stand in, with a warning.
pub const STRICT: &str = "PREFLIGHTS_LLM_STRICT";
/// Another address for a named provider, on this machine only.
pub const BASE_URL: &str = "PREFLIGHTS_LLM_BASE_URL";
/// The key for a provider that is given as a URL, if it wants one.
pub const URL_KEY: &str = "PREFLIGHTS_LLM_API_KEY";
/// The keys of the named providers; the first one that is set counts.
pub const ANTHROPIC_KEYS: [&str; 2] = ["PREFLIGHTS_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"];
pub const OPENAI_KEYS: [&str; 2] = ["PREFLIGHTS_OPENAI_API_KEY", "OPENAI_API_KEY"];
pub const OPENROUTER_KEYS: [&str; 2] = ["PREFLIGHTS_OPENROUTER_API_KEY", "OPENROUTER_API_KEY"];

/// A text that no log, no error and no answer shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// The text itself, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The variables as they were found. They stay in this process: no message carries them.
#[derive(Clone, Debug, Default)]
pub struct ModelEnvironment {
    pub provider: Option<Secret>,
    pub model: Option<String>,
    pub strict: Option<String>,
    pub base_url: Option<Secret>,
    pub anthropic_key: Option<Secret>,
    pub openai_key: Option<Secret>,
    pub openrouter_key: Option<Secret>,
    pub url_key: Option<Secret>,
    pub patience: Patience,
}

/// How long a model is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For one attempt.
    pub attempt: Duration,
    /// For all attempts and the pauses between them.
    pub all: Duration,
    /// Between two attempts, when the provider asks for none.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            attempt: Duration::from_secs(15),
            all: Duration::from_secs(45),
            pause: Duration::from_millis(500),
        }
    }
}

impl ModelEnvironment {
    /// Takes the variables out of an environment; a blank one is as good as none.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name: &str| {
            variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let secret = |name: &str| text(name).map(Secret);
        let key = |names: [&str; 2]| names.into_iter().find_map(secret);
        ModelEnvironment {
            provider: secret(PROVIDER),
            model: text(MODEL),
            strict: text(STRICT),
            base_url: secret(BASE_URL),
            anthropic_key: key(ANTHROPIC_KEYS),
            openai_key: key(OPENAI_KEYS),
            openrouter_key: key(OPENROUTER_KEYS),
            url_key: secret(URL_KEY),
            patience: Patience::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_counts_and_none_is_shown() {
        let found = ModelEnvironment::of(|name| match name {
            "PREFLIGHTS_OPENAI_API_KEY" => Some(" own ".to_owned()),
            "OPENAI_API_KEY" | "ANTHROPIC_API_KEY" => Some("shared".to_owned()),
            "PREFLIGHTS_LLM_PROVIDER" => Some("  ".to_owned()),
            _ => None,
        });
        assert_eq!(found.openai_key, Some(Secret::new("own")));
        assert_eq!(found.anthropic_key, Some(Secret::new("shared")));
        assert_eq!((found.provider.as_ref(), found.openrouter_key.as_ref()), (None, None));
        let shown = format!("{found:?}");
        assert!(!shown.contains("own") && !shown.contains("shared"), "{shown}");
    }
}
