//! Putting a question to a person: a menu where the terminal allows it, numbered lines elsewhere. All
//! talk is on standard error, because standard output is for data.

mod keys;
mod lines;
mod menu;

use std::io::{self, IsTerminal, Write};

use serde_json::Value;

use super::questions::Asked;
use crate::cli::style::printable;
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::tool::JsonObject;

/// What came of a question.
#[derive(Debug)]
pub(super) enum Reply {
    /// By question id.
    Given(JsonObject),
    Skipped,
    Left(Left),
}

/// How somebody has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Ended,
    Interrupted,
}

/// The values of an answer, nothing if the question is skipped.
type Answered = Result<Option<Vec<String>>, Left>;

#[derive(Debug)]
pub(super) enum Asker {
    Keys { term: console::Term, plain: bool },
    Lines,
}

impl Asker {
    /// What this process's terminal allows.
    pub fn suited(environment: &Environment) -> Self {
        let attended = io::stdin().is_terminal() && io::stderr().is_terminal();
        if attended && !environment.dumb_terminal {
            Asker::Keys { term: console::Term::stderr(), plain: environment.no_color }
        } else {
            Asker::Lines
        }
    }

    /// How to answer and how to leave.
    pub fn manual(&self) -> &'static str {
        match self {
            Asker::Keys { .. } => {
                "arrow keys choose, Enter answers; Ctrl-C leaves, `backoffice preflight resume` goes on"
            }
            Asker::Lines => {
                "answer with a number or the text, one line each; Ctrl-C leaves, `backoffice preflight resume` goes on"
            }
        }
    }

    /// Puts a question once.
    pub fn ask(&mut self, question: &Asked) -> Result<Answered> {
        let answered = match self {
            Asker::Keys { term, plain } => keys::ask(term, *plain, question),
            Asker::Lines => {
                let input = io::stdin();
                lines::ask(&mut input.lock(), input.is_terminal(), &mut io::stderr(), question)
            }
        };
        answered.map_err(|error| Error::io(error, "ask on the terminal"))
    }

    /// Shows what was answered, where the menu that showed it is gone.
    pub fn taken(&mut self, question: &Asked, value: &Value) {
        if let Asker::Keys { term, .. } = self {
            let values = match value {
                Value::Array(values) => {
                    values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
                }
                value => value.as_str().unwrap_or_default().to_owned(),
            };
            let _ = term.write_line(&format!("{}  {}", question.question, printable(&values)));
        }
    }

    /// Says why an answer was not taken; the question follows again.
    pub fn refused(&mut self, why: &str) {
        let _ = writeln!(io::stderr(), "  {}", printable(why));
    }
}
