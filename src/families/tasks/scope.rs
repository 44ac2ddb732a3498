//! Which scope a call is about. Never both, never neither.

use crate::error::{Error, Result};
use crate::tool::{ErrorForm, JsonObject};

/// The form of errors follows the shape: a call that names a user and nothing of the queue is
/// personal, everything else is the queue's.
pub fn errors_of(arguments: &JsonObject) -> ErrorForm {
    let named = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
    let personal = named("user_id") || named("title");
    let queue = ["tasks", "project_id", "artifact_id", "depends_on", "missing_mandatory", "completion_notes"];
    let queue = queue.into_iter().any(named);
    if personal && !queue { ErrorForm::Status } else { ErrorForm::JsonRpc }
}

/// The error of a call that names both scopes or none.
pub fn unclear(personal: &str, queue: &str) -> Error {
    Error::invalid(format!("give either {queue} for a project's queue or {personal} for personal tasks"))
        .reason("scope_unclear")
}

/// A pinned caller speaks for itself only.
pub fn check_user(cx: &crate::tool::ReadCx<'_>, user_id: &str) -> Result<()> {
    let caller = cx.caller();
    if !caller.pinned || caller.user_id == user_id {
        return Ok(());
    }
    Err(Error::forbidden("this connection may only use the tasks of its own user")
        .hint(format!("use user_id `{}`", caller.user_id)))
}
