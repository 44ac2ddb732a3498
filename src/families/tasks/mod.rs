//! tasks: a project's work queue, and personal to-dos with strict isolation.
//!
//! One set of verbs serves both scopes; the arguments tell which one is meant (`scope.rs`), and
//! each scope keeps its own answers and its own form of errors.

pub(in crate::families) mod add_task;
mod complete_task;
mod delete_task;
pub mod generators;
mod get_next_task;
pub mod inputs;
mod list_tasks;
mod personal;
mod prompts;
mod queue;
mod scope;
pub mod store;
mod update_task;
mod update_task_status;
mod validations;

use crate::tool::{Family, Sweep, ToolDef};

pub static FAMILY: Family = Family {
    name: "tasks",
    guide: "A project's work: get_next_task claims one task for you alone, complete_task finishes it, \
        add_task {tasks} queues more. A person's own to-dos: the same verbs with user_id.",
    tools: &TOOLS,
    prompts: &prompts::PROMPTS,
    sweep: Some(Sweep { next_due: store::queue::next_lease_end, run: store::queue::return_expired }),
    heartbeat: Some(store::queue::renew_leases),
    ..Family::EMPTY
};

static TOOLS: [ToolDef; 7] = [
    ToolDef::write::<add_task::AddTask>(),
    ToolDef::write::<complete_task::CompleteTask>(),
    ToolDef::write::<delete_task::DeleteTask>(),
    ToolDef::write::<get_next_task::GetNextTask>(),
    ToolDef::read::<list_tasks::ListTasks>(),
    ToolDef::write::<update_task::UpdateTask>(),
    ToolDef::write::<update_task_status::UpdateTaskStatus>(),
];
