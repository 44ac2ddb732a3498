//! Which files below a root are documents, and what their names say.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::joins::Known;
use crate::id::ArtifactId;
use crate::paths::markdown_below;

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Adr,
    Task,
    Artifact,
    /// The architecture's state: followed, but not searched, since it only repeats the decisions.
    State,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Adr, Self::Task, Self::Artifact, Self::State];
    pub const SEARCHED: [Self; 3] = [Self::Adr, Self::Task, Self::Artifact];

    pub fn word(self) -> &'static str {
        match self {
            Kind::Adr => "adr",
            Kind::Task => "task",
            Kind::Artifact => "artifact",
            Kind::State => "state",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

pub const CURRENT_TASK: &str = "docs/CURRENT_TASK.md";
pub const STATE: &str = "docs/ARCHITECTURE_STATE.md";
pub const ADRS: &str = "docs/adr/";
pub const ARCHIVED_TASKS: &str = "docs/archive/task/";
const ARTIFACTS: &str = "docs/artifacts/";
/// What every resource here begins with; the rest is the path below `docs/`.
pub const URI: &str = "mcp://resources/docs/";

/// A document that lies below a root, or is known to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// As it is stored and shown.
    pub path: String,
    pub file: PathBuf,
    pub kind: Kind,
    pub id: Option<String>,
    pub title: Option<String>,
    pub uri: Option<String>,
    pub known: Option<Known>,
}

impl Document {
    /// Whether it must keep the bytes it has, if it has a UID: decisions and archived tasks are never
    /// changed, what else lies among them (a README, a template) is.
    pub fn must_rest(&self) -> bool {
        is_at_rest(&self.path)
    }
}

/// Whether what lies at a path is never changed.
pub fn is_at_rest(path: &str) -> bool {
    path != CURRENT_TASK && matches!(kind_of(path), Some(Kind::Adr | Kind::Task))
}

/// What a path below a root is, if it is a document.
pub fn kind_of(path: &str) -> Option<Kind> {
    let directly_in = |folder: &str| path.strip_prefix(folder).is_some_and(|name| !name.contains('/'));
    match path {
        CURRENT_TASK => Some(Kind::Task),
        STATE => Some(Kind::State),
        _ if directly_in(ADRS) => Some(Kind::Adr),
        _ if directly_in(ARCHIVED_TASKS) => Some(Kind::Task),
        _ if path.starts_with(ARTIFACTS) => Some(Kind::Artifact),
        _ => None,
    }
}

/// The documents below a root: those that lie in its folder, and those the artifacts' store keeps
/// elsewhere. Nothing if the folder cannot be read, which is not the same as an empty one.
pub fn documents(root: &Path, known: Vec<Known>) -> Option<Vec<Document>> {
    let folder = root.join("docs");
    let (files, unreadable) = match folder.symlink_metadata() {
        Ok(found) if found.is_dir() => markdown_below(&folder),
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            (Vec::new(), vec![folder])
        }
        _ => (Vec::new(), Vec::new()),
    };
    if !unreadable.is_empty() {
        tracing::warn!(event = "folder_unreadable", folder = %unreadable[0].display());
        return None;
    }
    let mut known: BTreeMap<PathBuf, Known> =
        known.into_iter().map(|known| (known.file.clone(), known)).collect();
    let mut found: Vec<Document> = Vec::new();
    for file in files {
        let Some(path) = shown(root, &file) else { continue };
        if let Some(kind) = kind_of(&path) {
            found.push(document(path, kind, known.remove(&file), file));
        }
    }
    for (file, known) in known {
        let elsewhere = file.symlink_metadata().is_ok_and(|found| found.is_file());
        if let Some(path) = shown(root, &file).filter(|_| elsewhere) {
            found.push(document(path, Kind::Artifact, Some(known), file));
        }
    }
    Some(found)
}

fn document(path: String, kind: Kind, known: Option<Known>, file: PathBuf) -> Document {
    let name = path.rsplit('/').next().unwrap_or(&path);
    let id = match kind {
        Kind::Adr | Kind::Task => uid_in(name).map(str::to_owned),
        Kind::Artifact => id_in(name),
        Kind::State => None,
    };
    let uri = (kind != Kind::Artifact).then(|| format!("{URI}{}", path.trim_start_matches("docs/")));
    Document {
        id: known.as_ref().map(|known| known.artifact_id.clone()).or(id),
        title: known.as_ref().map(|known| known.title.clone()),
        uri: known.as_ref().map(|known| known.uri.clone()).or(uri),
        path,
        file,
        kind,
        known,
    }
}

/// A file as it is stored: with slashes, below the root where it is.
fn shown(root: &Path, file: &Path) -> Option<String> {
    let path = file.strip_prefix(root).unwrap_or(file).to_str()?;
    Some(if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() })
}

/// The UID a name begins with: `20261118T051234.994Z-A470_title.md`.
pub fn uid_in(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let first = stem.split('_').next().unwrap_or(stem);
    let (moment, _) = first.split_once('Z')?;
    let (day, time) = moment.split_once('T')?;
    let digits = |text: &str, many: usize| text.len() == many && text.bytes().all(|b| b.is_ascii_digit());
    let (seconds, thousandths) = time.split_once('.')?;
    (digits(day, 8) && digits(seconds, 6) && digits(thousandths, 3)).then_some(first)
}

fn id_in(name: &str) -> Option<String> {
    let stem = name.strip_suffix(".md").unwrap_or(name);
    ArtifactId::parse(stem.split('_').next()?).map(|id| id.to_string())
}

/// What a text says it is: the UID of a task that is under way, and the first heading.
pub fn said(text: &str) -> (Option<&str>, Option<&str>) {
    let uid = text.lines().take(10).find_map(|line| {
        let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
        inside.trim().strip_prefix("UID:").map(str::trim)
    });
    let heading = text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    (uid, heading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_a_document_is() {
        for (path, expected) in [
            ("docs/adr/20261118T051234.994Z-A470_a.md", Some(Kind::Adr)),
            ("docs/adr/by-hand.md", Some(Kind::Adr)),
            ("docs/adr/old/a.md", None),
            (CURRENT_TASK, Some(Kind::Task)),
            ("docs/archive/task/a.md", Some(Kind::Task)),
            ("docs/artifacts/prds/PRD-006_v1.md", Some(Kind::Artifact)),
            (STATE, Some(Kind::State)),
            ("docs/AGENT_PROMPT.md", None),
            ("docs/guide.md", None),
        ] {
            assert_eq!(kind_of(path), expected, "{path}");
        }
    }

    #[test]
    fn names_and_texts_tell_who_they_are() {
        assert_eq!(uid_in("20261118T051234.994Z-A470_title.md"), Some("20261118T051234.994Z-A470"));
        assert_eq!(uid_in("20261118T051234.994Z.md"), Some("20261118T051234.994Z"));
        for other in ["by-hand.md", "2026Z_x.md", "20261118T0512.994Z-A470_x.md", "é.md", ""] {
            assert_eq!(uid_in(other), None, "{other}");
        }
        assert_eq!(id_in("PRD-006_the_shop_v3.md").as_deref(), Some("PRD-006"));
        let text = "<!-- UID: 20261118T051234.994Z-A470 -->\n\n# Add login\n";
        assert_eq!(said(text), (Some("20261118T051234.994Z-A470"), Some("Add login")));
        assert_eq!(said("nothing"), (None, None));
    }
}
