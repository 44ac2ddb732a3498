//! How people name a task: a to-do by its number or UUID, a queue task as TASK-nnn.

use serde_json::{Value, json};

use crate::cli::open::Desk;
use crate::cli::output::text;
use crate::error::{Error, Result};
use crate::families::tasks::store::todo;
use crate::id::{ArtifactId, is_uuid};

/// A task that was named.
#[derive(Debug)]
pub(super) enum Target {
    Personal { task_id: String, title: String },
    Queue { task_id: String },
}

impl Target {
    /// The arguments that name it to a tool.
    pub fn arguments(&self, desk: &Desk) -> Value {
        match self {
            Target::Personal { task_id, .. } => {
                json!({ "user_id": desk.session.caller.user_id, "task_id": task_id })
            }
            Target::Queue { task_id } => json!({ "task_id": task_id }),
        }
    }
}

/// Finds what `3`, `#3`, a UUID or `TASK-012` means.
pub(super) fn resolve(desk: &Desk, named: &str) -> Result<Target> {
    if ArtifactId::parse(named).is_some() {
        return Ok(Target::Queue { task_id: named.to_owned() });
    }
    let user = &desk.session.caller.user_id;
    let found = match named.trim_start_matches('#').parse::<i64>() {
        Ok(number) => desk.office.db.read(|tx| todo::by_number(tx, user, number))?,
        Err(_) if is_uuid(named) => desk.office.db.read(|tx| todo::find(tx, user, &named.to_lowercase()))?,
        Err(_) => {
            return Err(Error::invalid(format!("`{named}` names no task"))
                .hint("use the number that `backoffice tasks` shows, a UUID, or TASK-nnn"));
        }
    };
    let found = found.ok_or_else(|| {
        Error::not_found(format!("you have no task `{named}`")).hint("`backoffice tasks list` shows them all")
    })?;
    Ok(Target::Personal { task_id: found.task_id, title: found.title })
}

/// The number of a to-do, for people to type.
pub(super) fn number_of(desk: &Desk, task_id: &Value) -> Option<String> {
    let (user, task_id) = (&desk.session.caller.user_id, task_id.as_str()?);
    let found = desk.office.db.read(|tx| todo::find(tx, user, task_id)).ok()?;
    found.map(|todo| todo.seq.to_string())
}

/// Everything open that could be named, with what it is about.
pub(crate) fn references(desk: &Desk) -> Result<Vec<(String, String)>> {
    let user = &desk.session.caller.user_id;
    let mine = desk.call("list_tasks", json!({ "user_id": user, "status": "pending", "limit": 100 }))?;
    let of_queue = |status: &str| {
        desk.call("list_tasks", json!({ "project_id": desk.session.project, "status": status, "limit": 50 }))
    };
    let open = [of_queue("in_progress")?, of_queue("pending")?];
    let named = |task: &Value| {
        let number = number_of(desk, &task["task_id"]);
        (number.unwrap_or_default(), text(&task["title"]))
    };
    let mine = mine["tasks"].as_array().into_iter().flatten().map(named);
    let queued = open.iter().flat_map(|page| page["tasks"].as_array().into_iter().flatten());
    let queued = queued.map(|task| (text(&task["task_id"]), text(&task["description"])));
    Ok(mine.chain(queued).collect())
}
