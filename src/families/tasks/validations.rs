//! The five validations of a batch, in their order.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::generators::Generators;
use super::inputs::{Artifacts, CheckedTask, Classification, Input, Stand, TaskArgs, exact_id, resolve};
use crate::error::{Error, Result};
use crate::id::ArtifactId;
use crate::paths::{Outside, existing_file_inside};
use crate::tool::{Place, ReadCx};

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
    let stand =
        Stand { project, root: place.documents(project), base: place.session.artifacts_base.as_deref() };
    // The tasks of a batch mostly share their inputs: each is looked for once.
    let mut seen = BTreeMap::new();
    let given = tasks.iter().flat_map(|task| &task.inputs);
    for (input, given) in checked.iter_mut().flat_map(|task| &mut task.inputs).zip(given) {
        let key = (input.mcp_resource_uri.clone(), given.resource_path.clone(), input.artifact_id.clone());
        let found = match seen.entry(key) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place_for) => {
                let names_file = given.resource_path.is_some();
                place_for.insert(look_up(place, &stand, input, names_file, artifacts)?)
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
    stand: &Stand<'_>,
    input: &Input,
    names_file: bool,
    artifacts: &dyn Artifacts,
) -> Result<Found> {
    let root = &stand.root;
    let Some(known) = place.db.read(|tx| artifacts.known(tx, stand, input))? else {
        let file = check_file(input, root)?;
        let status = fs::read_to_string(file).ok().and_then(|text| artifacts.stated(&text));
        return Ok(Found { path: input.resource_path.clone(), status });
    };
    if !known.file.is_file() {
        return Err(file_missing(input));
    }
    let same = |file: &Path| file.canonicalize().ok() == known.file.canonicalize().ok();
    if names_file && !same(&check_file(input, root)?) {
        return Err(Error::invalid(format!(
            "Input '{}': {} is not the file of {}",
            input.name, input.resource_path, input.artifact_id
        ))
        .detail("field", "resource_path")
        .reason("id_mismatch"));
    }
    let below =
        root.canonicalize().ok().and_then(|root| known.file.strip_prefix(root).ok().map(Path::to_owned));
    let path = below.unwrap_or_else(|| known.file.clone()).to_string_lossy().replace('\\', "/");
    Ok(Found { path, status: Some(known.status) })
}

/// Whether the artifacts are still what they were, in the transaction that queues the tasks.
pub fn recheck(
    cx: &ReadCx<'_>,
    project: &str,
    tasks: &[CheckedTask],
    artifacts: &dyn Artifacts,
) -> Result<()> {
    let stand = Stand { project, root: cx.documents(project), base: cx.session.artifacts_base.as_deref() };
    let mut seen = BTreeSet::new();
    for input in tasks.iter().flat_map(|task| &task.inputs) {
        if !seen.insert((&input.mcp_resource_uri, &input.artifact_id)) {
            continue;
        }
        if let Some(known) = artifacts.known(cx.tx, &stand, input)? {
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
        let optional = task
            .inputs
            .iter()
            .find(|input| given.contains(&&input.name) && input.classification != Classification::Mandatory);
        if let Some(input) = optional {
            return Err(Error::invalid(format!("Input '{}' is mandatory for task {id}", input.name))
                .detail("field", "classification")
                .reason("mandatory_input_missing"));
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
