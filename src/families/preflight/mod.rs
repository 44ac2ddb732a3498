//! Clarify before building, and keep every decision: the documents of a repository's `docs/` folder.

pub mod documents;
