//! The bus: what has changed, and by whom. Its one source is the audit trail, which every write of
//! every process ends in; it is read when a commit wakes it.

use std::sync::{Arc, Mutex};

use tokio::sync::{broadcast, watch};

use crate::db::audit::{self, Entry};
use crate::db::watch::Alarm;
use crate::db::{Watch, Woken};
use crate::error::{Error, Result};
use crate::tool::dispatch::Office;

/// How many changes a listener may be behind before it misses some, and is told so.
const BEHIND: usize = 1024;
const AT_ONCE: i64 = 500;

/// A bus that runs until it is dropped.
#[derive(Debug)]
pub struct Events {
    shared: Arc<Shared>,
    alarm: Alarm,
}

#[derive(Debug)]
struct Shared {
    office: Arc<Office>,
    changes: broadcast::Sender<Arc<Entry>>,
    touched: watch::Sender<()>,
    /// The last entry that was told; nothing while nobody listens.
    told: Mutex<Option<i64>>,
}

impl Events {
    pub fn start(office: &Arc<Office>) -> Result<Self> {
        let watch = office.db.watch()?;
        let alarm = watch.alarm();
        let shared = Arc::new(Shared {
            office: Arc::clone(office),
            changes: broadcast::channel(BEHIND).0,
            touched: watch::channel(()).0,
            told: Mutex::default(),
        });
        let tells = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("events".to_owned())
            .spawn(move || tells.follow(watch))
            .map_err(|error| Error::io(error, "start the events thread"))?;
        Ok(Events { shared, alarm })
    }

    /// Every change from now on.
    pub fn subscribe(&self) -> Result<broadcast::Receiver<Arc<Entry>>> {
        let mut told = self.shared.told.lock().map_err(|_| Error::internal("the bus has failed"))?;
        if told.is_none() {
            *told = Some(self.shared.office.db.read(audit::last_id)?);
        }
        Ok(self.shared.changes.subscribe())
    }

    /// Tells whenever anything at all has changed, from now on.
    pub fn touches(&self) -> watch::Receiver<()> {
        self.shared.touched.subscribe()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.alarm.ring();
    }
}

impl Shared {
    fn follow(&self, mut watch: Watch) {
        loop {
            match watch.wait(None) {
                Ok(Woken::Committed) => {
                    self.touched.send_replace(());
                    if let Err(error) = self.tell() {
                        tracing::error!(event = "events_failed", error = %error.chain());
                    }
                }
                Ok(Woken::TimedOut) => {}
                Ok(Woken::Rung) => return,
                Err(error) => return tracing::error!(event = "events_ended", error = %error.chain()),
            }
        }
    }

    fn tell(&self) -> Result<()> {
        let Ok(mut told) = self.told.lock() else { return Ok(()) };
        let Some(mut last) = *told else { return Ok(()) };
        if self.changes.receiver_count() == 0 {
            *told = None;
            return Ok(());
        }
        loop {
            let entries = self.office.db.read(|tx| audit::after(tx, last, AT_ONCE))?;
            let Some(newest) = entries.last() else { break };
            last = newest.id;
            for entry in entries {
                let _ = self.changes.send(Arc::new(entry));
            }
        }
        *told = Some(last);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Timestamp};
    use crate::db::{Db, Mode};
    use crate::id::Ids;
    use crate::paths::Home;

    fn entry(tool: &str) -> Entry {
        Entry {
            id: 0,
            at: Timestamp(1),
            caller: "ann".to_owned(),
            client: "other".to_owned(),
            tool: tool.to_owned(),
            outcome: "ok".to_owned(),
            correlation_id: None,
            run_us: 1,
            receipt: None,
        }
    }

    #[tokio::test]
    async fn what_another_process_writes_is_told_to_who_listens_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let office =
            Office::open(Home::at(folder.path()), Mode::Full, "o", &[], Clock::System, Ids::Random).unwrap();
        let office = Arc::new(office);
        let other = Db::open(office.db.file(), Mode::Full, &Clock::System, "o").unwrap();
        let write = |tool: &'static str| other.write(move |tx| audit::append(tx, &entry(tool))).unwrap();
        write("before");
        let events = Events::start(&office).unwrap();
        let (mut changes, mut touches) = (events.subscribe().unwrap(), events.touches());
        write("first");
        write("second");
        for expected in ["first", "second"] {
            let change = changes.recv().await.unwrap();
            assert_eq!((change.tool.as_str(), change.caller.as_str()), (expected, "ann"));
        }
        touches.changed().await.unwrap();
    }
}
