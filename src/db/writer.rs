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
use crate::error::{Error, Result};

/// How many callers share a commit.
pub const BATCH: usize = 64;
/// How many may wait; a caller past that waits for its place.
const QUEUE: usize = 1024;
/// The write-ahead log is copied back once this many commits have gathered and nobody is waiting.
const CHECKPOINT_AFTER: u32 = 256;
const IDLE: Duration = Duration::from_millis(200);
/// A log of so many pages, because there was no idle moment, is begun anew…
const LARGE_LOG: i32 = 4096;
/// …and if somebody prevents it, that is tried again after so many commits.
const TRY_AGAIN: u32 = 64;

/// Something to do with the file, and whom to tell.
pub trait Work: Send {
    /// Does it, inside a savepoint.
    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()>;

    /// Records a failure after the savepoint was rolled back, in the same transaction.
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
    loop {
        let due = commits >= CHECKPOINT_AFTER || merging.is_due();
        let first = match if due { jobs.recv_timeout(idle) } else { jobs.recv().map_err(Into::into) } {
            Ok(first) => first,
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
        let count = commit(connection, file, vec![first], batch, &mut || jobs.try_recv().ok());
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

/// Runs one work in its savepoint. `Err` means that the whole transaction is lost; a failure of the
/// work alone is `Ok(Some(error))`.
fn isolate(connection: &Connection, tx: &WriteTx<'_>, work: &mut dyn Work) -> Result<Option<Error>> {
    run(connection, "SAVEPOINT work")?;
    let ran =
        catch_unwind(AssertUnwindSafe(|| work.run(tx))).unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
    // Some errors, a full disk among them, make SQLite roll back everything by itself.
    if connection.is_autocommit() {
        return Err(ran.err().unwrap_or_else(|| Error::internal("the transaction ended early")));
    }
    let Err(error) = ran else {
        run(connection, "RELEASE work")?;
        return Ok(None);
    };
    run(connection, "ROLLBACK TO work")?;
    catch_unwind(AssertUnwindSafe(|| work.failed(tx, &error)))
        .unwrap_or_else(|panic| Err(panicked(panic.as_ref())))?;
    run(connection, "RELEASE work")?;
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
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::clock::Clock;
    use crate::db::open;

    type Act = Box<dyn FnOnce(&WriteTx<'_>) -> Result<()> + Send>;

    struct Step {
        name: &'static str,
        act: Option<Act>,
        told: Sender<(&'static str, Option<String>)>,
    }

    impl Work for Step {
        fn run(&mut self, tx: &WriteTx<'_>) -> Result<()> {
            insert(tx, self.name)?;
            (self.act.take().unwrap())(tx)
        }

        fn failed(&mut self, tx: &WriteTx<'_>, _: &Error) -> Result<()> {
            insert(tx, &format!("{} failed", self.name))
        }

        fn done(self: Box<Self>, outcome: Result<()>) {
            let _ = self.told.send((self.name, outcome.err().map(|error| error.chain())));
        }
    }

    fn insert(tx: &WriteTx<'_>, name: &str) -> Result<()> {
        tx.execute("INSERT INTO people (login, name, email) VALUES (?1, ?1, ?1)", [name])?;
        Ok(())
    }

    /// Runs all steps in one batch and tells what each heard and which rows are there afterwards.
    fn batch(steps: Vec<(&'static str, Act)>) -> (Vec<(&'static str, Option<String>)>, Vec<String>) {
        batch_of(BATCH, steps)
    }

    fn batch_of(
        limit: usize,
        steps: Vec<(&'static str, Act)>,
    ) -> (Vec<(&'static str, Option<String>)>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let connection = open::writer(&file, &Clock::System).unwrap();
        connection.execute_batch("DELETE FROM people").unwrap();
        let (told, hears) = channel();
        let works = steps
            .into_iter()
            .map(|(name, act)| Box::new(Step { name, act: Some(act), told: told.clone() }) as Box<dyn Work>);
        let mut works = works;
        let first = works.next().into_iter().collect();
        commit(&connection, &SameFile::at(&file), first, limit, &mut || works.next());
        drop(told);
        let reader = open::reader(&file).unwrap();
        let rows = crate::db::tx::ReadTx::new(&reader)
            .rows("SELECT login FROM people ORDER BY login", [], |row| row.get(0))
            .unwrap();
        (hears.iter().collect(), rows)
    }

    #[test]
    fn one_that_fails_is_rolled_back_alone() {
        let (heard, rows) = batch(vec![
            ("a", Box::new(|_| Ok(()))),
            ("b", Box::new(|_| Err(Error::invalid("no")))),
            ("c", Box::new(|_| Ok(()))),
        ]);
        assert_eq!(heard, [("a", None), ("b", Some("no".to_owned())), ("c", None)]);
        assert_eq!(rows, ["a", "b failed", "c"]);
    }

    #[test]
    fn a_batch_takes_along_who_comes_meanwhile_and_no_more_than_its_size() {
        let steps = || -> Vec<(&'static str, Act)> {
            ["a", "b", "c"]
                .into_iter()
                .map(|name| (name, Box::new(|_: &WriteTx<'_>| Ok(())) as Act))
                .collect()
        };
        assert_eq!(batch_of(1, steps()).0, [("a", None)]);
        assert_eq!(batch_of(2, steps()).0, [("a", None), ("b", None)]);
        assert_eq!(batch_of(64, steps()).0.len(), 3);
    }

    #[test]
    fn one_that_panics_is_rolled_back_alone() {
        let (heard, rows) = batch(vec![("a", Box::new(|_| panic!("ouch"))), ("b", Box::new(|_| Ok(())))]);
        let said = "the call failed unexpectedly; nothing was changed: panicked: ouch";
        assert_eq!(heard, [("a", Some(said.to_owned())), ("b", None)]);
        assert_eq!(rows, ["a failed", "b"]);
    }

    #[test]
    fn a_transaction_that_is_lost_answers_everybody_in_it_with_the_error() {
        let (heard, rows) = batch(vec![
            ("a", Box::new(|_| Ok(()))),
            (
                "b",
                Box::new(|tx| {
                    // Stands for what SQLite does by itself on a full disk.
                    tx.execute("ROLLBACK", [])?;
                    Err(Error::new(crate::error::Kind::Storage, "the disk is full"))
                }),
            ),
            ("c", Box::new(|_| Ok(()))),
        ]);
        let full = Some("the disk is full".to_owned());
        assert_eq!(heard, [("a", full.clone()), ("b", full)], "c was not taken yet; the next one takes it");
        assert!(rows.is_empty());
    }
}
