//! An answer is written once and stands in its result twice: as text, and as structured content.
//!
//! `rmcp` holds structured content as a tree. To build one from an answer that is text already, only
//! to write the same text again, took most of the time of a long list; so a mark stands in its place
//! until the line is written.

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, JsonRpcMessage, ServerResult};
use rmcp::service::TxJsonRpcMessage;
use serde_json::Value;

/// No answer is this text: answers are objects.
const MARK: &str = "\u{f8ff}the text above";

/// A successful result, with a mark for its structured content. The text is its first block.
pub(super) fn result(json: String, more: impl Iterator<Item = ContentBlock>) -> CallToolResult {
    let content = std::iter::once(ContentBlock::text(json)).chain(more).collect();
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(Value::String(MARK.to_owned()));
    result
}

/// A message as a line, marks replaced.
pub(super) fn line(message: &TxJsonRpcMessage<RoleServer>) -> serde_json::Result<Vec<u8>> {
    let Some(json) = marked(message) else { return serde_json::to_vec(message) };
    let mut line = Vec::with_capacity(json.len() * 5 / 2 + 256);
    serde_json::to_writer(&mut line, message)?;
    // Looked for from the end: what is behind it is short, and holds no text of ours.
    let quoted = serde_json::to_vec(MARK)?;
    if let Some(at) = line.windows(quoted.len()).rposition(|bytes| bytes == quoted) {
        let behind = line.split_off(at);
        line.extend_from_slice(json.as_bytes());
        line.extend_from_slice(&behind[quoted.len()..]);
    }
    Ok(line)
}

fn marked(message: &TxJsonRpcMessage<RoleServer>) -> Option<&str> {
    let JsonRpcMessage::Response(response) = message else { return None };
    let ServerResult::CallToolResult(result) = &response.result else { return None };
    let is_marked = result.structured_content.as_ref().and_then(Value::as_str) == Some(MARK);
    let text = result.content.first()?.as_text()?;
    is_marked.then_some(text.text.as_str())
}

#[cfg(test)]
mod tests {
    use rmcp::model::{RequestId, Resource};
    use serde_json::json;

    use super::*;

    /// A link that is called like the mark.
    fn link() -> Option<ContentBlock> {
        Some(ContentBlock::resource_link(Resource::new("x:1", MARK)))
    }

    #[test]
    fn the_text_stands_in_both_places_whatever_it_holds() {
        for answer in [json!({"a": 1}), json!({"said": format!("\"{MARK}\" \\ {}", json!(MARK))}), json!({})]
        {
            let message = TxJsonRpcMessage::<RoleServer>::response(
                ServerResult::CallToolResult(result(answer.to_string(), link().into_iter())),
                RequestId::Number(7),
            );
            let line: Value = serde_json::from_slice(&line(&message).unwrap()).unwrap();
            assert_eq!(line["result"]["structuredContent"], answer);
            assert_eq!(line["result"]["content"][0]["text"], answer.to_string());
            assert_eq!(line["result"]["content"][1]["name"], MARK);
            assert_eq!(line["id"], 7);
        }
    }
}
