//! preflight: what is asked before work begins, and what is decided by it: the documents of a
//! repository's `docs/` folder.

pub mod clarify;
pub mod documents;
