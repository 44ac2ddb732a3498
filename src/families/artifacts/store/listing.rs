//! Listings of the latest versions. Filters combine with AND; each one that narrows has its index.

use rusqlite::params;

use super::index::{Artifact, columns, read};
use crate::db::ReadTx;
use crate::error::Result;

/// Which documents a listing shows, and where it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    pub project: &'a str,
    pub kind: Option<&'a str>,
    pub status: Option<&'a str>,
    /// Any of a document's parents.
    pub parent: Option<&'a str>,
    pub after: i64,
    pub limit: i64,
}

const BY_PARENT: &str = columns!(
    "FROM artifact_parents p JOIN artifacts a ON a.seq = p.artifact_seq
     WHERE p.project_id = ?1 AND p.parent_id = ?6 AND p.artifact_seq > ?2 AND a.is_latest = 1
       AND (?4 IS NULL OR a.kind = ?4) AND (?5 IS NULL OR a.status = ?5)
     GROUP BY p.artifact_seq ORDER BY p.artifact_seq LIMIT ?3"
);
const BY_KIND_AND_STATUS: &str = columns!(
    "FROM artifacts a INDEXED BY artifacts_by_kind_and_status
     WHERE a.project_id = ?1 AND a.kind = ?4 AND a.status = ?5 AND a.seq > ?2 AND a.is_latest = 1 AND ?6 IS NULL
     ORDER BY a.seq LIMIT ?3"
);
const BY_KIND: &str = columns!(
    "FROM artifacts a INDEXED BY artifacts_by_kind
     WHERE a.project_id = ?1 AND a.kind = ?4 AND a.seq > ?2 AND a.is_latest = 1 AND ?5 IS NULL AND ?6 IS NULL
     ORDER BY a.seq LIMIT ?3"
);
const BY_STATUS: &str = columns!(
    "FROM artifacts a INDEXED BY artifacts_by_status
     WHERE a.project_id = ?1 AND a.status = ?5 AND a.seq > ?2 AND a.is_latest = 1 AND ?4 IS NULL AND ?6 IS NULL
     ORDER BY a.seq LIMIT ?3"
);
const BY_PROJECT: &str = columns!(
    "FROM artifacts a INDEXED BY artifacts_by_project
     WHERE a.project_id = ?1 AND a.seq > ?2 AND a.is_latest = 1 AND ?4 IS NULL AND ?5 IS NULL AND ?6 IS NULL
     ORDER BY a.seq LIMIT ?3"
);

/// In the order they came into the index.
pub fn page(tx: &ReadTx<'_>, filter: &Filter<'_>) -> Result<Vec<Artifact>> {
    let Filter { project, kind, status, parent, after, limit } = *filter;
    let statement = match (parent, kind, status) {
        (Some(_), _, _) => BY_PARENT,
        (None, Some(_), Some(_)) => BY_KIND_AND_STATUS,
        (None, Some(_), None) => BY_KIND,
        (None, None, Some(_)) => BY_STATUS,
        (None, None, None) => BY_PROJECT,
    };
    tx.rows(statement, params![project, after, limit, kind, status, parent], read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::db::{Db, Mode};

    /// A listing that scans or sorts would be quick here and slow at a million documents.
    #[test]
    fn every_listing_is_a_range_of_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(&folder.path().join("a.db"), Mode::Full, &Clock::System, "owner").unwrap();
        for statement in [BY_PARENT, BY_KIND_AND_STATUS, BY_KIND, BY_STATUS, BY_PROJECT] {
            let explain = format!("EXPLAIN QUERY PLAN {statement}");
            let none = params!["p", 0, 50, None::<&str>, None::<&str>, None::<&str>];
            let plan =
                db.read(|tx| tx.rows(&explain, none, |row| row.get::<_, String>(3))).unwrap().join("; ");
            assert!(plan.starts_with("SEARCH") && !plan.contains("SCAN") && !plan.contains("TEMP"), "{plan}");
        }
    }
}
