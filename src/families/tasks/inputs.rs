//! The inputs of a queue task: as a caller gives them, and with every field resolved.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::id::{ARTIFACT_TYPES, ArtifactId};

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
    /// What is known of an input's artifact; nothing, if its type is not kept. One that should be
    /// known and is not, or that its URI does not fit, is refused.
    fn known(&self, tx: &ReadTx<'_>, stand: &Stand<'_>, input: &Input) -> Result<Option<Known>>;

    /// The status that a document states itself.
    fn stated(&self, text: &str) -> Option<String>;
}

/// Where a caller stands.
#[derive(Clone, Debug)]
pub struct Stand<'a> {
    pub project: &'a str,
    /// What paths are relative to.
    pub root: PathBuf,
    /// Where documents are kept, if somebody has chosen a place.
    pub base: Option<&'a Path>,
}

/// An artifact as it is kept.
#[derive(Clone, Debug)]
pub struct Known {
    pub status: String,
    pub file: PathBuf,
}

/// Fills in what can be told from the rest.
pub fn resolve(task: &TaskArgs) -> Result<CheckedTask> {
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
    check_fit(given, &artifact_id)?;
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

/// An epic is no PRD, whatever the input is called.
fn check_fit(given: &InputArgs, artifact_id: &str) -> Result<()> {
    let expected = ARTIFACT_TYPES.iter().find(|known| known.name == given.name);
    let id = ArtifactId::parse(artifact_id);
    match (expected, id) {
        (Some(expected), Some(id)) if id.prefix != expected.prefix => Err(Error::invalid(format!(
            "Input '{}' takes {}-nnn, and {artifact_id} is none",
            given.name, expected.prefix
        ))
        .detail("field", "artifact_id")
        .reason("id_mismatch")),
        _ => Ok(()),
    }
}

/// An id in its one true form: `HLS-0012` would be a second name of `HLS-012`.
pub fn exact_id(text: &str) -> Option<ArtifactId> {
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
