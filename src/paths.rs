//! Places: the data folder, the repository around a working folder, and paths that stay inside.

use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fmt, fs};

use crate::config::Environment;
use crate::error::{Error, Result};

/// Beside the executable, this file makes the installation portable.
pub const PORTABLE_MARKER: &str = "backoffice.portable";

/// The data folder and what lies in it.
#[derive(Clone, Debug)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Home { folder: folder.into() }
    }

    /// Finds the data folder: the flag, then the environment, then the portable marker beside the
    /// executable, then the platform's place for data.
    pub fn locate(flag: Option<&Path>, environment: &Environment) -> Result<Self> {
        let named = flag.map(Path::to_path_buf).or_else(|| environment.home.clone());
        if let Some(folder) = named {
            let absolute = std::path::absolute(&folder)
                .map_err(|error| Error::io(error, format!("resolve `{}`", folder.display())))?;
            return Ok(Home::at(absolute));
        }
        if let Some(portable) = Self::portable(environment) {
            return Ok(portable);
        }
        directories::ProjectDirs::from("", "", "backoffice").map(|dirs| Home::at(dirs.data_dir())).ok_or_else(
            || {
                Error::unusable("cannot find a home folder for this user")
                    .hint("name a data folder with --home or BACKOFFICE_HOME")
            },
        )
    }

    fn portable(environment: &Environment) -> Option<Self> {
        let folder = environment.executable.as_deref()?.parent()?;
        folder.join(PORTABLE_MARKER).exists().then(|| Home::at(folder.join("data")))
    }

    /// The data folder that this program finds when a client starts it: without the variables that
    /// move it, `XDG_DATA_HOME` among them.
    pub fn found_by_clients(environment: &Environment) -> Option<Self> {
        if let Some(portable) = Self::portable(environment) {
            return Some(portable);
        }
        if cfg!(any(target_os = "macos", windows)) {
            return directories::ProjectDirs::from("", "", "backoffice")
                .map(|dirs| Home::at(dirs.data_dir()));
        }
        let base = directories::BaseDirs::new()?;
        Some(Home::at(base.home_dir().join(".local/share/backoffice")))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn database(&self) -> PathBuf {
        self.folder.join("backoffice.db")
    }

    pub fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// Where a running daemon keeps its lock and its socket.
    pub fn run(&self) -> PathBuf {
        self.folder.join("run")
    }

    /// Where a project's documents live when there is no repository.
    pub fn project_folder(&self, project: &str) -> PathBuf {
        self.folder.join("projects").join(project)
    }

    /// Creates the data folder, for this user only.
    pub fn create(&self) -> Result<()> {
        create_private_folder(&self.folder)
    }
}

/// Creates a folder and its parents; the new ones are readable by this user only.
pub fn create_private_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|error| Error::io(error, format!("create the folder `{}`", folder.display())))
}

/// Options for files that only this user may read once they are created.
pub fn private_file() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a rename durable; Windows has no such call for folders and needs none.
pub fn flush_folder_of(file: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = file.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    let _ = file;
    Ok(())
}

