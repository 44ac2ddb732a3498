use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::inputs::{CheckedTask, Classification, TaskArgs};
use super::personal::{self, Priority};
use super::queue::task_id;
use super::scope;
use super::store::todo::Todo;
use super::store::{queue, todo};
use super::validations;
use crate::db::sequences;
use crate::error::{Error, Result};
use crate::families::ARTIFACTS;
use crate::tool::{Access, ErrorForm, JsonObject, Place, Tool, WriteCx, WriteTool};

/// Adds tasks to a project's queue, or one to a user's own list.
pub struct AddTask;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Queue: the batch, all or nothing
    #[schemars(length(min = 1, max = 100))]
    tasks: Option<Vec<TaskArgs>>,
    /// Queue: default is the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    /// Queue: correlation id for logs
    #[serde(rename = "task_id")]
    #[schemars(length(max = 128))]
    _task_id: Option<String>,
    /// Personal: whose list
    #[schemars(length(min = 1, max = 100))]
    user_id: Option<String>,
    /// Personal
    #[schemars(length(min = 1, max = 255))]
    title: Option<String>,
    #[schemars(length(max = 2000))]
    description: Option<String>,
    priority: Option<Priority>,
}

/// Both answers in one object: the fields of the scope that was meant.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks_added: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_ids: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_ids: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip)]
    #[schemars(skip)]
    log: JsonObject,
}

/// The scope of a call; for the queue, the batch as far as it is checked.
#[derive(Debug, Default)]
pub enum Prepared {
    #[default]
    Personal,
    Queue(Vec<CheckedTask>),
}

impl Tool for AddTask {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "add_task";
    const TITLE: &'static str = "Add tasks";
    const DESCRIPTION: &'static str = "Adds to one of two scopes. Project queue: {tasks:[…]} with resolved \
        generator inputs, validated as a whole. Personal to-do: {user_id, title}. Never both.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");

    fn errors(arguments: &JsonObject) -> ErrorForm {
        scope::errors_of(arguments)
    }

    fn log_fields(output: &Output, log: &mut JsonObject) {
        log.extend(output.log.clone());
    }
}

impl WriteTool for AddTask {
    type Prepared = Prepared;
    const TOUCHES_FILES: bool = true;

    fn prepare(place: &Place<'_>, args: &Args) -> Result<Prepared> {
        let personal = args.user_id.is_some() || args.title.is_some() || args.priority.is_some();
        match &args.tasks {
            Some(tasks) if !personal && args.description.is_none() => {
                let project = place.session.project_or(args.project_id.as_deref())?;
                Ok(Prepared::Queue(validations::validate(place, project, tasks, ARTIFACTS)?))
            }
            None if personal && args.project_id.is_none() => Ok(Prepared::Personal),
            _ => Err(scope::unclear("`user_id` and `title`", "`tasks`")),
        }
    }

    fn run(cx: &WriteCx<'_>, args: &Args, prepared: &Prepared) -> Result<Output> {
        match prepared {
            Prepared::Personal => add_personal(cx, args),
            Prepared::Queue(tasks) => add_to_queue(cx, args, tasks),
        }
    }
}

fn add_personal(cx: &WriteCx<'_>, args: &Args) -> Result<Output> {
    let missing = |name: &str| Error::invalid(format!("`{name}` is missing")).detail("field", name);
    let user_id = args.user_id.as_deref().ok_or_else(|| missing("user_id"))?;
    let title = args.title.as_deref().ok_or_else(|| missing("title"))?;
    scope::check_user(cx, user_id)?;
    let added = Todo {
        seq: 0,
        task_id: cx.ids.uuid(),
        title: personal::check_title(title)?,
        description: args.description.clone().filter(|text| !text.is_empty()),
        status: "pending".to_owned(),
        priority: args.priority.unwrap_or(Priority::Medium).as_str().to_owned(),
        created_at: cx.now,
    };
    todo::insert(cx.write, user_id, &added)?;
    Ok(Output {
        task_id: Some(added.task_id),
        title: Some(added.title),
        status: Some(added.status),
        created_at: Some(cx.now.rfc3339()),
        ..Output::default()
    })
}

fn add_to_queue(cx: &WriteCx<'_>, args: &Args, tasks: &[CheckedTask]) -> Result<Output> {
    let project = cx.session.project_or(args.project_id.as_deref())?;
    validations::recheck(cx, project, tasks, ARTIFACTS)?;
    let task_ids = enqueue(cx, project, tasks)?;
    let artifact_ids: Vec<String> = tasks.iter().map(|task| task.artifact_id.clone()).collect();
    Ok(Output {
        success: Some(true),
        tasks_added: Some(tasks.len()),
        log: logged(tasks, &task_ids, &artifact_ids),
        task_ids: Some(task_ids),
        artifact_ids: Some(artifact_ids),
        ..Output::default()
    })
}

/// Puts checked tasks into the queue, unless one of them is there already.
pub fn enqueue(cx: &WriteCx<'_>, project: &str, tasks: &[CheckedTask]) -> Result<Vec<String>> {
    for task in tasks {
        if queue::is_open(cx.tx, project, &task.artifact_id)? {
            let id = &task.artifact_id;
            return Err(Error::invalid(format!(
                "Task validation failed: artifact_id {id} already exists in queue"
            ))
            .detail("field", "artifact_id")
            .reason("duplicate"));
        }
    }
    // Queue tasks and TASK documents share one sequence: TASK-012 never denotes both.
    let first = sequences::take(cx.write, project, "TASK", tasks.len() as i64, cx.now)?;
    for (number, task) in (first..).zip(tasks) {
        queue::insert(cx.write, project, number, task, cx.now)?;
    }
    Ok((first..).take(tasks.len()).map(task_id).collect())
}

fn logged(tasks: &[CheckedTask], task_ids: &[String], artifact_ids: &[String]) -> JsonObject {
    let count = |wanted| {
        let inputs = tasks.iter().flat_map(|task| &task.inputs);
        inputs.filter(|input| input.classification == wanted).count()
    };
    let generators: Vec<&str> = tasks.iter().map(|task| task.generator.as_str()).collect();
    [
        ("tasks_added", tasks.len().into()),
        ("artifact_ids", artifact_ids.into()),
        ("generators", generators.into()),
        ("task_ids", task_ids.into()),
        ("inputs_validated", true.into()),
        ("mandatory_inputs_count", count(Classification::Mandatory).into()),
        ("recommended_inputs_count", count(Classification::Recommended).into()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
