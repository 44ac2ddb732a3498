//! The one writer: a thread that runs what is queued in one transaction and commits once.
//!
//! Callers hand over [`Work`]. Up to [`BATCH`] of them share one `BEGIN IMMEDIATE`, each in a
//! savepoint of its own, so that one that fails or panics is rolled back alone. Answers are given
//! after the commit, never before; a commit that fails answers everybody with its error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::busy;
use super::merging::Merging;
use super::same_file::SameFile;
use super::tx::WriteTx;
use crate::clock::Stopwatch;
use crate::error::{Error, Result};

/// How many callers share a commit.
pub const BATCH: usize = 64;
/// How many may wait; a caller past that waits for its place.
const QUEUE: usize = 1024;
/// The write-ahead log is copied back once this many commits have gathered and nobody is waiting.
const CHECKPOINT_AFTER: u32 = 256;
const IDLE: Duration = Duration::from_millis(200);
/// What nobody waits for gathers so long.
const GATHER: Duration = Duration::from_millis(20);
/// A log of so many pages, because there was no idle moment, is begun anew…
const LARGE_LOG: i32 = 4096;
/// …and if somebody prevents it, that is tried again after so many commits.
const TRY_AGAIN: u32 = 64;

/// Something to do with the file, and whom to tell.
pub trait Work: Send {
    /// Whether it has a transaction to itself, and no savepoint. For thousands of rows: inside a savepoint
    /// SQLite keeps every page they touch, and goes through all of them again at the end of each statement.
    fn is_alone(&self) -> bool {
        false
    }

    /// Whether nobody waits for its commit, so that a few may gather for one: every commit costs a flush,
    /// and every reader what it has read of the file.
    fn can_wait(&self) -> bool {
        false
    }

    /// Does it, inside a savepoint unless it is alone.
    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()>;