/// Takes group and others off a file's permissions, where the system has such a thing.
pub fn make_private(file: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let doing = || format!("protect `{}`", file.display());
        let mode = fs::metadata(file).map_err(|error| Error::io(error, doing()))?.permissions().mode();
        if mode & 0o077 != 0 {
            let private = fs::Permissions::from_mode(mode & 0o700);
            fs::set_permissions(file, private).map_err(|error| Error::io(error, doing()))?;
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// A repository: where this worktree is, and what the project is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    pub root: PathBuf,
    /// The directory name of the main worktree, which all worktrees share.
    pub project: String,
}

impl Repository {
    /// Looks for `.git` from a folder upwards. It may be a file: then this is a linked worktree,
    /// and the file leads to the main one.
    pub fn around(start: &Path) -> Option<Self> {
        let start = start.canonicalize().ok()?;
        let root = start.ancestors().find(|folder| folder.join(".git").exists())?;
        let named = shared_folder(root).unwrap_or_else(|| root.to_path_buf());
        Some(Repository { root: root.to_path_buf(), project: project_name(&named)? })
    }
}

/// The folder that names the project of a linked worktree: the main worktree, or the bare
/// repository itself.
fn shared_folder(root: &Path) -> Option<PathBuf> {
    let pointer = fs::read_to_string(root.join(".git")).ok()?;
    let git_dir = root.join(pointer.strip_prefix("gitdir:")?.trim());
    let common = fs::read_to_string(git_dir.join("commondir")).ok()?;
    let shared = git_dir.join(common.trim()).canonicalize().ok()?;
    if shared.file_name()? == ".git" { shared.parent().map(Path::to_path_buf) } else { Some(shared) }
}

/// A folder's name as the name of a project: at most a hundred characters, none of them control.
fn project_name(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_string_lossy();
    let name = name.strip_suffix(".git").unwrap_or(&name);
    let name: String = name.chars().filter(|c| !c.is_control() && *c != '\\').take(100).collect();
    (!name.is_empty()).then_some(name)
}

/// Folders that hold other people's files.
const PASSED_OVER: [&str; 5] = [".git", "node_modules", "target", "vendor", ".venv"];

/// Visits every file below a folder, in the order of names. Links are not followed: they may lead out,
/// or in a circle. Folders that cannot be read are told.
pub fn walk(folder: &Path, each: &mut dyn FnMut(&Path, &str), unreadable: &mut Vec<PathBuf>) {
    let Ok(listed) = fs::read_dir(folder) else { return unreadable.push(folder.to_owned()) };
    let listed = listed.flatten().filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)));
    let mut entries: Vec<(PathBuf, fs::FileType)> = listed.collect();
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in entries {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if kind.is_dir() && !PASSED_OVER.contains(&name) {
            walk(&path, each, unreadable);
        } else if kind.is_file() {
            each(&path, name);
        }
    }
}

/// The Markdown files below a folder that are not hidden, and the folders that could not be read.
pub fn markdown_below(root: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    let hidden = |path: &Path| {
        let below = path.strip_prefix(root).unwrap_or(path);
        below.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
    };
    let mut each = |path: &Path, name: &str| {
        if name.to_lowercase().ends_with(".md") && !hidden(path) {
            files.push(path.to_owned());
        }
    };
    walk(root, &mut each, &mut unreadable);
    unreadable.retain(|folder| !hidden(folder));
    (files, unreadable)
}

/// What changes when a file does: its size and times, and where the system tells it, also that
/// somebody set its time back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    pub bytes: u64,
    /// In nanoseconds since 1970.
    pub modified_ns: i64,
    touched: (i64, i64, u64),
}

impl Stamp {
    pub fn of(found: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let touched = {
            use std::os::unix::fs::MetadataExt;
            (found.ctime(), found.ctime_nsec(), found.ino())
        };
        #[cfg(not(unix))]
        let touched = (0, 0, 0);
        let since = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified_ns = since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0);
        Stamp { bytes: found.len(), modified_ns, touched }
    }
}

/// As it is stored; only ever compared.
impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, nanoseconds, inode) = self.touched;
        write!(f, "{}.{}.{seconds}.{nanoseconds}.{inode}", self.bytes, self.modified_ns)
    }
}

