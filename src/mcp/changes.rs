//! What becomes of the resources, told to whoever listens.
//!
//! One thread for all connections of a process. It starts with the first listener, sleeps until
//! somebody commits to the file, in whichever process, and ends with the last listener. A file that
//! nobody writes wakes nobody.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::inbox::{Inbox, News};
use super::resources;
use crate::error::{Error, Result};
use crate::tool::Family;
use crate::tool::dispatch::{Alarm, Office, Watch, Woken};
use crate::tool::follow::{Follower, Following};
use crate::tool::offer::{Resources, Scope};
use crate::tool::session::Session;

/// What could not be read after a commit is read again, even if nobody commits.
const AGAIN: Duration = Duration::from_secs(1);

/// The changes of an office's resources; shared by all connections of a process.
#[derive(Debug)]
pub struct Changes {
    office: Arc<Office>,
    follower: Follower,
    post: Mutex<Option<(Arc<Post>, JoinHandle<()>)>>,
}

impl Changes {
    pub fn new(office: Arc<Office>) -> Self {
        Changes { follower: Follower::new(Arc::clone(&office)), office, post: Mutex::default() }
    }

    /// Follows a repository's files, also when nobody listens.
    pub fn follow(&self, root: &Path, project: &str) -> Result<Following> {
        self.follower.follow(root, project)
    }

    /// Begins to listen: every change after this has returned is told. It reads the file and may
    /// start a thread, so it is not for a thread that serves connections.
    pub(super) fn listen(&self, session: &Session, wanted: News) -> Result<Listening> {
        let offered: Vec<(&Family, &Resources)> = resources::offered(&self.office, session).collect();
        let families = offered.iter().map(|(family, _)| *family).collect();
        let inbox = Arc::new(Inbox::new(self.office.scope(session), families, wanted));
        let follows_files = offered.iter().any(|(_, resources)| resources.follows_files);
        let following = match follows_files && session.repository.is_some() {
            true => {
                let following = self.follow(&inbox.scope.documents, &inbox.scope.project)?;
                // What lay there before is no news.
                self.office.follow_files(session);
                Some(following)
            }
            false => None,
        };
        // A family that panicked here has left nothing half done: its listener has left again.
        let mut current = self.post.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((post, _)) = &*current
            && post.enter(&inbox)?
        {
            return Ok(Listening { post: Arc::clone(post), inbox, _following: following });
        }
        let (post, thread) = Post::open(Arc::clone(&self.office))?;
        *current = Some((Arc::clone(&post), thread));
        // Made first: if the listener cannot enter, dropping this ends the thread again.
        let listening = Listening { post, inbox, _following: following };
        if listening.post.enter(&listening.inbox)? {
            return Ok(listening);
        }
        Err(Error::internal("the thread that follows changes has ended"))
    }
}

impl Drop for Changes {
    /// Waits for the thread, so that the office is closed by whoever opened it.
    fn drop(&mut self) {
        let current = self.post.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some((post, thread)) = current.take() {
            post.close();
            let _ = thread.join();
        }
    }
}

/// Listens as long as it is there.
#[derive(Debug)]
pub(super) struct Listening {
    post: Arc<Post>,
    pub inbox: Arc<Inbox>,
    /// The files of its repository are followed as long.
    _following: Option<Following>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.post.leave(&self.inbox);
    }
}

/// The thread's side: from the first listener to the last. Who comes later gets another one, because
/// a watch that has been woken to end may have missed a commit.
#[derive(Debug)]
struct Post {
    office: Arc<Office>,
    alarm: Alarm,
    /// Held while the file is read.
    marks: Mutex<Vec<Mark>>,
    /// Nothing after the end. Held for moments only: who leaves does so on a thread that serves.
    inboxes: Mutex<Option<Vec<Arc<Inbox>>>>,
}

/// Up to which change a family's resources in a scope have been told.
#[derive(Debug)]
struct Mark {
    family: &'static Family,
    scope: Scope,
    last: i64,
}

impl Post {
    fn open(office: Arc<Office>) -> Result<(Arc<Self>, JoinHandle<()>)> {
        // First the watch, then the marks: what is committed in between is told, not missed.
        let watch = office.watch()?;
        let post = Arc::new(Post {
            office,
            alarm: watch.alarm(),
            marks: Mutex::default(),
            inboxes: Mutex::new(Some(Vec::new())),
        });
        let follower = Arc::clone(&post);
        let thread = std::thread::Builder::new()
            .name("changes".to_owned())
            .spawn(move || Closing(follower).0.follow(watch))
            .map_err(|error| Error::io(error, "start the thread that follows changes"))?;
        Ok((post, thread))
    }

    /// Takes a listener in; not after the end.
    fn enter(&self, inbox: &Arc<Inbox>) -> Result<bool> {
        if self.inboxes.lock().map_or(true, |inboxes| inboxes.is_none()) {
            return Ok(false);
        }
        let mut marks = self.marks();
        for family in &inbox.families {
            let is_known = |mark: &Mark| std::ptr::eq(mark.family, *family) && mark.scope == inbox.scope;
            if let Some(resources) = family.resources
                && !marks.iter().any(is_known)
            {
                let last = self.office.db.read(|tx| (resources.last_change)(tx, &inbox.scope))?;
                marks.push(Mark { family, scope: inbox.scope.clone(), last });
            }
        }
        let Ok(mut inboxes) = self.inboxes.lock() else { return Ok(false) };
        Ok(inboxes.as_mut().map(|inboxes| inboxes.push(Arc::clone(inbox))).is_some())
    }

