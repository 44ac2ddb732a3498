//! Everything an approval will do, decided before anything is done.

use std::collections::BTreeSet;

use crate::clock::Timestamp;
use crate::db::journal::{self, Batch, Content};
use crate::db::{ReadTx, sequences};
use crate::error::{Error, Result};
use crate::families::artifacts::described::Described;
use crate::families::artifacts::document::Document;
use crate::families::artifacts::inputs::{self, Sources};
use crate::families::artifacts::kinds::{APPROVED, Children, Decomposition, Kinds};
use crate::families::artifacts::layout::{self, Layout};
use crate::families::artifacts::parts::{Edit, Parts, apply};
use crate::families::artifacts::store::{self, Approval, Artifact, New};
use crate::families::artifacts::{side_file, store::find};
use crate::families::ids::reserve_id_range::reserve;
use crate::families::ids::store::{Reservation, was_given};
use crate::families::tasks::generators::Generators;
use crate::families::tasks::inputs::CheckedTask;
use crate::families::tasks::store::queue;
use crate::fault;
use crate::id::ArtifactId;
use crate::tool::Place;

use super::stages::Stages;
use super::subject::{self, Subject};

/// An approval, ready to be committed.
#[derive(Debug)]
pub struct Plan {
    pub project: String,
    pub subject: Subject,
    pub described: Described,
    pub new: New,
    pub approval: Approval,
    pub shown: String,
    /// The document as it will read.
    pub text: String,
    /// All parts, in order.
    pub parts: Vec<ArtifactId>,
    pub mapping: Vec<(String, ArtifactId)>,
    /// The number that is claimed because it is the document's own.
    pub claims: Option<ArtifactId>,
    pub reservation: Option<Reservation>,
    pub tasks: Vec<CheckedTask>,
    pub warnings: Vec<String>,
    pub files: Batch,
}

/// What there is to know about parts before they have numbers.
struct Detected<'d> {
    children: Option<Children>,
    parts: Option<Parts<'d>>,
    claims: Option<ArtifactId>,
}

/// Plans an approval. Only `for_real` are numbers reserved and files laid out; otherwise the numbers
/// are those that come next.
pub fn make(
    place: &Place<'_>,
    project: &str,
    artifact_id: &str,
    correlation: Option<&str>,
    for_real: bool,
    stages: &Stages<'_>,
) -> Result<Plan> {
    let layout = Layout::of(place, project);
    let subject = subject::load(place, &layout, project, artifact_id)?;
    let document = Document::read(&subject.text);
    let (kinds, described, detected) = place.db.read(|tx| {
        let kinds = Kinds::of(tx, project)?;
        let described = subject::check(tx, &layout, &kinds, &subject, &document)?;
        let detected = detect(tx, project, &document, &described)?;
        Ok((kinds, described, detected))
    })?;
    stages.prerequisites_validated();
    fault::point("checked");
    let unnamed = detected.parts.as_ref().map_or(0, Parts::unnamed);
    stages.detected(detected.children.map(|children| children.prefix), &detected.count());
    let now = place.clock.now();
    let reservation = reserved(place, project, &detected, unnamed, for_real, now)?;
    if let Some(reservation) = reservation.as_ref().filter(|_| for_real) {
        stages.reserved(reservation);
        fault::point("reserved");
    }
    let first = reservation.as_ref().map_or(0, |reservation| reservation.first_number);
    let (mut parts, mapping) = detected.parts.as_ref().map(|parts| parts.named(first)).unwrap_or_default();
    let mut edits: Vec<Edit> =
        detected.parts.as_ref().map(|found| found.edits(&parts)).transpose()?.unwrap_or_default();
    parts.extend(detected.claims.clone());
    edits.extend(document.row("Status").map(|row| (row.at.clone(), APPROVED.to_owned())));
    edits.sort_by_key(|(range, _)| range.start);
    let text = apply(&subject.text, &edits);
    stages.replaced(&mapping);
    let shown = layout.shown(&subject.file);
    let approval = Approval {
        sha256: journal::hash(text.as_bytes()),
        at: now,
        by: place.session.caller.user_id.clone(),
        through: place.session.signature(),
    };
    let new = approved(&subject.row, &described, &text, &approval);
    let (tasks, warnings) = match detected.children {
        Some(children) => {
            let row = as_row(&subject.row, &new);
            let informed_by = informed_by(&document);
            let generators = Generators::load(place.session.repository.as_deref())?;
            place.db.read(|tx| {
                let sources = Sources {
                    tx,
                    layout: &layout,
                    kinds: &kinds,
                    subject: &row,
                    kind: &described.kind,
                    parents: &new.parents,
                    informed_by: &informed_by,
                };
                tasks_for(&sources, &generators, children, &parts, correlation)
            })?
        }
        None => Default::default(),
    };
    let mut plan = Plan {
        project: project.to_owned(),
        claims: detected.claims,
        subject,
        described,
        new,
        approval,
        shown,
        text,
        parts,
        mapping,
        reservation: reservation.filter(|_| for_real),
        tasks,
        warnings,
        files: Batch::default(),
    };
    if for_real {
        plan.lay_out()?;
    }
    Ok(plan)
}

