//! preflight: what is asked before work begins, and what is decided by it.

pub mod clarify;
