//! What a repository shows: its files, and the known values that its manifests name.
//!
//! The only file of the clarification that reads files. Bounded in depth, number and size; a link
//! is never followed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::catalogue::same;
use super::manifests::packages;
use super::vocabulary::Vocabulary;
use crate::error::Result;
use crate::families::preflight::git;

const LARGEST: u64 = 512 * 1024;
const MOST_FOLDERS: usize = 64;
const MOST_FILES: usize = 20_000;
const DEEPEST: usize = 8;
/// Never looked into: what tools put there, not people.
const SKIPPED: [&str; 10] =
    [".git", "node_modules", "target", "dist", "build", "vendor", "venv", ".venv", "__pycache__", ".next"];

/// The values that a repository shows, by question; what the root shows comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints(pub BTreeMap<String, Vec<Hint>>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    pub value: String,
    /// The file that shows it, relative to the root.
    pub source: String,
}

impl Hints {
    /// Looks at the manifests of the root and of the folders directly below it.
    pub fn read(root: &Path) -> Result<Self> {
        let vocabulary = Vocabulary::get()?;
        let mut shown: Vec<(String, String)> = Vec::new();
        look(root, "", &mut shown);
        for folder in entries(root).into_iter().filter(|entry| entry.is_folder).take(MOST_FOLDERS) {
            if !SKIPPED.contains(&folder.name.as_str()) {
                look(&root.join(&folder.name), &format!("{}/", folder.name), &mut shown);
            }
        }
        let mut hints: BTreeMap<String, Vec<Hint>> = BTreeMap::new();
        for (package, source) in shown {
            for term in vocabulary.terms.iter().filter(|term| term.packages.contains(&package)) {
                let values = hints.entry(term.question.clone()).or_default();
                if !values.iter().any(|hint| hint.value == term.value) {
                    values.push(Hint { value: term.value.clone(), source: source.clone() });
                }
            }
        }
        for (question, values) in &mut hints {
            let of_question = vocabulary.terms.iter().filter(|term| &term.question == question);
            let present = of_question.filter(|term| values.iter().any(|hint| hint.value == term.value));
            let included: Vec<&String> = present.flat_map(|term| &term.includes).collect();
            values.retain(|hint| !included.iter().any(|included| same(included, &hint.value)));
        }
        Ok(Hints(hints))
    }

    pub fn of(&self, question: &str) -> &[Hint] {
        self.0.get(question).map_or(&[], Vec::as_slice)
    }

    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(|hint| hint.value.as_str())
    }
}

/// The files that belong to a repository, sorted: what git tracks or would, else a bounded walk.
pub fn files(root: &Path) -> Vec<String> {
    let listed = git::ask(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let mut files = match listed {
        Some(listed) => {
            let text = String::from_utf8_lossy(&listed).into_owned();
            text.split('\0').filter(|file| !file.is_empty()).take(MOST_FILES).map(str::to_owned).collect()
        }
        None => {
            let mut found = Vec::new();
            walk(root, "", 0, &mut found);
            found
        }
    };
    files.sort_unstable();
    files.dedup();
    files
}

fn walk(folder: &Path, prefix: &str, depth: usize, found: &mut Vec<String>) {
    for entry in entries(folder) {
        if found.len() >= MOST_FILES {
            return;
        }
        let path = format!("{prefix}{}", entry.name);
        if !entry.is_folder {
            found.push(path);
        } else if depth < DEEPEST && !SKIPPED.contains(&entry.name.as_str()) {
            walk(&folder.join(&entry.name), &format!("{path}/"), depth + 1, found);
        }
    }
}

struct Listed {
    name: String,
    is_folder: bool,
}

/// The plain files and folders of a folder, by name; an unreadable one is empty.
fn entries(folder: &Path) -> Vec<Listed> {
    let Ok(listing) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<Listed> = listing
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            let name = entry.file_name().into_string().ok()?;
            (kind.is_dir() || kind.is_file()).then_some(Listed { name, is_folder: kind.is_dir() })
        })
        .collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

