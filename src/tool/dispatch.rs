//! The path of every call, whichever transport it came by:
//! authorize → decode → prepare → transact { sweep · run · audit } → finish → render.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Weak};

use serde_json::Value;

use super::ask::Speaker;
use super::call::Call;
use super::cx::{Place, ReadCx};
pub use super::office::Office;
use super::render::{Failure, render};
use super::session::Session;
use super::transaction::Transaction;
use super::{
    Answer, Answered, CallFn, ErasedWrite, ErrorForm, Family, JsonObject, SOONEST_DUE_MS, Sweep, spelling,
};
use crate::clock::Timestamp;
pub use crate::db::watch::Alarm;
use crate::db::writer::panicked;
use crate::db::{ReadTx, Work, WriteTx, audit};
pub use crate::db::{Watch, Woken};
use crate::error::{Error, Kind, Result};

/// How often a call is made whose files change while it prepares. Each time somebody else has got on,
/// so that as many callers as this may want the same file at once.
const MOST_TRIES: usize = 32;

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
        let arguments = match self.admit(&call, arguments) {
            Ok(arguments) => arguments,
            Err(error) => return call.end(Err(error)),
        };
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

    /// Lets a call in: its caller may make it, its arguments fit, and there is something to ask for.
    fn admit(&self, call: &Call, mut arguments: JsonObject) -> Result<JsonObject> {
        call.authorize()?;
        if call.family.takes_camel_case {
            spelling::settle(call.tool, &mut arguments)?;
        }
        let mut checked = Value::Object(arguments);
        call.tool.schemas().shape.check(&mut checked, "")?;
        if let Some(first_use) = call.family.first_use.filter(|_| !call.session.read_only) {
            self.begin(first_use)?;
        }
        match checked {
            Value::Object(arguments) => Ok(arguments),
            _ => Err(Error::internal("arguments are no object")),
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
        let (session, home, cursor_key) = (&call.session, &self.home, self.cursor_key());
        let tool = call.tool.name;
        let read = self.db.read(|tx| run(&ReadCx { tx, session, home, now, tool, cursor_key }, arguments));
        if call.family.audits_reads {
            let entry = call.entry(read.as_ref().map_or_else(|error| error.kind().word(), |_| "ok"));
            // Full means wait, never drop; but nobody waits for the commit.
            self.db.submit(Box::new(Noted { entry, office: Arc::downgrade(&call.office) }));
        }
        read
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

/// A line of the trail that nobody waits for, and that is not lost while others hold the file.
struct Noted {
    entry: audit::Entry,
    /// Weak, or what waits to be written would keep the writer from ending.
    office: Weak<Office>,
}

impl Work for Noted {
    fn can_wait(&self) -> bool {
        true
    }

    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        audit::append(tx, &self.entry)
    }

    fn failed(&mut self, _: &WriteTx<'_>, _: &Error) -> Result<()> {
        Ok(())
    }

    fn done(self: Box<Self>, outcome: Result<()>) {
        let Err(error) = outcome else { return };
        tracing::error!(event = "audit_row_failed", error = %error.chain());
        if let (Kind::Busy, Some(office)) = (error.kind(), self.office.upgrade()) {
            // This is the writer's own thread: it must not wait for its own queue.
            std::thread::spawn(move || office.db.submit(self));
        }
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

/// Turns a panic into an error: whoever called is answered, and the connection lives.
pub(super) fn caught<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}
