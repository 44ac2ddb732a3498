//! The path of every call, whichever transport it came by:
//! authorize → decode → prepare → transact { sweep · run · audit } → finish → render.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::ask::Speaker;
use super::call::Call;
use super::cx::{Place, ReadCx, documents};
use super::follow::Around;
use super::offer::Scope;
use super::render::{Failure, render};
use super::session::{Session, Toolsets, Wish};
use super::transaction::Transaction;
use super::{
    Answer, Answered, CallFn, ErasedWrite, ErrorForm, Family, JsonObject, SOONEST_DUE_MS, Sweep, ToolDef,
};
use crate::clock::{Clock, Timestamp};
use crate::config::model::ModelEnvironment;
pub use crate::db::watch::Alarm;
use crate::db::writer::panicked;
use crate::db::{Db, Mode, ReadTx, Work, WriteTx, journal, people};
pub use crate::db::{Watch, Woken};
use crate::error::{Error, Kind, Result, nearest};
use crate::id::Ids;
use crate::paths::Home;

/// How often a call is made whose files change while it prepares. Each time somebody else has got on,
/// so that as many callers as this may want the same file at once.
const MOST_TRIES: usize = 32;

/// The back office: the file, the tools, the clock. Shared by all connections of a process.
#[derive(Debug)]
pub struct Office {
    pub db: Db,
    pub home: Home,
    pub clock: Clock,
    pub ids: Ids,
    mode: Mode,
    model: ModelEnvironment,
    families: &'static [&'static Family],
    /// One look at a repository at a time: a second one would read the same files again.
    looking: Mutex<()>,
    last_failure: Mutex<Option<(Timestamp, String)>>,
    /// Until when, by family, nothing can become due: looked at once a minute, not at every call.
    quiet_until: Vec<AtomicI64>,
}

/// How a call ended.
#[derive(Debug)]
pub enum Reply {
    Success(Answer),
    Failed { error: Error, failure: Failure },
}

/// Set by a client that no longer wants the answer; what has not begun will not begin.
pub type Cancelled = Arc<AtomicBool>;

