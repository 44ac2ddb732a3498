//! Storage: one SQLite file, one writer, a few readers.
//!
//! Invariant: SQLite is opened only here (`open.rs`), and a transaction that can write exists only
//! on the writer's thread. What no family owns has its SQL here: people, audit, sequences, journal.

pub mod audit;
pub mod backup;
mod busy;
pub mod confirmations;
pub mod departments;
mod error;
mod field;
pub mod journal;
mod merging;
pub mod migrations;
mod open;
pub mod origins;
pub mod people;
pub mod pins;
mod readers;
pub mod repositories;
mod same_file;
pub mod secrets;
pub mod sequences;
pub mod tx;
pub mod watch;
pub mod writer;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};

use rusqlite::OpenFlags;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

pub use self::field::Field;
use self::merging::Merging;
use self::readers::Readers;
use self::same_file::SameFile;
pub use self::tx::{ReadTx, WriteTx};
pub use self::watch::{Watch, Woken};
pub use self::writer::Work;
use self::writer::{BATCH, Writer};
use crate::clock::Clock;
use crate::error::{Error, Result};

/// What a process may do with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Full,
    /// The writer can append to the audit trail and nothing else; SQLite itself enforces it.
    AuditOnly,
}

/// The data file, open.
#[derive(Debug)]
pub struct Db {
    file: PathBuf,
    readers: Readers,
    writer: Writer,
}

impl Db {
    /// Opens the file, created, checked and migrated as needed.
    pub fn open(file: &Path, mode: Mode, clock: &Clock, owner: &str) -> Result<Self> {
        Self::open_with_batch(file, mode, clock, owner, BATCH)
    }

    /// The same with another batch limit, to measure what sharing a commit is worth.
    pub fn open_with_batch(
        file: &Path,
        mode: Mode,
        clock: &Clock,
        owner: &str,
        batch: usize,
    ) -> Result<Self> {
        let mut connection = open::writer(file, clock)?;
        if !people::has_owner(&ReadTx::new(&connection))? {
            people::ensure_owner(&WriteTx::new(&connection), owner)?;
        }
        let merging = match mode {
            Mode::Full => Merging::new(&connection)?,
            Mode::AuditOnly => Merging::nothing(),
        };
        if mode == Mode::AuditOnly {
            connection.authorizer(Some(audit_only))?;
        }
        Ok(Db {
            file: file.to_owned(),
            readers: Readers::new(file.to_owned()),
            writer: Writer::start(connection, SameFile::at(file), batch, merging)?,
        })
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Runs a read on one consistent view, on the caller's thread.
    pub fn read<T>(&self, read: impl FnOnce(&ReadTx<'_>) -> Result<T>) -> Result<T> {
        self.readers.read(read)
    }

    /// Queues work for the writer.
    pub fn submit(&self, work: Box<dyn Work>) {
        self.writer.submit(work);
    }

    /// Runs a write and waits for its commit.
    pub fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.hand_over(write, false)
    }

    /// The same for thousands of rows, in a transaction of its own.
    pub fn write_many<T: Send + 'static>(
        &self,
        write: impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.hand_over(write, true)
    }

    fn hand_over<T: Send + 'static>(
        &self,
        write: impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static,
        alone: bool,
    ) -> Result<T> {
        let (tell, hear) = channel();
        self.submit(Box::new(Awaited { write: Some(write), value: None, alone, tell }));
        hear.recv().map_err(|_| Error::internal("the writer has ended"))?
    }

    /// Wakes when anybody commits to the file.
    pub fn watch(&self) -> Result<Watch> {
        Watch::start(&self.file)
    }

    /// Copies the write-ahead log back into the file, as far as nobody is reading it.
    pub fn checkpoint(&self) -> Result<()> {
        writer::checkpoint(&open::connect(&self.file, OpenFlags::SQLITE_OPEN_READ_WRITE)?);
        Ok(())
    }

    /// How many callers wait for their commit.
    pub fn queue_depth(&self) -> usize {
        self.writer.depth()
    }
}

/// Lets the audit trail be appended to, and everything be read.
fn audit_only(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Insert { table_name: "audit" } => Authorization::Allow,
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::Function { .. }
        | AuthAction::Pragma { .. } => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// A write whose caller waits on its own thread.
struct Awaited<T, F> {
    write: Option<F>,
    value: Option<T>,
    alone: bool,
    tell: Sender<Result<T>>,
}

impl<T: Send, F: FnOnce(&WriteTx<'_>) -> Result<T> + Send> Work for Awaited<T, F> {
    fn is_alone(&self) -> bool {
        self.alone
    }

    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        let write = self.write.take().ok_or_else(|| Error::internal("a write ran twice"))?;
        self.value = Some(write(tx)?);
        Ok(())
    }

    fn failed(&mut self, _: &WriteTx<'_>, _: &Error) -> Result<()> {
        Ok(())
    }

    fn done(self: Box<Self>, outcome: Result<()>) {
        let value = self.value.ok_or_else(|| Error::internal("a write gave no value"));
        let _ = self.tell.send(outcome.and(value));
    }
}
