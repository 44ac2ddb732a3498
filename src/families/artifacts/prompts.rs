//! Requests a person picks: make a document from its parent, or mend one. They hand a model what it
//! needs to begin (which inputs, which criteria, which findings) and not the texts themselves.

use serde_json::Value;

use super::checklist::{self, Checklists};
use super::document::Document;
use super::inputs::{self, Sources};
use super::kinds::{APPROVED, Kinds, checklist_of};
use super::layout::Layout;
use super::linked::StoreLinks;
use super::read_artifact::text_of;
use super::store::{self, Artifact};
use crate::error::{Error, Result};
use crate::families::tasks::generators::Generators;
use crate::tool::offer::{Prompt, PromptArgument};
use crate::tool::{JsonObject, ReadCx};

pub static PROMPTS: [Prompt; 2] = [
    Prompt {
        name: "generate",
        title: "Generate an artifact",
        description: "Write the next document from an approved one: its inputs, its criteria, the steps",
        arguments: &[
            PromptArgument { name: "generator", description: "Such as hls-generator", required: true },
            PromptArgument {
                name: "parent_id",
                description: "The approved document it is made from, such as PRD-006",
                required: true,
            },
        ],
        needs: "store_artifact",
        get: generate,
    },
    Prompt {
        name: "refine",
        title: "Refine an artifact",
        description: "Mend a draft: what its checklist finds, and its open questions",
        arguments: &[PromptArgument { name: "artifact_id", description: "Such as PRD-006", required: true }],
        needs: "store_artifact",
        get: refine,
    },
];

fn generate(cx: &ReadCx<'_>, arguments: &JsonObject) -> Result<String> {
    let (generator_name, parent_id) = (argument(arguments, "generator"), argument(arguments, "parent_id"));
    let generators = Generators::load(cx.session.repository.as_deref())?;
    let generator = generators.find(generator_name)?;
    let parent = row(cx, parent_id)?;
    if parent.status != APPROVED {
        return Err(Error::conflict(format!(
            "{parent_id} must be approved first (status: {})",
            parent.status
        ))
        .reason("parent_not_approved"));
    }
    let project = &cx.session.project;
    let kinds = Kinds::of(cx.tx, project)?;
    let layout = Layout::seen_by(cx, project);
    let kind =
        kinds.called(&parent.kind)?.into_iter().next().ok_or_else(|| Error::internal("a type is gone"))?;
    let parents = store::parents(cx.tx, parent.seq)?;
    let sources = Sources {
        tx: cx.tx,
        layout: &layout,
        kinds: &kinds,
        subject: &parent,
        kind,
        parents: &parents,
        informed_by: &[],
    };
    let (inputs, missing) = inputs::resolve(&sources, generator, "it")?;
    let made = generator.produces.as_deref().unwrap_or("the document");
    let kind = kinds.called(made).ok().and_then(|found| found.into_iter().next());
    let mut text = format!(
        "Write a {made} document with {generator_name} from {parent_id}. Its ID: the one of the queue task \
         (list_tasks depends_on {parent_id}), else get_next_available_id.\n\nRead these first (read_artifact):\n"
    );
    for input in &inputs {
        let id =
            if input.artifact_id == "N/A" { file_stem(&input.resource_path) } else { &input.artifact_id };
        text.push_str(&format!("- {id} ({}): {}\n", input.name, input.mcp_resource_uri));
    }
    missing.iter().for_each(|note| text.push_str(&format!("- {note}\n")));
    if let Some(kind) = kind {
        text.push_str(&format!("\nIt is checked for:\n{}", criteria(cx, &kind.name)?));
        if let Some(children) = kind.children.filter(|children| children.prefix != "PRD") {
            text.push_str(&format!(
                "\nName its parts {0}-AAA, {0}-BBB … where it defines them; approval gives them numbers.\n",
                children.prefix
            ));
        }
    }
    text.push_str(
        "\nBegin with a level-1 heading and a `## Metadata` block (`- **… ID:**`, `- **Status:** Draft`, its parents). \
         Then validate_artifact until it passes, store_artifact, and ask the person before approve_artifact.",
    );
    Ok(text)
}

fn refine(cx: &ReadCx<'_>, arguments: &JsonObject) -> Result<String> {
    let artifact_id = argument(arguments, "artifact_id");
    let row = row(cx, artifact_id)?;
    let project = &cx.session.project;
    let layout = Layout::seen_by(cx, project);
    let content = text_of(&layout, &row)?;
    let document = Document::read(&content);
    let id = checklist_of(&row.kind, artifact_id);
    let list = Checklists::shared().get(&id, cx.session.repository.as_deref(), cx.now)?;
    let report =
        checklist::validate(&document, artifact_id, row.version, &list, &StoreLinks::new(cx, project))?;
    let mut text = format!(
        "Refine {artifact_id} v{} ({}). Read it with read_artifact. {} automated criteria pass.\n",
        row.version,
        row.status,
        report.automated_pass_rate()
    );
    for outcome in report.results.iter().filter(|outcome| outcome.passed == Some(false)) {
        let line = outcome.line.map_or(String::new(), |line| format!(" (line {line})"));
        text.push_str(&format!("- {}: {} — {}{line}\n", outcome.id, outcome.description, outcome.details));
    }
    for outcome in report.results.iter().filter(|outcome| outcome.requires_agent_review()) {
        text.push_str(&format!("- judge yourself, {}: {}\n", outcome.id, outcome.description));
    }
    for question in super::questions::open_questions(&document) {
        text.push_str(&format!("- open question (line {}): {}\n", question.line, question.text));
    }
    text.push_str(if row.status == APPROVED {
        "It is approved: raise its Version, set its Status back to Draft, and store it as a new version. "
    } else {
        "Keep its ID. "
    });
    text.push_str("Then validate_artifact until it passes, and store_artifact.");
    Ok(text)
}

fn argument<'a>(arguments: &'a JsonObject, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim()
}

fn row(cx: &ReadCx<'_>, artifact_id: &str) -> Result<Artifact> {
    store::find(cx.tx, &cx.session.project, artifact_id, None)?.ok_or_else(|| {
        Error::not_found(format!("Artifact {artifact_id} not found"))
            .hint("list_artifacts shows what is there")
    })
}

/// The criteria of a type, a line each; what an agent judges is marked.
fn criteria(cx: &ReadCx<'_>, kind: &str) -> Result<String> {
    let Ok(text) = checklist::text(&format!("{kind}_validation_v1"), cx.session.repository.as_deref()) else {
        return Ok("- there is no checklist for this type\n".to_owned());
    };
    let list: Value = serde_json::from_str(&text)
        .map_err(|error| Error::conflict("the checklist is not JSON").because(error))?;
    let lines = list["criteria"].as_array().into_iter().flatten().map(|criterion| {
        let sections = criterion["required_sections"].as_array().map(|names| {
            let names: Vec<&str> =
                names.iter().filter_map(|name| name.as_str()?.split(" | ").next()).collect();
            format!(": {}", names.join(", "))
        });
        let description = criterion["description"].as_str().unwrap_or_default();
        format!("- {description}{}\n", sections.unwrap_or_default())
    });
    Ok(lines.collect())
}

fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}
