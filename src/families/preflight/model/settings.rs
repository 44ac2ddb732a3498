//! Which model to ask, and how: worked out from the environment's values alone.

use super::address::Address;
use super::failure::Failure;
use crate::config::model::{
    ANTHROPIC_KEYS, BASE_URL, ModelEnvironment, OPENAI_KEYS, OPENROUTER_KEYS, PROVIDER, Patience, STRICT,
    Secret, URL_KEY,
};
use crate::error::{Error, Kind, Result, nearest};
use crate::families::preflight::repository::coded;

/// The form in which a provider is asked and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Messages,
    /// The name of its limit differs: newer models refuse the older one, other servers know only that.
    ChatCompletions {
        limit: &'static str,
    },
}

/// A model that can be asked.
#[derive(Clone, Debug)]
pub struct Settings {
    pub form: Form,
    pub url: String,
    /// A server with a single model needs no name.
    pub model: Option<String>,
    pub key: Option<Secret>,
    /// The variable to set, where nothing goes without a key.
    needed_key: Option<&'static str>,
    pub strict: bool,
    pub patience: Patience,
}

struct Named {
    name: &'static str,
    form: Form,
    base: &'static str,
    model: &'static str,
    keys: [&'static str; 2],
    key: fn(&ModelEnvironment) -> Option<&Secret>,
}

const NAMED: [Named; 3] = [
    Named {
        name: "anthropic",
        form: Form::Messages,
        base: "https://api.anthropic.com",
        model: "claude-sonnet-4-20250514",
        keys: ANTHROPIC_KEYS,
        key: |found| found.anthropic_key.as_ref(),
    },
    Named {
        name: "openai",
        form: Form::ChatCompletions { limit: "max_completion_tokens" },
        base: "https://api.openai.com/v1",
        model: "gpt-4o",
        keys: OPENAI_KEYS,
        key: |found| found.openai_key.as_ref(),
    },
    Named {
        name: "openrouter",
        form: Form::ChatCompletions { limit: "max_tokens" },
        base: "https://openrouter.ai/api/v1",
        model: "anthropic/claude-sonnet-4",
        keys: OPENROUTER_KEYS,
        key: |found| found.openrouter_key.as_ref(),
    },
];

impl Settings {
    /// The settings; none when no model is wanted. What is not understood is an error, and never shown:
    /// somebody may have put a key into the wrong variable.
    pub fn of(found: &ModelEnvironment) -> Result<Option<Self>> {
        let Some(provider) = found.provider.as_ref().map(Secret::reveal) else { return Ok(None) };
        let name = provider.to_ascii_lowercase();
        if ["none", "mock", "off"].contains(&name.as_str()) {
            return Ok(None);
        }
        let strict = strict(found.strict.as_deref())?;
        if let Some(named) = NAMED.iter().find(|named| named.name == name) {
            return named.settings(found, strict).map(Some);
        }
        if !provider.contains("://") {
            return Err(unknown(&name));
        }
        let address = Address::parse(provider).map_err(|why| wrong(PROVIDER, why))?;
        let key = found.url_key.clone();
        if key.is_some() && !address.is_encrypted && !address.is_loopback {
            return Err(wrong(PROVIDER, "is not encrypted: a key would travel in the open")
                .hint(format!("use https, or unset {URL_KEY}")));
        }
        Ok(Some(Settings {
            form: Form::ChatCompletions { limit: "max_tokens" },
            url: address.chat_completions(),
            model: found.model.clone(),
            key,
            needed_key: None,
            strict,
            patience: found.patience,
        }))
    }

    /// The key, if one is needed or given.
    pub fn key(&self) -> Result<Option<&Secret>, Failure> {
        match (&self.key, self.needed_key) {
            (None, Some(variable)) => Err(Failure::NoKey(variable)),
            (key, _) => Ok(key.as_ref()),
        }
    }
}

impl Named {
    fn settings(&self, found: &ModelEnvironment, strict: bool) -> Result<Settings> {
        let base = match found.base_url.as_ref().map(Secret::reveal) {
            None => Address::parse(self.base),
            Some(text) => Address::parse(text).and_then(|address| match address.is_loopback {
                true => Ok(address),
                false => Err("does not lead to this machine"),
            }),
        };
        let base = base.map_err(|why| wrong(BASE_URL, why))?;
        Ok(Settings {
            form: self.form,
            url: match self.form {
                Form::Messages => base.messages(),
                Form::ChatCompletions { .. } => base.chat_completions(),
            },
            model: Some(found.model.clone().unwrap_or_else(|| self.model.to_owned())),
            key: (self.key)(found).cloned(),
            needed_key: Some(self.keys[0]),
            strict,
            patience: found.patience,
        })
    }
}

fn strict(value: Option<&str>) -> Result<bool> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        None | Some("0" | "false" | "no" | "off") => Ok(false),
        Some("1" | "true" | "yes" | "on") => Ok(true),
        Some(_) => Err(wrong(STRICT, "is neither `1` nor `0`")),
    }
}

