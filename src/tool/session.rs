//! A connection: who speaks on it, what it may see, and where it stands.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use serde::{Deserialize, Serialize};

use super::{Family, ToolDef};
use crate::clock::Timestamp;
use crate::error::{Error, Result, nearest};
use crate::identity::Caller;
use crate::paths::Repository;

/// How often a connection's calls renew what its workers hold.
const RENEW_EVERY_MS: i64 = 20_000;

/// Names that stand for several toolsets.
const GROUPS: [(&str, &[&str]); 2] = [
    ("workflow", &["ids", "artifacts", "tasks", "docs"]),
    ("domain", &["hr", "finance", "sales", "support"]),
];

/// What a client asks of its connection when it opens one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wish {
    /// A person of the directory to speak for; without one, the owner.
    #[serde(rename = "as")]
    pub caller: Option<String>,
    pub toolsets: Option<String>,
    pub read_only: bool,
    /// Where to look for the repository, before the client's working folder.
    pub repo: Option<PathBuf>,
    pub project: Option<String>,
    pub cwd: Option<PathBuf>,
    /// Where documents are kept, if not in the repository's own place.
    pub artifacts_base: Option<PathBuf>,
}

/// One client's connection. Fixed when it is made.
#[derive(Debug)]
pub struct Session {
    pub caller: Caller,
    pub toolsets: Toolsets,
    pub read_only: bool,
    pub repository: Option<PathBuf>,
    /// Where documents are kept, if somebody has chosen a place.
    pub artifacts_base: Option<PathBuf>,
    pub project: String,
    /// What this connection is called in leases and in the audit trail.
    pub client: String,
    workers: Mutex<Workers>,
    peer: OnceLock<Peer>,
    calls: AtomicU64,
    /// Confirmations whose verdict this connection has not heard.
    expected: Mutex<Vec<String>>,
}

/// The program at the other end, as it calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub name: String,
    pub version: String,
}

/// The names under which a connection has claimed work, and when its calls last kept that alive.
#[derive(Debug, Default)]
struct Workers {
    names: Vec<String>,
    renewed_at: Option<Timestamp>,
}

impl Session {
    pub fn new(caller: Caller, toolsets: Toolsets, client: String) -> Self {
        Session {
            caller,
            toolsets,
            read_only: false,
            repository: None,
            artifacts_base: None,
            project: "default".to_owned(),
            client,
            workers: Mutex::default(),
            peer: OnceLock::new(),
            calls: AtomicU64::new(0),
            expected: Mutex::default(),
        }
    }

    /// Remembers what the program at the other end calls itself; the first word counts.
    pub fn introduce(&self, peer: impl FnOnce() -> Option<Peer>) {
        if self.peer.get().is_none()
            && let Some(peer) = peer()
        {
            let _ = self.peer.set(peer);
        }
    }

    pub fn peer(&self) -> Option<&Peer> {
        self.peer.get()
    }

    /// The connection in the log and the audit trail: the program's name too, once it is known.
    pub fn signature(&self) -> String {
        match self.peer.get() {
            Some(peer) => format!("{}/{}", peer.name, self.client),
            None => self.client.clone(),
        }
    }

    pub fn count_call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Remembers a confirmation until its verdict was heard.
    pub fn expects(&self, confirmation_id: &str) {
        if let Ok(mut expected) = self.expected.lock()
            && !expected.iter().any(|known| known == confirmation_id)
        {
            expected.push(confirmation_id.to_owned());
        }
    }

    pub fn waits_for(&self) -> Vec<String> {
        self.expected.lock().map(|expected| expected.clone()).unwrap_or_default()
    }

    /// Takes a confirmation off the list; tells whether it was on it.
    pub fn hears(&self, confirmation_id: &str) -> bool {
        let Ok(mut expected) = self.expected.lock() else { return false };
        let before = expected.len();
        expected.retain(|known| known != confirmation_id);
        expected.len() < before
    }

    /// The project a call is about.
    pub fn project_or<'a>(&'a self, named: Option<&'a str>) -> Result<&'a str> {
        named.map_or(Ok(&self.project), check_project)
    }

