//! `backoffice import` and `backoffice export`: business data of one's own, as files.

mod exporting;
mod importing;
mod reading;

pub(super) use self::exporting::{ExportArgs, export};
pub(super) use self::importing::{ImportArgs, import};
use super::open::Desk;
use crate::error::{Error, Result};

/// What a file holds is data of everybody.
fn refuse_pinned(desk: &Desk) -> Result<()> {
    if desk.session.caller.pinned {
        return Err(Error::forbidden("the data as a whole belongs to the owner of the file")
            .hint("leave --as out; tools show what a person may see"));
    }
    Ok(())
}
