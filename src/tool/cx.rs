//! What a tool gets to work with: everything it may know comes through here.

use std::ops::Deref;
use std::path::PathBuf;

use super::ask::Speaker;
use super::session::Session;
use crate::clock::{Clock, Timestamp};
use crate::config::model::ModelEnvironment;
use crate::db::{Db, ReadTx, WriteTx};
use crate::id::Ids;
use crate::identity::Caller;
use crate::paths::Home;

/// Where a call comes from, for the stages outside the transaction.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub home: &'a Home,
    pub session: &'a Session,
    pub db: &'a Db,
    pub clock: &'a Clock,
    pub ids: &'a Ids,
    /// The process's own: it belongs to no connection, and travels to none.
    pub model: &'a ModelEnvironment,
    /// The caller's correlation id, for what is logged on the way.
    pub correlation: Option<&'a str>,
    /// Who has filled in the call's values.
    pub speaker: Speaker,
}

impl Place<'_> {
    /// The folder that documents are named relative to: the repository, or the project's folder
    /// below the data folder.
    pub fn documents(&self, project: &str) -> PathBuf {
        documents(self.home, self.session, project)
    }
}

pub(super) fn documents(home: &Home, session: &Session, project: &str) -> PathBuf {
    match &session.repository {
        Some(repository) => repository.clone(),
        None => home.project_folder(project),
    }
}

/// The context of a read.
#[derive(Debug)]
pub struct ReadCx<'a> {
    pub tx: &'a ReadTx<'a>,
    pub session: &'a Session,
    pub home: &'a Home,
    pub now: Timestamp,
    pub tool: &'static str,
    /// What cursors are sealed with.
    pub cursor_key: &'a [u8],
}

impl<'a> ReadCx<'a> {
    pub fn caller(&self) -> &'a Caller {
        &self.session.caller
    }

    /// As [`Place::documents`].
    pub fn documents(&self, project: &str) -> PathBuf {
        documents(self.home, self.session, project)
    }
}

/// The context of a write: the same, and a transaction that can.
#[derive(Debug)]
pub struct WriteCx<'a> {
    pub read: ReadCx<'a>,
    pub write: &'a WriteTx<'a>,
    pub ids: &'a Ids,
}

impl<'a> Deref for WriteCx<'a> {
    type Target = ReadCx<'a>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}