impl Plan {
    fn lay_out(&mut self) -> Result<()> {
        let side = side_file::bytes(&self.new, &self.shown, Some(&self.approval))?;
        let file = &self.subject.file;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let beside = file.with_file_name(layout::metadata_path(&name));
        let document = Content {
            sha256: Some(&self.approval.sha256),
            before: Some(Some(&self.subject.sha256)),
            ..Content::of(file, self.text.as_bytes())
        };
        self.files = Batch::stage([document, Content::of(&beside, &side)])?;
        self.new.modified_ns = self.files.modified_ns(file).unwrap_or(0);
        Ok(())
    }
}

impl Detected<'_> {
    fn count(&self) -> usize {
        self.parts.as_ref().map_or(0, |parts| parts.parts.len()) + usize::from(self.claims.is_some())
    }
}

fn detect<'d>(
    tx: &ReadTx<'_>,
    project: &str,
    document: &'d Document<'d>,
    described: &Described,
) -> Result<Detected<'d>> {
    let mut detected = Detected { children: described.kind.children, parts: None, claims: None };
    let Some(children) = detected.children else { return Ok(detected) };
    match (children.from, described.id()) {
        (Decomposition::SameNumber, Some(id)) => {
            detected.claims = claimed(tx, project, &id, children.prefix)?;
        }
        (Decomposition::SameNumber, None) => {}
        (Decomposition::Sections { .. }, _) => detected.parts = Some(Parts::of(document, &children)?),
    }
    Ok(detected)
}

/// The part that has its document's number: nothing if an earlier version has brought it forth.
pub fn claimed(tx: &ReadTx<'_>, project: &str, id: &ArtifactId, prefix: &str) -> Result<Option<ArtifactId>> {
    let wanted = ArtifactId::new(prefix, id.number);
    let name = wanted.to_string();
    let versions = store::versions(tx, project, &id.to_string())?;
    if versions.iter().any(|version| version.approval.is_some()) {
        return Ok(None);
    }
    let taken = match find(tx, project, &name, None)? {
        // A PRD that was written from this very epic is not somebody else's.
        Some(known) => !store::parents(tx, known.seq)?.contains(&id.to_string()),
        None => queue::was_queued(tx, project, &name)? || was_given(tx, project, prefix, wanted.number)?,
    };
    if !taken {
        return Ok(Some(wanted));
    }
    Err(Error::conflict(format!("{name} is taken already, and {id} claims exactly that number"))
        .reason("id_taken")
        .detail("artifact_id", id.to_string())
        .detail("taken", name))
}

