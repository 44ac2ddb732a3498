//! All SQL of artifacts: the index, its listings, and what documents said before.

mod count;
mod history;
mod index;
mod listing;

pub use self::count::documents as count;
pub use self::history::{Event, Past, add as remember, content_of, of as history};
pub use self::index::{
    Approval, Artifact, New, adopt, approve, by_seq, change_after, every, file_of, find, ids_beginning,
    is_known, keeps, last_change, parents, put, research, versions,
};
pub use self::listing::{Filter, page};
