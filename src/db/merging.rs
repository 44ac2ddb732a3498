//! Keeps full-text indexes in few pieces: merges them in small steps while nobody is waiting, so that no
//! insert has to.

use rusqlite::Connection;

use super::same_file::SameFile;
use crate::error::Result;

/// Pages that a step may write: some milliseconds.
const PAGES: i64 = 200;

/// The indexes of a file, and whether there may be something to merge.
#[derive(Debug)]
pub(super) struct Merging {
    statements: Vec<String>,
    next: usize,
    /// Indexes that are left to look at since something was written.
    left: usize,
}

impl Merging {
    pub fn new(connection: &Connection) -> Result<Self> {
        let mut statement = connection.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'
             ORDER BY name",
        )?;
        let names = statement.query_map([], |row| row.get::<_, String>(0))?;
        let statements = names.map(|name| {
            // The names are our own, from the schema.
            name.map(|name| format!("INSERT INTO {name} ({name}, rank) VALUES ('merge', {PAGES})"))
        });
        Ok(Merging { statements: statements.collect::<rusqlite::Result<_>>()?, next: 0, left: 0 })
    }

    /// For a connection that may not write them.
    pub fn nothing() -> Self {
        Merging { statements: Vec::new(), next: 0, left: 0 }
    }

    /// Something was written: every index is to be looked at again.
    pub fn wake(&mut self) {
        self.left = self.statements.len();
    }

    pub fn is_due(&self) -> bool {
        self.left > 0
    }

    /// Merges a little of one index. One that has nothing to merge is left alone until the next write.
    pub fn step(&mut self, connection: &Connection, file: &SameFile) {
        let stepped = file.check().and_then(|()| self.merge(connection));
        match stepped {
            Ok(true) => {}
            Ok(false) => {
                self.next = (self.next + 1) % self.statements.len().max(1);
                self.left = self.left.saturating_sub(1);
            }
            Err(error) => {
                // Somebody else writes, or the disk is full: it can wait until the next write.
                tracing::debug!(event = "merge_failed", error = %error.chain());
                self.left = 0;
            }
        }
    }

    /// Whether something was merged, so that there may be more.
    fn merge(&self, connection: &Connection) -> Result<bool> {
        let Some(statement) = self.statements.get(self.next) else { return Ok(false) };
        // SQLite counts one change for the command itself.
        let before = connection.total_changes();
        connection.prepare_cached(statement)?.execute([])?;
        Ok(connection.total_changes() - before >= 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::db::open;

    #[test]
    fn an_index_of_many_pieces_becomes_one_of_few_and_then_there_is_rest() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let connection = open::writer(&file, &Clock::System).unwrap();
        for number in 0..200 {
            let sql = "INSERT INTO tickets (ticket_id, subject, description, status, priority, created_by, created_at,
                                            updated_at)
                       VALUES ('T-' || ?1, 'word' || ?1, 'some words', 'open', 'low', 'ann', 0, 0)";
            connection.execute(sql, [number]).unwrap();
        }
        let pieces = || -> i64 {
            connection
                .query_row("SELECT count(DISTINCT segid) FROM tickets_text_idx", [], |row| row.get(0))
                .unwrap()
        };
        let before = pieces();
        let mut merging = Merging::new(&connection).unwrap();
        assert!(!merging.is_due(), "nothing was written yet");
        merging.wake();
        let same = SameFile::at(&file);
        let mut steps = 0;
        while merging.is_due() {
            merging.step(&connection, &same);
            steps += 1;
            assert!(steps < 1_000, "it comes to rest");
        }
        assert!(pieces() < before && pieces() <= 4, "{before} pieces became {}", pieces());
        let found: i64 = connection
            .query_row(
                "SELECT count(*) FROM tickets_text WHERE tickets_text MATCH 'word7 OR word150'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(found, 2);
    }
}