pub(super) type Tell = Box<dyn FnOnce(Reply) + Send>;

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
        Ok(Office {
            db,
            home,
            clock,
            ids,
            mode,
            model: ModelEnvironment::default(),
            families,
            looking: Mutex::default(),
            last_failure: Mutex::default(),
            quiet_until: quiet(families),
        })
    }

    /// The same with a language model to ask.
    pub fn with_model(self, model: ModelEnvironment) -> Self {
        Office { model, ..self }
    }

    /// The same around a file that is open already, for measurements.
    pub fn around(db: Db, home: Home, families: &'static [&'static Family], clock: Clock, ids: Ids) -> Self {
        Office {
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
        }
    }

    /// Opens a connection as it was wished for; `client` is what it is called.
    pub fn connect(&self, wish: &Wish, client: String) -> Result<Session> {
        let toolsets = match &wish.toolsets {
            Some(list) => Toolsets::parse(list, self.families)?,
            None => Toolsets::All,
        };
        let caller = self.db.read(|tx| match &wish.caller {
            Some(login) => people::pinned(tx, login),
            None => people::owner(tx),
        })?;
        let mut session = Session::new(caller, toolsets, client);
        session.read_only = wish.read_only;
        session.artifacts_base.clone_from(&wish.artifacts_base);
        session.stand_in(wish.repo.as_deref().or(wish.cwd.as_deref()), wish.project.as_deref())?;
        if let (Some(folder), None) = (&wish.repo, &session.repository) {
            return Err(Error::not_found(format!("there is no repository around `{}`", folder.display())));
        }
        Ok(session)
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

    /// Runs a call on this thread and waits for its end.
    pub fn call(self: &Arc<Self>, session: &Arc<Session>, name: &str, arguments: JsonObject) -> Reply {
        let (tell, hear) = channel();
        let told = move |reply| {
            let _ = tell.send(reply);
        };
        self.start(session, name, arguments, Speaker::Client, Cancelled::default(), Box::new(told));
        hear.recv().unwrap_or_else(|_| {
            let error = Error::internal("the call ended without an answer");
            Reply::Failed { failure: render(&error, ErrorForm::JsonRpc), error }
        })
    }

    /// Starts a call. Reads run on this thread; writes are queued, and told from the writer's
    /// thread after their commit. Tools that touch files wait here, so callers on a thread that
    /// serves connections hand those to another one first.
    pub fn start(
        self: &Arc<Self>,
        session: &Arc<Session>,
        name: &str,
        arguments: JsonObject,
        speaker: Speaker,
        cancelled: Cancelled,
        tell: Tell,
    ) {
        let (family, tool) = match self.find(session, name) {
            Ok(found) => found,
            Err(error) => {
                return tell(Reply::Failed { failure: render(&error, ErrorForm::JsonRpc), error });
            }
        };
        let call = Call::begin(self, session, family, tool, &arguments, speaker, tell);
        let mut checked = Value::Object(arguments);
        let allowed = call.authorize().and_then(|()| tool.schemas().shape.check(&mut checked, ""));
        let Value::Object(arguments) = checked else { return };
        if let Err(error) = allowed {
            return call.end(Err(error));
        }
        self.heartbeat(session);
        if tool.touches_files() && !session.read_only {
            self.settle();
        }
        if tool.follows_files() {
            self.follow_files(session);
        }
        match tool.call {
            CallFn::Read(run) => {
                let outcome = caught(|| self.read(&call, run, arguments));
                call.end(outcome);
            }
            CallFn::Write(prepare) => {
                let place = self.place(&call);
                match caught(|| prepare(&place, arguments)) {
                    Ok(write) if tool.touches_files() => self.write_and_finish(call, write, &cancelled),
                    Ok(write) => self.db.submit(Box::new(Transaction::new(call, write, cancelled, None))),
                    Err(error) => call.end(Err(error)),
                }
            }
        }
    }

    fn read(
        &self,
        call: &Call,
        run: fn(&ReadCx<'_>, JsonObject) -> Result<Answered>,
        arguments: JsonObject,
    ) -> Result<Answered> {
        let now = self.clock.now();
        if let Some(sweep) = call.family.sweep.filter(|_| !call.session.read_only)
            && self.db.read(|tx| sweep.is_due(tx, now))?
        {
            self.db.write(move |tx| (sweep.run)(tx, now))?;
        }
        let (session, home) = (&call.session, &self.home);
        self.db.read(|tx| run(&ReadCx { tx, session, home, now, tool: call.tool.name }, arguments))
    }

    /// Looks at the file for a connection, outside of any tool; `what` names the look.
    pub fn look<T>(
        &self,
        session: &Session,
        what: &'static str,
        look: impl FnOnce(&ReadCx<'_>) -> Result<T>,
    ) -> Result<T> {
        let now = self.clock.now();
        let seen =
            caught(|| self.db.read(|tx| look(&ReadCx { tx, session, home: &self.home, now, tool: what })));
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
    fn settle(&self) {
        if let Err(error) = journal::settle_left_behind(&self.db, self.clock.now()) {
            tracing::error!(event = "journal_not_settled", error = %error.chain());
        }
    }

    fn place<'a>(&'a self, call: &'a Call) -> Place<'a> {
        let Office { db, home, clock, ids, model, .. } = self;
        let (session, correlation, speaker) = (&call.session, call.correlation(), call.speaker);
        Place { home, session, db, clock, ids, model, correlation, speaker }
    }

    fn write_and_finish(
        self: &Arc<Self>,
        mut call: Call,
        mut write: Box<dyn ErasedWrite>,
        cancelled: &Cancelled,
    ) {
        for tries_left in (0..MOST_TRIES).rev() {
            let (hand, back) = channel();
            self.db.submit(Box::new(Transaction::new(call, write, Arc::clone(cancelled), Some(hand))));
            let Ok((told, mut written, outcome)) = back.recv() else { return };
            let place = self.place(&told);
            let Err(error) = outcome else {
                if let Err(error) = caught(|| written.finish(&place)) {
                    // The rows are committed and the journal keeps the promise: a later settle does it.
                    tracing::error!(event = "finish_failed", tool_name = told.tool.name, error = %error.chain());
                }
                return told.end(written.answer());
            };
            written.abandon();
            let changed = error.details().get("reason").is_some_and(|reason| reason == "file_changed");
            if !changed || tries_left == 0 {
                return told.end(Err(error));
            }
            match caught(|| written.start_again(&place)) {
                Ok(true) => (call, write) = (told, written),
                Ok(false) => return told.end(Err(error)),
                Err(again) => return told.end(Err(again)),
            }
        }
    }

    /// The sweep of a family, if something of it is due.
    pub(super) fn due(&self, family: &Family, tx: &ReadTx<'_>, now: Timestamp) -> Result<Option<Sweep>> {
        let Some(sweep) = family.sweep else { return Ok(None) };
        let index = self.families.iter().position(|known| std::ptr::eq(*known, family));
        let quiet = index.and_then(|index| self.quiet_until.get(index));
        // A clock that was set back is no reason to look less often.
        let is_quiet = |until: i64| now.0 < until && until - now.0 <= SOONEST_DUE_MS;
        if quiet.is_some_and(|quiet| is_quiet(quiet.load(Ordering::Relaxed))) {
            return Ok(None);
        }
        let next = (sweep.next_due)(tx)?;
        if next.is_some_and(|due| due <= now) {
            return Ok(Some(sweep));
        }
        let until = next.map_or(i64::MAX, |due| due.0).min(now.0 + SOONEST_DUE_MS);
        quiet.inspect(|quiet| quiet.store(until, Ordering::Relaxed));
        Ok(None)
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

    /// Every call of a connection that has claimed work keeps that work alive.
    fn heartbeat(&self, session: &Session) {
        let now = self.clock.now();
        let workers = session.due_workers(now);
        if workers.is_empty() || session.read_only {
            return;
        }
        let beats: Vec<_> = self.families.iter().filter_map(|family| family.heartbeat).collect();
        self.db.submit(Box::new(Quiet(Some(move |tx: &WriteTx<'_>| {
            beats.iter().try_for_each(|beat| beat(tx, &workers, now))
        }))));
    }
}

/// A write that nobody waits for.
pub(super) struct Quiet<F>(pub Option<F>);

impl<F: FnOnce(&WriteTx<'_>) -> Result<()> + Send> Work for Quiet<F> {
    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        self.0.take().map_or(Ok(()), |write| write(tx))
    }

    fn failed(&mut self, _: &WriteTx<'_>, _: &Error) -> Result<()> {
        Ok(())
    }

    fn done(self: Box<Self>, outcome: Result<()>) {
        if let Err(error) = outcome {
            tracing::error!(event = "background_write_failed", error = %error.chain());
        }
    }
}

fn quiet(families: &[&Family]) -> Vec<AtomicI64> {
    families.iter().map(|_| AtomicI64::new(0)).collect()
}

/// Turns a panic into an error: whoever called is answered, and the connection lives.
fn caught<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}
