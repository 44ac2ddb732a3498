//! The documents of a completed session, all of them or none.

use std::fs;
use std::path::{Path, PathBuf};

use super::clarify::{Kind, Lists, Outcome, Provenance, distinct, files, lists};
use super::documents::adr::{self, Answer, Consequences};
use super::documents::decide::{Decided, Decision};
use super::documents::library::Library;
use super::documents::task::{self, Criterion, Task};
use super::documents::{State, Uid, state_file};
use super::store::Session;
use crate::clock::Timestamp;
use crate::db::journal::{self, Batch, Content};
use crate::error::{Error, Result};

/// A document that is laid out.
#[derive(Clone, Debug)]
pub struct Made {
    pub path: String,
    pub kind: &'static str,
    pub uid: Option<String>,
}

/// What the repository held.
#[derive(Debug)]
pub struct Before<'a> {
    /// The task that is under way, with the time of its last change. To be read before the decisions: whoever
    /// else ends a session replaces it after adding a decision, so that a task that has not changed since
    /// says that no decision was missed.
    pub task: Option<(String, Timestamp)>,
    pub library: &'a Library,
    pub state: &'a State,
}

/// All documents of a session, not yet in their places.
#[derive(Debug)]
pub struct Laid {
    pub files: Batch,
    pub made: Vec<Made>,
    /// What is never changed again, by its path, and is to be kept on record.
    pub recorded: Vec<(String, String)>,
    /// Which paths of an answer were left out.
    pub notes: Vec<String>,
}

/// Lays out what a session has come to: the decision, the task, the archived one before it, the
/// projection.
pub fn lay_out(
    root: &Path,
    session: &Session,
    outcome: &Outcome,
    before: Before<'_>,
    now: Timestamp,
    seed: u16,
) -> Result<Laid> {
    let docs = root.join("docs");
    for folder in ["docs", "docs/adr", "docs/archive", "docs/archive/task"] {
        refuse_outside(root, folder)?;
    }
    let current = docs.join("CURRENT_TASK.md");
    let Before { task: before, library, state } = before;
    // The task that is being replaced has the newest UID, and is not archived yet.
    let replaced = before.as_ref().and_then(|(text, _)| task::read(text).uid);
    let decided_uid = Uid::next(now, library.highest.as_ref().max(replaced.as_ref()), seed);
    let adr = match &outcome.kind {
        Kind::TaskOnly => None,
        Kind::Adr { category, fields } => {
            state.decide(decision(session, outcome, category, fields), decided_uid.clone())
        }
    };
    let task_uid = Uid::next(now, Some(&decided_uid), seed);
    let files = files(root);
    let mut lists = lists(&files, &outcome.path_words, &outcome.allowlist_paths);
    if adr.is_some() && outcome.allowlist_paths.is_empty() {
        lists.add_manifests(&files);
    }
    // What somebody named is not passed over in silence; a guess of ours is seen in the task.
    let notes = if outcome.allowlist_paths.is_empty() { Vec::new() } else { lists.notes.clone() };
    let task = task(lists, session, outcome, task_uid, adr.as_ref().map(|adr| adr.uid.clone()), now);
    let mut written: Vec<(PathBuf, String, Option<Option<String>>)> = Vec::new();
    let (mut made, mut recorded) = (Vec::new(), Vec::new());
    if let Some(adr) = &adr {
        let name = adr.file_name();
        let (text, uid) = (adr::write(adr), Some(adr.uid.to_string()));
        recorded.push((format!("docs/adr/{name}"), text.clone()));
        made.push(Made { path: format!("docs/adr/{name}"), kind: "adr", uid });
        written.push((docs.join("adr").join(name), text, Some(None)));
    }
    if let Some((text, changed)) = &before {
        let archive = docs.join("archive/task");
        let (_, name) = task::archive_name(text, *changed, &|name| archive.join(name).exists());
        recorded.push((format!("docs/archive/task/{name}"), text.clone()));
        written.push((archive.join(name), text.clone(), Some(None)));
    }
    let before = before.map(|(text, _)| journal::hash(text.as_bytes()));
    written.push((current, task::write(&task), Some(before)));
    made.push(Made { path: "docs/CURRENT_TASK.md".to_owned(), kind: "task", uid: None });
    let projection = docs.join("ARCHITECTURE_STATE.md");
    // Also where nothing new is decided, what is decided has to be there to be read.
    let is_gone = state.uid.is_some() && projection.symlink_metadata().is_err();
    if adr.is_some() || is_gone {
        let mut after = state.clone();
        if let Some(adr) = &adr {
            after.apply(adr).map_err(|_| Error::internal("a new decision is not the newest"))?;
        }
        written.push((projection, state_file::write(&after), None));
        let path = "docs/ARCHITECTURE_STATE.md".to_owned();
        made.push(Made { path, kind: "projection", uid: None });
    }
    let contents = written.iter().map(|(target, text, before)| Content {
        before: before.as_ref().map(Option::as_deref),
        ..Content::of(target, text.as_bytes())
    });
    Ok(Laid { files: Batch::stage(contents)?, made, recorded, notes })
}

