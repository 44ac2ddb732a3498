//! Where documents lie and what they are called: files, URIs, and the fence around them.

use std::path::{Component, Path, PathBuf};

use super::kinds::{BUILT_IN, Kind, Kinds};
use super::metadata::version_in_name;
use super::store::Artifact;
use crate::error::{Error, Result};
use crate::id::ArtifactId;
use crate::paths::{Outside, existing_file_inside};
use crate::tool::offer::Link;
use crate::tool::{Place, ReadCx};

/// What every resource of documents begins with.
pub const URI: &str = "mcp://resources/artifacts/";
/// Below the repository, or below the project's folder.
const DEFAULT_BASE: &str = "docs/artifacts";

/// The places of one project, as a connection sees them.
#[derive(Clone, Debug)]
pub struct Layout {
    /// What paths are shown relative to.
    root: PathBuf,
    /// Where new documents go.
    base: PathBuf,
    /// What the base must not leave; nothing for a base that somebody chose.
    fence: Option<PathBuf>,
}

impl Layout {
    pub fn of(place: &Place<'_>, project: &str) -> Self {
        Self::new(&place.documents(project), place.session.artifacts_base.as_deref())
    }

    pub fn seen_by(cx: &ReadCx<'_>, project: &str) -> Self {
        Self::new(&cx.documents(project), cx.session.artifacts_base.as_deref())
    }

    pub fn new(root: &Path, chosen: Option<&Path>) -> Self {
        // One place has one name, however it was reached.
        let root = resolved(&plain(root));
        match chosen {
            Some(base) => Layout { base: resolved(&plain(&root.join(base))), root, fence: None },
            None => Layout { base: root.join(DEFAULT_BASE), fence: Some(root.clone()), root },
        }
    }

    pub fn base(&self) -> &Path {
        &self.base
    }

    /// A file as people and tasks name it: relative to the repository where it lies inside.
    pub fn shown(&self, file: &Path) -> String {
        let inside = file.strip_prefix(&self.root).unwrap_or(file);
        inside.to_string_lossy().replace('\\', "/")
    }

    /// Whether a document is replaced where it lies. One that lies in another worktree, or in a tree
    /// that has moved away, is stored here instead: nobody writes into a folder they do not stand in.
    pub fn reaches(&self, repository: Option<&Path>, artifact: &Artifact) -> bool {
        let base = Path::new(&artifact.base);
        base == self.base || (base.is_dir() && repository.is_none_or(|root| base.starts_with(root)))
    }

    /// The file of a new document, if nothing on the way leads out of the base.
    pub fn target(&self, path: &str) -> Result<PathBuf> {
        let file = self.base.join(path);
        let base = resolved(&self.base);
        let fenced = self.fence.as_deref().is_none_or(|fence| base.starts_with(resolved(fence)));
        let inside = file.parent().is_some_and(|folder| resolved(folder).starts_with(&base));
        if fenced && inside && !file.is_symlink() {
            return Ok(file);
        }
        Err(escapes(path))
    }

    /// The file of a document that is known, if it is there and inside. A tree that has moved is
    /// looked for where this connection stands.
    pub fn locate(&self, artifact: &Artifact) -> Result<PathBuf> {
        self.first_of(artifact, [Path::new(&artifact.base), &self.base]).map(|(_, file)| file)
    }

    /// The same for who is going to write: what lies where this connection stands comes first. Also
    /// tells the base it was found in.
    pub fn locate_here(&self, repository: Option<&Path>, artifact: &Artifact) -> Result<(PathBuf, PathBuf)> {
        let (theirs, ours) = (Path::new(&artifact.base), self.base.as_path());
        let order = if self.reaches(repository, artifact) { [theirs, ours] } else { [ours, theirs] };
        self.first_of(artifact, order)
    }

    fn first_of(&self, artifact: &Artifact, bases: [&Path; 2]) -> Result<(PathBuf, PathBuf)> {
        let mut found = Err(Outside::Missing);
        for base in bases {
            found = existing_file_inside(base, &artifact.path).map(|file| (base.to_owned(), file));
            if found != Err(Outside::Missing) {
                break;
            }
        }
        found.map_err(|outside| match outside {
            Outside::Escapes => escapes(&artifact.path),
            Outside::Missing => {
                let file = self.shown(&Path::new(&artifact.base).join(&artifact.path));
                Error::not_found(format!("the file of {} is gone: {file}", artifact.artifact_id))
                    .reason("file_not_found")
                    .hint("bring it back, or store the artifact again")
            }
        })
    }
}

