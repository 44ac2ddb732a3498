//! Everything an approval will do, decided before anything is done.

use std::collections::BTreeSet;

use crate::clock::Timestamp;
use crate::db::journal::{self, Batch, Content};
use crate::db::{ReadTx, sequences};
use crate::error::{Error, Result};
use crate::families::artifacts::changes::unified;
use crate::families::artifacts::described::Described;
use crate::families::artifacts::document::Document;
use crate::families::artifacts::inputs::{self, Sources};
use crate::families::artifacts::kinds::{APPROVED, Children, Decomposition, Kinds};
use crate::families::artifacts::layout::{self, Layout};
use crate::families::artifacts::parts::Parts;
use crate::families::artifacts::renaming::{Edit, apply};
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
    /// What would change in the document, for a preview.
    pub diff: Option<String>,
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
    for_real: bool,
    stages: &Stages<'_>,
) -> Result<Plan> {
    let layout = Layout::of(place, project);
    let subject = subject::load(place, &layout, project, artifact_id)?;
    let Outline { described, claims, drawn, reservation, warnings } =
        outline(place, project, &layout, &subject, for_real, stages)?;
    let mut plan = Plan {
        project: project.to_owned(),
        shown: layout.shown(&subject.file),
        subject,
        described,
        new: drawn.new,
        approval: drawn.approval,
        text: drawn.text,
        parts: drawn.parts,
        mapping: drawn.mapping,
        claims,
        reservation,
        tasks: drawn.tasks,
        warnings,
        files: Batch::default(),
        diff: None,
    };
    if for_real {
        plan.lay_out()?;
    } else {
        let name = format!("{}_v{}.md", plan.new.artifact_id, plan.new.version);
        plan.diff = Some(unified(&name, &plan.subject.text, &plan.text));
    }
    Ok(plan)
}

/// Everything but the files.
struct Outline {
    described: Described,
    claims: Option<ArtifactId>,
    drawn: Drawn,
    reservation: Option<Reservation>,
    warnings: Vec<String>,
}

fn outline(
    place: &Place<'_>,
    project: &str,
    layout: &Layout,
    subject: &Subject,
    for_real: bool,
    stages: &Stages<'_>,
) -> Result<Outline> {
    let document = Document::read(&subject.text);
    let (kinds, described, detected) = place.db.read(|tx| {
        let kinds = Kinds::of(tx, project)?;
        let described = subject::check(tx, layout, &kinds, subject, &document)?;
        let detected = detect(tx, project, &document, &described)?;
        Ok((kinds, described, detected))
    })?;
    stages.prerequisites_validated();
    fault::point("checked");
    stages.detected(detected.children.map(|children| children.prefix), detected.count());
    let now = place.clock.now();
    let setting = Setting { place, layout, kinds: &kinds, subject, described: &described, now };
    // Drawn once with the numbers that come next: what cannot be done must not use up any.
    let next = detected.next_number(place, project)?;
    let mut drawn = setting.draw(&document, &detected, next)?;
    let mut reservation = None;
    if for_real && let Some(reserved) = detected.reserve(place, project, now)? {
        stages.reserved(&reserved);
        fault::point("reserved");
        if reserved.first_number != next {
            drawn = setting.draw(&document, &detected, reserved.first_number)?;
        }
        reservation = Some(reserved);
    }
    stages.replaced(&drawn.mapping);
    let mut warnings = described.remarks.clone();
    warnings.extend(detected.parts.iter().flat_map(|parts| parts.remarks.clone()));
    warnings.append(&mut drawn.warnings);
    let claims = detected.claims;
    Ok(Outline { described, claims, drawn, reservation, warnings })
}

/// What a drawing is made from.
struct Setting<'a> {
    place: &'a Place<'a>,
    layout: &'a Layout,
    kinds: &'a Kinds,
    subject: &'a Subject,
    described: &'a Described,
    now: Timestamp,
}

/// The approval with its numbers filled in.
struct Drawn {
    new: New,
    approval: Approval,
    text: String,
    parts: Vec<ArtifactId>,
    mapping: Vec<(String, ArtifactId)>,
    tasks: Vec<CheckedTask>,
    warnings: Vec<String>,
}

