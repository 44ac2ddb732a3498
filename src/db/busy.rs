//! Waits for other processes' locks.
//!
//! SQLite's own busy handler sleeps longer each time it is asked, up to 100 ms, so whoever has
//! waited longest looks least often and starves. Here everybody looks about equally often: short
//! waits of random length, until a deadline that ends in a clear, retryable error.

use std::cell::Cell;
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::error::{Kind, Result};

/// After this long, waiting for another process is given up.
pub(super) const DEADLINE: Duration = Duration::from_secs(5);
const SHORTEST_US: u64 = 40;
const LONGEST_US: u64 = 160;

thread_local! {
    static WAITING_SINCE: Cell<Option<Stopwatch>> = const { Cell::new(None) };
    static WAITED: Cell<bool> = const { Cell::new(false) };
    static PATIENCE: Cell<Duration> = const { Cell::new(DEADLINE) };
}

/// Does something for which it is not worth waiting long: whoever is in the way, it gives up.
pub(super) fn hardly_waiting<T>(act: impl FnOnce() -> T) -> T {
    PATIENCE.set(Duration::from_millis(2));
    let done = act();
    PATIENCE.set(DEADLINE);
    done
}

/// The handler itself: `attempt` is 0 when a lock is first found taken.
pub(super) fn wait(attempt: i32) -> bool {
    let since = match WAITING_SINCE.get().filter(|_| attempt > 0) {
        Some(since) => since,
        None => {
            let now = Stopwatch::start();
            WAITING_SINCE.set(Some(now));
            now
        }
    };
    WAITED.set(true);
    if since.elapsed() >= PATIENCE.get() {
        return false;
    }
    pause();
    true
}

/// Tries again while the file is busy, where SQLite gives up without asking the handler.
pub(super) fn retry<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let since = Stopwatch::start();
    loop {
        match attempt() {
            Err(error) if error.kind() == Kind::Busy && since.elapsed() < DEADLINE => pause(),
            ended => return ended,
        }
    }
}

/// Whether this thread has waited for another process since the last time it was asked.
pub(super) fn take_waited() -> bool {
    WAITED.replace(false)
}

/// One short wait; also what a busy writer leaves between two batches, so that others get a turn.
pub(super) fn pause() {
    std::thread::sleep(Duration::from_micros(fastrand::u64(SHORTEST_US..=LONGEST_US)));
}
