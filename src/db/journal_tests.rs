//! Fault injection: the process dies at every point in turn, and the next start settles it.

use super::*;
use crate::clock::Clock;
use crate::db::Mode;

struct Case {
    folder: tempfile::TempDir,
    db: Db,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(&folder.path().join("a.db"), Mode::Full, &Clock::System, "owner").unwrap();
        fs::write(folder.path().join("old.md"), "old").unwrap();
        Case { folder, db }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Stages two files and commits the promise together with a row.
    fn promise(&self) {
        let (old, new) = (self.path("old.md"), self.path("sub/b.md"));
        let files = Batch::stage([Content::of(&old, b"new"), Content::of(&new, b"b")]).unwrap();
        self.db
            .write(move |tx| {
                crate::db::sequences::raise(tx, "p", "US", 1, Timestamp(1))?;
                files.promise(tx, "test", Timestamp(1))
            })
            .unwrap();
    }

    fn staged(&self) -> Batch {
        Batch::stage([Content::of(&self.path("old.md"), b"new")]).unwrap()
    }

    fn contents(&self) -> [Option<String>; 2] {
        ["old.md", "sub/b.md"].map(|name| fs::read_to_string(self.path(name)).ok())
    }

    fn leftovers(&self) -> usize {
        let folders = [self.folder.path().to_owned(), self.path("sub")];
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
        entries.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|e| e == "tmp")).count()
    }
}

#[test]
fn killed_at_any_point_after_the_commit_the_next_start_completes_it() {
    for dies_at in 0..6 {
        let case = Case::new();
        case.promise();
        let mut points = 0;
        let died = settle_with(&case.db, &mut |_| {
            points += 1;
            if points > dies_at { Err(Error::internal("killed")) } else { Ok(()) }
        });
        assert_eq!(died.is_err(), dies_at < 5, "there are five points, died after {dies_at}");
        settle(&case.db).unwrap();
        assert_eq!(case.contents(), [Some("new".to_owned()), Some("b".to_owned())], "at {dies_at}");
        assert_eq!(case.leftovers(), 0);
        assert_eq!(settle(&case.db).unwrap(), [], "nothing is left to do");
    }
}

#[test]
fn nothing_happens_without_the_commit() {
    let case = Case::new();
    let staged = case.staged();
    let refused: Result<()> = case.db.write(move |tx| {
        staged.promise(tx, "test", Timestamp(1))?;
        Err(Error::invalid("changed my mind"))
    });
    assert!(refused.is_err());
    assert_eq!(settle(&case.db).unwrap(), []);
    assert_eq!(case.contents()[0].as_deref(), Some("old"));
}

#[test]
fn a_target_that_changed_after_staging_is_refused_and_rolls_the_rows_back() {
    let case = Case::new();
    let staged = case.staged();
    fs::write(case.path("old.md"), "edited").unwrap();
    let refused = case.db.write(move |tx| {
        crate::db::sequences::raise(tx, "p", "US", 9, Timestamp(1))?;
        staged.promise(tx, "test", Timestamp(1))
    });
    assert_eq!(refused.unwrap_err().details()["reason"], "file_changed");
    let last = case.db.read(|tx| crate::db::sequences::last(tx, "p", "US")).unwrap();
    assert_eq!(last, None);
    assert_eq!(case.contents()[0].as_deref(), Some("edited"));
}

#[test]
fn an_edit_after_the_commit_is_never_overwritten() {
    let case = Case::new();
    case.promise();
    fs::write(case.path("old.md"), "edited").unwrap();
    assert_eq!(settle(&case.db).unwrap(), [Kept::SetAside, Kept::Placed]);
    assert_eq!(case.contents()[0].as_deref(), Some("edited"));
    assert_eq!(fs::read_to_string(case.path("old.md.backoffice-conflict")).unwrap(), "new");
    assert_eq!(settle(&case.db).unwrap(), []);
}

/// It used to block its file for ever, and to pass for intact.
#[test]
fn a_lost_file_is_given_up_so_that_it_can_be_written_again() {
    let case = Case::new();
    case.promise();
    for entry in fs::read_dir(case.path("sub")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    assert_eq!(settle(&case.db).unwrap(), [Kept::Placed, Kept::Lost]);
    assert_eq!(settle(&case.db).unwrap(), []);
    assert!(case.db.read(promised).unwrap().is_empty());
}

#[test]
fn what_was_left_behind_is_kept_and_what_is_in_progress_is_left_alone() {
    let case = Case::new();
    case.promise();
    settle_left_behind(&case.db, Timestamp(1_500)).unwrap();
    assert_eq!(case.contents()[0].as_deref(), Some("old"), "it was promised a moment ago");
    settle_left_behind(&case.db, Timestamp(10_000)).unwrap();
    assert_eq!(case.contents()[0].as_deref(), Some("new"));
}

#[test]
fn what_was_never_promised_leaves_nothing_behind() {
    let case = Case::new();
    drop(case.staged());
    assert_eq!(case.leftovers(), 0);
    let blocked = case.path("old.md/b.md");
    let partly = Batch::stage([Content::of(&case.path("c.md"), b"c"), Content::of(&blocked, b"b")]);
    assert!(partly.is_err());
    assert_eq!(case.leftovers(), 0);
}

/// Between commit and rename the old bytes are still there: who relied on them would overwrite.
#[test]
fn a_file_that_is_promised_is_not_promised_again() {
    let case = Case::new();
    case.promise();
    let second = case.staged();
    let refused = case.db.write(move |tx| second.promise(tx, "test", Timestamp(2)));
    assert_eq!(refused.unwrap_err().details()["reason"], "file_changed");
    settle_file(&case.db, &case.path("old.md")).unwrap();
    assert_eq!(case.contents(), [Some("new".to_owned()), Some("b".to_owned())]);
    case.db
        .write({
            let third = case.staged();
            move |tx| third.promise(tx, "test", Timestamp(3))
        })
        .unwrap();
}

#[test]
fn several_may_keep_the_same_promise_at_once() {
    let case = Case::new();
    for _ in 0..20 {
        let old = case.path("old.md");
        fs::write(&old, "old").unwrap();
        let files = Batch::stage([Content::of(&old, b"new")]).unwrap();
        let files = std::sync::Arc::new(files);
        let promised = std::sync::Arc::clone(&files);
        case.db.write(move |tx| promised.promise(tx, "test", Timestamp(1))).unwrap();
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..3).map(|_| scope.spawn(|| settle(&case.db).map(drop))).collect();
            files.keep(&case.db).unwrap();
            others.into_iter().for_each(|other| other.join().unwrap().unwrap());
        });
        assert_eq!(case.contents()[0].as_deref(), Some("new"));
    }
}

/// Somebody edits the file between reading it and staging its successor.
#[test]
fn an_edit_before_staging_is_never_overwritten_either() {
    let case = Case::new();
    let read = hash(b"old");
    fs::write(case.path("old.md"), "edited").unwrap();
    let old = case.path("old.md");
    let content = Content { before: Some(Some(&read)), ..Content::of(&old, b"new") };
    let staged = Batch::stage([content]).unwrap();
    let refused = case.db.write(move |tx| staged.promise(tx, "test", Timestamp(1)));
    assert_eq!(refused.unwrap_err().details()["reason"], "file_changed");
    assert_eq!(case.contents()[0].as_deref(), Some("edited"));
}
