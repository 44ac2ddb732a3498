//! The inputs of a queue task and the five validations of a batch.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::generators::Generators;
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::id::{ARTIFACT_TYPES, ArtifactId};
use crate::paths::{Outside, existing_file_inside};
use crate::tool::Place;

const URI: &str = "mcp://resources/";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Classification {
    Mandatory,
    Recommended,
    Conditional,
}

/// An input as a caller gives it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputArgs {
    /// Input name of the generator, such as prd
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    pub classification: Classification,
    #[schemars(length(max = 64))]
    pub artifact_type: Option<String>,
    /// PRD-006, or N/A
    #[schemars(length(max = 32))]
    pub artifact_id: Option<String>,
    /// Relative to the repository; default: from the URI
    #[schemars(length(max = 500))]
    pub resource_path: Option<String>,
    /// mcp://resources/…
    #[schemars(length(max = 500))]
    pub mcp_resource_uri: Option<String>,
    #[schemars(length(max = 500))]
    pub resource_uri: Option<String>,
    /// Approved, or Finalized for research
    #[schemars(length(min = 1, max = 64))]
    pub status: String,
}

/// An input with every field resolved, as it is stored and shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Input {
    pub name: String,
    pub classification: Classification,
    pub artifact_type: String,
    pub artifact_id: String,
    pub resource_path: String,
    pub mcp_resource_uri: String,
    pub status: String,
}

/// A task as a caller gives it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskArgs {
    /// What to generate, such as HLS-012
    #[schemars(length(min = 1, max = 32))]
    pub artifact_id: String,
    /// Such as hls-generator
    #[schemars(length(min = 1, max = 100))]
    pub generator: String,
    #[schemars(length(max = 128))]
    pub task_id: Option<String>,
    #[schemars(length(max = 50))]
    pub inputs: Vec<InputArgs>,
    #[schemars(length(max = 2000))]
    pub description: Option<String>,
}

/// A task that has passed everything but the look into the queue.
#[derive(Debug)]
pub struct CheckedTask {
    pub artifact_id: String,
    pub generator: String,
    pub correlation_id: Option<String>,
    pub description: String,
    pub inputs: Vec<Input>,
}

/// What tasks must ask whoever keeps the artifacts.
pub trait Artifacts: std::fmt::Debug + Sync {
    /// What is known of an input's artifact; nothing, if it is not kept.
    fn known(&self, tx: &ReadTx<'_>, project: &str, input: &Input) -> Result<Option<Known>>;

    /// The status that a document states itself.
    fn stated(&self, text: &str) -> Option<String>;
}

/// An artifact as it is kept.
#[derive(Clone, Debug)]
pub struct Known {
    pub status: String,
    pub file: PathBuf,
}

/// Validations one to four, and the fifth as far as the batch alone can tell. In that order over
/// the whole batch; the first problem ends it.
pub fn validate(
    place: &Place<'_>,
    project: &str,
    tasks: &[TaskArgs],
    artifacts: &dyn Artifacts,
) -> Result<Vec<CheckedTask>> {
    let generators = Generators::load(place.session.repository.as_deref())?;
    tasks.iter().try_for_each(|task| check_format(task, &generators))?;
    tasks.iter().try_for_each(|task| check_mandatory(task, &generators))?;
    let mut checked: Vec<CheckedTask> = tasks.iter().map(resolve).collect::<Result<_>>()?;
    let root = place.documents(project);
    // The tasks of a batch mostly share their inputs: each is looked for once.
    let mut seen = BTreeMap::new();
    let given = tasks.iter().flat_map(|task| &task.inputs);
    for (input, given) in checked.iter_mut().flat_map(|task| &mut task.inputs).zip(given) {
        let key =
            (given.mcp_resource_uri.as_ref(), given.resource_uri.as_ref(), given.resource_path.as_ref());
        let found = match seen.entry(key) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place_for) => {
                let names_file = given.resource_path.is_some();
                place_for.insert(look_up(place, project, &root, input, names_file, artifacts)?)
            }
        };
        input.resource_path.clone_from(&found.path);
        // Where nobody knows better, the caller's word must do.
        input.status = found.status.clone().unwrap_or_else(|| input.status.clone());
    }
    checked.iter().flat_map(|task| &task.inputs).try_for_each(check_status)?;
    check_duplicates(&checked)?;
    Ok(checked)
}

/// What was found out about an input.
struct Found {
    path: String,
    status: Option<String>,
}