/// A path that leads out is somebody's attempt, and goes to the log.
fn escapes(path: &str) -> Error {
    tracing::warn!(event = "path_traversal_refused", path);
    Error::invalid(format!("path traversal: `{path}` leaves the folder of the artifacts"))
        .detail("field", "path")
        .detail("validation_failed", "path_traversal_check")
        .reason("path_traversal")
}

/// A path without `.` and `..`: one place has one name.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// A path with its links followed, as far as it exists; the rest stays as it is written.
fn resolved(path: &Path) -> PathBuf {
    for existing in path.ancestors() {
        if let Ok(real) = existing.canonicalize() {
            return real.join(path.strip_prefix(existing).unwrap_or(Path::new("")));
        }
    }
    path.to_owned()
}

/// The name of a document below the base: `prds/PRD-006_v1.md`.
pub fn path_of(kind: &Kind, artifact_id: &str, version: i64) -> String {
    // Research has no numbers, and its first version has none in its name either.
    if kind.is_research() && version == 1 {
        return format!("{}/{artifact_id}.md", kind.folder);
    }
    format!("{}/{artifact_id}_v{version}.md", kind.folder)
}

/// The file beside a document that repeats its metadata for programs.
pub fn metadata_path(path: &str) -> String {
    format!("{}_metadata.json", path.strip_suffix(".md").unwrap_or(path))
}

/// The resource of a document. It does not change when its file has a longer name.
pub fn uri(kind: &Kind, artifact_id: &str, version: i64) -> String {
    format!("mcp://resources/artifacts/{}", path_of(kind, artifact_id, version))
}

/// The same for a row of the index.
pub fn uri_of(artifact: &Artifact) -> String {
    let folder = match BUILT_IN.iter().find(|kind| kind.type_name() == artifact.kind) {
        // Research is called as its file is: versions are not always part of the name.
        Some(kind) if kind.is_research() => {
            let name = artifact.path.rsplit('/').next().unwrap_or(&artifact.path);
            return format!("{URI}{}/{name}", kind.folder);
        }
        Some(kind) => return uri(kind, &artifact.artifact_id, artifact.version),
        // A type of the project's own: its folder is where its files are stored.
        None => artifact.path.split('/').next().unwrap_or_default(),
    };
    format!("{URI}{folder}/{}_v{}.md", artifact.artifact_id, artifact.version)
}

/// A document as a result points to it.
pub fn link(uri: &str, artifact_id: &str, title: &str, size_bytes: i64) -> Link {
    Link {
        uri: uri.to_owned(),
        name: artifact_id.to_owned(),
        title: Some(title.to_owned()),
        mime_type: "text/markdown",
        size: u64::try_from(size_bytes).ok(),
    }
}

/// What a URI of a document asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub artifact_id: String,
    pub version: Option<i64>,
}

