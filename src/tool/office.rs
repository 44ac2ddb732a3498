//! The back office: the file, the tools, the clock. How it is opened, who connects to it, and what can be
//! looked at outside of any tool.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::cx::{ReadCx, documents};
use super::dispatch::caught;
use super::follow::Around;
use super::offer::Scope;
use super::session::{Session, Toolsets, Wish};
use super::{Family, ToolDef};
use crate::clock::{Clock, Timestamp};
use crate::config::model::ModelEnvironment;
use crate::db::{Db, Mode, Watch, journal, people, secrets};
use crate::error::{Error, Kind, Result, nearest};
use crate::id::Ids;
use crate::identity::Caller;
use crate::paths::Home;

/// Shared by all connections of a process.
#[derive(Debug)]
pub struct Office {
    pub db: Db,
    pub home: Home,
    pub clock: Clock,
    pub ids: Ids,
    pub(super) mode: Mode,
    pub(super) model: ModelEnvironment,
    pub(super) families: &'static [&'static Family],
    /// One look at a repository at a time: a second one would read the same files again.
    pub(super) looking: Mutex<()>,
    pub(super) last_failure: Mutex<Option<(Timestamp, String)>>,
    /// Until when, by family, nothing can become due: looked at once a minute, not at every call.
    pub(super) quiet_until: Vec<AtomicI64>,
    pub(super) has_begun: AtomicBool,
    pub(super) cursor_key: Vec<u8>,
}