impl Setting<'_> {
    fn draw(&self, document: &Document<'_>, detected: &Detected<'_>, first: i64) -> Result<Drawn> {
        let (place, described) = (self.place, self.described);
        let (mut parts, mapping) =
            detected.parts.as_ref().map(|parts| parts.named(first)).unwrap_or_default();
        let statuses: Vec<Edit> = document
            .metadata
            .iter()
            .filter(|row| row.label == "Status")
            .map(|row| (row.at.clone(), APPROVED.to_owned()))
            .collect();
        let mut edits =
            detected.parts.as_ref().map(|found| found.edits(&parts)).transpose()?.unwrap_or_default();
        // A status that mentions a placeholder is replaced as a whole.
        edits.retain(|(range, _)| !statuses.iter().any(|(status, _)| status.contains(&range.start)));
        edits.extend(statuses);
        edits.sort_by_key(|(range, _)| range.start);
        let text = apply(&self.subject.text, &edits);
        parts.extend(detected.claims.clone());
        let approval = Approval {
            sha256: journal::hash(text.as_bytes()),
            at: self.now,
            by: place.session.caller.user_id.clone(),
            through: place.session.signature(),
        };
        let new = approved(self.subject, described, &text, &approval);
        let (tasks, warnings) = match detected.children {
            Some(children) => self.tasks(document, children, &parts, &new)?,
            None => Default::default(),
        };
        Ok(Drawn { new, approval, text, parts, mapping, tasks, warnings })
    }

    fn tasks(
        &self,
        document: &Document<'_>,
        children: Children,
        parts: &[ArtifactId],
        new: &New,
    ) -> Result<(Vec<CheckedTask>, Vec<String>)> {
        let row = as_row(&self.subject.row, new);
        let informed_by = informed_by(document);
        let generators = Generators::load(self.place.session.repository.as_deref())?;
        self.place.db.read(|tx| {
            let sources = Sources {
                tx,
                layout: self.layout,
                kinds: self.kinds,
                subject: &row,
                kind: &self.described.kind,
                parents: &new.parents,
                informed_by: &informed_by,
            };
            tasks_for(&sources, &generators, children, parts, self.place.correlation)
        })
    }
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

    /// The prefix and the count of those that need a number.
    fn unnamed(&self) -> Option<(&'static str, i64)> {
        let count = self.parts.as_ref().map_or(0, Parts::unnamed);
        let prefix = self.children.filter(|_| count > 0)?.prefix;
        Some((prefix, i64::try_from(count).unwrap_or(i64::MAX)))
    }

    fn next_number(&self, place: &Place<'_>, project: &str) -> Result<i64> {
        let Some((prefix, _)) = self.unnamed() else { return Ok(0) };
        Ok(place.db.read(|tx| sequences::last(tx, project, prefix))?.unwrap_or(0) + 1)
    }

    fn reserve(&self, place: &Place<'_>, project: &str, now: Timestamp) -> Result<Option<Reservation>> {
        let Some((prefix, count)) = self.unnamed() else { return Ok(None) };
        let (ids, project) = (place.ids.clone(), project.to_owned());
        place.db.write(move |tx| reserve(tx, &ids, &project, prefix, count, now)).map(Some)
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

/// The part that has its document's number.
pub fn claimed(tx: &ReadTx<'_>, project: &str, id: &ArtifactId, prefix: &str) -> Result<Option<ArtifactId>> {
    let wanted = ArtifactId::new(prefix, id.number);
    let name = wanted.to_string();
    let taken = match find(tx, project, &name, None)? {
        // A PRD that was written from this very epic is not somebody else's.
        Some(known) => !store::parents(tx, known.seq)?.contains(&id.to_string()),
        // Nor is one that an earlier version of it has brought forth.
        None if queue::was_queued(tx, project, &name)? => {
            !queue::depends_on(tx, project, &name, &id.to_string())?
        }
        None => was_given(tx, project, prefix, wanted.number)?,
    };
    if !taken {
        return Ok(Some(wanted));
    }
    Err(Error::conflict(format!("{name} is taken already, and {id} claims exactly that number"))
        .reason("id_taken")
        .detail("artifact_id", id.to_string())
        .detail("taken", name))
}

fn approved(subject: &Subject, described: &Described, text: &str, approval: &Approval) -> New {
    let row = &subject.row;
    New {
        artifact_id: row.artifact_id.clone(),
        kind: row.kind.clone(),
        version: row.version,
        title: described.title().to_owned(),
        status: APPROVED.to_owned(),
        base: subject.base.to_string_lossy().into_owned(),
        path: row.path.clone(),
        sha256: approval.sha256.clone(),
        size_bytes: i64::try_from(text.len()).unwrap_or(i64::MAX),
        modified_ns: 0,
        parents: described.metadata.parents.iter().map(ToString::to_string).collect(),
    }
}

/// The row as it will be, for the inputs of the parts.
fn as_row(row: &Artifact, new: &New) -> Artifact {
    Artifact { status: new.status.clone(), title: new.title.clone(), base: new.base.clone(), ..row.clone() }
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
