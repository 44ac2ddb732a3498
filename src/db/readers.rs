//! A small pool of connections that can only read.

use std::path::PathBuf;
use std::time::Duration;

use r2d2::{ManageConnection, Pool};
use rusqlite::Connection;

use super::open;
use super::tx::ReadTx;
use crate::error::{Error, Kind, Result};

const MOST: u32 = 4;
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens readers for the pool. (`r2d2_sqlite` does not build with this `rusqlite`.)
#[derive(Debug)]
struct Manager {
    file: PathBuf,
}

impl ManageConnection for Manager {
    type Connection = Connection;
    type Error = Error;

    fn connect(&self) -> Result<Connection> {
        open::reader(&self.file)
    }

    fn is_valid(&self, _: &mut Connection) -> Result<()> {
        Ok(())
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        !connection.is_autocommit()
    }
}

/// The pool. Connections are opened when they are first needed.
#[derive(Debug)]
pub struct Readers(Pool<Manager>);

impl Readers {
    pub(super) fn new(file: PathBuf) -> Self {
        let pool = Pool::builder()
            .max_size(MOST)
            .min_idle(Some(0))
            .test_on_check_out(false)
            // Connections to a file do not grow old, and looking after them would wake an idle process.
            .max_lifetime(None)
            .idle_timeout(None)
            .connection_timeout(PATIENCE)
            .error_handler(Box::new(r2d2::NopErrorHandler))
            .build_unchecked(Manager { file });
        Readers(pool)
    }

    /// Runs a read on one consistent view.
    pub fn read<T>(&self, read: impl FnOnce(&ReadTx<'_>) -> Result<T>) -> Result<T> {
        let connection = self.0.get().map_err(|error| {
            Error::new(Kind::Busy, "no reader became free").hint("call again").because(error)
        })?;
        connection.prepare_cached("BEGIN")?.execute([])?;
        let end = EndRead(&connection);
        let answer = read(&ReadTx::new(&connection));
        drop(end);
        answer
    }
}

/// Ends the read transaction, also when the read panics: the connection goes back to the pool.
struct EndRead<'c>(&'c Connection);

impl Drop for EndRead<'_> {
    fn drop(&mut self) {
        let ended = self.0.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        if let Err(error) = ended {
            tracing::warn!(event = "read_not_ended", %error);
        }
    }
}
