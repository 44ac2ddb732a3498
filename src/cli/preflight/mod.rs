//! `backoffice preflight`: says what an intention leaves open, asks, and writes down what was decided.

mod answer;
mod asking;
mod dialogue;
mod ending;
mod prompt;
mod questions;
mod reset;
mod resume;
mod status;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use self::asking::Asker;
use super::open::Desk;
use super::output::Output;
use super::style::printable;
use super::{Globals, open};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::families::preflight::sessions::Standing;
use crate::families::preflight::store::{self, Session};
use crate::tool::JsonObject;

#[derive(Args, Debug)]
#[command(
    subcommand_negates_reqs = true,
    override_usage = "backoffice preflight [OPTIONS] <INTENTION>\n       backoffice preflight <COMMAND>",
    after_help = examples![
        "backoffice preflight \"Add authentication\" --non-interactive",
        "backoffice preflight answer auth_strategy=OAuth auth_library=Clerk",
        "backoffice preflight \"Fix typo in footer\"",
        "backoffice preflight status",
        "backoffice preflight reset --force",
        "backoffice preflight --non-interactive -- status",
    ]
)]
pub(super) struct PreflightArgs {
    #[command(subcommand)]
    command: Option<Command>,
    /// What is to be done, in a sentence; after `--` it may be the name of a subcommand
    #[arg(required = true)]
    intention: Option<String>,
    /// What else there is to know
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// Record a decision, whatever the intention sounds like
    #[arg(long)]
    force_adr: bool,
    /// Print the questions instead of asking them
    #[arg(long)]
    non_interactive: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer questions of an open session
    Answer(answer::AnswerArgs),
    /// Show the open sessions of this repository
    #[command(after_help = examples!["backoffice preflight status", "backoffice preflight status --json"])]
    Status,
    /// Go on with an open session, or begin an expired one anew with its answers
    Resume(resume::ResumeArgs),
    /// Drop open sessions of this repository
    Reset(reset::ResetArgs),
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: PreflightArgs,
) -> Result<()> {
    // Left to clap, `preflight --json status` would be an intention: flags that all commands have count, too.
    let begins = args.intention.is_some() || args.context.is_some() || args.force_adr || args.non_interactive;
    if begins && args.command.is_some() {
        return Err(Error::invalid("an intention and a subcommand do not go together")
            .hint("put the intention into quotes; after `--` it may be the name of a subcommand"));
    }
    let desk = open::desk(globals, environment, "cli")?;
    let office = Preflight { root: root(&desk)?, desk };
    match args.command {
        None => begin(&office, environment, output, &args),
        Some(Command::Answer(args)) => answer::run(&office, output, &args),
        Some(Command::Status) => status::run(&office, output),
        Some(Command::Resume(args)) => resume::run(&office, environment, output, &args),
        Some(Command::Reset(args)) => reset::run(&office, output, &args),
    }
}

fn begin(
    office: &Preflight,
    environment: &Environment,
    output: &mut Output,
    args: &PreflightArgs,
) -> Result<()> {
    let force_adr = args.force_adr.then(|| json!({ "force_adr": true }));
    let first = office.desk.call(
        "require_clarification",
        json!({ "user_intention": args.intention, "optional_context": args.context, "preferences": force_adr }),
    )?;
    office.go_on(environment, output, args.non_interactive, first)
}

/// Where the repository of this connection is.
pub(super) fn root(desk: &Desk) -> Result<PathBuf> {
    desk.session.repository.clone().ok_or_else(|| {
        Error::not_found("there is no git repository here")
            .detail("code", "REPO_NOT_FOUND")
            .hint("change into a repository, name one with --repo FOLDER, or make one with `git init`")
    })
}

/// The sessions of the repository that have not ended, with their intentions.
pub(super) fn references(desk: &Desk) -> Result<Vec<(String, String)>> {
    let root = root(desk)?.to_string_lossy().into_owned();
    let open = desk.office.db.read(|tx| store::open_in(tx, &root))?;
    Ok(open.into_iter().map(|session| (session.session_id, printable(&session.intention))).collect())
}

/// A connection that stands in a repository.
#[derive(Debug)]
struct Preflight {
    desk: Desk,
    root: PathBuf,
}

impl Preflight {
    fn root_text(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// The sessions of this repository that have not ended, the newest first.
    fn open_sessions(&self) -> Result<Vec<Session>> {
        self.desk.office.db.read(|tx| store::open_in(tx, &self.root_text()))
    }

    /// The session that is named, else the newest that has not ended.
    fn session(&self, named: Option<&str>) -> Result<Session> {
        let Some(id) = named else {
            return self.open_sessions()?.into_iter().next().ok_or_else(|| {
                Error::not_found("there is no open session in this repository")
                    .detail("code", "SESSION_NOT_FOUND")
                    .hint("`backoffice preflight \"INTENTION\"` begins one")
            });
        };
        let found = self.desk.office.db.read(|tx| store::find(tx, id))?;
        let found = found.filter(|found| found.root == self.root_text()).ok_or_else(|| {
            Error::not_found(format!("there is no session `{id}` in this repository"))
                .detail("code", "SESSION_NOT_FOUND")
                .hint("`backoffice preflight status` shows those that are open")
        })?;
        if found.completed {
            return Err(Error::conflict(format!("the session `{id}` is completed"))
                .detail("code", "VALIDATION_FAILED")
                .reason("session_completed")
                .hint("its documents are written; `backoffice preflight \"INTENTION\"` begins another one"));
        }
        Ok(found)
    }

    fn standing(&self, session: Session) -> Result<Standing> {
        self.desk.office.db.read(|tx| Standing::of(tx, &self.root, session))
    }

    /// The next turn of a session.
    fn turn(&self, session: &Session, answers: &JsonObject) -> Result<Value> {
        let arguments = json!({
            "user_intention": session.intention, "session_id": session.session_id, "answers": answers,
        });
        self.desk.call("require_clarification", arguments)
    }

    /// What follows a turn: its end, its questions on paper, or its questions in person.
    fn go_on(
        &self,
        environment: &Environment,
        output: &mut Output,
        on_paper: bool,
        turn: Value,
    ) -> Result<()> {
        if turn["status"] == "completed" {
            return ending::report(self, output, turn);
        }
        if on_paper || output.json {
            questions::print(output, &turn);
            return Ok(());
        }
        dialogue::hold(self, &mut Asker::suited(environment), output, turn)
    }
}
