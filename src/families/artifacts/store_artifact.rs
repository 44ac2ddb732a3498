use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::described::{Described, NoArtifact};
use super::document::Document;
use super::kinds::{APPROVED, Kind, Kinds};
use super::layout::{self, Layout};
use super::store::{self, Artifact, Event, New};
use super::{metadata, side_file};
use crate::db::journal::{self, Batch, Content};
use crate::db::sequences;
use crate::error::{Error, Result};
use crate::tool::offer::Link;
use crate::tool::{Access, JsonObject, Place, Tool, WriteCx, WriteTool};

/// Stores a document with its metadata, both or neither.
pub struct StoreArtifact;

/// What a document needs to say anything.
const SHORTEST: usize = 100;

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
    /// Nothing to do: the very bytes are stored already.
    same: bool,
    files: Batch,
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
        vec![Link {
            uri: output.resource_uri.clone(),
            name: output.artifact_id.clone(),
            title: Some(output.facts.title.clone()),
            mime_type: "text/markdown",
            size: u64::try_from(output.facts.size_bytes).ok(),
        }]
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
        if !ready.same {
            save(cx, ready)?;
        }
        let new = &ready.new;
        Ok(Output {
            success: true,
            artifact_id: new.artifact_id.clone(),
            storage_path: ready.shown.clone(),
            resource_uri: layout::uri(&ready.kind, &new.artifact_id, new.version),
            version: new.version,
            status: new.status.clone(),
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
    let same =
        held.as_deref() == Some(content) && known.as_ref().is_some_and(|known| known.sha256 == new.sha256);
    let mut files = Batch::default();
    if !same {
        refuse_approved(known.as_ref(), held.as_deref(), &new)?;
        let side = side_file::bytes(&new, &shown, None)?;
        let beside = file.with_file_name(side_name(&file));
        let document = Content {
            sha256: Some(&new.sha256),
            before: Some(held_sha256.as_deref()),
            ..Content::of(&file, content.as_bytes())
        };
        files = Batch::stage([document, Content::of(&beside, &side)])?;
        new.modified_ns = files.modified_ns(&file).unwrap_or(0);
    }
    let (project, kind) = (project.to_owned(), described.kind);
    Ok(Ready { project, kind, new, shown, known, replaced: held, same, files })
}

fn side_name(file: &Path) -> String {
    layout::metadata_path(&file.file_name().unwrap_or_default().to_string_lossy())
}

/// Everything that is wrong with a document's metadata, at once.
fn check(document: &Document<'_>, kinds: &Kinds) -> Result<Described> {
    let mut wrong = Vec::new();
    if document.text.chars().take(SHORTEST).count() < SHORTEST {
        wrong.push(format!("the document has fewer than {SHORTEST} characters"));
    }
    if document.text.contains('\0') {
        wrong.push("the document holds a NUL character".to_owned());
    }
    let stated = metadata::Metadata::of(document);
    let described = Described::of(document, None, kinds);
    let mut missing = Vec::new();
    match &described {
        Err(NoArtifact::NoId) => missing.push("ID"),
        Err(NoArtifact::UnknownType) => {
            let prefix = stated.id.as_ref().map_or("", |id| id.prefix.as_str());
            wrong.push(format!(
                "{prefix} is no known prefix, expected one of {}",
                kinds.prefixes().join(", ")
            ));
        }
        Ok(described) => {
            let status = stated.status.as_deref().unwrap_or_default();
            if !status.is_empty() && !described.kind.allows(status) {
                let known: Vec<&str> = described.kind.statuses().collect();
                wrong.push(format!("Status is `{status}`, expected one of {}", known.join(", ")));
            }
        }
    }
    missing.extend(stated.title.is_none().then_some("Title"));
    missing.extend(stated.status.is_none().then_some("Status"));
    if let Some(title) = &stated.title
        && !(5..=200).contains(&title.chars().count())
    {
        wrong.push(format!("Title has {} characters, expected 5 to 200", title.chars().count()));
    }
    match described {
        Ok(described) if missing.is_empty() && wrong.is_empty() => Ok(described),
        _ => Err(impossible(&missing, &wrong)),
    }
}

fn impossible(missing: &[&str], wrong: &[String]) -> Error {
    let mut parts = Vec::new();
    match missing {
        [] => {}
        [one] => parts.push(format!("Missing required metadata field: {one}")),
        several => parts.push(format!("Missing required metadata fields: {}", several.join(", "))),
    }
    parts.extend(wrong.iter().cloned());
    Error::invalid(parts.join("; "))
        .detail("field", "artifact_content")
        .detail("missing", missing.to_vec())
        .detail("wrong", wrong.to_vec())
        .reason("impossible_metadata")
        .hint("a `## Metadata` block holds rows such as `- **PRD ID:** PRD-006` and `- **Status:** Draft`; the title is the first heading")
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
        Some(known) => Layout::new(place.documents(project), Some(Path::new(&known.base))),
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
    match fs::read(file) {
        Ok(bytes) => Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), journal::hash(&bytes)))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(error, format!("read `{}`", file.display()))),
    }
}

/// What is approved stays as it is, and nothing becomes approved by being stored.
fn refuse_approved(known: Option<&Artifact>, held: Option<&str>, new: &New) -> Result<()> {
    let of_file = || held.and_then(|text| metadata::Metadata::of(&Document::read(text)).status);
    let approved = match known {
        Some(known) => known.approval.is_some() || known.status == APPROVED,
        // A file that nobody has indexed yet is somebody's work all the same.
        None => of_file().as_deref() == Some(APPROVED),
    };
    let (id, version) = (&new.artifact_id, new.version);
    if approved {
        return Err(Error::conflict(format!("{id} v{version} is Approved: store a new version"))
            .reason("approved")
            .hint(format!(
                "write `- **Version:** {}` and `- **Status:** Draft` into its Metadata block",
                version + 1
            )));
    }
    if new.status == APPROVED {
        return Err(Error::conflict(format!("{id} cannot be stored as Approved"))
            .reason("not_approved")
            .hint("store it as Draft, let a person agree, then call approve_artifact"));
    }
    Ok(())
}

fn save(cx: &WriteCx<'_>, ready: &Ready) -> Result<()> {
    let new = &ready.new;
    let now_known = store::find(cx.tx, &ready.project, &new.artifact_id, Some(new.version))?;
    if now_known.as_ref().map(|known| (&known.sha256, &known.status))
        != ready.known.as_ref().map(|known| (&known.sha256, &known.status))
    {
        return Err(Error::conflict(format!("{} has changed meanwhile", new.artifact_id))
            .reason("file_changed")
            .hint("read it again and repeat the call"));
    }
    let known = now_known.as_ref().map(|known| known.seq);
    let seq = store::put(cx.write, &ready.project, new, known, cx.now)?;
    let who = (cx.caller().user_id.as_str(), cx.session.signature());
    let (event, sha256) = match &ready.replaced {
        Some(text) => (Event::Replaced, journal::hash(text.as_bytes())),
        None => (Event::Stored, new.sha256.clone()),
    };
    let until = now_known.as_ref().map_or(new.status.as_str(), |known| known.status.as_str());
    store::remember(
        cx.write,
        seq,
        event,
        (who.0, &who.1),
        until,
        &sha256,
        ready.replaced.as_deref(),
        cx.now,
    )?;
    // Whoever numbers a document by hand must not meet a number that is handed out later.
    if let Some(id) = crate::id::ArtifactId::parse(&new.artifact_id) {
        sequences::raise(cx.write, &ready.project, &id.prefix, id.number, cx.now)?;
    }
    ready.files.promise(cx.write, "store_artifact", cx.now)
}
