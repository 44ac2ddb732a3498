use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checklist::{self, Checklists, Outcome};
use super::document::Document;
use super::kinds::Kinds;
use super::linked::StoreLinks;
use super::store;
use crate::error::{Error, Result};
use crate::id::ArtifactId;
use crate::tool::{Access, JsonObject, ReadCx, ReadTool, Tool};

/// Checks a document against the checklist of its type. Nothing is stored.
#[derive(Debug)]
pub struct ValidateArtifact;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The whole Markdown
    #[schemars(length(min = 1, max = 4194304))]
    artifact_content: String,
    /// Such as PRD-006; decides the checklist
    #[schemars(length(min = 1, max = 32))]
    artifact_id: String,
    /// Correlation id for logs
    #[serde(rename = "task_id")]
    #[schemars(length(max = 128))]
    _task_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    passed: bool,
    automated_pass_rate: String,
    agent_review_required: usize,
    results: Vec<Item>,
    #[serde(skip)]
    #[schemars(skip)]
    log: LogFacts,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    id: String,
    category: String,
    description: String,
    passed: Option<bool>,
    validation_type: &'static str,
    requires_agent_review: bool,
    details: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

#[derive(Debug, Default)]
struct LogFacts {
    checklist_id: String,
    artifact_type: String,
    manual_review_count: usize,
}

impl From<Outcome> for Item {
    fn from(outcome: Outcome) -> Self {
        Item {
            requires_agent_review: outcome.requires_agent_review(),
            id: outcome.id,
            category: outcome.category,
            description: outcome.description,
            passed: outcome.passed,
            validation_type: outcome.validation_type,
            details: outcome.details,
            line: outcome.line,
        }
    }
}

impl Tool for ValidateArtifact {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "validate_artifact";
    const TITLE: &'static str = "Validate an artifact";
    const DESCRIPTION: &'static str = "Checks a Markdown artifact against its type's checklist before it is stored. \
        Failed results say what and on which line; criteria that require agent review are yours to judge.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");

    fn log_fields(output: &Output, log: &mut JsonObject) {
        log.insert("checklist_id".to_owned(), output.log.checklist_id.clone().into());
        log.insert("artifact_type".to_owned(), output.log.artifact_type.clone().into());
        log.insert("automated_pass_rate".to_owned(), output.automated_pass_rate.clone().into());
        log.insert("agent_review_count".to_owned(), output.agent_review_required.into());
        log.insert("manual_review_count".to_owned(), output.log.manual_review_count.into());
    }
}

impl ReadTool for ValidateArtifact {
    const TOUCHES_FILES: bool = true;

    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let project = &cx.session.project;
        let artifact_type = type_named(&args.artifact_id, &Kinds::of(cx.tx, project)?)?;
        let checklist_id = format!("{artifact_type}_validation_v1");
        let repository = cx.session.repository.as_deref();
        let checklist = Checklists::shared().get(&checklist_id, repository, cx.now)?;
        let document = Document::read(&args.artifact_content);
        let version = version(cx, &document, &args.artifact_id)?;
        let report = checklist::validate(
            &document,
            &args.artifact_id,
            version,
            &checklist,
            &StoreLinks::new(cx, project),
        )?;
        Ok(Output {
            passed: report.passed(),
            automated_pass_rate: report.automated_pass_rate(),
            agent_review_required: report.agent_reviews(),
            log: LogFacts { checklist_id, artifact_type, manual_review_count: report.manual_reviews() },
            results: report.results.into_iter().map(Item::from).collect(),
        })
    }
}

/// The type that an id belongs to, by its prefix.
fn type_named(artifact_id: &str, kinds: &Kinds) -> Result<String> {
    let refuse = |message: String| {
        Error::invalid(message)
            .detail("field", "artifact_id")
            .detail("received", artifact_id)
            .reason("invalid_argument")
    };
    let id = ArtifactId::parse(artifact_id).ok_or_else(|| {
        refuse(format!(
            "`artifact_id` is \"{artifact_id}\", expected a prefix and at least three digits, such as PRD-006"
        ))
    })?;
    let kind = kinds.of_id(&id).ok_or_else(|| {
        let valid = kinds.prefixes().join(", ");
        refuse(format!("Unknown artifact prefix: {}. Valid prefixes: {valid}", id.prefix))
    })?;
    Ok(kind.name.clone().into_owned())
}

/// Without a label, a document that is stored already is the version it is stored as.
fn version(cx: &ReadCx<'_>, document: &Document<'_>, artifact_id: &str) -> Result<i64> {
    let stored = match document.row("Version") {
        Some(_) => None,
        None => store::find(cx.tx, &cx.session.project, artifact_id, None)?.map(|row| row.version),
    };
    Ok(checklist::version_of(document, stored))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_comes_from_the_prefix() {
        assert_eq!(type_named("US-1040", &Kinds::built_in()).unwrap(), "backlog_story");
        let unknown = type_named("RFC-001", &Kinds::built_in()).unwrap_err();
        assert_eq!(
            unknown.message(),
            "Unknown artifact prefix: RFC. Valid prefixes: VIS, INIT, EPIC, PRD, HLS, FS, US, SPIKE, ADR, SPEC, TASK"
        );
        for wrong in ["PRD-06", "prd-006", "PRD006", "PRD-AAA", ""] {
            assert!(type_named(wrong, &Kinds::built_in()).is_err(), "{wrong}");
        }
    }
}
