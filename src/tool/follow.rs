//! Rows that follow files: a repository's `docs/` folder is watched, and whatever changes in it is
//! looked at once it has been quiet for a moment.
//!
//! An event only says that there is something to see. What there is to see is found by looking at
//! the files, so that nothing depends on events being complete, in order, or about names that still
//! exist: a branch switch and ten thousand files are one look.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::dispatch::Office;
use crate::clock::{Clock, Stopwatch};
use crate::db::Db;
use crate::error::{Error, Result};
use crate::paths::mark;

/// The folder of a repository that is followed.
pub const FOLDER: &str = "docs";
/// Changes gather until none has come for this long …
const QUIET: Duration = Duration::from_millis(100);
/// … but no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);
/// After a failure, such as a full disk or no watch left, it is tried again this much later.
const AFTER_FAILURE: Duration = Duration::from_secs(30);

/// Folders that come and go while they are being watched are tried so often.
const MOST_TRIES: usize = 5;

/// Where a family looks.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    pub db: &'a Db,
    pub clock: &'a Clock,
    pub root: &'a Path,
    pub project: &'a str,
}

/// Brings a family's rows in step with the files below a root. It may ask to be called again after a
/// while, because something was being written.
pub type Look = fn(&Around<'_>) -> Result<Option<Duration>>;

/// Follows repositories, each as long as somebody wants it. Its thread starts with the first one.
#[derive(Debug)]
pub struct Follower {
    office: Arc<Office>,
    shared: Arc<Shared>,
    thread: Mutex<Thread>,
}

#[derive(Debug)]
enum Thread {
    /// Until there is something to follow.
    Waiting(Receiver<()>),
    Running(JoinHandle<()>),
    Ended,
}

/// Follows a repository as long as it is there.
#[derive(Debug)]
pub struct Following {
    shared: Arc<Shared>,
    root: PathBuf,
}

#[derive(Debug)]
struct Shared {
    wake: SyncSender<()>,
    since: Stopwatch,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    roots: BTreeMap<PathBuf, Root>,
    ended: bool,
}

#[derive(Debug, Default)]
struct Root {
    project: String,
    /// How many want it.
    wanted: usize,
    /// When the first and the last change came that have not been looked at.
    changed: Option<(Duration, Duration)>,
    /// When to look although nothing has changed.
    again: Option<Duration>,
}

impl Root {
    fn due(&self) -> Option<Duration> {
        let gathered = self.changed.map(|(first, last)| (first + PATIENCE).min(last + QUIET));
        gathered.into_iter().chain(self.again).min()
    }
}

impl Follower {
    pub fn new(office: Arc<Office>) -> Self {
        let (wake, woken) = sync_channel(1);
        let shared = Arc::new(Shared { wake, since: Stopwatch::start(), state: Mutex::default() });
        Follower { office, shared, thread: Mutex::new(Thread::Waiting(woken)) }
    }

    /// Follows a repository from now on; it is looked at once to begin with.
    pub fn follow(&self, root: &Path, project: &str) -> Result<Following> {
        self.run()?;
        let mut state = self.shared.state();
        let known = state.roots.entry(root.to_owned()).or_default();
        known.wanted += 1;
        project.clone_into(&mut known.project);
        known.again = Some(Duration::ZERO);
        drop(state);
        self.shared.wake();
        Ok(Following { shared: Arc::clone(&self.shared), root: root.to_owned() })
    }

    fn run(&self) -> Result<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        *thread = match std::mem::replace(&mut *thread, Thread::Ended) {
            Thread::Waiting(woken) => {
                let (office, follows) = (Arc::clone(&self.office), Arc::clone(&self.shared));
                let started = std::thread::Builder::new()
                    .name("follower".to_owned())
                    .spawn(move || follows.run(&office, &woken))
                    .map_err(|error| Error::io(error, "start the thread that follows repositories"))?;
                Thread::Running(started)
            }
            other => other,
        };
        Ok(())
    }
}

