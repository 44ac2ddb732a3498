//! Prompts: ready-made requests a person can pick in their client.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

use crate::error::{Error, Result, nearest};
use crate::tool::dispatch::Office;
use crate::tool::session::Session;
use crate::tool::{Family, JsonObject, offer};

/// The prompts whose tools this connection has.
pub(super) fn offered<'a>(
    office: &'a Office,
    session: &'a Session,
) -> impl Iterator<Item = (&'static Family, &'static offer::Prompt)> + 'a {
    let families = office.families().iter().filter(|family| session.toolsets.has(family));
    families
        .flat_map(|family| family.prompts.iter().map(move |prompt| (*family, prompt)))
        .filter(|(_, prompt)| office.find(session, prompt.needs).is_ok())
}

pub(super) fn find(
    office: &Office,
    session: &Session,
    name: &str,
) -> Result<(&'static Family, &'static offer::Prompt)> {
    offered(office, session).find(|(_, prompt)| prompt.name == name).ok_or_else(|| {
        let hint = match nearest(name, offered(office, session).map(|(_, prompt)| prompt.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "list the prompts to see them".to_owned(),
        };
        Error::invalid(format!("unknown prompt `{name}`")).hint(hint)
    })
}

pub(super) fn described(prompt: &offer::Prompt) -> Prompt {
    let arguments = prompt.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect())).with_title(prompt.title)
}

pub(super) fn get(
    office: &Office,
    session: &Session,
    name: &str,
    arguments: &JsonObject,
) -> Result<GetPromptResult> {
    let (_, prompt) = find(office, session, name)?;
    check(prompt, arguments)?;
    let text = office.look(session, "prompts/get", |cx| (prompt.get)(cx, arguments))?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
        .with_description(prompt.description))
}

fn check(prompt: &offer::Prompt, arguments: &JsonObject) -> Result<()> {
    let known = || prompt.arguments.iter().map(|argument| argument.name);
    for (name, value) in arguments {
        if !known().any(|known| known == name) {
            return Err(unknown_argument(name, known()));
        }
        if !value.is_string() {
            return Err(Error::invalid(format!("`{name}` is not a text"))
                .detail("field", name.as_str())
                .reason("invalid_argument"));
        }
    }
    let is_missing =
        |argument: &&offer::PromptArgument| argument.required && !arguments.contains_key(argument.name);
    let missing: Vec<_> = prompt.arguments.iter().filter(is_missing).map(|argument| argument.name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let shown: Vec<_> = missing.iter().map(|name| format!("`{name}`")).collect();
    Err(Error::invalid(format!("{} must be given", shown.join(" and ")))
        .detail("missing", missing)
        .reason("missing_argument"))
}

/// As for tools: a name that nobody knows comes back with the nearest one.
pub(super) fn unknown_argument<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Error {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => match known.collect::<Vec<_>>().join(", ") {
            names if names.is_empty() => "it takes no arguments".to_owned(),
            names => format!("it takes {names}"),
        },
    };
    Error::invalid(format!("unknown argument `{name}`"))
        .hint(hint)
        .detail("field", name)
        .reason("unknown_argument")
}
