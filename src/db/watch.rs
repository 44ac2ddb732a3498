//! Wakes whoever waits when somebody has committed to the file, in whichever process.
//!
//! The operating system tells when the write-ahead log is written; SQLite's `data_version` tells
//! whether that was a commit. A commit becomes visible only some time after its bytes are written
//! (the disk is flushed in between), so a write is followed by a few more looks, less and less
//! often. While nobody writes, nobody wakes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use rusqlite::Connection;

use super::open;
use crate::clock::Stopwatch;
use crate::error::{Error, Result};

/// A commit is many writes, and whoever writes them needs the core more than whoever looks: a look
/// waits until so much time has passed since it was called for.
const GATHER: Duration = Duration::from_millis(5);
/// The first look after a write that shows nothing new, and the last: each waits twice as long.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LAST_LOOK: Duration = Duration::from_millis(512);

/// What a wait ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Somebody has committed since the last time.
    Committed,
    /// The time is over.
    TimedOut,
    /// The alarm was rung.
    Rung,
}

/// Waits for commits. It sees those of every connection but its own, which only reads.
#[derive(Debug)]
pub struct Watch {
    signals: Receiver<()>,
    alarm: Alarm,
    connection: Connection,
    version: i64,
    /// When to look again, after a write.
    look_again: Option<Duration>,
    _watcher: RecommendedWatcher,
}

/// Ends a wait from another thread, or the next one from this.
#[derive(Clone, Debug)]
pub struct Alarm {
    wake: SyncSender<()>,
    rung: Arc<AtomicBool>,
}

impl Alarm {
    pub fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        // Full means that a signal waits already, and whoever takes it looks at the flag.
        let _ = self.wake.try_send(());
    }
}

impl Watch {
    pub(super) fn start(file: &Path) -> Result<Self> {
        let (wake, signals) = sync_channel(1);
        let tell = wake.clone();
        let alarm = Alarm { wake, rung: Arc::default() };
        let log = super::backup::with_suffix(file, "-wal");
        let watched = [file.to_owned(), log];
        let failed = |error| Error::internal("cannot watch the data folder").because(error);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let ours = event.is_ok_and(|event| event.paths.iter().any(|path| watched.contains(path)));
            if ours {
                // Full means that a signal waits already; one is as good as many.
                let _ = tell.try_send(());
            }
        })
        .map_err(failed)?;
        let folder = file.parent().unwrap_or(file);
        watcher.watch(folder, RecursiveMode::NonRecursive).map_err(failed)?;
        let connection = open::reader(file)?;
        let version = data_version(&connection)?;
        Ok(Watch { signals, alarm, connection, version, look_again: None, _watcher: watcher })
    }

    pub fn alarm(&self) -> Alarm {
        self.alarm.clone()
    }

    /// Waits until somebody commits; for ever, if no time is given.
    pub fn wait(&mut self, patience: Option<Duration>) -> Result<Woken> {
        let since = Stopwatch::start();
        loop {
            let left = patience.map(|patience| patience.saturating_sub(since.elapsed()));
            let signal = match self.look_again.into_iter().chain(left).min() {
                Some(wait) => self.signals.recv_timeout(wait),
                None => self.signals.recv().map_err(Into::into),
            };
            if signal.is_ok() && !self.alarm.rung.load(Ordering::SeqCst) {
                std::thread::sleep(GATHER);
                while self.signals.try_recv().is_ok() {}
            }
            if self.alarm.rung.swap(false, Ordering::SeqCst) {
                return Ok(Woken::Rung);
            }
            match signal {
                Ok(()) => self.look_again = Some(FIRST_LOOK),
                Err(RecvTimeoutError::Disconnected) => return Err(Error::internal("the watch has ended")),
                Err(RecvTimeoutError::Timeout) => {
                    self.look_again = self.look_again.map(|wait| wait * 2).filter(|wait| *wait <= LAST_LOOK);
                }
            }
            let version = data_version(&self.connection)?;
            if version != self.version {
                self.version = version;
                self.look_again = Some(FIRST_LOOK);
                return Ok(Woken::Committed);
            }
            if patience.is_some_and(|patience| since.elapsed() >= patience) {
                return Ok(Woken::TimedOut);
            }
        }
    }
}

fn data_version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "data_version", |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Timestamp};
    use crate::db::{Db, Mode, sequences};

    #[test]
    fn a_commit_wakes_and_a_read_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let open = || Db::open(&file, Mode::Full, &Clock::System, "owner").unwrap();
        let (own, other) = (open(), open());
        let mut watch = own.watch().unwrap();
        for db in [&own, &other] {
            db.write(|tx| sequences::take(tx, "p", "US", 1, Timestamp(1))).unwrap();
            assert_eq!(watch.wait(None).unwrap(), Woken::Committed);
        }
        own.read(|tx| sequences::last(tx, "p", "US")).unwrap();
        watch.alarm().ring();
        assert_eq!(watch.wait(None).unwrap(), Woken::Rung, "a read is no commit");
    }
}
