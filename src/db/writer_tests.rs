use std::sync::mpsc::{Sender, channel};

use super::*;
use crate::clock::Clock;
use crate::db::open;

type Act = Box<dyn FnOnce(&WriteTx<'_>) -> Result<()> + Send>;

struct Step {
    name: &'static str,
    alone: bool,
    act: Option<Act>,
    told: Sender<(&'static str, Option<String>)>,
}

impl Work for Step {
    fn is_alone(&self) -> bool {
        self.alone
    }

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
    let works = steps.into_iter().map(|(name, act)| {
        Box::new(Step { name, alone: false, act: Some(act), told: told.clone() }) as Box<dyn Work>
    });
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
        ["a", "b", "c"].into_iter().map(|name| (name, Box::new(|_: &WriteTx<'_>| Ok(())) as Act)).collect()
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

#[test]
fn one_that_is_alone_shares_no_commit_and_what_it_did_is_undone_when_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let connection = open::writer(&file, &Clock::System).unwrap();
    connection.execute_batch("DELETE FROM people").unwrap();
    let writer = Writer::start(connection, SameFile::at(&file), BATCH, Merging::nothing()).unwrap();
    let (told, hears) = channel();
    let (begin, waits) = channel::<()>();
    let step = |name, alone, act: Act| {
        writer.submit(Box::new(Step { name, alone, act: Some(act), told: told.clone() }));
    };
    // The others come while the first one runs, so that one commit would take them all.
    step("a", false, Box::new(move |_| waits.recv().map_err(|_| Error::internal("nobody began"))));
    step("b", true, Box::new(|tx| insert(tx, "many").and(Err(Error::invalid("no")))));
    step("c", true, Box::new(|tx| insert(tx, "more")));
    step("d", false, Box::new(|_| Ok(())));
    begin.send(()).unwrap();
    let heard: Vec<_> = hears.iter().take(4).collect();
    assert_eq!(heard, [("a", None), ("b", Some("no".to_owned())), ("c", None), ("d", None)]);
    let reader = open::reader(&file).unwrap();
    let rows = crate::db::tx::ReadTx::new(&reader)
        .rows("SELECT login FROM people ORDER BY login", [], |row| row.get::<_, String>(0))
        .unwrap();
    assert_eq!(rows, ["a", "b failed", "c", "d", "more"]);
}

/// What nobody waits for.
struct Later(&'static str);

impl Work for Later {
    fn can_wait(&self) -> bool {
        true
    }

    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        insert(tx, self.0)
    }

    fn failed(&mut self, _: &WriteTx<'_>, _: &Error) -> Result<()> {
        Ok(())
    }

    fn done(self: Box<Self>, _: Result<()>) {}
}

#[test]
fn what_can_wait_is_written_with_what_comes_next_or_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    let logins = |db: &crate::db::Db| -> Vec<String> {
        let sql = "SELECT login FROM people WHERE length(login) = 1 ORDER BY login";
        db.read(|tx| tx.rows(sql, [], |row| row.get(0))).unwrap()
    };
    let open = || crate::db::Db::open(&file, crate::db::Mode::Full, &Clock::System, "olivia").unwrap();
    let db = open();
    db.submit(Box::new(Later("a")));
    db.submit(Box::new(Later("b")));
    db.write(|tx| insert(tx, "c")).unwrap();
    assert_eq!(logins(&db), ["a", "b", "c"], "in the order they came");
    db.submit(Box::new(Later("d")));
    db.write_many(|tx| insert(tx, "e")).unwrap();
    assert_eq!(logins(&db), ["a", "b", "c", "d", "e"]);
    db.submit(Box::new(Later("f")));
    drop(db);
    assert_eq!(logins(&open()), ["a", "b", "c", "d", "e", "f"], "nothing is lost when the process ends");
}