    /// Records a failure after what was done is undone, in the same transaction or, alone, in a new one.
    fn failed(&mut self, tx: &WriteTx<'_>, error: &Error) -> Result<()>;

    /// Hears the outcome, after the commit.
    fn done(self: Box<Self>, outcome: Result<()>);
}

/// The handle that queues work; dropping it ends the thread once the queue is empty.
#[derive(Debug)]
pub struct Writer {
    queue: Option<SyncSender<Box<dyn Work>>>,
    waiting: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread; `batch` is [`BATCH`] but for measurements.
    pub(super) fn start(
        mut connection: Connection,
        file: SameFile,
        batch: usize,
        mut merging: Merging,
    ) -> Result<Self> {
        let pages = Arc::new(AtomicI32::new(0));
        let counted = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut Wal, count| {
            counted.store(count, Ordering::Relaxed);
            Ok(())
        }))?;
        let (queue, jobs) = sync_channel(QUEUE);
        let waiting = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&waiting);
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || serve(&connection, &file, &mut merging, &pages, &jobs, batch, &counter))
            .map_err(|error| Error::io(error, "start the writer thread"))?;
        Ok(Writer { queue: Some(queue), waiting, thread: Some(thread) })
    }

    /// Queues work; waits while the queue is full.
    pub fn submit(&self, work: Box<dyn Work>) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let refused = match &self.queue {
            Some(queue) => queue.send(work).map_err(|refused| refused.0).err(),
            None => Some(work),
        };
        if let Some(work) = refused {
            work.done(Err(Error::internal("the writer has ended").hint("start backoffice again")));
        }
    }

    /// How many callers wait for their commit.
    pub fn depth(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.take();
        // The last owner may be an answer given on the writer's own thread; that one cannot wait.
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

fn serve(
    connection: &Connection,
    file: &SameFile,
    merging: &mut Merging,
    pages: &AtomicI32,
    jobs: &Receiver<Box<dyn Work>>,
    batch: usize,
    waiting: &AtomicUsize,
) {
    let (mut commits, mut try_at) = (0, 0);
    let mut idle = IDLE;
    let mut held: Option<Box<dyn Work>> = None;
    let mut gathered: Vec<Box<dyn Work>> = Vec::new();
    let mut since = Stopwatch::start();
    loop {
        let due = commits >= CHECKPOINT_AFTER || merging.is_due();
        let next = match held.take() {
            Some(work) => Ok(work),
            None if !gathered.is_empty() => jobs.recv_timeout(GATHER.saturating_sub(since.elapsed())),
            None if due => jobs.recv_timeout(idle),
            None => jobs.recv().map_err(Into::into),
        };
        let first = match next {
            Ok(work) if work.can_wait() && gathered.len() + 1 < batch => {
                if gathered.is_empty() {
                    since = Stopwatch::start();
                }
                gathered.push(work);
                continue;
            }
            Ok(work) if work.is_alone() && !gathered.is_empty() => {
                held = Some(work);
                std::mem::take(&mut gathered)
            }
            Ok(work) => {
                gathered.push(work);
                std::mem::take(&mut gathered)
            }
            // Its time has come, or the process ends.
            Err(_) if !gathered.is_empty() => std::mem::take(&mut gathered),
            Err(RecvTimeoutError::Timeout) if merging.is_due() => {
                merging.step(connection, file);
                // One step after another, as long as nobody comes.
                idle = Duration::ZERO;
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {
                checkpoint(connection);
                (commits, try_at) = (0, 0);
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        idle = IDLE;
        let batch = if first.iter().any(|work| work.is_alone()) { 1 } else { batch };
        let count = commit(connection, file, first, batch, &mut || {
            if held.is_some() {
                return None;
            }
            let next = jobs.try_recv().ok()?;
            if next.is_alone() {
                held = Some(next);
                return None;
            }
            Some(next)
        });
        waiting.fetch_sub(count, Ordering::Relaxed);
        commits += 1;
        merging.wake();
        if pages.load(Ordering::Relaxed) > LARGE_LOG && commits >= try_at {
            begin_log_anew(connection);
            try_at = commits + TRY_AGAIN;
        }
        // Another process was writing, too: without this gap, a full queue would take the lock
        // again before the other one has looked.
        if busy::take_waited() {
            busy::pause();
        }
    }
}

/// Runs works in one transaction and tells each its outcome; how many there were. Whoever comes while
/// it runs is taken along, up to the batch's size: a commit is worth waiting for.
fn commit(
    connection: &Connection,
    file: &SameFile,
    mut works: Vec<Box<dyn Work>>,
    batch: usize,
    more: &mut dyn FnMut() -> Option<Box<dyn Work>>,
) -> usize {
    let mut outcomes = Vec::new();
    let begun = file.check().and_then(|()| run(connection, "BEGIN IMMEDIATE"));
    let committed = begun.and_then(|()| {
        let tx = WriteTx::new(connection);
        while outcomes.len() < works.len() {
            let next = outcomes.len();
            outcomes.push(isolate(connection, &tx, works[next].as_mut())?);
            if outcomes.len() == works.len() && works.len() < batch {
                works.extend(more());
            }
        }
        run(connection, "COMMIT")
    });
    let count = works.len();
    if committed.is_err() && !connection.is_autocommit() {
        let _ = run(connection, "ROLLBACK");
    }
    for (index, work) in works.into_iter().enumerate() {
        let outcome = match &committed {
            Ok(()) => outcomes.get_mut(index).and_then(Option::take).map_or(Ok(()), Err),
            Err(error) => Err(error.clone()),
        };
        let told = catch_unwind(AssertUnwindSafe(|| work.done(outcome)));
        if told.is_err() {
            tracing::error!(event = "answer_panicked", "a caller could not be told its outcome");
        }
    }
    count
}

/// Runs one work so that it can be undone alone. `Err` means that the whole transaction is lost; a failure of the
/// work alone is `Ok(Some(error))`.
fn isolate(connection: &Connection, tx: &WriteTx<'_>, work: &mut dyn Work) -> Result<Option<Error>> {
    let (begin, end, undo): (&[&str], &[&str], &[&str]) = match work.is_alone() {
        true => (&[], &[], &["ROLLBACK", "BEGIN IMMEDIATE"]),
        false => (&["SAVEPOINT work"], &["RELEASE work"], &["ROLLBACK TO work"]),
    };
    let run = |statements: &[&str]| statements.iter().try_for_each(|sql| run(connection, sql));
    run(begin)?;
    let ran =
        catch_unwind(AssertUnwindSafe(|| work.run(tx))).unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
    // Some errors, a full disk among them, make SQLite roll back everything by itself.
    if connection.is_autocommit() {
        return Err(ran.err().unwrap_or_else(|| Error::internal("the transaction ended early")));
    }
    let Err(error) = ran else {
        run(end)?;
        return Ok(None);
    };
    run(undo)?;
    catch_unwind(AssertUnwindSafe(|| work.failed(tx, &error)))
        .unwrap_or_else(|panic| Err(panicked(panic.as_ref())))?;
    run(end)?;
    Ok(Some(error))
}

/// A caught panic as an error; what it said is for the log.
pub fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text =
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned());
    Error::internal("the call failed unexpectedly; nothing was changed").because(Panic(text))
}

/// A caught panic as the source of an error.
#[derive(Debug)]
struct Panic(String);

impl std::fmt::Display for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "panicked: {}", self.0)
    }
}

impl std::error::Error for Panic {}

/// Copies the log back and lets the next commit write at its beginning again. Whoever is reading at
/// this moment prevents it; then it is tried again soon.
fn begin_log_anew(connection: &Connection) {
    // First without the write lock: what is left for the second step holds nobody up for long.
    checkpoint(connection);
    busy::hardly_waiting(|| {
        let _ = connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()));
    });
}

pub(super) fn checkpoint(connection: &Connection) {
    let done = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if let Err(error) = done {
        tracing::warn!(event = "checkpoint_failed", %error);
    }
}

fn run(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