/// Finds the file of an input and the status it really has: the store's, else the document's own.
fn look_up(
    place: &Place<'_>,
    project: &str,
    root: &Path,
    input: &Input,
    names_file: bool,
    artifacts: &dyn Artifacts,
) -> Result<Found> {
    let Some(known) = place.db.read(|tx| artifacts.known(tx, project, input))? else {
        let file = check_file(input, root)?;
        let status = fs::read_to_string(file).ok().and_then(|text| artifacts.stated(&text));
        return Ok(Found { path: input.resource_path.clone(), status });
    };
    let path = if names_file {
        check_file(input, root)?;
        input.resource_path.clone()
    } else if known.file.is_file() {
        known.file.strip_prefix(root).unwrap_or(&known.file).to_string_lossy().replace('\\', "/")
    } else {
        return Err(file_missing(input));
    };
    Ok(Found { path, status: Some(known.status) })
}

/// Whether the artifacts are still what they were, in the transaction that queues the tasks.
pub fn recheck(
    tx: &ReadTx<'_>,
    project: &str,
    tasks: &[CheckedTask],
    artifacts: &dyn Artifacts,
) -> Result<()> {
    let mut seen = BTreeSet::new();
    for input in tasks.iter().flat_map(|task| &task.inputs) {
        if !seen.insert(&input.mcp_resource_uri) {
            continue;
        }
        if let Some(known) = artifacts.known(tx, project, input)? {
            check_status(&Input { status: known.status, ..input.clone() })?;
        }
    }
    Ok(())
}

fn check_format(task: &TaskArgs, generators: &Generators) -> Result<()> {
    let id = exact_id(&task.artifact_id).ok_or_else(|| {
        Error::invalid(format!(
            "Invalid artifact_id: {}, expected a prefix and three digits or more such as HLS-012",
            task.artifact_id
        ))
        .detail("field", "artifact_id")
    })?;
    let generator = generators.find(&task.generator)?;
    if let Some(prefix) = generator.produces.as_deref().filter(|prefix| *prefix != id.prefix) {
        return Err(Error::invalid(format!(
            "artifact_id {} does not fit {}, which makes {prefix}-nnn",
            task.artifact_id, task.generator
        ))
        .detail("field", "generator"));
    }
    if task.inputs.is_empty() {
        return Err(Error::invalid("inputs list must contain at least one GeneratorInput")
            .detail("field", "inputs")
            .detail("artifact_id", task.artifact_id.as_str()));
    }
    Ok(())
}

fn check_mandatory(task: &TaskArgs, generators: &Generators) -> Result<()> {
    let generator = generators.find(&task.generator)?;
    let id = &task.artifact_id;
    for group in &generator.mandatory {
        let given: Vec<&String> =
            group.iter().filter(|name| task.inputs.iter().any(|input| input.name == **name)).collect();
        let usual = group.first().map_or("", String::as_str);
        if given.is_empty() {
            let error = Error::invalid(format!("Mandatory input '{usual}' missing for task {id}"))
                .reason("mandatory_input_missing")
                .detail("input", usual);
            return Err(match group.get(1..) {
                Some(others) if !others.is_empty() => {
                    error.hint(format!("one of '{}' would do as well", others.join("', '")))
                }
                _ => error,
            });
        }
        if generator.exclusive && given.len() > 1 {
            return Err(Error::invalid(format!(
                "Inputs '{}' exclude each other for task {id}: give exactly one",
                group.join("', '")
            ))
            .reason("exclusive_inputs"));
        }
    }
    Ok(())
}

/// Fills in what can be told from the rest.
fn resolve(task: &TaskArgs) -> Result<CheckedTask> {
    let inputs: Vec<Input> = task.inputs.iter().map(resolve_input).collect::<Result<_>>()?;
    let from = inputs
        .iter()
        .find(|input| input.classification == Classification::Mandatory)
        .or(inputs.first())
        .map_or(
            "its inputs",
            |input| if input.artifact_id == "N/A" { &input.name } else { &input.artifact_id },
        );
    let default = format!("Generate {} from {from}", task.artifact_id);
    Ok(CheckedTask {
        artifact_id: task.artifact_id.clone(),
        generator: task.generator.clone(),
        correlation_id: task.task_id.clone(),
        description: task.description.clone().unwrap_or(default),
        inputs,
    })
}

