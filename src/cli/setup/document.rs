//! A client's configuration as text: finds, writes and removes one entry and leaves every other
//! byte alone.

use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::clients::Facts;
use crate::error::{Error, Result};

/// What the entry is called in every client.
pub(super) const NAME: &str = "backoffice";
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of one configuration, taken apart without losing comments, order or layout.
#[derive(Debug)]
pub(super) struct Document {
    path: PathBuf,
    facts: &'static Facts,
    has_mark: bool,
    root: CstRootNode,
    members: CstObject,
}

impl Document {
    /// Reads a text; an empty one counts as an object without members.
    pub fn parse(path: &Path, text: &str, facts: &'static Facts) -> Result<Self> {
        let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let root =
            CstRootNode::parse(bare, &accepted(facts)).map_err(|error| not_json(path, facts, error))?;
        if !facts.comments && root.value().is_some() {
            // The parser above passes over comments even if they are not allowed.
            serde_json::from_str::<IgnoredAny>(bare).map_err(|error| not_json(path, facts, error))?;
        }
        let members = root.object_value_or_create().ok_or_else(|| {
            let what = format!("`{}` does not hold a JSON object", path.display());
            Error::conflict(what).hint(by_hand(facts))
        })?;
        let has_mark = bare.len() < text.len();
        Ok(Document { path: path.to_owned(), facts, has_mark, root, members })
    }

    pub fn entry(&self) -> Result<Option<Value>> {
        let entry = self.servers()?.map(|servers| self.only(&servers, NAME)).transpose()?.flatten();
        Ok(entry.and_then(|entry| entry.to_serde_value()))
    }

    /// Writes the entry. One that starts a program keeps what the person has added to it.
    pub fn set(&self, entry: &Value) -> Result<()> {
        let servers = match self.servers()? {
            Some(servers) => servers,
            None => self.members.object_value_or_set(self.facts.section),
        };
        let Some(present) = self.only(&servers, NAME)? else {
            servers.append(NAME, input(entry));
            return Ok(());
        };
        match (present.object_value(), entry) {
            (Some(members), Value::Object(wanted)) if members.get("url").is_none() => {
                for (name, value) in wanted {
                    match members.get(name) {
                        None => drop(members.append(name, input(value))),
                        Some(_) if name == "env" => {}
                        Some(member) if member.to_serde_value().as_ref() == Some(value) => {}
                        Some(member) => member.set_value(input(value)),
                    }
                }
            }
            _ => present.set_value(input(entry)),
        }
        Ok(())
    }

    pub fn remove(&self) -> Result<()> {
        if let Some(servers) = self.servers()?
            && let Some(entry) = self.only(&servers, NAME)?
        {
            entry.remove();
        }
        Ok(())
    }

    pub fn text(&self) -> String {
        let mark = if self.has_mark { BYTE_ORDER_MARK.to_string() } else { String::new() };
        format!("{mark}{}", self.root)
    }

    fn servers(&self) -> Result<Option<CstObject>> {
        let Some(section) = self.only(&self.members, self.facts.section)? else { return Ok(None) };
        match section.object_value() {
            Some(servers) => Ok(Some(servers)),
            None if section.value().is_some_and(|value| value.as_null_keyword().is_some()) => Ok(None),
            None => {
                let (path, name) = (self.path.display(), self.facts.section);
                Err(Error::conflict(format!("`{name}` in `{path}` is not a JSON object"))
                    .hint(by_hand(self.facts)))
            }
        }
    }

    /// The member of a name. Of two with the same name, clients and editors do not see the same one.
    fn only(&self, object: &CstObject, name: &str) -> Result<Option<CstObjectProp>> {
        let is_named = |member: &CstObjectProp| member.decoded_name().as_deref() == Some(name);
        let mut found = object.properties().into_iter().filter(is_named);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => {
                Err(Error::conflict(format!("`{}` holds `{name}` twice", self.path.display()))
                    .hint("remove one of the two by hand first"))
            }
            (member, _) => Ok(member),
        }
    }
}

fn not_json(path: &Path, facts: &Facts, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::conflict(format!("`{}` is not valid JSON", path.display()))
        .because(error)
        .hint(format!("correct it by hand first; {}", facts.dialect()))
}

fn by_hand(facts: &Facts) -> String {
    format!("correct it by hand first; `backoffice setup {} --print` shows what it should hold", facts.name)
}

fn accepted(facts: &Facts) -> ParseOptions {
    ParseOptions {
        allow_comments: facts.comments,
        allow_trailing_commas: facts.comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
