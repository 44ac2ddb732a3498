//! Opens the office and a connection to it, as the flags and the environment say.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::Globals;
use crate::clock::{Clock, Stopwatch};
use crate::config::Environment;
use crate::config::settings::{Settings, Source};
use crate::db::{Mode, WriteTx, audit};
use crate::error::{Error, Result};
use crate::families;
use crate::id::Ids;
use crate::logging;
use crate::paths::Home;
use crate::tool::JsonObject;
use crate::tool::dispatch::{Office, Reply};
use crate::tool::session::{Session, Wish};

/// An open office with the connection of this process.
#[derive(Debug)]
pub(super) struct Desk {
    pub office: Arc<Office>,
    pub session: Arc<Session>,
}

pub(super) fn home(globals: &Globals, environment: &Environment) -> Result<Home> {
    Home::locate(globals.home.as_deref(), environment)
}

/// Says where a wish came from that could not be granted, if nobody has typed it.
fn from_the_file(error: Error, globals: &Globals, settings: &Settings) -> Error {
    let flags = [("as", globals.caller.as_deref()), ("toolsets", globals.toolsets.as_deref())];
    let stored = flags.into_iter().find(|(key, flag)| {
        settings.chosen(key, *flag).is_some_and(|(value, source)| {
            source == Source::File && error.message().contains(&format!("`{value}`"))
        })
    });
    match stored {
        Some((key, _)) => error.hint(format!(
            "it is set in `{}`; `backoffice config set {key} --unset` undoes it",
            settings.path().display()
        )),
        None => error,
    }
}

/// This very program, to start again as another process.
pub(super) fn program(environment: &Environment) -> Result<&Path> {
    let known = environment.executable.as_deref();
    known.ok_or_else(|| Error::internal("this program does not know where it lies"))
}

pub(super) fn desk(globals: &Globals, environment: &Environment, client: &str) -> Result<Desk> {
    let home = home(globals, environment)?;
    let settings = Settings::load(&home, environment)?;
    logging::start(home.logs(), settings.value("log", None).as_deref());
    let mode = if globals.read_only { Mode::AuditOnly } else { Mode::Full };
    let owner = environment.login.as_deref().unwrap_or("owner");
    let office = Office::open(home, mode, owner, families::ALL, Clock::System, Ids::Random)?
        .with_model(environment.model.clone());
    let session = office
        .connect(&wish(globals, environment, &settings), connection_name(client))
        .map_err(|error| from_the_file(error, globals, &settings))?;
    Ok(Desk { office: Arc::new(office), session: Arc::new(session) })
}

/// A desk for answering a shell: nobody reads what it would say.
pub(super) fn quietly() -> Result<Desk> {
    let (globals, environment) = (Globals::none(), Environment::read());
    if !home(&globals, &environment)?.database().exists() {
        return Err(Error::not_found("there is no data file yet, and pressing a key does not make one"));
    }
    desk(&globals, &environment, "completions")
}

/// What flags, environment and settings ask of the connection.
pub(super) fn wish(globals: &Globals, environment: &Environment, settings: &Settings) -> Wish {
    // The daemon stands in another folder.
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    Wish {
        caller: settings.value("as", globals.caller.as_deref()),
        toolsets: settings.value("toolsets", globals.toolsets.as_deref()),
        read_only: globals.read_only,
        repo: globals.repo.as_ref().map(absolute),
        project: globals.project.clone(),
        cwd: environment.working_folder.clone(),
        artifacts_base: environment.artifacts_base.as_ref().map(absolute),
    }
}

/// Process ids come round again, and a lease must not pass to a stranger.
fn connection_name(kind: &str) -> String {
    format!("{kind}-{}-{:04x}", std::process::id(), fastrand::u16(..))
}

impl Desk {
    /// Writes what no tool writes, with its line in the audit trail.
    pub fn write<T: Send + 'static>(
        &self,
        what: &str,
        write: impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.office.db.write(self.audited(what, write))
    }

    /// The same for thousands of rows.
    pub fn write_many<T: Send + 'static>(
        &self,
        what: &str,
        write: impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.office.db.write_many(self.audited(what, write))
    }

    fn audited<T>(
        &self,
        what: &str,
        write: impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static {
        let since = Stopwatch::start();
        let mut entry = audit::Entry {
            id: 0,
            at: self.office.clock.now(),
            caller: self.session.caller.user_id.clone(),
            client: self.session.signature(),
            tool: what.to_owned(),
            outcome: "ok".to_owned(),
            correlation_id: None,
            run_us: 0,
            receipt: None,
        };
        move |tx| {
            let written = write(tx)?;
            entry.run_us = i64::try_from(since.elapsed().as_micros()).unwrap_or(i64::MAX);
            audit::append(tx, &entry)?;
            Ok(written)
        }
    }

    /// Calls a tool as any client would; a member that is `null` is a flag nobody gave.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value> {
        let arguments: JsonObject = match arguments {
            Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
            _ => {
                return Err(Error::invalid("the arguments are not a JSON object").hint("write {\"name\": …}"));
            }
        };
        match self.office.call(&self.session, tool, arguments) {
            Reply::Success(answer) => Ok(answer.value()),
            Reply::Failed { error, .. } => Err(error),
        }
    }
}
