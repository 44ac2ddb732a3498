//! Completes the arguments of templates and prompts.

use serde_json::Value;

use super::checklist;
use super::kinds::{BUILT_IN, Kind, Kinds};
use super::store;
use crate::error::Result;
use crate::families::tasks::generators::Generators;
use crate::tool::{JsonObject, ReadCx};

const MOST: i64 = 101;

/// The values an argument may have, as far as it is typed.
pub fn complete(cx: &ReadCx<'_>, argument: &str, typed: &str, others: &JsonObject) -> Result<Vec<String>> {
    let begins = |value: &str| value.to_lowercase().starts_with(&typed.to_lowercase());
    Ok(match argument {
        "id" | "artifact_id" | "parent" | "parent_id" => ids(cx, typed, others)?,
        "type" => {
            let mut names: Vec<String> = BUILT_IN.iter().map(|kind| kind.type_name().to_owned()).collect();
            names.dedup();
            names.retain(|name| begins(name));
            names
        }
        "status" => {
            let mut statuses: Vec<String> = BUILT_IN
                .iter()
                .flat_map(Kind::statuses)
                .filter(|status| begins(status))
                .map(str::to_owned)
                .collect();
            statuses.sort();
            statuses.dedup();
            statuses
        }
        "checklist" => checklist::ids().filter(|id| begins(id)).map(str::to_owned).collect(),
        "generator" => {
            let generators = Generators::load(cx.session.repository.as_deref())?;
            generators.names().filter(|name| begins(name)).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    })
}

/// Ids that begin as typed, of the type that is chosen already.
fn ids(cx: &ReadCx<'_>, typed: &str, others: &JsonObject) -> Result<Vec<String>> {
    let project = &cx.session.project;
    let kinds = Kinds::of(cx.tx, project)?;
    let chosen = others.get("type").and_then(Value::as_str).and_then(|name| kinds.called(name).ok());
    let prefix = chosen.and_then(|found| found.into_iter().next()).map(|kind| format!("{}-", kind.prefix));
    let typed = typed.to_uppercase();
    let from = match &prefix {
        // A type and a number are enough.
        Some(prefix) if !typed.starts_with(prefix.as_str()) && typed.chars().all(|c| c.is_ascii_digit()) => {
            format!("{prefix}{typed}")
        }
        _ => typed,
    };
    let mut found = store::ids_beginning(cx.tx, project, &from, MOST)?;
    found.retain(|id| prefix.as_ref().is_none_or(|prefix| id.starts_with(prefix.as_str())));
    Ok(found)
}
