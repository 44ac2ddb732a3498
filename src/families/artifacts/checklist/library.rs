//! Where checklists come from: compiled in, or the repository's own.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use super::Checklist;
use super::format;
use crate::clock::Timestamp;
use crate::error::{Error, Result, nearest};
use crate::paths::{Outside, existing_file_inside};

/// How long a repository's checklist is believed unless its file changes.
const KEPT_MS: i64 = 5 * 60_000;

/// So many files are remembered; a daemon may serve many repositories.
const REMEMBERED: usize = 64;

/// A type's own checklist; its text is the file in `checklists/`.
struct BuiltIn {
    id: &'static str,
    text: &'static str,
    parsed: OnceLock<Arc<Checklist>>,
}

macro_rules! built_in {
    ($($id:literal),* $(,)?) => {
        [$(BuiltIn {
            id: $id,
            text: include_str!(concat!("../../../../checklists/", $id, ".json")),
            parsed: OnceLock::new(),
        }),*]
    };
}

static BUILT_IN: [BuiltIn; 13] = built_in![
    "adr_validation_v1",
    "backlog_story_validation_v1",
    "business_research_validation_v1",
    "epic_validation_v1",
    "funcspec_validation_v1",
    "hls_validation_v1",
    "implementation_research_validation_v1",
    "initiative_validation_v1",
    "prd_validation_v1",
    "product_vision_validation_v1",
    "spike_validation_v1",
    "task_validation_v1",
    "tech_spec_validation_v1",
];

impl BuiltIn {
    fn checklist(&self) -> Result<Arc<Checklist>> {
        if let Some(parsed) = self.parsed.get() {
            return Ok(Arc::clone(parsed));
        }
        let parsed = format::parse(self.text)
            .map_err(|refusal| Error::internal(format!("the built-in checklist `{}`, {refusal}", self.id)))?;
        Ok(Arc::clone(self.parsed.get_or_init(|| Arc::new(parsed))))
    }
}

/// The ids of all built-in checklists, in alphabetical order.
pub fn ids() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|built_in| built_in.id)
}

/// The JSON of a checklist as it holds for a repository.
pub fn text(id: &str, repository: Option<&Path>) -> Result<String> {
    let id = canonical(id)?;
    match own_file(id, repository)? {
        Some(file) => read(&file),
        None => built_in(id).map(|built_in| built_in.text.to_owned()),
    }
}

/// Checklists by id, with what was read from repositories.
#[derive(Debug, Default)]
pub struct Checklists {
    own: Mutex<HashMap<PathBuf, Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    checklist: Arc<Checklist>,
    read_at: Timestamp,
    /// When the file was changed, and its size.
    state: (Option<SystemTime>, u64),
}

impl Checklists {
    /// The checklists of this process.
    pub fn shared() -> &'static Checklists {
        static SHARED: OnceLock<Checklists> = OnceLock::new();
        SHARED.get_or_init(Checklists::default)
    }

    /// The repository's own checklist `docs/checklists/<id>.json` if it has one, else the built-in.
    pub fn get(&self, id: &str, repository: Option<&Path>, now: Timestamp) -> Result<Arc<Checklist>> {
        let id = canonical(id)?;
        match own_file(id, repository)? {
            Some(file) => self.own(id, &file, now),
            None => built_in(id)?.checklist(),
        }
    }

    fn own(&self, id: &str, file: &Path, now: Timestamp) -> Result<Arc<Checklist>> {
        let found =
            fs::metadata(file).map_err(|error| Error::io(error, format!("read `{}`", file.display())))?;
        let state = (found.modified().ok(), found.len());
        // Compared as a distance, because a clock may be set back.
        let fresh = |known: &&Remembered| known.state == state && (now.0 - known.read_at.0).abs() < KEPT_MS;
        let lost = || Error::internal("the list of checklists was left unusable");
        if let Some(known) = self.own.lock().map_err(|_| lost())?.get(file).filter(fresh) {
            return Ok(Arc::clone(&known.checklist));
        }
        let checklist = Arc::new(parse_own(id, file, &read(file)?)?);
        let mut own = self.own.lock().map_err(|_| lost())?;
        if own.len() >= REMEMBERED {
            own.clear();
        }
        let remembered = Remembered { checklist: Arc::clone(&checklist), read_at: now, state };
        own.insert(file.to_path_buf(), remembered);
        Ok(checklist)
    }
}

/// A checklist's id in its usual spelling. Anything else could lead out of the folder.
fn canonical(id: &str) -> Result<&str> {
    let plain = id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let version = id.rsplit_once("_validation_v").map(|(_, version)| version);
    let numbered =
        version.is_some_and(|version| !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit()));
    match id {
        "implementation_task_validation_v1" => Ok("task_validation_v1"),
        _ if plain && numbered && id.len() <= 100 => Ok(id),
        _ => Err(unknown(id)),
    }
}

fn built_in(id: &str) -> Result<&'static BuiltIn> {
    BUILT_IN.iter().find(|built_in| built_in.id == id).ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> Error {
    let error = Error::not_found(format!("there is no checklist `{id}`")).detail("checklist_id", id);
    match nearest(id, ids()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("a repository may bring its own in docs/checklists/"),
    }
}

fn own_file(id: &str, repository: Option<&Path>) -> Result<Option<PathBuf>> {
    let Some(root) = repository else { return Ok(None) };
    match existing_file_inside(root, &own_path(id)) {
        Ok(file) => Ok(Some(file)),
        Err(Outside::Missing) => Ok(None),
        Err(Outside::Escapes) => {
            Err(Error::conflict(format!("`{}` leads out of the repository", own_path(id))))
        }
    }
}

fn own_path(id: &str) -> String {
    format!("docs/checklists/{id}.json")
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|error| Error::io(error, format!("read `{}`", file.display())))
}

/// A bad file stops the validation: to fall back would check something else than was meant.
fn parse_own(id: &str, file: &Path, json: &str) -> Result<Checklist> {
    let path = own_path(id);
    let refuse = |line: usize, reason: &str| {
        Error::conflict(format!("the checklist `{path}` cannot be used, line {line}: {reason}"))
            .hint("correct the file, or remove it to use the built-in checklist")
            .detail("file", file.display().to_string())
            .detail("line", line)
            .reason("bad_checklist")
    };
    let checklist = format::parse(json).map_err(|refusal| refuse(refusal.line, &refusal.reason))?;
    let expected = format!("{}_validation_v{}", checklist.artifact_type, checklist.version);
    if expected != id {
        return Err(refuse(1, &format!("artifact_type and version say `{expected}`")));
    }
    Ok(checklist)
}
