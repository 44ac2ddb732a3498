//! What a family may do with a transaction: read, or read and write.

use std::ops::Deref;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Params, Row};
use sha2::{Digest, Sha256};

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

    /// The SHA-256 of everything a statement finds: two that are equal have found the same.
    pub fn fingerprint(&self, sql: &str, params: impl Params) -> Result<String> {
        let mut digest = Sha256::new();
        let mut statement = self.connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                // The length keeps two columns from passing for two others.
                let mut add = |kind: u8, bytes: &[u8]| {
                    digest.update([kind]);
                    digest.update(bytes.len().to_be_bytes());
                    digest.update(bytes);
                };
                match row.get_ref(column)? {
                    ValueRef::Null => add(0, &[]),
                    ValueRef::Integer(number) => add(1, &number.to_be_bytes()),
                    ValueRef::Real(number) => add(2, &number.to_be_bytes()),
                    ValueRef::Text(text) => add(3, text),
                    ValueRef::Blob(bytes) => add(4, bytes),
                }
            }
        }
        Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
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

    /// Does something in a savepoint of its own: what fails leaves nothing behind.
    pub fn attempt<T>(&self, attempt: impl FnOnce() -> Result<T>) -> Result<T> {
        self.execute("SAVEPOINT attempt", [])?;
        let outcome = attempt();
        self.end_attempt(outcome.is_ok())?;
        outcome
    }

    /// Does something to see what would become of it, and undoes it whatever comes out.
    pub fn rehearse<T>(&self, rehearse: impl FnOnce() -> Result<T>) -> Result<T> {
        self.execute("SAVEPOINT attempt", [])?;
        let outcome = rehearse();
        self.end_attempt(false)?;
        outcome
    }

    /// What cannot be undone here fails, so that the whole work around it is rolled back; so it is
    /// after a panic, too.
    fn end_attempt(&self, keep: bool) -> Result<()> {
        if !keep {
            self.execute("ROLLBACK TO attempt", [])?;
        }
        self.execute("RELEASE attempt", []).map(drop)
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
