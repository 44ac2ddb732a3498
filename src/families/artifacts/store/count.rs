//! How many documents there are.

use crate::db::ReadTx;
use crate::error::Result;

/// The documents of a project, each of them once.
pub fn documents(tx: &ReadTx<'_>, project: &str) -> Result<i64> {
    let count = tx.row(
        "SELECT count(*) FROM artifacts INDEXED BY artifacts_by_project WHERE project_id = ?1 AND is_latest = 1",
        [project],
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}