/// Notes what the manifests of one folder name, and that they exist.
fn look(folder: &Path, prefix: &str, shown: &mut Vec<(String, String)>) {
    for entry in entries(folder) {
        let source = format!("{prefix}{}", entry.name);
        shown.push((format!("file:{}", entry.name), source.clone()));
        if entry.name == ".github"
            && entries(&folder.join(".github/workflows")).iter().any(|file| !file.is_folder)
        {
            shown.push(("file:.github/workflows".to_owned(), format!("{source}/workflows")));
        }
        // Reading is only worth it for files that can name packages.
        if !entry.is_folder && is_manifest(&entry.name) {
            let names = read(&folder.join(&entry.name)).map(|text| packages(&entry.name, &text));
            shown.extend(names.unwrap_or_default().into_iter().map(|name| (name, source.clone())));
        }
    }
}

fn is_manifest(name: &str) -> bool {
    const NAMES: [&str; 13] = [
        "package.json",
        "composer.json",
        "requirements.txt",
        "requirements-dev.txt",
        "pyproject.toml",
        "Pipfile",
        "Cargo.toml",
        "go.mod",
        "Gemfile",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "mix.exs",
    ];
    NAMES.contains(&name) || name.ends_with(".csproj") || super::manifests::is_compose(name)
}

fn read(file: &Path) -> Option<String> {
    let small = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST);
    let bytes = small.then(|| fs::read(file).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_repository_shows_what_it_uses() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "package.json", r#"{"dependencies":{"next":"15","react":"19","tailwindcss":"4"}}"#);
        write(root, "tsconfig.json", "{}");
        write(root, "api/requirements.txt", "fastapi\nredis\n");
        write(root, "docker-compose.yml", "services:\n  db:\n    image: postgres:17\n");
        write(root, ".github/workflows/ci.yml", "on: push\n");
        write(root, "node_modules/x/package.json", r#"{"dependencies":{"vue":"3"}}"#);
        write(root, "deep/er/Cargo.toml", "[dependencies]\naxum = \"1\"\n");
        let hints = Hints::read(root).unwrap();
        let values =
            |question: &str| hints.of(question).iter().map(|hint| hint.value.as_str()).collect::<Vec<_>>();
        assert_eq!(values("frontend_framework"), ["Next.js"]);
        assert_eq!(values("styling"), ["Tailwind CSS"]);
        assert_eq!(values("backend_language"), ["TypeScript", "Python"]);
        assert_eq!(values("backend_framework"), ["FastAPI"]);
        assert_eq!(values("db_type"), ["PostgreSQL"]);
        assert_eq!(values("caching"), ["Redis"]);
        assert_eq!(values("ci_cd"), ["GitHub Actions"]);
        assert_eq!(hints.of("caching")[0].source, "api/requirements.txt");
        assert_eq!(Hints::read(&root.join("nowhere")).unwrap(), Hints::default());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_giants_are_not_read() {
        let outside = tempfile::tempdir().unwrap();
        write(outside.path(), "package.json", r#"{"dependencies":{"vue":"3"}}"#);
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::os::unix::fs::symlink(outside.path(), root.join("web")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("package.json"), root.join("package.json")).unwrap();
        write(root, "go/go.mod", &"github.com/jackc/pgx v1\n".repeat(40_000));
        let hints = Hints::read(root).unwrap();
        assert_eq!(hints.values().collect::<Vec<_>>(), ["Go"]);
    }

    #[test]
    fn files_come_from_git_and_respect_what_it_ignores() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "src/auth/login.ts", "");
        write(root, "dist/app.js", "");
        assert_eq!(files(root), ["src/auth/login.ts"], "without git, build folders are skipped");
        write(root, ".gitignore", "secret.txt\ndist/\n");
        write(root, "secret.txt", "");
        let init = Command::new("git").arg("-C").arg(root).args(["init", "-q"]).status().unwrap();
        assert!(init.success());
        assert_eq!(files(root), [".gitignore", "src/auth/login.ts"]);
    }
}
