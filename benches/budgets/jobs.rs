//! The calls that are measured, as their arguments on the wire.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::site::{INPUT_FILES, PROJECT};

/// How many tasks a measured batch adds.
pub const BATCH_OF_TASKS: i64 = 10;

/// An artifact has one open task at a time, so each added task needs an artifact of its own.
static NEXT_ARTIFACT: AtomicU32 = AtomicU32::new(1_000_000);

/// A tool, and the arguments of its next call.
pub struct Job {
    pub name: &'static str,
    pub tool: &'static str,
    arguments: Box<dyn Fn() -> String + Send + Sync>,
}

impl Job {
    /// Another call each time.
    pub fn new(
        name: &'static str,
        tool: &'static str,
        arguments: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        Job { name, tool, arguments: Box::new(arguments) }
    }

    /// The same call again and again.
    pub fn same(name: &'static str, tool: &'static str, arguments: String) -> Self {
        Job::new(name, tool, move || arguments.clone())
    }

    pub fn arguments(&self) -> String {
        (self.arguments)()
    }
}

pub fn next_id() -> Job {
    let arguments = json!({ "artifact_type": "backlog_story" });
    Job::same("get_next_available_id", "get_next_available_id", arguments.to_string())
}

pub fn reserve_three() -> Job {
    let arguments = json!({ "artifact_type": "hls", "count": 3 });
    Job::same("reserve_id_range of 3", "reserve_id_range", arguments.to_string())
}

pub fn add_ten_tasks() -> Job {
    let arguments = || json!({ "tasks": (0..BATCH_OF_TASKS).map(|_| task()).collect::<Value>() }).to_string();
    Job::new("add_task of 10", "add_task", arguments)
}

pub fn whoami() -> Job {
    Job::same("whoami", "whoami", "{}".to_owned())
}

/// A page of the queue; `filter` has all arguments but the project.
pub fn list(name: &'static str, mut filter: Value) -> Job {
    filter["project_id"] = PROJECT.into();
    Job::same(name, "list_tasks", filter.to_string())
}

pub fn next_artifact() -> String {
    format!("HLS-{}", NEXT_ARTIFACT.fetch_add(1, Ordering::Relaxed))
}

fn task() -> Value {
    let [prd, research] = INPUT_FILES;
    json!({
        "artifact_id": next_artifact(),
        "generator": "hls-generator",
        "inputs": [
            {
                "name": "prd", "classification": "mandatory", "artifact_id": "PRD-006",
                "mcp_resource_uri": format!("mcp://resources/{prd}"), "status": "Approved",
            },
            {
                "name": "business_research", "classification": "recommended",
                "mcp_resource_uri": format!("mcp://resources/{research}"), "status": "Finalized",
            },
        ],
    })
}
