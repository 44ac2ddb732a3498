use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::described::Described;
use super::document::Document;
use super::kinds::{Kind, Kinds};
use super::layout::{self, Layout};
use super::side_file;
use super::storable::{check, refuse_approved};
use super::store::{self, Artifact, Event, New};
use crate::db::journal::{self, Batch, Content};
use crate::db::{ReadTx, sequences};
use crate::error::{Error, Result};
use crate::id::ArtifactId;
use crate::tool::offer::Link;
use crate::tool::{Access, JsonObject, Place, Tool, WriteCx, WriteTool};

/// Stores a document with its metadata, both or neither.
pub struct StoreArtifact;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The whole document, with its Metadata block
    #[schemars(length(min = 1, max = 4_000_000))]
    artifact_content: String,
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
    artifact_id: String,
    storage_path: String,
    resource_uri: String,
    version: i64,
    status: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    facts: Facts,
}

/// What the log and the links say besides the answer.
#[derive(Debug, Default)]
struct Facts {
    artifact_type: String,
    size_bytes: i64,
    title: String,
}

/// A document that is ready to be stored.
#[derive(Debug)]
struct Ready {
    project: String,
    kind: Kind,
    new: New,
    shown: String,
    /// What the index knew of this version.
    known: Option<Artifact>,
    /// What lay in its file until now.
    replaced: Option<String>,
    replaced_sha256: Option<String>,
    work: Work,
    files: Batch,
    warnings: Vec<String>,
}

/// What there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// The very bytes are stored already.
    Nothing,
    /// They were, and a file is gone or another: it is brought back, the index is as it was.
    Repair,
    Store,
}

#[derive(Debug, Default)]
pub struct Prepared(Option<Ready>);

impl Tool for StoreArtifact {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "store_artifact";
    const TITLE: &'static str = "Store an artifact";
    const DESCRIPTION: &'static str = "Stores a validated document by the ID, status and version its Metadata \
        block states. A changed draft is replaced and its old text kept; an approved one is refused: \
        raise its Version.";
    const ACCESS: Access = Access::Everyone;
    const CORRELATION: Option<&'static str> = Some("task_id");

    fn log_fields(output: &Output, log: &mut JsonObject) {
        log.insert("artifact_id".to_owned(), output.artifact_id.clone().into());
        log.insert("artifact_type".to_owned(), output.facts.artifact_type.clone().into());
        log.insert("version".to_owned(), output.version.into());
        log.insert("size_bytes".to_owned(), output.facts.size_bytes.into());
        log.insert("storage_path".to_owned(), output.storage_path.clone().into());
        log.insert("resource_uri".to_owned(), output.resource_uri.clone().into());
    }

    fn links(output: &Output) -> Vec<Link> {
        let facts = &output.facts;
        vec![layout::link(&output.resource_uri, &output.artifact_id, &facts.title, facts.size_bytes)]
    }
}

impl WriteTool for StoreArtifact {
    type Prepared = Prepared;
    const TOUCHES_FILES: bool = true;
    const IDEMPOTENT: bool = true;

    fn prepare(place: &Place<'_>, args: &Args) -> Result<Prepared> {
        let project = place.session.project_or(args.project_id.as_deref())?;
        Ok(Prepared(Some(ready(place, project, &args.artifact_content)?)))
    }

    fn run(cx: &WriteCx<'_>, _: &Args, prepared: &Prepared) -> Result<Output> {
        let ready = prepared.0.as_ref().ok_or_else(|| Error::internal("nothing was prepared"))?;
        match ready.work {
            Work::Nothing => {}
            Work::Repair => ready.files.promise(cx.write, "store_artifact", cx.now)?,
            Work::Store => save(cx, ready)?,
        }
        let new = &ready.new;
        Ok(Output {
            success: true,
            artifact_id: new.artifact_id.clone(),
            storage_path: ready.shown.clone(),
            resource_uri: layout::uri(&ready.kind, &new.artifact_id, new.version),
            version: new.version,
            status: new.status.clone(),
            warnings: ready.warnings.clone(),
            facts: Facts {
                artifact_type: new.kind.clone(),
                size_bytes: new.size_bytes,
                title: new.title.clone(),
            },
        })
    }

