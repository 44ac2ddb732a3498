//! Approves a document: its placeholders become real ids, its parts become tasks, and the approval is
//! bound to its bytes. All of it or none of it.

mod plan;
mod stages;
mod subject;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::plan::Plan;
use self::stages::Stages;
use super::changes::unified;
use super::kinds::APPROVED;
use super::layout::{self, Layout};
use super::store::{self, Event};
use crate::db::sequences;
use crate::error::{Error, Result};
use crate::families::ids::confirm_reservation::confirm;
use crate::families::ids::store::remember_given;
use crate::families::tasks::add_task::enqueue;
use crate::families::tasks::inputs::{CheckedTask, Input};
use crate::fault;
use crate::id::ArtifactId;
use crate::tool::offer::Link;
use crate::tool::{Access, JsonObject, Place, Tool, WriteCx, WriteTool};

/// Approves a document and queues its parts.
pub struct ApproveArtifact;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Such as PRD-006; the latest version counts
    #[schemars(length(min = 1, max = 32))]
    artifact_id: String,
    /// Default: the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    /// Show what would happen, change nothing
    preview: Option<bool>,
    /// Correlation id for logs
    #[schemars(length(max = 128))]
    task_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    artifact_id: String,
    old_status: String,
    new_status: String,
    artifact_path: String,
    placeholder_ids_replaced: usize,
    /// Placeholder → ID
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    id_mapping: JsonObject,
    sub_artifacts_detected: Vec<String>,
    tasks_created: usize,
    task_ids: Vec<String>,
    /// Of the approved bytes
    sha256: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Preview>,
    #[serde(skip)]
    #[schemars(skip)]
    resource: Resource,
}

/// What would happen, besides the ids.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Preview {
    diff: String,
    tasks: Vec<PlannedTask>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PlannedTask {
    artifact_id: String,
    generator: String,
    description: String,
    inputs: Vec<Input>,
}

/// The approved document, for the links of the answer and for the log.
#[derive(Debug, Default)]
struct Resource {
    uri: String,
    title: String,
    size: i64,
    reservation_id: Option<String>,
}

#[derive(Debug, Default)]
pub struct Prepared(Option<Plan>);

impl Tool for ApproveArtifact {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "approve_artifact";
    const TITLE: &'static str = "Approve an artifact";
    const DESCRIPTION: &'static str = "Approves a draft a person has agreed to: placeholder IDs (HLS-AAA) become \
        real ones, the status Approved, and each part a queue task with its inputs. Its parent must be \
        approved and no [REQUIRES SPIKE]/[REQUIRES ADR] question open. preview: true shows it first.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");

    fn log_fields(output: &Output, log: &mut JsonObject) {
        let facts = [
            ("artifact_id", output.artifact_id.clone().into()),
            ("old_status", output.old_status.clone().into()),
            ("new_status", output.new_status.clone().into()),
            ("placeholder_ids_replaced", output.placeholder_ids_replaced.into()),
            ("id_mapping", output.id_mapping.clone().into()),
            ("reservation_id", output.resource.reservation_id.clone().into()),
            ("sub_artifacts_detected", output.sub_artifacts_detected.clone().into()),
            ("tasks_created", output.tasks_created.into()),
            ("task_ids", output.task_ids.clone().into()),
            ("preview", output.preview.is_some().into()),
        ];
        log.extend(facts.map(|(name, value)| (name.to_owned(), value)));
    }

    fn links(output: &Output) -> Vec<Link> {
        vec![Link {
            uri: output.resource.uri.clone(),
            name: output.artifact_id.clone(),
            title: Some(output.resource.title.clone()),
            mime_type: "text/markdown",
            size: u64::try_from(output.resource.size).ok(),
        }]
    }
}

impl WriteTool for ApproveArtifact {
    type Prepared = Prepared;
    const TOUCHES_FILES: bool = true;

    fn prepare(place: &Place<'_>, args: &Args) -> Result<Prepared> {
        let project = place.session.project_or(args.project_id.as_deref())?;
        if ArtifactId::parse(&args.artifact_id).is_none() {
            return Err(Error::invalid(format!(
                "`artifact_id` is \"{}\", expected a prefix and at least three digits, such as PRD-006",
                args.artifact_id
            ))
            .detail("field", "artifact_id")
            .reason("invalid_argument"));
        }
        let for_real = args.preview != Some(true);
        let correlation = args.task_id.as_deref();
        let stages = Stages { artifact_id: &args.artifact_id, correlation, quiet: !for_real };
        stages.started();
        let plan = plan::make(place, project, &args.artifact_id, correlation, for_real, &stages)?;
        Ok(Prepared(Some(plan)))
    }