/// Which file or folder it is, whatever has happened in it.
#[cfg(unix)]
pub fn mark(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// Elsewhere what is open cannot be removed.
#[cfg(not(unix))]
pub fn mark(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Since when, in nanoseconds since 1970, git is in the middle of something that writes files: a
/// checkout, a merge, a rebase.
pub fn git_is_busy_since(root: &Path) -> Option<i64> {
    let pointer = fs::read_to_string(root.join(".git")).ok();
    let folder = pointer.as_deref().and_then(|pointer| pointer.strip_prefix("gitdir:"));
    let folder = root.join(folder.map_or(".git", str::trim));
    let signs =
        ["index.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
    let since = signs.iter().filter_map(|sign| fs::metadata(folder.join(sign)).ok());
    since.map(|found| Stamp::of(&found).modified_ns).max()
}

/// Why a path was not accepted.
#[derive(Debug, PartialEq, Eq)]
pub enum Outside {
    /// Absolute, or it climbs out with `..`, or a link leads out.
    Escapes,
    /// Nothing is there, or not a file.
    Missing,
}

/// Resolves a relative path to an existing file below a root; links are followed and must stay inside.
pub fn existing_file_inside(root: &Path, relative: &str) -> Result<PathBuf, Outside> {
    let path = Path::new(relative);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !plain || relative.contains('\\') || relative.contains('\0') {
        return Err(Outside::Escapes);
    }
    let root = root.canonicalize().map_err(|_| Outside::Missing)?;
    let target = root.join(path).canonicalize().map_err(|_| Outside::Missing)?;
    if !target.starts_with(&root) {
        return Err(Outside::Escapes);
    }
    target.is_file().then_some(target).ok_or(Outside::Missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_wins_over_the_environment_and_the_marker() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(PORTABLE_MARKER), "").unwrap();
        let mut environment =
            Environment { executable: Some(folder.path().join("backoffice")), ..Environment::default() };
        let portable = Home::locate(None, &environment).unwrap();
        assert_eq!(portable.folder(), folder.path().join("data"));
        environment.home = Some(PathBuf::from("/from/environment"));
        assert_eq!(Home::locate(None, &environment).unwrap().folder(), Path::new("/from/environment"));
        let flagged = Home::locate(Some(Path::new("/from/flag")), &environment).unwrap();
        assert_eq!(flagged.folder(), Path::new("/from/flag"));
    }

    #[test]
    fn a_linked_worktree_belongs_to_the_project_of_its_main_one() {
        let folder = tempfile::tempdir().unwrap();
        let (main, linked) = (folder.path().join("shop"), folder.path().join("shop-fix"));
        let private = main.join(".git/worktrees/shop-fix");
        fs::create_dir_all(&private).unwrap();
        fs::write(private.join("commondir"), "../..\n").unwrap();
        fs::create_dir_all(linked.join("src")).unwrap();
        fs::write(linked.join(".git"), format!("gitdir: {}\n", private.display())).unwrap();
        let found = Repository::around(&linked.join("src")).unwrap();
        assert_eq!(found.project, "shop");
        assert_eq!(found.root, linked.canonicalize().unwrap());
        assert_eq!(Repository::around(&main).unwrap().project, "shop");
    }

    #[test]
    fn worktrees_of_a_bare_repository_belong_to_it_and_not_to_its_neighbours() {
        let folder = tempfile::tempdir().unwrap();
        let (bare, linked) = (folder.path().join("alpha.git"), folder.path().join("work"));
        let private = bare.join("worktrees/work");
        fs::create_dir_all(&private).unwrap();
        fs::write(private.join("commondir"), "../..\n").unwrap();
        fs::create_dir(&linked).unwrap();
        fs::write(linked.join(".git"), format!("gitdir: {}\n", private.display())).unwrap();
        assert_eq!(Repository::around(&linked).unwrap().project, "alpha");
    }

    #[test]
    fn paths_never_escape_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("docs")).unwrap();
        fs::write(root.join("docs/a.md"), "a").unwrap();
        fs::write(folder.path().join("secret"), "s").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("secret"), root.join("docs/link.md")).unwrap();
        assert!(existing_file_inside(&root, "docs/a.md").is_ok());
        for (path, expected) in [
            ("../secret", Outside::Escapes),
            ("docs/../../secret", Outside::Escapes),
            ("/etc/passwd", Outside::Escapes),
            ("docs\\a.md", Outside::Escapes),
            #[cfg(unix)]
            ("docs/link.md", Outside::Escapes),
            ("docs", Outside::Missing),
            ("docs/b.md", Outside::Missing),
        ] {
            assert_eq!(existing_file_inside(&root, path), Err(expected), "{path}");
        }
    }
}