fn reserved(
    place: &Place<'_>,
    project: &str,
    detected: &Detected<'_>,
    unnamed: usize,
    for_real: bool,
    now: Timestamp,
) -> Result<Option<Reservation>> {
    let (Some(children), true) = (detected.children, unnamed > 0) else { return Ok(None) };
    let count = i64::try_from(unnamed).unwrap_or(i64::MAX);
    let (ids, project, prefix) = (place.ids.clone(), project.to_owned(), children.prefix);
    if for_real {
        return place.db.write(move |tx| reserve(tx, &ids, &project, prefix, count, now)).map(Some);
    }
    let last = place.db.read(|tx| sequences::last(tx, &project, prefix))?;
    Ok(Some(Reservation {
        seq: 0,
        reservation_id: String::new(),
        project_id: project,
        prefix: prefix.to_owned(),
        first_number: last.unwrap_or(0) + 1,
        count,
        state: String::new(),
        reserved_at: now,
        expires_at: now,
    }))
}

fn approved(row: &Artifact, described: &Described, text: &str, approval: &Approval) -> New {
    New {
        artifact_id: row.artifact_id.clone(),
        kind: row.kind.clone(),
        version: row.version,
        title: described.title().to_owned(),
        status: APPROVED.to_owned(),
        base: row.base.clone(),
        path: row.path.clone(),
        sha256: approval.sha256.clone(),
        size_bytes: i64::try_from(text.len()).unwrap_or(i64::MAX),
        modified_ns: 0,
        parents: described.metadata.parents.iter().map(ToString::to_string).collect(),
    }
}

/// The row as it will be, for the inputs of the parts.
fn as_row(row: &Artifact, new: &New) -> Artifact {
    Artifact { status: new.status.clone(), title: new.title.clone(), ..row.clone() }
}

fn informed_by(document: &Document<'_>) -> Vec<String> {
    let rows = document.metadata.iter().filter(|row| row.label.starts_with("Informed By"));
    rows.map(|row| row.value.clone()).collect()
}

/// A task for every part that nobody has made or queued yet.
fn tasks_for(
    sources: &Sources<'_>,
    generators: &Generators,
    children: Children,
    parts: &[ArtifactId],
    correlation: Option<&str>,
) -> Result<(Vec<CheckedTask>, Vec<String>)> {
    let project = &sources.subject.project_id;
    let (mut open, mut seen) = (Vec::new(), BTreeSet::new());
    for part in parts.iter().filter(|part| seen.insert(*part)) {
        let name = part.to_string();
        if !store::is_known(sources.tx, project, &name)? && !queue::is_open(sources.tx, project, &name)? {
            open.push(name);
        }
    }
    let Some(first) = open.first() else { return Ok(Default::default()) };
    let generator = generators.find(children.generator)?;
    let (inputs, warnings) = inputs::resolve(sources, generator, first)?;
    let from = &sources.subject.artifact_id;
    let tasks = open.iter().map(|name| CheckedTask {
        artifact_id: name.clone(),
        generator: children.generator.to_owned(),
        correlation_id: correlation.map(str::to_owned),
        description: format!("Generate {name} from {from}"),
        inputs: inputs.clone(),
    });
    Ok((tasks.collect(), warnings))
}

/// Whether what a plan relied on is still so, in the transaction that carries it out.
pub fn recheck(tx: &ReadTx<'_>, layout: &Layout, plan: &Plan) -> Result<()> {
    let row = &plan.subject.row;
    let now = find(tx, &plan.project, &row.artifact_id, None)?;
    let now = now.ok_or_else(|| Error::not_found(format!("Artifact {} not found", row.artifact_id)))?;
    if now.approval.is_some() {
        return Err(Error::conflict(format!(
            "Artifact {} already approved (status: {})",
            now.artifact_id, now.status
        ))
        .reason("already_approved"));
    }
    if (now.seq, &now.sha256, &now.status) != (row.seq, &row.sha256, &row.status) {
        return Err(Error::conflict(format!("{} has changed meanwhile", row.artifact_id))
            .reason("file_changed")
            .hint("read it again and repeat the call"));
    }
    subject::check_parent(tx, layout, &plan.subject, &plan.described)?;
    if let (Some(claims), Some(id)) = (&plan.claims, plan.described.id()) {
        claimed(tx, &plan.project, &id, &claims.prefix)?;
    }
    Ok(())
}