    /// Each mark stands for itself, so a family that panicked over one has spoiled none.
    fn marks(&self) -> MutexGuard<'_, Vec<Mark>> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a listener go; the last one ends the thread.
    fn leave(&self, inbox: &Arc<Inbox>) {
        if let Ok(mut slot) = self.inboxes.lock()
            && let Some(inboxes) = slot.as_mut()
        {
            inboxes.retain(|known| !Arc::ptr_eq(known, inbox));
            if inboxes.is_empty() {
                *slot = None;
                self.alarm.ring();
            }
        }
    }

    fn close(&self) {
        let left = self.inboxes.lock().ok().and_then(|mut inboxes| inboxes.take());
        left.iter().flatten().for_each(|inbox| inbox.end());
        self.alarm.ring();
    }

    fn follow(&self, mut watch: Watch) {
        let mut patience = None;
        loop {
            match watch.wait(patience) {
                Ok(Woken::Committed | Woken::TimedOut) => {
                    patience = self.tell().err().map(|error| {
                        tracing::error!(event = "changes_failed", error = %error.chain());
                        AGAIN
                    });
                }
                Ok(Woken::Rung) => return,
                Err(error) => return tracing::error!(event = "changes_ended", error = %error.chain()),
            }
        }
    }

    /// Looks at what is new since the marks and tells it. A family that fails does not keep the
    /// others from being told.
    fn tell(&self) -> Result<()> {
        let mut marks = self.marks();
        let listening = self.inboxes.lock().ok().and_then(|inboxes| inboxes.clone()).unwrap_or_default();
        marks.retain(|mark| listening.iter().any(|inbox| inbox.hears(mark.family, &mark.scope)));
        let mut outcome = Ok(());
        for mark in marks.iter_mut() {
            let Some(resources) = mark.family.resources else { continue };
            match self.office.db.read(|tx| (resources.changes)(tx, &mark.scope, mark.last)) {
                Ok(changes) => {
                    mark.last = changes.last;
                    if changes.listed || !changes.uris.is_empty() {
                        let hearing = listening.iter().filter(|inbox| inbox.hears(mark.family, &mark.scope));
                        hearing.for_each(|inbox| inbox.put(&changes));
                    }
                }
                Err(error) => outcome = Err(error),
            }
        }
        outcome
    }
}

/// However the thread ends, whoever still listens is told that nothing more comes.
struct Closing(Arc<Post>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Timestamp};
    use crate::db::audit::{self, Entry};
    use crate::db::{Mode, people};
    use crate::id::Ids;
    use crate::paths::Home;
    use crate::tool::offer;
    use crate::tool::session::Toolsets;

    /// Every entry of the audit trail changes the list.
    static TRAIL: Family = Family {
        name: "trail",
        resources: Some(&Resources {
            templates: &[],
            also_with: &[],
            follows_files: false,
            list: |_, _| Err(Error::internal("not asked for")),
            read: |_, _| Err(Error::internal("not asked for")),
            last_change: |tx, _| audit::last_id(tx),
            changes: |tx, _, after| {
                let last = audit::last_id(tx)?;
                match last {
                    13 => panic!("an unlucky number"),
                    _ => Ok(offer::Changes { last, uris: Vec::new(), listed: last > after }),
                }
            },
        }),
        ..Family::EMPTY
    };

    const FAMILIES: &[&Family] = &[&TRAIL];

    fn office(folder: &Path) -> Arc<Office> {
        let office =
            Office::open(Home::at(folder), Mode::Full, "o", FAMILIES, Clock::System, Ids::Random).unwrap();
        Arc::new(office)
    }

    fn write(office: &Office) {
        let entry = Entry {
            id: 0,
            at: Timestamp(1),
            caller: "ann".to_owned(),
            client: "test".to_owned(),
            tool: "write".to_owned(),
            outcome: "ok".to_owned(),
            correlation_id: None,
            run_us: 1,
            receipt: None,
        };
        office.db.write(move |tx| audit::append(tx, &entry)).unwrap();
    }

    fn listen(changes: &Changes) -> Listening {
        let caller = changes.office.db.read(people::owner).unwrap();
        let session = Session::new(caller, Toolsets::All, "test".to_owned());
        changes.listen(&session, News { list: true, ..News::default() }).unwrap()
    }

    fn thread(changes: &Changes) -> JoinHandle<()> {
        changes.post.lock().unwrap().take().unwrap().1
    }

    #[tokio::test]
    async fn one_thread_serves_from_the_first_listener_to_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let changes = Changes::new(office(folder.path()));
        let (first, second) = (listen(&changes), listen(&changes));
        assert!(Arc::ptr_eq(&first.post, &second.post));
        drop(first);
        write(&changes.office);
        assert!(second.inbox.next().await.is_some_and(|news| news.list));
        drop(second);
        thread(&changes).join().unwrap();
        let third = listen(&changes);
        write(&changes.office);
        assert!(third.inbox.next().await.is_some(), "who comes later hears, too");
    }

    /// A family that panics must not leave listeners that wait for ever.
    #[tokio::test]
    async fn listeners_are_told_when_nothing_more_comes() {
        let folder = tempfile::tempdir().unwrap();
        let changes = Changes::new(office(folder.path()));
        for _ in 0..12 {
            write(&changes.office);
        }
        let unlucky = listen(&changes);
        write(&changes.office);
        assert_eq!(unlucky.inbox.next().await, None);
        write(&changes.office);
        let next = listen(&changes);
        write(&changes.office);
        assert!(next.inbox.next().await.is_some(), "the next one starts anew");
        let office = Arc::clone(&changes.office);
        drop(changes);
        assert_eq!(next.inbox.next().await, None);
        drop((next, unlucky));
        assert_eq!(Arc::strong_count(&office), 1, "whoever opened the office closes it");
    }
}
