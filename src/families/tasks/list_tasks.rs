use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::queue::TaskView;
use super::scope;
use super::store::queue::{self, Filter};
use super::store::todo;
use crate::error::{Error, Result};
use crate::tool::page::Listing;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

const QUEUE_LIMIT: i64 = 50;
const PERSONAL_LIMIT: i64 = 1000;

/// Lists a project's queue, or a user's own tasks.
pub struct ListTasks;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    All,
    Pending,
    InProgress,
    Completed,
}

impl Status {
    fn filter(self) -> Option<&'static str> {
        match self {
            Status::All => None,
            Status::Pending => Some("pending"),
            Status::InProgress => Some("in_progress"),
            Status::Completed => Some("completed"),
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Queue: which project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    /// Personal: whose list
    #[schemars(length(min = 1, max = 100))]
    user_id: Option<String>,
    status: Option<Status>,
    /// Queue: tasks that make this artifact
    #[schemars(length(max = 32))]
    artifact_id: Option<String>,
    /// Queue: tasks with this artifact among their inputs
    #[schemars(length(max = 32))]
    depends_on: Option<String>,
    /// Queue: tasks without any mandatory input
    missing_mandatory: Option<bool>,
    /// Queue at most 50, personal at most 1000
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<i64>,
    cursor: Option<String>,
}

/// Both answers in one object: the fields of the scope that was meant.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    tasks: Vec<Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Item {
    Queue(Box<TaskView>),
    Personal(TodoView),
}

#[derive(Debug, Serialize, JsonSchema)]
struct TodoView {
    task_id: String,
    title: String,
    description: Option<String>,
    status: String,
    priority: String,
    created_at: String,
}

impl Tool for ListTasks {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "list_tasks";
    const TITLE: &'static str = "List tasks";
    const DESCRIPTION: &'static str = "Lists tasks in the order they were added: a project's queue with \
        {project_id}, or personal to-dos with {user_id}. Pass next_cursor back as cursor to go on.";
    const ACCESS: Access = Access::Everyone;

    fn errors(arguments: &JsonObject) -> ErrorForm {
        scope::errors_of(arguments)
    }
}

impl ReadTool for ListTasks {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let queue_filter =
            args.artifact_id.is_some() || args.depends_on.is_some() || args.missing_mandatory.is_some();
        match (&args.user_id, &args.project_id) {
            (Some(user_id), None) if !queue_filter => list_personal(cx, user_id, &args),
            (None, Some(project)) => list_queue(cx, cx.session.project_or(Some(project))?, &args),
            _ => Err(scope::unclear("`user_id`", "`project_id`")),
        }
    }
}

fn list_personal(cx: &ReadCx<'_>, user_id: &str, args: &Args) -> Result<Output> {
    scope::check_user(cx, user_id)?;
    if args.status == Some(Status::InProgress) {
        return Err(Error::invalid("`status` is \"in_progress\", expected one of all, pending, completed")
            .detail("field", "status"));
    }
    let status = args.status.and_then(Status::filter);
    let limit = args.limit.unwrap_or(PERSONAL_LIMIT);
    let listing = Listing::new(cx, &("personal", user_id, status))?;
    let after = listing.key(args.cursor.as_deref())?.unwrap_or(0);
    let rows = todo::page(cx.tx, user_id, status, after, limit + 1)?;
    // The contract promises a thousand tasks in one answer, whatever their size.
    let page = listing.page(rows, limit as usize, |row| row.seq, |_| 0);
    let tasks = page.rows.into_iter().map(|row| {
        Item::Personal(TodoView {
            task_id: row.task_id,
            title: row.title,
            description: row.description,
            status: row.status,
            priority: row.priority,
            created_at: row.created_at.rfc3339(),
        })
    });
    Ok(Output { tasks: tasks.collect(), next_cursor: page.next_cursor, ..Output::default() })
}

fn list_queue(cx: &ReadCx<'_>, project: &str, args: &Args) -> Result<Output> {
    let limit = args.limit.unwrap_or(QUEUE_LIMIT);
    if limit > QUEUE_LIMIT {
        return Err(Error::invalid(format!("`limit` is {limit}, expected a whole number from 1 to 50"))
            .detail("field", "limit"));
    }
    let status = args.status.and_then(Status::filter);
    let missing_mandatory = args.missing_mandatory.unwrap_or(false);
    let bound = ("queue", project, status, &args.artifact_id, &args.depends_on, missing_mandatory);
    let listing = Listing::new(cx, &bound)?;
    let rows = queue::page(
        cx.tx,
        &Filter {
            project,
            status,
            artifact_id: args.artifact_id.as_deref(),
            depends_on: args.depends_on.as_deref(),
            missing_mandatory,
            after: listing.key(args.cursor.as_deref())?.unwrap_or(0),
            limit: limit + 1,
        },
    )?;
    let rows = rows.into_iter().map(|row| Ok((row.seq, TaskView::load(cx.tx, row)?)));
    let rows: Vec<(i64, TaskView)> = rows.collect::<Result<_>>()?;
    let page = listing.page(rows, limit as usize, |row| row.0, |row| row.1.size());
    let tasks: Vec<Item> = page.rows.into_iter().map(|row| Item::Queue(Box::new(row.1))).collect();
    Ok(Output { success: Some(true), count: Some(tasks.len()), tasks, next_cursor: page.next_cursor })
}