fn wrong(variable: &str, why: &str) -> Error {
    let hint = format!("correct {variable}, or unset {PROVIDER} to do without a model");
    coded(Kind::Invalid, "CONFIG_ERROR", format!("`{variable}` {why}"), &hint).detail("variable", variable)
}

fn unknown(name: &str) -> Error {
    let names = NAMED.iter().map(|named| named.name);
    let near = nearest(name, names.chain(["none"])).map(|near| format!("did you mean `{near}`? "));
    let all = "It takes anthropic, openai, openrouter, an http(s) URL, or none";
    wrong(PROVIDER, "names no provider").hint(format!("{}{all}", near.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)]) -> Result<Option<Settings>> {
        let value = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Settings::of(&ModelEnvironment::of(value))
    }

    #[test]
    fn without_a_provider_there_is_no_model() {
        for off in ["", " ", "none", "mock", "MOCK"] {
            assert!(found(&[(PROVIDER, off), ("OPENAI_API_KEY", "k")]).unwrap().is_none(), "{off}");
        }
        assert!(found(&[]).unwrap().is_none());
    }

    #[test]
    fn every_provider_has_its_address_model_and_key() {
        for (provider, key, url, model) in [
            (
                "anthropic",
                "ANTHROPIC_API_KEY",
                "https://api.anthropic.com/v1/messages",
                "claude-sonnet-4-20250514",
            ),
            ("OpenAI", "PREFLIGHTS_OPENAI_API_KEY", "https://api.openai.com/v1/chat/completions", "gpt-4o"),
            (
                "openrouter",
                "OPENROUTER_API_KEY",
                "https://openrouter.ai/api/v1/chat/completions",
                "anthropic/claude-sonnet-4",
            ),
        ] {
            let settings = found(&[(PROVIDER, provider), (key, "k")]).unwrap().unwrap();
            assert_eq!((settings.url.as_str(), settings.model.as_deref()), (url, Some(model)));
            assert_eq!(settings.key().unwrap().unwrap().reveal(), "k");
            let keyless = found(&[(PROVIDER, provider), ("PREFLIGHTS_LLM_MODEL", "own")]).unwrap().unwrap();
            assert!(matches!(keyless.key(), Err(Failure::NoKey(_))));
            assert_eq!((keyless.model.as_deref(), keyless.strict), (Some("own"), false));
        }
    }

    #[test]
    fn a_server_of_ones_own_needs_no_key_and_gets_none_in_the_open() {
        let local = found(&[(PROVIDER, "http://localhost:11434"), ("OPENAI_API_KEY", "k"), (STRICT, "true")]);
        let local = local.unwrap().unwrap();
        assert_eq!(local.url, "http://localhost:11434/v1/chat/completions");
        assert!(
            local.key().unwrap().is_none() && local.model.is_none() && local.strict,
            "a named provider's key stays"
        );
        assert!(found(&[(PROVIDER, "http://10.0.0.7:8080")]).unwrap().is_some(), "nothing secret travels");
        assert!(found(&[(PROVIDER, "https://10.0.0.7"), (URL_KEY, "k")]).unwrap().is_some());
        assert!(found(&[(PROVIDER, "http://127.0.0.1"), (URL_KEY, "k")]).unwrap().is_some());
        let open = found(&[(PROVIDER, "http://10.0.0.7:8080"), (URL_KEY, "k")]).unwrap_err();
        assert_eq!(open.details()["code"], "CONFIG_ERROR");
    }

    #[test]
    fn what_is_wrong_is_told_without_being_shown() {
        for (variables, hint) in [
            (&[(PROVIDER, "antropic")][..], "did you mean `anthropic`?"),
            (&[(PROVIDER, "sk-ant-hunter2")][..], "It takes"),
            (&[(PROVIDER, "https://me:hunter2@h/v1")][..], "correct"),
            (&[(PROVIDER, "openai"), (STRICT, "hunter2")][..], "correct"),
            (&[(PROVIDER, "openai"), (BASE_URL, "https://hunter2.example")][..], "correct"),
        ] {
            let error = found(variables).unwrap_err();
            assert_eq!(error.details()["code"], "CONFIG_ERROR");
            let told = format!("{error:?}");
            assert!(
                told.contains(hint) && !told.contains("hunter2") && !told.contains("antropic`"),
                "{told}"
            );
        }
        let moved = found(&[(PROVIDER, "anthropic"), (BASE_URL, "http://127.0.0.1:9")]).unwrap().unwrap();
        assert_eq!(moved.url, "http://127.0.0.1:9/v1/messages");
    }
}
