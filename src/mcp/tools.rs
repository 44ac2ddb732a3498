//! Tools and their answers, as the protocol shows them.

use std::sync::Arc;

use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData, ProtocolVersion, Tool,
    ToolAnnotations,
};

use serde_json::Value;

use super::{resources, twice};
use crate::tool::confirm::Verdict;
use crate::tool::dispatch::Reply;
use crate::tool::render::Failure;
use crate::tool::{ToolDef, ToolKind};

/// The member of `_meta` that holds verdicts.
const VERDICTS: &str = "backoffice/confirmations";

pub(super) fn described(tool: &'static ToolDef) -> Tool {
    let schemas = tool.schemas();
    let hints = ToolAnnotations::with_title(tool.title).open_world(false);
    let hints = match tool.kind {
        ToolKind::Read => hints.read_only(true),
        ToolKind::Write { destructive, idempotent, .. } => {
            hints.read_only(false).destructive(destructive).idempotent(idempotent)
        }
    };
    Tool::new(tool.name, tool.description, schemas.input.clone())
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(schemas.output.clone()))
        .with_annotations(hints)
}

/// A success is structured and text; a failure is text only, because clients check structured
/// content against the schema of a success. A note follows the text of a success.
pub(super) fn answer(
    reply: Reply,
    note: Option<String>,
    version: Option<&ProtocolVersion>,
) -> Result<CallToolResponse, ErrorData> {
    match reply {
        Reply::Success(answer) => {
            // Older clients fail over a result that holds a kind of block they do not know.
            let knows_links = version.is_some_and(|version| *version >= ProtocolVersion::V_2025_06_18);
            let links = answer.links.into_iter().filter(|_| knows_links);
            let links = links.map(|link| ContentBlock::resource_link(resources::described(link)));
            let note = note.map(ContentBlock::text);
            Ok(twice::result(answer.json, note.into_iter().chain(links)).into())
        }
        Reply::Failed { failure: Failure::InBand(value), .. } => {
            Ok(CallToolResult::error(vec![ContentBlock::text(value.to_string())]).into())
        }
        Reply::Failed { failure: Failure::Protocol { code, message, data }, .. } => {
            Err(ErrorData::new(ErrorCode(code), message, data))
        }
    }
}

/// The verdicts that a connection waits for, after the answer: in words for the model, and as data
/// beside it. Never inside the structured content, which has its own schema.
pub(super) fn with_verdicts(mut result: CallToolResult, verdicts: &[Verdict]) -> CallToolResponse {
    if !verdicts.is_empty() {
        result.content.extend(verdicts.iter().map(|verdict| ContentBlock::text(verdict.text.clone())));
        let told = verdicts.iter().map(|verdict| verdict.value.clone()).collect::<Value>();
        result.meta.get_or_insert_default().0.insert(VERDICTS.to_owned(), told);
    }
    result.into()
}
