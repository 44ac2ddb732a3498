//! `backoffice preflight answer`: answers by question id, without being asked.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use super::{Preflight, ending, questions};
use crate::cli::completions::preflight_sessions;
use crate::cli::output::Output;
use crate::error::{Error, Result};
use crate::families::preflight::clarify::catalogue::Type;
use crate::families::preflight::sessions::Standing;
use crate::tool::JsonObject;

#[derive(Args, Debug)]
#[command(after_help = concat!(
    "A value may contain commas; only where several options can be chosen they separate them.\n",
    "The id with `__other` at its end takes the text for `Other (specify)`.\n\n",
    examples![
        "backoffice preflight answer auth_strategy=OAuth auth_library=Clerk",
        "backoffice preflight answer --answers-json '{\"auth_library\": \"Clerk\"}'",
        "backoffice preflight answer auth_library=Other auth_library__other=\"Our own\"",
    ]
))]
pub(super) struct AnswerArgs {
    /// Answers by question id; an id that is repeated makes a list
    #[arg(value_name = "ID=VALUE")]
    pairs: Vec<String>,
    /// A session; default: the newest of this repository
    #[arg(long, value_name = "ID", add = ArgValueCompleter::new(preflight_sessions))]
    session: Option<String>,
    /// Answers as a JSON object
    #[arg(long, value_name = "TEXT")]
    answers_json: Option<String>,
    /// A file with a JSON object of answers; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    answers_file: Option<PathBuf>,
}

pub(super) fn run(office: &Preflight, output: &mut Output, args: &AnswerArgs) -> Result<()> {
    let session = office.session(args.session.as_deref())?;
    if session.has_expired(office.desk.office.clock.now()) {
        return Err(Error::conflict(format!("the session `{}` has expired", session.session_id))
            .detail("code", "SESSION_EXPIRED")
            .hint("`backoffice preflight resume` begins it anew, with the answers it has"));
    }
    let standing = office.standing(session)?;
    let answers = gathered(&standing, args)?;
    let turn = office.turn(&standing.session, &answers).map_err(with_options)?;
    if turn["status"] == "completed" {
        return ending::report(office, output, turn);
    }
    questions::print(output, &turn);
    Ok(())
}

/// Says which question an answer did not fit, and what would.
fn with_options(error: Error) -> Error {
    let listed = error.details().get("options").and_then(Value::as_array);
    let options: Vec<&str> = listed.into_iter().flatten().filter_map(Value::as_str).collect();
    let question = error.details().get("question").and_then(Value::as_str);
    let hint = match question {
        Some(question) if options.is_empty() => format!("the question is `{question}`"),
        Some(question) => format!("the question is `{question}`: {}", options.join(", ")),
        None => return error,
    };
    error.hint(hint)
}

/// All answers that were given, whichever way.
fn gathered(standing: &Standing, args: &AnswerArgs) -> Result<JsonObject> {
    let mut answers = paired(&args.pairs, |id| {
        standing.question(id).is_some_and(|question| question.kind == Type::MultiChoice)
    })?;
    let file = args.answers_file.as_ref().map(read).transpose()?;
    let texts = [("--answers-json", args.answers_json.clone()), ("--answers-file", file)];
    for (flag, text) in texts.into_iter().filter_map(|(flag, text)| Some((flag, text?))) {
        let given: JsonObject =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
                Error::invalid(format!("{flag} is no JSON object of answers"))
                    .because(error)
                    .hint("write {\"auth_strategy\": \"OAuth\"}")
            })?;
        for (id, value) in given {
            if answers.contains_key(&id) {
                return Err(twice(&id));
            }
            answers.insert(id, value);
        }
    }
    // Where everything that is left is optional, no answer is one, too.
    if answers.is_empty() && standing.unanswered().iter().any(|question| !question.optional) {
        return Err(Error::invalid("there is nothing to answer with")
            .hint("write ID=VALUE; `backoffice preflight status` shows what is asked"));
    }
    Ok(answers)
}

/// `ID=VALUE` in any number. `is_several` tells where commas separate values.
fn paired(pairs: &[String], is_several: impl Fn(&str) -> bool) -> Result<JsonObject> {
    let mut answers = JsonObject::new();
    for pair in pairs {
        let (id, value) = pair.split_once('=').filter(|(id, _)| !id.trim().is_empty()).ok_or_else(|| {
            Error::invalid(format!("`{pair}` is no answer"))
                .hint("write ID=VALUE, such as auth_strategy=OAuth")
        })?;
        let id = id.trim();
        let parts: Vec<Value> = if is_several(id) {
            value.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect()
        } else {
            vec![Value::from(value)]
        };
        match answers.get_mut(id) {
            None if is_several(id) => drop(answers.insert(id.to_owned(), Value::Array(parts))),
            None => drop(answers.insert(id.to_owned(), Value::from(value))),
            Some(Value::Array(known)) => known.extend(parts),
            Some(known) => *known = [known.take()].into_iter().chain(parts).collect(),
        }
    }
    Ok(answers)
}

fn read(file: &PathBuf) -> Result<String> {
    let read = if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(file)
    };
    read.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::not_found(format!("there is no file `{}`", file.display())),
        _ => Error::invalid(format!("cannot read the answers from `{}`", file.display())).because(error),
    })
}

fn twice(id: &str) -> Error {
    Error::invalid(format!("`{id}` is answered twice")).hint("answer each question in one way")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pairs_are_split_at_the_first_sign_and_lists_are_made_where_they_belong() {
        let cases = [
            (&["a=x=y,z"][..], json!({"a": "x=y,z"})),
            (&["several=x, y"], json!({"several": ["x", "y"]})),
            (&["several=x,y", "several=z"], json!({"several": ["x", "y", "z"]})),
            (&["a=x", "a=y, z"], json!({"a": ["x", "y, z"]})),
            (&["a="], json!({"a": ""})),
        ];
        for (pairs, expected) in cases {
            let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
            assert_eq!(Value::Object(paired(&pairs, |id| id == "several").unwrap()), expected);
        }
        for wrong in ["a", "=x", " =x"] {
            assert!(paired(&[wrong.to_owned()], |_| false).is_err(), "{wrong}");
        }
    }
}
