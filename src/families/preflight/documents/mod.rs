//! The documents of a repository's `docs/` folder as text and as values: decisions (ADRs), the current
//! task, the projection of the architecture, the agent's prompt. Pure: time and randomness come in as
//! arguments, and only [`library`] and [`shelf`] look at a disk.
//!
//! What keeps a decision from being lost: a document is written in one form and read in four (ours, the
//! existing program's, its design document's, and what people write by hand); the state is folded from
//! all ADRs, never read back from its own projection; and whoever decided without knowing of another
//! decision is noticed, so that a merge of two branches shows a conflict and not the later date's luck.

pub mod adr;
pub mod decide;
pub mod fold;
pub mod library;
pub mod names;
mod outline;
pub mod prompt_file;
mod prose;
pub mod shelf;
pub mod state_file;
pub mod task;
pub mod uid;

pub use adr::Adr;
pub use fold::State;
pub use uid::Uid;
