//! Completion of what a person types into an argument of a template or a prompt.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use serde_json::Value;

use super::{prompts, resources};
use crate::error::{Error, Result, nearest};
use crate::tool::dispatch::Office;
use crate::tool::session::Session;
use crate::tool::{Family, JsonObject};

pub(super) fn is_offered(office: &Office, session: &Session) -> bool {
    office.families().iter().any(|family| session.toolsets.has(family) && family.complete.is_some())
}

pub(super) fn complete(
    office: &Office,
    session: &Session,
    asked: CompleteRequestParams,
) -> Result<CompleteResult> {
    let (family, known) = match &asked.r#ref {
        Reference::Resource(template) => template_arguments(office, session, &template.uri)?,
        Reference::Prompt(prompt) => {
            let (family, prompt) = prompts::find(office, session, &prompt.name)?;
            (family, prompt.arguments.iter().map(|argument| argument.name).collect())
        }
        _ => return Err(Error::invalid("`ref` is neither a resource template nor a prompt")),
    };
    let argument = asked.argument;
    if !known.contains(&argument.name.as_str()) {
        return Err(prompts::unknown_argument(&argument.name, known.iter().copied()));
    }
    let others = asked.context.and_then(|context| context.arguments).unwrap_or_default();
    let others: JsonObject = others.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
    let values = match family.complete {
        Some(complete) => office.look(session, "completion/complete", |cx| {
            complete(cx, &argument.name, &argument.value, &others)
        })?,
        None => Vec::new(),
    };
    cut(values)
}

/// The protocol allows a hundred values; the rest is counted.
fn cut(mut values: Vec<String>) -> Result<CompleteResult> {
    let total = u32::try_from(values.len()).ok();
    let more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    let info = CompletionInfo::with_pagination(values, total, more).map_err(Error::internal)?;
    Ok(CompleteResult::new(info))
}

fn template_arguments(
    office: &Office,
    session: &Session,
    uri: &str,
) -> Result<(&'static Family, Vec<&'static str>)> {
    let templates = || {
        let offered = resources::offered(office, session);
        offered.flat_map(|(family, resources)| resources.templates.iter().map(move |one| (family, one.uri)))
    };
    let found = templates().find(|(_, template)| *template == uri);
    let (family, template) = found.ok_or_else(|| {
        let hint = match nearest(uri, templates().map(|(_, template)| template)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "list the resource templates to see them".to_owned(),
        };
        Error::invalid(format!("unknown resource template `{uri}`")).hint(hint)
    })?;
    Ok((family, variables(template)))
}

/// The names between the braces of a template, without operators and modifiers.
fn variables(template: &str) -> Vec<&str> {
    let expressions = template.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    expressions
        .flat_map(|expression| expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).split(','))
        .map(|name| name.split([':', '*']).next().unwrap_or(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_a_template_are_its_names_alone() {
        assert_eq!(variables("mcp://resources/{kind}/{+path*}{?a,b:3}"), ["kind", "path", "a", "b"]);
        assert!(variables("mcp://resources/all").is_empty());
    }

    #[test]
    fn a_hundred_values_are_told_and_the_rest_is_counted() {
        let told = |count: usize| cut((0..count).map(|n| n.to_string()).collect()).unwrap().completion;
        for (count, told) in [0, 100, 101].map(|count| (count, told(count))) {
            assert_eq!(told.values.len(), count.min(100));
            assert_eq!((told.total, told.has_more), (Some(count as u32), Some(count > 100)));
        }
    }
}