impl Drop for Follower {
    /// Waits for the thread, so that the office is closed by whoever opened it.
    fn drop(&mut self) {
        self.shared.state().ended = true;
        self.shared.wake();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Thread::Running(thread) = std::mem::replace(thread, Thread::Ended) {
            let _ = thread.join();
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        if let Some(known) = state.roots.get_mut(&self.root) {
            known.wanted -= 1;
            if known.wanted == 0 {
                state.roots.remove(&self.root);
                drop(state);
                self.shared.wake();
            }
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // Full means that a signal waits already; one is as good as many.
        let _ = self.wake.try_send(());
    }

    /// Takes note of an event.
    fn note(&self, event: &Event) {
        if event.kind.is_access() {
            return;
        }
        let now = self.since.elapsed();
        let mut noted = false;
        for (root, known) in &mut self.state().roots {
            if event.need_rescan() || event.paths.iter().any(|path| concerns(root, path)) {
                known.changed = Some((known.changed.map_or(now, |(first, _)| first), now));
                noted = true;
            }
        }
        if noted {
            self.wake();
        }
    }

    fn run(self: &Arc<Self>, office: &Office, woken: &Receiver<()>) {
        let notes = Arc::clone(self);
        let mut watches = Watches::new(move |event| notes.note(&event));
        loop {
            let next = self.state().roots.values().filter_map(Root::due).min();
            let signal = match next {
                Some(due) => woken.recv_timeout(due.saturating_sub(self.since.elapsed())),
                None => woken.recv().map_err(Into::into),
            };
            if signal == Err(RecvTimeoutError::Disconnected) || self.state().ended {
                return;
            }
            watches.keep(self.state().roots.keys());
            for (root, project) in self.take_due() {
                let armed = watches.arm(&root);
                let looked = office.look_around(&root, &project).and_then(|again| armed.map(|()| again));
                self.look_again(&root, looked);
            }
        }
    }

    /// The repositories to look at now; what changes from here on is looked at again.
    fn take_due(&self) -> Vec<(PathBuf, String)> {
        let now = self.since.elapsed();
        let mut due = Vec::new();
        for (root, known) in &mut self.state().roots {
            if known.due().is_some_and(|at| at <= now) {
                (known.changed, known.again) = (None, None);
                due.push((root.clone(), known.project.clone()));
            }
        }
        due
    }

    fn look_again(&self, root: &Path, looked: Result<Option<Duration>>) {
        let wait = looked.unwrap_or_else(|error| {
            tracing::error!(event = "follow_failed", root = %root.display(), error = %error.chain());
            Some(AFTER_FAILURE)
        });
        if let (Some(wait), Some(known)) = (wait, self.state().roots.get_mut(root)) {
            known.again = Some(self.since.elapsed() + wait);
        }
    }
}

/// Whether something that has happened to a path may be something in a root's folder.
fn concerns(root: &Path, path: &Path) -> bool {
    let folder = root.join(FOLDER);
    path.starts_with(&folder) || folder.starts_with(path)
}

/// A folder and which one it was.
type Marked = (PathBuf, Option<(u64, u64)>);

/// The watches of the operating system, one set for each root.
struct Watches {
    watcher: notify::Result<RecommendedWatcher>,
    /// Where each root is watched: the folders, and which ones they were when the watch was made.
    armed: BTreeMap<PathBuf, Vec<Marked>>,
}

impl Watches {
    fn new(note: impl Fn(Event) + Send + 'static) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| match event {
            Ok(event) => note(event),
            Err(error) => tracing::warn!(event = "watch_failed", %error),
        });
        Watches { watcher, armed: BTreeMap::new() }
    }

    /// Lets go of what nobody wants any more.
    fn keep<'r>(&mut self, wanted: impl Iterator<Item = &'r PathBuf>) {
        let wanted: Vec<&PathBuf> = wanted.collect();
        let gone: Vec<PathBuf> = self.armed.keys().filter(|root| !wanted.contains(root)).cloned().collect();
        for root in gone {
            self.disarm(&root);
        }
    }

    /// Watches the folder with all below it, and what leads to it: the folder may go and come back.
    fn arm(&mut self, root: &Path) -> Result<()> {
        // A folder that comes while its parent is not watched yet has told nobody.
        for _ in 0..MOST_TRIES {
            let wanted = wanted(root);
            let now: Vec<Marked> = wanted.iter().map(|(path, _)| (path.clone(), mark(path))).collect();
            // What is watched already, and is still the same, is left alone.
            if self.armed.get(root) == Some(&now) {
                return Ok(());
            }
            self.disarm(root);
            let watcher = match &mut self.watcher {
                Ok(watcher) => watcher,
                Err(error) => return Err(Error::internal(format!("cannot watch repositories: {error}"))),
            };
            let watched = wanted.iter().try_for_each(|(path, mode)| watcher.watch(path, *mode));
            let armed = self.armed.entry(root.to_owned()).insert_entry(now);
            if let Err(error) = watched {
                // What is watched stays so, and is let go with the rest; next time all is tried again.
                armed.into_mut().push((PathBuf::new(), None));
                return Err(Error::internal("cannot watch a repository").because(error));
            }
        }
        Ok(())
    }

    fn disarm(&mut self, root: &Path) {
        let left = self.armed.remove(root).unwrap_or_default();
        let in_use = |path: &PathBuf| self.armed.values().flatten().any(|(used, _)| used == path);
        let left: Vec<PathBuf> =
            left.into_iter().map(|(path, _)| path).filter(|path| !in_use(path)).collect();
        if let Ok(watcher) = &mut self.watcher {
            // What is gone from the disk is not watched any more, and says so.
            left.iter().for_each(|path| drop(watcher.unwatch(path)));
        }
    }
}

/// The folders to watch for a root, as they are now.
fn wanted(root: &Path) -> Vec<(PathBuf, RecursiveMode)> {
    // A link may lead anywhere; what lies behind it is nobody's documents.
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let folder = root.join(FOLDER);
    let above = root.ancestors().find(|path| is_folder(path)).unwrap_or(root);
    let mut wanted = vec![(above.to_owned(), RecursiveMode::NonRecursive)];
    if is_folder(&folder) {
        wanted.push((folder, RecursiveMode::Recursive));
    }
    wanted
}
