//! Asks the questions of a session until nothing is open. Answers are handed over as they come, so that
//! whoever leaves finds them again.

use serde_json::{Value, json};

use super::asking::{Asker, Left, Reply};
use super::questions::{Asked, detected, notes};
use super::{Preflight, ending};
use crate::cli::output::{Output, text};
use crate::error::{Error, Result};
use crate::families::preflight::clarify::catalogue::{COMPANION, OTHER, Type};
use crate::families::preflight::sessions::Standing;
use crate::tool::JsonObject;

pub(super) fn hold(
    office: &Preflight,
    asker: &mut Asker,
    output: &mut Output,
    mut turn: Value,
) -> Result<()> {
    let session_id = text(&turn["session_id"]);
    for (label, value) in detected(&turn) {
        output.note(&format!("detected  {label}: {value}"));
    }
    output.note(asker.manual());
    let mut standing = office.standing(office.session(Some(&session_id))?)?;
    let put = Asked::all(&turn);
    // Shown in an earlier turn, and left open: a turn does not repeat what it can do without.
    let mut open: Vec<Asked> = standing
        .unanswered()
        .iter()
        .filter(|question| !put.iter().any(|asked| asked.id == question.id))
        .map(Asked::optional)
        .collect();
    while turn["status"] != "completed" {
        notes(output, &turn);
        open = still_open(open, Asked::all(&turn));
        let mut given = JsonObject::new();
        while !open.is_empty() {
            let question = open.remove(0);
            match put_question(asker, &standing, &question)? {
                Reply::Given(values) => given.extend(values),
                Reply::Skipped => {}
                Reply::Left(left) => return Err(left_open(office, &session_id, left, &given)),
            }
            // What is not needed is asked before the last answer that is, which would end the session.
            if !given.is_empty() && open.iter().any(|question| !question.optional) {
                break;
            }
        }
        turn = office.turn(&standing.session, &given)?;
        if turn["status"] != "completed" {
            standing = office.standing(office.session(Some(&session_id))?)?;
        }
    }
    // It was said at the beginning.
    turn.as_object_mut().and_then(|turn| turn.remove("detected"));
    ending::report(office, output, turn)
}

/// What was open and still is, then what is new.
fn still_open(before: Vec<Asked>, put: Vec<Asked>) -> Vec<Asked> {
    let is_put = |question: &Asked| put.iter().any(|asked| asked.id == question.id);
    let mut open: Vec<Asked> =
        before.into_iter().filter(|question| question.optional || is_put(question)).collect();
    for question in put {
        if !open.iter().any(|known| known.id == question.id) {
            open.push(question);
        }
    }
    // Needed ones first: what can be left out can then be left out in one go.
    open.sort_by_key(|question| question.optional);
    open
}

/// Asks until the answer is one that the session takes; `Other` is followed up at once.
fn put_question(asker: &mut Asker, standing: &Standing, question: &Asked) -> Result<Reply> {
    let Some(reply) = asked(asker, standing, question)? else { return Ok(Reply::Skipped) };
    let Reply::Given(mut given) = reply else { return Ok(reply) };
    let chosen_other = question.kind != Type::FreeText && given.values().any(has_other);
    let companion = format!("{}{COMPANION}", question.id);
    let follow_up = standing.question(&companion).filter(|_| chosen_other);
    if let Some(follow_up) = follow_up {
        let follow_up = Asked { optional: false, ..Asked::optional(&follow_up) };
        match asked(asker, standing, &follow_up)? {
            Some(Reply::Given(text)) => given.extend(text),
            Some(left @ Reply::Left(_)) => return Ok(left),
            Some(Reply::Skipped) | None => {}
        }
    }
    Ok(Reply::Given(given))
}

/// One question; nothing if it is skipped.
fn asked(asker: &mut Asker, standing: &Standing, question: &Asked) -> Result<Option<Reply>> {
    loop {
        let value = match asker.ask(question)? {
            Ok(Some(values)) if question.kind == Type::MultiChoice => json!(values),
            Ok(Some(values)) => json!(values.join(", ")),
            Ok(None) => return Ok(None),
            Err(left) => return Ok(Some(Reply::Left(left))),
        };
        match standing.check(&question.id, &value) {
            Ok(()) => {
                asker.taken(question, &value);
                return Ok(Some(Reply::Given(JsonObject::from_iter([(question.id.clone(), value)]))));
            }
            Err(invalid) => {
                asker.refused(&unlisted(question, &value).unwrap_or(invalid.message));
            }
        }
    }
}

/// Where a text was given for a choice: whoever is asked can choose `Other`, and is then asked for the text.
fn unlisted(question: &Asked, value: &Value) -> Option<String> {
    let text = value.as_str().filter(|_| question.kind == Type::SingleChoice)?;
    let listed = question.options.iter().any(|option| option == text);
    (!listed).then(|| format!("`{text}` is not one of the options; choose `{OTHER}` to name something else"))
}

fn has_other(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(|value| value == OTHER),
        value => value == OTHER,
    }
}

/// Somebody has gone before the end: the session has all that was handed over.
fn left_open(office: &Preflight, session_id: &str, left: Left, given: &JsonObject) -> Error {
    let session = office.session(Some(session_id));
    let kept = session.as_ref().map_or(0, |session| session.answers.0.len());
    let until = session.map(|session| session.expires_at().rfc3339()).unwrap_or_default();
    let lost: Vec<&str> = given.keys().map(String::as_str).collect();
    let lost =
        if lost.is_empty() { String::new() } else { format!(", to be given again: {}", lost.join(", ")) };
    let why = match left {
        Left::Ended => "the input ended before the last question",
        Left::Interrupted => "left before the last question",
    };
    let stays = format!("the session `{session_id}` stays open until {until}");
    Error::conflict(format!("{why}; {stays}, answers kept: {kept}{lost}")).reason("left_open").hint(
        "`backoffice preflight resume` goes on, `backoffice preflight answer ID=VALUE` answers one question",
    )
}