    fn finish(place: &Place<'_>, prepared: &Prepared, _: &Output) -> Result<()> {
        prepared.0.as_ref().map_or(Ok(()), |ready| ready.files.keep(place.db))
    }

    fn abandon(prepared: &Prepared) {
        prepared.0.iter().for_each(|ready| ready.files.abandon());
    }
}

fn ready(place: &Place<'_>, project: &str, content: &str) -> Result<Ready> {
    let kinds = place.db.read(|tx| Kinds::of(tx, project))?;
    let document = Document::read(content);
    let described = check(&document, &kinds)?;
    let wanted = described.version;
    let known = place.db.read(|tx| store::find(tx, project, &described.artifact_id, wanted))?;
    let version = known.as_ref().map(|known| known.version).or(wanted).unwrap_or(1);
    let (base, path, file) = target(place, project, &described, version, known.as_ref())?;
    place.db.read(|tx| {
        refuse_foreign(tx, project, &base, &path)?;
        let Some(id) = described.id().filter(|_| known.is_none()) else { return Ok(()) };
        refuse_far(tx, project, &id)
    })?;
    journal::settle_file(place.db, &file)?;
    let (held, held_sha256) = held(&file)?.unzip();
    let layout = Layout::of(place, project);
    let mut new = New {
        artifact_id: described.artifact_id.clone(),
        kind: described.kind.type_name().to_owned(),
        version,
        title: described.title().to_owned(),
        status: described.status().to_owned(),
        base,
        path,
        sha256: journal::hash(content.as_bytes()),
        size_bytes: i64::try_from(content.len()).unwrap_or(i64::MAX),
        modified_ns: 0,
        parents: described.metadata.parents.iter().map(ToString::to_string).collect(),
    };
    let shown = layout.shown(&file);
    let known_bytes = known.as_ref().is_some_and(|known| known.sha256 == new.sha256);
    let intact = held.as_deref() == Some(content) && known_bytes;
    let approval = known.as_ref().and_then(|known| known.approval.as_ref());
    let approval = approval.filter(|approval| approval.sha256 == new.sha256);
    let side = side_file::bytes(&new, &shown, approval)?;
    let beside = file.with_file_name(side_name(&file));
    let beside_intact = fs::read(&beside).is_ok_and(|bytes| bytes == side);
    let work = match (intact, approval) {
        (true, _) if beside_intact => Work::Nothing,
        (true, _) | (_, Some(_)) => Work::Repair,
        (false, None) => Work::Store,
    };
    if work == Work::Store {
        refuse_approved(known.as_ref(), held.as_deref(), &new)?;
    }
    let document = Content {
        sha256: Some(&new.sha256),
        before: Some(held_sha256.as_deref()),
        ..Content::of(&file, content.as_bytes())
    };
    let contents = [(!intact).then_some(document), (!beside_intact).then(|| Content::of(&beside, &side))];
    let files = Batch::stage(contents.into_iter().flatten())?;
    new.modified_ns = files.modified_ns(&file).unwrap_or(0);
    let (project, kind, warnings) = (project.to_owned(), described.kind, described.remarks);
    Ok(Ready {
        project,
        kind,
        new,
        shown,
        known,
        replaced: held,
        replaced_sha256: held_sha256,
        work,
        files,
        warnings,
    })
}

/// A file belongs to one project, whichever of them stands in the repository.
fn refuse_foreign(tx: &ReadTx<'_>, project: &str, base: &str, path: &str) -> Result<()> {
    match store::file_of(tx, base, path)?.filter(|other| other.project_id != project) {
        None => Ok(()),
        Some(other) => Err(Error::conflict(format!(
            "`{path}` belongs to the project `{}`",
            other.project_id
        ))
        .reason("other_project")
        .hint("use that project_id, or keep the documents of this project elsewhere (ARTIFACTS_BASE_DIR)")),
    }
}