/// Reads `artifacts/prds/PRD-006_v3.md`, `artifacts/prd/PRD-006`, `artifacts/epic/006` and names with
/// a slug. Nothing for what is no document at all.
pub fn parse_uri(uri: &str, kinds: &Kinds) -> Result<Option<Asked>> {
    let Some(below) = uri.strip_prefix(URI) else { return Ok(None) };
    let plain = Path::new(below).components().all(|part| matches!(part, Component::Normal(_)));
    if !plain || below.contains('\\') || below.contains('%') || below.chars().any(char::is_control) {
        return Err(escapes(below));
    }
    let Some((folder, name)) = below.split_once('/').filter(|(_, name)| !name.contains('/')) else {
        return Ok(None);
    };
    let Some(kind) = kinds.called(folder).ok().and_then(|found| found.into_iter().next()) else {
        return Ok(None);
    };
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let version = version_in_name(&format!("{stem}.md"));
    let versioned =
        stem.rsplit_once("_v").is_some_and(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    // A version that cannot be is not the latest one, and the side file is no document.
    if (versioned && version.is_none()) || stem.contains('.') {
        return Ok(None);
    }
    if kind.is_research() {
        let named = version.and_then(|version| stem.strip_suffix(&format!("_v{version}"))).unwrap_or(stem);
        return Ok(Some(Asked { artifact_id: named.to_owned(), version }));
    }
    let first = stem.split('_').next().unwrap_or(stem);
    let numbered = || {
        first
            .parse()
            .ok()
            .filter(|_| first.len() >= 3)
            .map(|n: u32| ArtifactId::new(kind.prefix.clone(), n.into()))
    };
    let id = ArtifactId::parse(first).filter(|id| kind.prefix == id.prefix.as_str()).or_else(numbered);
    Ok(id.map(|id| Asked { artifact_id: id.to_string(), version }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn asked(uri: &str) -> Option<(String, Option<i64>)> {
        let asked = parse_uri(uri, &Kinds::built_in()).unwrap();
        asked.map(|asked| (asked.artifact_id, asked.version))
    }

    #[test]
    fn every_spelling_of_a_uri_names_the_same_document() {
        let named = |id: &str, version| Some((id.to_owned(), version));
        for (below, expected) in [
            ("prds/PRD-006_v3.md", named("PRD-006", Some(3))),
            ("prd/PRD-006_v3.md", named("PRD-006", Some(3))),
            ("prds/PRD-006_the_long_name_v3.md", named("PRD-006", Some(3))),
            ("prd/PRD-006", named("PRD-006", None)),
            ("epic/006", named("EPIC-006", None)),
            ("us/US-1071", named("US-1071", None)),
            ("research/Shop_business_research.md", named("Shop_business_research", None)),
            ("research/Shop_business_research_v2.md", named("Shop_business_research", Some(2))),
            ("prds/EPIC-006_v1.md", None),
            ("nobody/PRD-006", None),
            ("prds/6", None),
            ("prds", None),
            ("prds/PRD-006_v0.md", None),
            ("prds/PRD-006_v99999999999.md", None),
            ("prds/PRD-006_v1_metadata.json", None),
        ] {
            assert_eq!(asked(&format!("{URI}{below}")), expected, "{below}");
        }
        assert_eq!(asked("mcp://resources/validation/prd_validation_v1"), None);
        for hostile in ["../../etc/passwd", "prds/../../x.md", "/etc/passwd", "prds\\..\\x", "prds/%2e%2e/x"]
        {
            assert!(parse_uri(&format!("{URI}{hostile}"), &Kinds::built_in()).is_err(), "{hostile}");
        }
    }

    #[test]
    fn a_chosen_base_has_one_name() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        for chosen in ["../base", "./../base/", "../x/../base"] {
            let layout = Layout::new(&real.join("shop"), Some(Path::new(chosen)));
            assert_eq!(layout.base(), real.join("base"), "{chosen}");
        }
    }

    #[test]
    fn nothing_leads_out_of_the_base() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        fs::create_dir_all(root.join("docs/artifacts/prds")).unwrap();
        let layout = Layout::new(&root, None);
        assert!(layout.target("prds/PRD-006_v1.md").is_ok());
        assert!(layout.target("epics/EPIC-006_v1.md").is_ok(), "a folder that is not there yet");
        assert!(layout.target("../PRD-006_v1.md").is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(folder.path(), root.join("docs/artifacts/hls")).unwrap();
            assert!(layout.target("hls/HLS-001_v1.md").is_err(), "a folder that leads out");
            symlink(folder.path().join("x"), root.join("docs/artifacts/prds/PRD-007_v1.md")).unwrap();
            assert!(layout.target("prds/PRD-007_v1.md").is_err(), "a file that leads out");
            let moved = folder.path().join("moved");
            fs::create_dir_all(&moved).unwrap();
            symlink(folder.path(), moved.join("docs")).unwrap();
            assert!(Layout::new(&moved, None).target("prds/PRD-006_v1.md").is_err(), "a base that leads out");
            assert!(
                Layout::new(&moved, Some(folder.path())).target("prds/PRD-006_v1.md").is_ok(),
                "but a chosen one may lie anywhere"
            );
        }
    }
}
