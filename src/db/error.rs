//! Gives SQLite's errors a kind, by their code and never by their text.

use rusqlite::ErrorCode;

use crate::error::{Error, Kind};

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let made = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Error::new(Kind::Busy, "the data file is busy: other processes are writing to it")
                    .hint("nothing was changed; call again")
                    .detail("retryable", true)
            }
            Some(ErrorCode::DiskFull) => Error::new(Kind::Storage, "the disk is full")
                .hint("nothing was changed; free some space and call again")
                .detail("retryable", true),
            Some(ErrorCode::SystemIoFailure) => Error::new(Kind::Storage, "the disk refused the operation")
                .hint("nothing was changed; check the disk, then run `backoffice doctor`"),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Error::unusable("the data file is damaged or is not a SQLite database")
                    .hint("run `backoffice doctor`; a backup can be put back with `backoffice restore`")
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Error::unusable("the data file cannot be opened for writing")
                    .hint("check the owner and the permissions of the data folder")
            }
            Some(ErrorCode::AuthorizationForStatementDenied) => {
                Error::forbidden("this connection is read-only").hint("connect without --read-only to write")
            }
            // Ours where nobody has brought the row; whoever imports rows asks for the reason.
            Some(ErrorCode::ConstraintViolation) => {
                Error::internal("the data file refused a row").reason("constraint")
            }
            _ => Error::internal("the data file refused a statement"),
        };
        made.because(error)
    }
}
