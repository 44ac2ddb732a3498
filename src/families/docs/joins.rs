//! What this family asks of others, without knowing who answers.

use std::path::{Path, PathBuf};

use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::Result;

/// A document that the artifacts' store knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// What the store knows it by.
    pub key: i64,
    pub file: PathBuf,
    pub artifact_id: String,
    pub title: String,
    pub uri: String,
    /// What the store believes the file to hold.
    pub sha256: String,
    /// The bytes that were approved, if any were.
    pub approved_sha256: Option<String>,
}

/// What a file was found to hold.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    pub text: &'a str,
    pub sha256: &'a str,
    pub bytes: u64,
    pub modified_ns: i64,
}

/// The artifacts' store, as far as this family needs it.
pub trait Artifacts: Sync {
    /// Every document of a project whose file is below a root.
    fn known(&self, tx: &ReadTx<'_>, root: &Path, project: &str) -> Result<Vec<Known>>;

    /// The bytes of a document that were approved, if any were.
    fn approved(&self, tx: &ReadTx<'_>, key: i64) -> Result<Option<String>>;

    /// A draft has other bytes than the store believes.
    fn edited(&self, tx: &WriteTx<'_>, key: i64, held: &Held<'_>, now: Timestamp) -> Result<()>;

    /// A person, through a program, stands by the bytes that an approved document has now.
    fn adopted(
        &self,
        tx: &WriteTx<'_>,
        key: i64,
        sha256: &str,
        by: (&str, &str),
        now: Timestamp,
    ) -> Result<()>;
}

/// The text of a repository's architecture state, folded from its decisions.
pub type Architecture = fn(&ReadTx<'_>, &Path) -> Result<String>;
