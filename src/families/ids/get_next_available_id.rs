use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{model, store};
use crate::db::sequences;
use crate::error::Result;
use crate::id::ArtifactId;
use crate::tool::{Access, JsonObject, Tool, WriteCx, WriteTool};

/// Hands out the next number of a type.
pub struct GetNextAvailableId;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Long name or prefix: backlog_story or US
    #[schemars(length(min = 1, max = 64))]
    artifact_type: String,
    /// Default: the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    /// Correlation id for logs
    #[serde(rename = "task_id")]
    #[schemars(length(max = 128))]
    _task_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    artifact_type: String,
    next_id: String,
    /// For the log.
    #[serde(skip)]
    #[schemars(skip)]
    project_id: String,
}

impl Tool for GetNextAvailableId {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "get_next_available_id";
    const TITLE: &'static str = "Get the next artifact ID";
    const DESCRIPTION: &'static str = "Hands out the next ID of a document type, such as US-071. \
        Each call uses up a number; none is ever given twice. For several at once use reserve_id_range.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");

    fn log_fields(output: &Output, log: &mut JsonObject) {
        log.insert("artifact_type".to_owned(), output.artifact_type.clone().into());
        log.insert("project_id".to_owned(), output.project_id.clone().into());
        log.insert("next_id".to_owned(), output.next_id.clone().into());
    }
}

impl WriteTool for GetNextAvailableId {
    type Prepared = ();

    fn run(cx: &WriteCx<'_>, args: &Args, (): &()) -> Result<Output> {
        let project = cx.session.project_or(args.project_id.as_deref())?;
        let kind = model::find_type(&args.artifact_type, || store::added_types(cx.tx, project))?;
        let number = sequences::take(cx.write, project, &kind.prefix, 1, cx.now)?;
        if model::CLAIMED_BY_NUMBER.contains(&kind.prefix.as_str()) {
            store::remember_given(cx.write, project, &kind.prefix, number, cx.now)?;
        }
        let next_id = ArtifactId::new(kind.prefix, number).to_string();
        Ok(Output { success: true, artifact_type: kind.name, next_id, project_id: project.to_owned() })
    }
}