impl Office {
    /// Opens the data folder, and keeps what an interrupted process has promised.
    pub fn open(
        home: Home,
        mode: Mode,
        owner: &str,
        families: &'static [&'static Family],
        clock: Clock,
        ids: Ids,
    ) -> Result<Self> {
        home.create()?;
        let db = Db::open(&home.database(), mode, &clock, owner)?;
        if mode == Mode::Full {
            journal::settle(&db)?;
        }
        let office = Self::around(db, home, families, clock, ids)?;
        Ok(Office { mode, ..office })
    }

    /// The same with a language model to ask.
    pub fn with_model(self, model: ModelEnvironment) -> Self {
        Office { model, ..self }
    }

    /// The same around a file that is open already, for measurements.
    pub fn around(
        db: Db,
        home: Home,
        families: &'static [&'static Family],
        clock: Clock,
        ids: Ids,
    ) -> Result<Self> {
        let cursor_key = db.read(|tx| secrets::key(tx, secrets::CURSORS))?;
        Ok(Office {
            db,
            home,
            clock,
            ids,
            mode: Mode::Full,
            model: ModelEnvironment::default(),
            families,
            looking: Mutex::default(),
            last_failure: Mutex::default(),
            quiet_until: quiet(families),
            has_begun: AtomicBool::new(false),
            cursor_key,
        })
    }

    /// Opens a connection as it was wished for; `client` is what it is called.
    pub fn connect(&self, wish: &Wish, client: String) -> Result<Session> {
        let toolsets = match &wish.toolsets {
            Some(list) => Toolsets::parse(list, self.families)?,
            None => Toolsets::All,
        };
        let caller = match &wish.caller {
            Some(login) => self.person(login)?,
            None => self.db.read(people::owner)?,
        };
        let mut session = Session::new(caller, toolsets, client);
        session.read_only = wish.read_only;
        session.artifacts_base.clone_from(&wish.artifacts_base);
        session.stand_in(wish.repo.as_deref().or(wish.cwd.as_deref()), wish.project.as_deref())?;
        if let (Some(folder), None) = (&wish.repo, &session.repository) {
            return Err(Error::not_found(format!("there is no repository around `{}`", folder.display())));
        }
        Ok(session)
    }

    /// A person of the directory, who may come with the data of a first use.
    fn person(&self, login: &str) -> Result<Caller> {
        self.begin_any()?;
        self.db.read(|tx| people::pinned(tx, login))
    }

    pub fn may_write(&self) -> bool {
        self.mode == Mode::Full
    }

    /// What cursors are sealed with.
    pub fn cursor_key(&self) -> &[u8] {
        &self.cursor_key
    }

    pub fn families(&self) -> &'static [&'static Family] {
        self.families
    }

    /// The tools a connection has, in the fixed order of the list.
    pub fn offered<'a>(
        &self,
        session: &'a Session,
    ) -> impl Iterator<Item = (&'static Family, &'static ToolDef)> + 'a {
        let families = self.families;
        families
            .iter()
            .flat_map(|family| family.tools.iter().map(move |tool| (*family, tool)))
            .filter(|(family, tool)| session.offers(family, tool))
    }

    /// Finds a tool by name; a stranger's and a misspelt name get a hint.
    pub fn find(&self, session: &Session, name: &str) -> Result<(&'static Family, &'static ToolDef)> {
        let found = self.offered(session).find(|(_, tool)| tool.name == name);
        found.ok_or_else(|| {
            let near = nearest(name, self.offered(session).map(|(_, tool)| tool.name));
            let error = Error::invalid(format!("unknown tool `{name}`")).reason("unknown_tool");
            match near {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("list the tools to see what this connection offers"),
            }
        })
    }

    /// Looks at the file for a connection, outside of any tool; `what` names the look.
    pub fn look<T>(
        &self,
        session: &Session,
        what: &'static str,
        look: impl FnOnce(&ReadCx<'_>) -> Result<T>,
    ) -> Result<T> {
        let now = self.clock.now();
        let seen = caught(|| {
            self.db.read(|tx| {
                look(&ReadCx {
                    tx,
                    session,
                    home: &self.home,
                    now,
                    tool: what,
                    cursor_key: self.cursor_key(),
                })
            })
        });
        seen.inspect_err(|error| self.remember(error))
    }

    /// Brings the families' rows in step with the files a connection stands among. Failing that, the
    /// rows are as they were at the last look.
    pub fn follow_files(&self, session: &Session) {
        let Scope { project, documents } = self.scope(session);
        if let Err(error) = self.look_around(&documents, &project) {
            tracing::error!(event = "follow_failed", root = %documents.display(), error = %error.chain());
        }
    }

    /// Whose resources a connection has.
    pub fn scope(&self, session: &Session) -> Scope {
        let project = session.project.clone();
        Scope { documents: documents(&self.home, session, &project), project }
    }

    /// Lets every family look at the files below a root. It may be asked to look again later.
    pub fn look_around(&self, root: &Path, project: &str) -> Result<Option<Duration>> {
        if self.mode != Mode::Full {
            return Ok(None);
        }
        let _alone = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        self.settle();
        let around = Around { db: &self.db, clock: &self.clock, root, project };
        let mut outcome: Result<Option<Duration>> = Ok(None);
        for look in self.families.iter().filter_map(|family| family.look) {
            // One that fails does not keep the others from looking.
            let looked = caught(|| look(&around));
            outcome = match (outcome, looked) {
                (Ok(one), Ok(other)) => Ok(one.into_iter().chain(other).min()),
                (Err(error), _) | (_, Err(error)) => Err(error),
            };
        }
        outcome
    }

    /// Wakes when anybody commits to the file, in whichever process.
    pub fn watch(&self) -> Result<Watch> {
        self.db.watch()
    }

    /// Keeps what another process has promised and did not live to do, before files are looked at.
    pub(super) fn settle(&self) {
        if let Err(error) = journal::settle_left_behind(&self.db, self.clock.now()) {
            tracing::error!(event = "journal_not_settled", error = %error.chain());
        }
    }

    /// Keeps the last failure that was not a caller's mistake, for people to see.
    pub(super) fn remember(&self, error: &Error) {
        let ours = matches!(error.kind(), Kind::Internal | Kind::Storage | Kind::Unusable | Kind::Busy);
        if let (true, Ok(mut last)) = (ours, self.last_failure.lock()) {
            *last = Some((self.clock.now(), error.chain()));
        }
    }

    pub fn last_failure(&self) -> Option<(Timestamp, String)> {
        self.last_failure.lock().ok()?.clone()
    }
}

fn quiet(families: &[&Family]) -> Vec<AtomicI64> {
    families.iter().map(|_| AtomicI64::new(0)).collect()
}
