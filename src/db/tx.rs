//! What a family may do with a transaction: read, or read and write.

use std::ops::Deref;

use rusqlite::{Connection, Params, Row};

use crate::error::Result;

/// A consistent view of the file. There is no way to write through it.
#[derive(Debug)]
pub struct ReadTx<'c> {
    connection: &'c Connection,
}

impl<'c> ReadTx<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        ReadTx { connection }
    }

    /// The first row, if there is one.
    pub fn row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        Ok(rows.next()?.map(read).transpose()?)
    }

    /// Every row.
    pub fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// A view that may also write. Only the writer thread makes one.
#[derive(Debug)]
pub struct WriteTx<'c>(ReadTx<'c>);

impl<'c> WriteTx<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        WriteTx(ReadTx::new(connection))
    }

    /// Runs one statement and tells how many rows it changed.
    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.0.connection.prepare_cached(sql)?.execute(params)?)
    }

    pub fn last_insert_rowid(&self) -> i64 {
        self.0.connection.last_insert_rowid()
    }
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