/// A link must not lead the documents out of the repository.
fn refuse_outside(root: &Path, folder: &str) -> Result<()> {
    let Ok(real) = root.join(folder).canonicalize() else { return Ok(()) };
    if root.canonicalize().is_ok_and(|root| real.starts_with(root)) {
        return Ok(());
    }
    tracing::warn!(event = "path_traversal_refused", tool_name = "require_clarification");
    Err(Error::conflict(format!("`{folder}` leads out of the repository"))
        .detail("code", "FILESYSTEM_ERROR")
        .reason("path_traversal")
        .hint("replace the link by a folder"))
}

fn decision(
    session: &Session,
    outcome: &Outcome,
    category: &str,
    fields: &[super::clarify::Decided],
) -> Decision {
    let values = fields.iter().map(|decided| Decided {
        category: decided.category.clone(),
        field: decided.field.clone(),
        value: decided.value.clone(),
        provenance: decided.provenance,
    });
    let said = session.context.as_ref().map(|context| format!("\n\n{context}")).unwrap_or_default();
    let further = outcome.notes.iter().map(|note| Answer {
        about: "Note".to_owned(),
        value: note.clone(),
        provenance: Provenance::Default,
    });
    let proposed = outcome.further.iter().map(|further| Answer {
        about: further.about.clone(),
        value: further.value.clone(),
        provenance: further.provenance,
    });
    let mut alternatives = outcome.alternatives.clone();
    if alternatives.is_empty() {
        alternatives.push("None were recorded".to_owned());
    }
    Decision {
        category: category.to_owned(),
        context: format!("{}{said}", session.intention),
        rationale: format!("A record is due: {}", outcome.reason.trim_start_matches("ADR: ")),
        alternatives,
        consequences: Consequences::default(),
        values: values.collect(),
        further_answers: proposed.chain(further).collect(),
    }
}

fn task(
    lists: Lists,
    session: &Session,
    outcome: &Outcome,
    uid: Uid,
    adr: Option<Uid>,
    now: Timestamp,
) -> Task {
    let mut criteria: Vec<Criterion> =
        outcome.acceptance_criteria.iter().map(|text| Criterion { text: text.clone(), met: false }).collect();
    if criteria.is_empty() {
        criteria.push(task::default_criterion(&session.intention));
    }
    let decided = match &outcome.kind {
        Kind::TaskOnly => String::new(),
        Kind::Adr { fields, .. } => {
            let categories = distinct(fields.iter().map(|decided| decided.category.as_str()));
            let lines = categories.into_iter().map(|category| {
                let of = fields.iter().filter(|decided| decided.category == category);
                task::decision_line(category, of.map(|one| (one.field.as_str(), one.value.as_str())))
            });
            format!("\n\n{}", lines.collect::<Vec<_>>().join("\n\n"))
        }
    };
    // The objective has the intention already.
    let reason = match (&adr, outcome.reason.split_once(": ")) {
        (Some(_), Some((_, why))) => format!("A decision was recorded: {why}"),
        (None, Some((_, why))) => format!("No decision was recorded: {why}"),
        (_, None) => outcome.reason.clone(),
    };
    let related = adr.as_ref().map(|uid| format!("Related ADR: {uid}"));
    let context = [session.context.clone(), Some(reason), related];
    let context: Vec<String> = context.into_iter().flatten().collect();
    Task {
        uid: Some(uid),
        created: now.rfc3339(),
        related_adr: adr,
        title: task::title_of(&session.intention),
        objective: format!("{}{decided}", session.intention),
        context: context.join("\n\n"),
        allowlist: lists.allowlist,
        forbidden: lists.forbidden,
        constraints: outcome.constraints.clone(),
        criteria,
    }
}

/// The text of the task that is under way and when it was changed, if there is one.
pub fn current_task(root: &Path) -> Result<Option<(String, Timestamp)>> {
    let file = &root.join("docs/CURRENT_TASK.md");
    let failed = |error| Error::io(error, format!("read `{}`", file.display()));
    // Reading a pipe waits for whoever writes it.
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(Error::conflict("`docs/CURRENT_TASK.md` is no file")
            .detail("code", "FILESYSTEM_ERROR")
            .reason("not_a_file")
            .hint("move it out of the way"));
    }
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let changed = fs::metadata(file).and_then(|found| journal::modified_ns(&found)).map_err(failed)?;
    Ok(Some((text, Timestamp(changed / 1_000_000))))
}