    /// Remembers that work was claimed under a name, so that this connection's calls keep it alive.
    pub fn works_as(&self, worker: &str) {
        if let Ok(mut workers) = self.workers.lock()
            && !workers.names.iter().any(|known| known == worker)
        {
            workers.names.push(worker.to_owned());
        }
    }

    /// The workers whose leases this connection should renew now: all, but not at every call.
    pub fn due_workers(&self, now: Timestamp) -> Vec<String> {
        let Ok(mut workers) = self.workers.lock() else { return Vec::new() };
        // Compared as a distance, because a clock may be set back.
        let recent = |at: Timestamp| (now.0 - at.0).abs() < RENEW_EVERY_MS;
        if workers.names.is_empty() || workers.renewed_at.is_some_and(recent) {
            return Vec::new();
        }
        workers.renewed_at = Some(now);
        workers.names.clone()
    }

    /// Places the connection: in the repository around a folder, and in its project unless another
    /// one is named.
    pub fn stand_in(&mut self, folder: Option<&Path>, project: Option<&str>) -> Result<()> {
        let repository = folder.and_then(Repository::around);
        let named = project
            .map(check_project)
            .transpose()?
            .or(repository.as_ref().map(|found| found.project.as_str()));
        if let Some(project) = named {
            self.project = project.to_owned();
        }
        self.repository = repository.map(|found| found.root);
        Ok(())
    }

    /// Whether this connection has a tool at all.
    pub fn offers(&self, family: &Family, tool: &ToolDef) -> bool {
        self.toolsets.has(family) && (tool.is_read() || !self.read_only)
    }
}

/// A project's name is also the name of a folder, so it must not lead anywhere else.
fn check_project(project: &str) -> Result<&str> {
    let leads_away = project.contains(|c: char| c.is_control() || c == '/' || c == '\\');
    if leads_away || matches!(project.trim(), "" | "." | "..") {
        return Err(Error::invalid("`project_id` is not a name, expected a text without slashes")
            .detail("field", "project_id")
            .detail("received", project)
            .reason("invalid_argument"));
    }
    Ok(project)
}

/// Which toolsets a client has switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Toolsets {
    All,
    These(Vec<&'static str>),
}

impl Toolsets {
    /// Reads a comma-separated list of toolsets and groups.
    pub fn parse(list: &str, families: &[&'static Family]) -> Result<Self> {
        let selectable = || families.iter().filter(|family| !family.everywhere).map(|family| family.name);
        let mut chosen = Vec::new();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let group = GROUPS.iter().find(|(group, _)| *group == name);
            if name == "all" {
                return Ok(Toolsets::All);
            } else if let Some((_, members)) = group {
                chosen.extend(selectable().filter(|family| members.contains(family)));
            } else if let Some(family) = selectable().find(|family| *family == name) {
                chosen.push(family);
            } else {
                let known: Vec<_> = selectable().chain(["workflow", "domain", "all"]).collect();
                let hint = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`? The toolsets are {}", known.join(", ")),
                    None => format!("the toolsets are {}", known.join(", ")),
                };
                return Err(Error::invalid(format!("there is no toolset `{name}`")).hint(hint));
            }
        }
        if chosen.is_empty() {
            return Err(Error::invalid("the list of toolsets is empty").hint("use `all` for everything"));
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(Toolsets::These(chosen))
    }

    pub fn has(&self, family: &Family) -> bool {
        match self {
            Toolsets::All => true,
            Toolsets::These(names) => family.everywhere || names.contains(&family.name),
        }
    }

    pub fn has_any(&self, names: &[&str]) -> bool {
        match self {
            Toolsets::All => true,
            Toolsets::These(chosen) => chosen.iter().any(|name| names.contains(name)),
        }
    }

    /// The names, for `whoami`.
    pub fn names(&self) -> Vec<&'static str> {
        match self {
            Toolsets::All => vec!["all"],
            Toolsets::These(names) => names.clone(),
        }
    }
}