fn resolve_input(given: &InputArgs) -> Result<Input> {
    let uri = given.mcp_resource_uri.as_ref().or(given.resource_uri.as_ref());
    let uri = uri.cloned().unwrap_or_default();
    let below = uri.strip_prefix(URI).filter(|below| !below.is_empty() && is_clean(below));
    let Some(below) = below else {
        let error = Error::invalid(format!("Invalid MCP resource URI format: {uri}"))
            .detail("field", "mcp_resource_uri")
            .detail("input", given.name.as_str());
        return Err(error.hint(format!("use {URI}… such as {URI}artifacts/prds/PRD-006_v3.md")));
    };
    let artifact_id = artifact_of(given, below)?;
    let known = ArtifactId::parse(&artifact_id)
        .and_then(|id| ARTIFACT_TYPES.iter().find(|known| known.prefix == id.prefix));
    let artifact_type = match (&given.artifact_type, known) {
        (Some(given), _) => given.clone(),
        (None, Some(known)) => known.name.to_owned(),
        (None, None) if given.name.ends_with("research") => "research".to_owned(),
        (None, None) => given.name.clone(),
    };
    Ok(Input {
        name: given.name.clone(),
        classification: given.classification,
        artifact_type,
        artifact_id,
        resource_path: given.resource_path.clone().unwrap_or_else(|| below.to_owned()),
        mcp_resource_uri: uri,
        status: given.status.clone(),
    })
}

/// An id in its one true form: `HLS-0012` would be a second name of `HLS-012`.
fn exact_id(text: &str) -> Option<ArtifactId> {
    ArtifactId::parse(text).filter(|id| id.to_string() == text)
}

/// The artifact an input stands for. Only what has no numbers may go without: the status of
/// everything else is looked at.
fn artifact_of(given: &InputArgs, below: &str) -> Result<String> {
    let stated = given.artifact_id.as_deref().filter(|text| *text != "N/A");
    if let Some(text) = stated {
        return exact_id(text).map(|id| id.to_string()).ok_or_else(|| {
            Error::invalid(format!(
                "Invalid artifact_id: {text} (input name: {}), expected PREFIX-nnn or N/A",
                given.name
            ))
            .detail("field", "artifact_id")
        });
    }
    let kind = given.artifact_type.as_deref().unwrap_or(&given.name);
    let numbered = |name: &str| ARTIFACT_TYPES.iter().find(|known| known.name == name);
    let Some(kind) = numbered(kind).or_else(|| numbered(&given.name)) else { return Ok("N/A".to_owned()) };
    let name = below.rsplit('/').next().unwrap_or(below);
    let stem = name.split(['_', '.']).next().unwrap_or(name);
    match exact_id(stem).filter(|id| id.prefix == kind.prefix) {
        Some(id) => Ok(id.to_string()),
        None => Err(Error::invalid(format!("artifact_id is missing for input '{}'", given.name))
            .detail("field", "artifact_id")
            .hint(format!("name it, such as {}-006", kind.prefix))),
    }
}

fn is_clean(path: &str) -> bool {
    !path.split('/').any(|part| part == ".." || part.is_empty())
        && !path.contains(['\\', '\0'])
        && !path.chars().any(|c| c.is_whitespace() || c.is_control())
}

fn check_file(input: &Input, root: &Path) -> Result<PathBuf> {
    let path = &input.resource_path;
    existing_file_inside(root, path).map_err(|outside| match outside {
        Outside::Escapes => {
            tracing::warn!(event = "path_traversal_refused", tool_name = "add_task");
            Error::invalid(format!("Input path leaves the repository: {path}"))
                .detail("field", "resource_path")
                .reason("path_traversal")
        }
        Outside::Missing => file_missing(input),
    })
}

fn file_missing(input: &Input) -> Error {
    Error::invalid(format!(
        "Input file not found: {} (input name: {}, artifact_id: {})",
        input.resource_path, input.name, input.artifact_id
    ))
    .detail("field", "resource_path")
    .reason("file_not_found")
}

fn check_status(input: &Input) -> Result<()> {
    let status = &input.status;
    let plain = status.split(" (").next().unwrap_or(status).trim();
    if input.artifact_type == "research" {
        if matches!(plain, "Finalized" | "Final") {
            return Ok(());
        }
        return Err(Error::invalid(format!(
            "Research input '{}' must have status='Finalized' (current status: {status})",
            input.name
        ))
        .reason("not_finalized"));
    }
    // Standards and other files without a number have no approval to wait for.
    if plain == "Approved" || ArtifactId::parse(&input.artifact_id).is_none() {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "Input artifact {} must be Approved (current status: {status})",
        input.artifact_id
    ))
    .reason("not_approved"))
}

fn check_duplicates(tasks: &[CheckedTask]) -> Result<()> {
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<&str> =
        tasks.iter().map(|task| task.artifact_id.as_str()).filter(|id| !seen.insert(*id)).collect();
    if twice.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = twice.into_iter().collect();
    Err(Error::invalid(format!("Duplicate artifact_id in batch: {}", ids.join(", "))).reason("duplicate"))
}