    fn run(cx: &WriteCx<'_>, args: &Args, prepared: &Prepared) -> Result<Output> {
        let plan = prepared.0.as_ref().ok_or_else(|| Error::internal("nothing was prepared"))?;
        if args.preview == Some(true) {
            return Ok(output(plan, Vec::new(), Some(preview(plan))));
        }
        let layout = Layout::seen_by(cx, &plan.project);
        plan::recheck(cx.tx, &layout, plan)?;
        let task_ids = carry_out(cx, plan)?;
        plan.files.promise(cx.write, "approve_artifact", cx.now)?;
        fault::point("promised");
        Ok(output(plan, task_ids, None))
    }

    fn finish(place: &Place<'_>, prepared: &Prepared, output: &Output) -> Result<()> {
        let Some(plan) = prepared.0.as_ref().filter(|_| output.preview.is_none()) else { return Ok(()) };
        plan.files.keep(place.db)?;
        let stages =
            Stages { artifact_id: &output.artifact_id, correlation: place.correlation, quiet: false };
        stages.status_updated(&output.old_status, &output.new_status);
        stages.inputs_resolved(plan.tasks.iter().map(|task| task.inputs.len()).sum(), &plan.warnings);
        stages.tasks_created(&output.task_ids);
        stages.confirmed(plan.reservation.as_ref().map(|reservation| reservation.reservation_id.as_str()));
        stages.completed();
        Ok(())
    }

    fn abandon(prepared: &Prepared) {
        prepared.0.iter().for_each(|plan| plan.files.abandon());
    }
}

/// The rows of an approval: document, history, numbers, tasks.
fn carry_out(cx: &WriteCx<'_>, plan: &Plan) -> Result<Vec<String>> {
    let (project, subject) = (&plan.project, &plan.subject);
    let seq = store::put(cx.write, project, &plan.new, Some(subject.row.seq), cx.now)?;
    store::approve(cx.write, seq, &plan.approval)?;
    let who = (plan.approval.by.as_str(), plan.approval.through.as_str());
    let (status, before) = (plan.described.status(), Some(subject.text.as_str()));
    store::remember(cx.write, seq, Event::Approved, who, status, &subject.sha256, before, cx.now)?;
    if let Some(claims) = &plan.claims {
        remember_given(cx.write, project, &claims.prefix, claims.number, cx.now)?;
    }
    let mut highest: BTreeMap<&str, i64> = BTreeMap::new();
    for part in &plan.parts {
        let number = highest.entry(&part.prefix).or_insert(part.number);
        *number = part.number.max(*number);
    }
    for (prefix, number) in highest {
        // A number that the document has brought along must not be handed out again either.
        sequences::raise(cx.write, project, prefix, number, cx.now)?;
    }
    fault::point("rows");
    let task_ids = if plan.tasks.is_empty() { Vec::new() } else { enqueue(cx, project, &plan.tasks)? };
    fault::point("tasks");
    if let Some(reservation) = &plan.reservation {
        confirm(cx, &reservation.reservation_id)?;
    }
    Ok(task_ids)
}

fn output(plan: &Plan, task_ids: Vec<String>, preview: Option<Preview>) -> Output {
    let new = &plan.new;
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for (from, _) in &plan.mapping {
        *times.entry(from).or_default() += 1;
    }
    let mut id_mapping = JsonObject::new();
    for (from, to) in &plan.mapping {
        // One placeholder may stand for several parts; each keeps a name of its own here.
        let again = times.get(from.as_str()).is_some_and(|times| *times > 1);
        let name = (1..).map(|n| if again { format!("{from}#{n}") } else { from.clone() });
        let free = name.into_iter().find(|name| !id_mapping.contains_key(name));
        id_mapping.extend(free.map(|name| (name, to.to_string().into())));
    }
    Output {
        success: true,
        artifact_id: new.artifact_id.clone(),
        old_status: plan.described.status().to_owned(),
        new_status: APPROVED.to_owned(),
        artifact_path: plan.shown.clone(),
        placeholder_ids_replaced: plan.mapping.len(),
        id_mapping,
        sub_artifacts_detected: plan.parts.iter().map(ToString::to_string).collect(),
        tasks_created: plan.tasks.len(),
        task_ids,
        sha256: plan.approval.sha256.clone(),
        warnings: plan.warnings.clone(),
        preview,
        resource: Resource {
            uri: layout::uri(&plan.described.kind, &new.artifact_id, new.version),
            title: new.title.clone(),
            size: new.size_bytes,
            reservation_id: plan.reservation.as_ref().map(|reservation| reservation.reservation_id.clone()),
        },
    }
}

fn preview(plan: &Plan) -> Preview {
    let planned = |task: &CheckedTask| PlannedTask {
        artifact_id: task.artifact_id.clone(),
        generator: task.generator.clone(),
        description: task.description.clone(),
        inputs: task.inputs.clone(),
    };
    let name = format!("{}_v{}.md", plan.new.artifact_id, plan.new.version);
    Preview {
        diff: unified(&name, &plan.subject.text, &plan.text),
        tasks: plan.tasks.iter().map(planned).collect(),
    }
}
