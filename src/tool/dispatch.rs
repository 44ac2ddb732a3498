//! The path of every call, whichever transport it came by:
//! authorize → decode → prepare → transact { sweep · run · audit } → finish → render.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::cx::{Place, ReadCx, WriteCx};
use super::render::{Failure, render};
use super::session::{Session, Toolsets, Wish};
use super::{Access, Answered, CallFn, ErasedWrite, ErrorForm, Family, JsonObject, ToolDef, summary};
use crate::clock::{Clock, Stopwatch, Timestamp};
use crate::db::writer::panicked;
use crate::db::{Db, Mode, ReadTx, Work, WriteTx, audit, journal, people};
use crate::error::{Error, Kind, Result, nearest};
use crate::id::Ids;
use crate::paths::Home;

/// The back office: the file, the tools, the clock. Shared by all connections of a process.
#[derive(Debug)]
pub struct Office {
    pub db: Db,
    pub home: Home,
    pub clock: Clock,
    pub ids: Ids,
    families: &'static [&'static Family],
    last_failure: Mutex<Option<(Timestamp, String)>>,
}

/// How a call ended.
#[derive(Debug)]
pub enum Reply {
    Success(Value),
    Failed { error: Error, failure: Failure },
}

/// Set by a client that no longer wants the answer; what has not begun will not begin.
pub type Cancelled = Arc<AtomicBool>;

