//! Does what becomes due by time alone, when it becomes due: it sleeps until the next due time, and
//! looks again after rows have changed.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::events::Events;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::tool::dispatch::Office;

/// After a failure, such as a full disk, it is tried again this much later.
const AFTER_FAILURE: Duration = Duration::from_secs(30);
/// Changes gather this long before they are looked at. Nothing becomes due within a minute of
/// being written, so nothing is late.
const GATHER: Duration = Duration::from_secs(1);

pub async fn run(office: Arc<Office>, events: Arc<Events>, stop: CancellationToken) {
    let mut touches = events.touches();
    loop {
        let shared = Arc::clone(&office);
        let swept = tokio::task::spawn_blocking(move || sweep(&shared)).await;
        let swept = swept.unwrap_or_else(|error| Err(Error::internal("a sweep failed").because(error)));
        let wait = match swept {
            Ok(next) => next.map(|due| until(due, office.clock.now())),
            Err(error) => {
                tracing::error!(event = "sweep_failed", error = %error.chain());
                Some(AFTER_FAILURE)
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(wait) => {}
            _ = touches.changed() => tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(GATHER) => {}
            },
        }
    }
}

/// Runs what is due and tells when something will be due next.
fn sweep(office: &Office) -> Result<Option<Timestamp>> {
    let mut next: Option<Timestamp> = None;
    for sweep in office.families().iter().filter_map(|family| family.sweep) {
        let now = office.clock.now();
        if office.db.read(|tx| sweep.is_due(tx, now))? {
            office.db.write(move |tx| (sweep.run)(tx, now))?;
        }
        let due = office.db.read(|tx| (sweep.next_due)(tx))?;
        next = next.into_iter().chain(due).min();
    }
    Ok(next)
}

fn until(due: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(due.0 - now.0).unwrap_or(0))
}

pub(super) async fn sleep(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::db::Mode;
    use crate::id::Ids;
    use crate::paths::Home;
    use crate::tool::{Family, Sweep};

    /// Due at 1,000 until it has run.
    static FAMILY: Family = Family {
        name: "due",
        tools: &[],
        sweep: Some(Sweep {
            next_due: |tx| {
                Ok(crate::db::sequences::last(tx, "p", "DUE")?.is_none().then_some(Timestamp(1_000)))
            },
            run: |tx, now| crate::db::sequences::raise(tx, "p", "DUE", 1, now).map(drop),
        }),
        ..Family::EMPTY
    };
    const FAMILIES: &[&Family] = &[&FAMILY];

    #[test]
    fn what_is_due_is_done_once_and_what_comes_next_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(Timestamp(400));
        let home = Home::at(folder.path());
        let office = Office::open(home, Mode::Full, "o", FAMILIES, clock.clone(), Ids::Random).unwrap();
        let next = sweep(&office).unwrap();
        assert_eq!(next, Some(Timestamp(1_000)));
        assert_eq!(until(Timestamp(1_000), clock.now()), Duration::from_millis(600));
        clock.advance(Duration::from_millis(600));
        assert_eq!(sweep(&office).unwrap(), None, "it has run, and nothing is due any more");
        assert_eq!(until(Timestamp(1_000), Timestamp(2_000)), Duration::ZERO, "late is now");
    }
}