/// A number that nobody could have been given would use up all those before it.
fn refuse_far(tx: &ReadTx<'_>, project: &str, id: &ArtifactId) -> Result<()> {
    if !sequences::is_far(tx, project, &id.prefix, id.number)? {
        return Ok(());
    }
    Err(Error::invalid(format!("{id} lies far beyond the numbers of this project"))
        .detail("field", "artifact_content")
        .reason("number_too_far")
        .hint("get_next_available_id hands out the next one"))
}

fn side_name(file: &Path) -> String {
    layout::metadata_path(&file.file_name().unwrap_or_default().to_string_lossy())
}

/// Where a version goes: to its own file if it has one, else to the place of its kind.
fn target(
    place: &Place<'_>,
    project: &str,
    described: &Described,
    version: i64,
    known: Option<&Artifact>,
) -> Result<(String, String, PathBuf)> {
    let own = Layout::of(place, project);
    let known = known.filter(|known| own.reaches(place.session.repository.as_deref(), known));
    let layout = match known {
        Some(known) => Layout::new(&place.documents(project), Some(Path::new(&known.base))),
        None => own,
    };
    let path = known.map_or_else(
        || layout::path_of(&described.kind, &described.artifact_id, version),
        |known| known.path.clone(),
    );
    let file = layout.target(&path)?;
    let base = layout.base().to_str().ok_or_else(|| {
        Error::invalid(format!("`{}` is not Unicode", layout.base().display())).hint("name another folder")
    })?;
    Ok((base.to_owned(), path, file))
}

/// What lies in a file, if there is one, and the hash of its bytes.
fn held(file: &Path) -> Result<Option<(String, String)>> {
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(Error::invalid(format!("`{}` is not a file", file.display())).reason("not_a_file"));
    }
    match fs::read(file) {
        Ok(bytes) => Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), journal::hash(&bytes)))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(error, format!("read `{}`", file.display()))),
    }
}

fn save(cx: &WriteCx<'_>, ready: &Ready) -> Result<()> {
    let new = &ready.new;
    let known = store::find(cx.tx, &ready.project, &new.artifact_id, Some(new.version))?;
    if known.as_ref().map(|known| (&known.sha256, &known.status))
        != ready.known.as_ref().map(|known| (&known.sha256, &known.status))
    {
        // Somebody else has just stored the very same: that is what was asked for.
        if known.is_some_and(|known| known.sha256 == new.sha256) {
            return Ok(());
        }
        return Err(Error::conflict(format!("{} has changed meanwhile", new.artifact_id))
            .reason("file_changed")
            .hint("read it again and repeat the call"));
    }
    refuse_foreign(cx.tx, &ready.project, &new.base, &new.path)?;
    let seq = store::put(cx.write, &ready.project, new, known.as_ref().map(|known| known.seq), cx.now)?;
    let client = cx.session.signature();
    let event = if ready.replaced.is_some() { Event::Replaced } else { Event::Stored };
    let sha256 = ready.replaced_sha256.as_deref().unwrap_or(&new.sha256);
    let who = (cx.caller().user_id.as_str(), client.as_str());
    let until = known.as_ref().map_or(new.status.as_str(), |known| known.status.as_str());
    store::remember(cx.write, seq, event, who, until, sha256, ready.replaced.as_deref(), cx.now)?;
    // Whoever numbers a document by hand must not meet a number that is handed out later.
    if let Some(id) = ArtifactId::parse(&new.artifact_id) {
        sequences::raise(cx.write, &ready.project, &id.prefix, id.number, cx.now)?;
    }
    ready.files.promise(cx.write, "store_artifact", cx.now)
}