type Tell = Box<dyn FnOnce(Reply) + Send>;

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
        Ok(Office { db, home, clock, ids, families, last_failure: Mutex::default() })
    }

    /// The same around a file that is open already, for measurements.
    pub fn around(db: Db, home: Home, families: &'static [&'static Family], clock: Clock, ids: Ids) -> Self {
        Office { db, home, clock, ids, families, last_failure: Mutex::default() }
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
        self.start(session, name, arguments, Cancelled::default(), Box::new(told));
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
        cancelled: Cancelled,
        tell: Tell,
    ) {
        let (family, tool) = match self.find(session, name) {
            Ok(found) => found,
            Err(error) => {
                return tell(Reply::Failed { failure: render(&error, ErrorForm::JsonRpc), error });
            }
        };
        let call = Call::begin(self, session, family, tool, &arguments, tell);
        let mut checked = Value::Object(arguments);
        let allowed = call.authorize().and_then(|()| tool.schemas().shape.check(&mut checked, ""));
        let Value::Object(arguments) = checked else { return };
        if let Err(error) = allowed {
            return call.end(Err(error));
        }
        self.heartbeat(session);
        match tool.call {
            CallFn::Read(run) => {
                let outcome = caught(|| self.read(&call, run, arguments));
                call.end(outcome);
            }
            CallFn::Write(prepare) => {
                let place = Place { home: &self.home, session };
                match caught(|| prepare(&place, arguments)) {
                    Ok(write) if tool.touches_files() => self.write_and_finish(call, write, cancelled),
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
        self.db.read(|tx| run(&ReadCx { tx, session: &call.session, now, tool: call.tool.name }, arguments))
    }

    fn write_and_finish(self: &Arc<Self>, call: Call, write: Box<dyn ErasedWrite>, cancelled: Cancelled) {
        let (hand, back) = channel();
        self.db.submit(Box::new(Transaction::new(call, write, cancelled, Some(hand))));
        let Ok((call, mut write, outcome)) = back.recv() else { return };
        if outcome.is_ok() {
            let place = Place { home: &self.home, session: &call.session };
            if let Err(error) = caught(|| write.finish(&place)) {
                // The rows are committed and the journal keeps the promise: a later settle does it.
                tracing::error!(event = "finish_failed", tool_name = call.tool.name, error = %error.chain());
            }
        }
        call.end(outcome.and_then(|()| write.answer()));
    }

    /// Keeps the last failure that was not a caller's mistake, for people to see.
    fn remember(&self, error: &Error) {
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

/// A call under way: what is needed to answer, log and audit it.
struct Call {
    office: Arc<Office>,
    session: Arc<Session>,
    family: &'static Family,
    tool: &'static ToolDef,
    form: ErrorForm,
    correlation: Option<String>,
    since: Stopwatch,
    tell: Tell,
}

impl Call {
    fn begin(
        office: &Arc<Office>,
        session: &Arc<Session>,
        family: &'static Family,
        tool: &'static ToolDef,
        arguments: &JsonObject,
        tell: Tell,
    ) -> Self {
        let correlation = tool.correlation.and_then(|name| arguments.get(name)).and_then(Value::as_str);
        let correlation = correlation.map(|text| text.chars().take(128).collect::<String>());
        let call = Call {
            office: Arc::clone(office),
            session: Arc::clone(session),
            family,
            tool,
            form: (tool.errors)(arguments),
            correlation,
            since: Stopwatch::start(),
            tell,
        };
        session.count_call();
        if tracing::enabled!(tracing::Level::INFO) {
            call.log("started", json!({ "input_params_summary": summary::of(tool, arguments) }));
        }
        call
    }

    fn authorize(&self) -> Result<()> {
        let Access::AnyOf(roles) = self.tool.access else { return Ok(()) };
        if self.session.caller.has_any(roles) {
            return Ok(());
        }
        let needed: Vec<_> = roles.iter().map(|role| role.as_str()).collect();
        let entry = self.entry(Kind::Forbidden.word());
        self.office.db.submit(Box::new(Quiet(Some(move |tx: &WriteTx<'_>| audit::append(tx, &entry)))));
        Err(Error::forbidden(format!("`{}` needs one of the roles {}", self.tool.name, needed.join(", ")))
            .hint(format!("`{}` does not hold any of them", self.session.caller.user_id)))
    }

    fn entry(&self, outcome: &str) -> audit::Entry {
        audit::Entry {
            id: 0,
            at: self.office.clock.now(),
            caller: self.session.caller.user_id.clone(),
            client: self.session.signature(),
            tool: self.tool.name.to_owned(),
            outcome: outcome.to_owned(),
            correlation_id: self.correlation.clone(),
            run_us: i64::try_from(self.since.elapsed().as_micros()).unwrap_or(i64::MAX),
        }
    }

    fn log(&self, stage: &str, mut fields: Value) {
        if let Value::Object(fields) = &mut fields {
            fields.insert("client".to_owned(), self.session.signature().into());
            fields.extend(self.correlation.as_ref().map(|id| ("task_id".to_owned(), id.clone().into())));
        }
        let name = self.tool.name;
        tracing::info!(
            event = format!("{name}_invocation_{stage}"),
            tool_name = name,
            fields = fields.to_string()
        );
    }

    fn end(self, outcome: Result<Answered>) {
        let duration_ms = self.since.elapsed().as_micros() as f64 / 1000.0;
        match outcome {
            Ok(answered) => {
                if tracing::enabled!(tracing::Level::INFO) {
                    let mut fields = answered.log;
                    fields.insert("success".to_owned(), true.into());
                    fields.insert("duration_ms".to_owned(), duration_ms.into());
                    self.log("completed", Value::Object(fields));
                }
                (self.tell)(Reply::Success(answered.value));
            }
            Err(error) => {
                self.log(
                    "failed",
                    json!({
                        "success": false, "duration_ms": duration_ms,
                        "error_type": error.kind().word(), "error_message": summary::cut(&error.chain(), 300),
                    }),
                );
                self.office.remember(&error);
                let failure = render(&error, self.form);
                (self.tell)(Reply::Failed { error, failure });
            }
        }
    }
}

type HandBack = std::sync::mpsc::Sender<(Call, Box<dyn ErasedWrite>, Result<()>)>;

/// A call's transaction, as the writer runs it.
struct Transaction {
    call: Call,
    write: Box<dyn ErasedWrite>,
    cancelled: Cancelled,
    /// Where the call goes on after the commit; without one it ends there.
    hand_back: Option<HandBack>,
}

impl Transaction {
    fn new(
        call: Call,
        write: Box<dyn ErasedWrite>,
        cancelled: Cancelled,
        hand_back: Option<HandBack>,
    ) -> Self {
        Transaction { call, write, cancelled, hand_back }
    }
}

impl Transaction {
    fn sweep(&self, tx: &WriteTx<'_>) -> Result<()> {
        let now = self.call.office.clock.now();
        match self.call.family.sweep {
            Some(sweep) if sweep.is_due(tx, now)? => (sweep.run)(tx, now),
            _ => Ok(()),
        }
    }
}

impl Work for Transaction {
    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Error::conflict("the call was cancelled before it began").reason("cancelled"));
        }
        self.sweep(tx)?;
        let (office, session) = (&self.call.office, &self.call.session);
        let now = office.clock.now();
        let read: &ReadTx<'_> = tx;
        let cx = WriteCx {
            read: ReadCx { tx: read, session, now, tool: self.call.tool.name },
            write: tx,
            ids: &office.ids,
        };
        self.write.run(&cx)?;
        audit::append(tx, &self.call.entry("ok"))
    }

    fn failed(&mut self, tx: &WriteTx<'_>, error: &Error) -> Result<()> {
        // What had become due is due whether the call fails or not.
        self.sweep(tx)?;
        audit::append(tx, &self.call.entry(error.kind().word()))
    }

    fn done(self: Box<Self>, outcome: Result<()>) {
        let Transaction { call, write, hand_back, .. } = *self;
        match hand_back {
            Some(hand) => drop(hand.send((call, write, outcome))),
            None => call.end(outcome.and_then(|()| write.answer())),
        }
    }
}

/// A write that nobody waits for.
struct Quiet<F>(Option<F>);

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

/// Turns a panic into an error: whoever called is answered, and the connection lives.
fn caught<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}
