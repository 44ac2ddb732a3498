//! Which paths a task may touch, and which it must not: from the files that are really there.

use std::collections::BTreeSet;

use super::reading::distinct;

const MOST_ENTRIES: usize = 20;
/// Written by this family; a task that may edit them could rewrite its own decisions.
const OWN: [&str; 6] = [
    "docs/adr/",
    "docs/archive/",
    "docs/artifacts/",
    "docs/CURRENT_TASK.md",
    "docs/ARCHITECTURE_STATE.md",
    "docs/AGENT_PROMPT.md",
];
/// Forbidden wherever they are, in every repository.
const SECRETS: [&str; 9] =
    [".git/", ".env", ".env.*", "*.pem", "*.key", "*.p12", "id_rsa*", "credentials*", "secrets*"];
/// What tools make, with the file that tells the tool is used.
const BUILT: [(&str, &[&str]); 12] = [
    ("node_modules/", &["package.json"]),
    ("dist/", &["package.json"]),
    (".next/", &["next.config.js", "next.config.mjs", "next.config.ts"]),
    ("target/", &["Cargo.toml", "pom.xml"]),
    ("build/", &["build.gradle", "build.gradle.kts", "CMakeLists.txt"]),
    ("__pycache__/", &["pyproject.toml", "requirements.txt", "setup.py"]),
    (".venv/", &["pyproject.toml", "requirements.txt", "setup.py"]),
    ("vendor/", &["composer.json", "Gemfile"]),
    ("bin/", &["global.json"]),
    ("obj/", &["global.json"]),
    ("_build/", &["mix.exs"]),
    ("coverage/", &["package.json"]),
];
/// Where dependencies are named, and the locks that follow.
const MANIFESTS: [&str; 22] = [
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "pyproject.toml",
    "requirements.txt",
    "poetry.lock",
    "uv.lock",
    "Pipfile",
    "Pipfile.lock",
    "Cargo.toml",
    "Cargo.lock",
    "go.mod",
    "go.sum",
    "Gemfile",
    "Gemfile.lock",
    "composer.json",
    "composer.lock",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
];
/// Hidden folders that people do work in.
const VISIBLE: [&str; 3] = [".github", ".circleci", ".gitlab-ci.yml"];
/// Where source usually lives, for tasks whose words match no path.
const SOURCES: [&str; 12] = [
    "src", "app", "apps", "lib", "packages", "crates", "server", "client", "cmd", "internal", "pkg",
    "services",
];

/// The lists of a task; no path is in both, but what is forbidden may lie below what is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    pub allowlist: Vec<String>,
    pub forbidden: Vec<String>,
    /// Whether the paths come from the answer or from the categories' words, not from a guess.
    pub is_specific: bool,
    pub notes: Vec<String>,
}

impl Lists {
    /// Who is to bring something in has to be able to name it as a dependency.
    pub fn add_manifests(&mut self, files: &[String]) {
        let manifests = MANIFESTS.iter().filter(|name| files.iter().any(|file| file == *name));
        let new = manifests.filter(|name| !self.allowlist.iter().any(|entry| entry == *name));
        let new: Vec<String> = new.map(|name| (*name).to_owned()).collect();
        self.allowlist.extend(new);
    }
}

/// Makes both lists; `answered` wins over what the words match.
pub fn lists(files: &[String], words: &[String], answered: &[String]) -> Lists {
    let mut notes = Vec::new();
    let mut allowlist = Vec::new();
    for entry in answered {
        if is_own(entry) || is_secret(entry) {
            notes.push(format!("`{entry}` is never part of a task"));
        } else {
            allowlist.push(entry.clone());
        }
    }
    let mut is_specific = !allowlist.is_empty();
    if allowlist.is_empty() {
        allowlist = matching(files, words);
        is_specific = !allowlist.is_empty();
    }
    if allowlist.is_empty() {
        allowlist = sources(files);
        notes.push("no path matches the request; the source folders are allowed".to_owned());
    }
    let allowlist = distinct(allowlist);
    let mut forbidden = forbidden(files, &allowlist);
    // Whoever may edit `docs/` may not thereby rewrite what was decided.
    forbidden.extend(
        OWN.iter()
            .filter(|own| allowlist.iter().any(|entry| reaches(entry, own)))
            .map(|own| (*own).to_owned()),
    );
    Lists { forbidden, allowlist, is_specific, notes }
}

/// Whether an allowed folder or pattern holds a path; for a pattern, what stands before its first star decides.
fn reaches(entry: &str, path: &str) -> bool {
    let (entry, path) = (entry.to_lowercase(), path.to_lowercase());
    match entry.find(['*', '?', '[', '{']) {
        Some(star) => path.starts_with(&entry[..star]),
        None => path.starts_with(&format!("{}/", entry.trim_end_matches('/'))),
    }
}

/// A path of an answer in its plain form, or why it cannot be one.
pub fn normal(path: &str) -> Result<String, String> {
    let path = path.trim().trim_matches('`').replace('\\', "/");
    let plain = path.trim_start_matches("./");
    let everything = plain.chars().all(|c| matches!(c, '*' | '/' | '.' | '?'));
    if everything {
        return Err(format!("`{path}` is everything; name folders or files"));
    }
    let drive = plain.as_bytes().get(1) == Some(&b':');
    if plain.starts_with('/') || plain.starts_with('~') || drive || plain.split('/').any(|part| part == "..")
    {
        return Err(format!("`{path}` leads out of the repository"));
    }
    let folder = if plain.ends_with('/') { "/" } else { "" };
    let parts: Vec<&str> = plain.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    Ok(parts.join("/") + folder)
}

/// Folders with one of the words in their name, and single files outside of them.
fn matching(files: &[String], words: &[String]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in files.iter().filter(|file| is_workable(file)) {
        let parts: Vec<&str> = file.split('/').collect();
        let matched = parts.iter().position(|part| has_word(part, words));
        if let Some(at) = matched {
            let is_folder = at + 1 < parts.len();
            found.insert(parts[..=at].join("/") + if is_folder { "/" } else { "" });
        }
    }
    found.into_iter().take(MOST_ENTRIES).collect()
}

fn sources(files: &[String]) -> Vec<String> {
    let top: BTreeSet<&str> = files
        .iter()
        .filter(|file| is_workable(file))
        .filter_map(|file| file.split_once('/'))
        .map(|(top, _)| top)
        .collect();
    let known: Vec<String> =
        SOURCES.iter().filter(|name| top.contains(*name)).map(|name| format!("{name}/")).collect();
    if !known.is_empty() {
        return known;
    }
    let folders: Vec<String> = top
        .iter()
        .filter(|name| **name != "docs")
        .map(|name| format!("{name}/"))
        .take(MOST_ENTRIES)
        .collect();
    if !folders.is_empty() {
        return folders;
    }
    let at_root: Vec<String> = files
        .iter()
        .filter(|file| is_workable(file) && !file.contains('/'))
        .take(MOST_ENTRIES)
        .cloned()
        .collect();
    // An empty repository has to begin somewhere.
    if at_root.is_empty() { vec!["src/".to_owned()] } else { at_root }
}

/// Secrets always; build folders where their tool is used or they are there. Never what is allowed.
fn forbidden(files: &[String], allowlist: &[String]) -> Vec<String> {
    let names: BTreeSet<&str> = files.iter().flat_map(|file| file.rsplit('/').next()).collect();
    let folders: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.rsplit_once('/'))
        .flat_map(|(folders, _)| folders.split('/'))
        .collect();
    let used = |(folder, marks): &&(&str, &[&str])| {
        marks.iter().any(|mark| names.contains(mark)) || folders.contains(folder.trim_end_matches('/'))
    };
    let built = BUILT.iter().filter(used).map(|(folder, _)| *folder);
    let allowed =
        |pattern: &&str| !allowlist.iter().any(|entry| entry.split('/').any(|part| covers(pattern, part)));
    SECRETS.into_iter().chain(built).filter(allowed).map(str::to_owned).collect()
}

fn is_workable(file: &str) -> bool {
    let is_hidden = |part: &str| part.starts_with('.') && !VISIBLE.contains(&part);
    let is_built = |part: &str| BUILT.iter().any(|(folder, _)| covers(folder, part) && *folder != "bin/");
    !is_own(file) && !is_secret(file) && !file.split('/').any(|part| is_hidden(part) || is_built(part))
}

fn is_own(path: &str) -> bool {
    let path = path.to_lowercase();
    OWN.iter()
        .map(|own| own.to_lowercase())
        .any(|own| path.starts_with(&own) || own.trim_end_matches('/') == path.trim_end_matches('/'))
}

fn is_secret(path: &str) -> bool {
    path.split('/').any(|part| SECRETS.iter().any(|pattern| covers(pattern, part)))
}

/// Whether a pattern with at most one star covers a path's component.
fn covers(pattern: &str, part: &str) -> bool {
    let pattern = pattern.trim_end_matches('/');
    match pattern.split_once('*') {
        // An example of a secret is none.
        Some((".env.", _)) if part.ends_with(".example") || part.ends_with(".sample") => false,
        Some((start, end)) => {
            part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end)
        }
        None => pattern == part,
    }
}

/// `user-login`, `user_login` and `userLogin` hold the words `user` and `login`.
fn has_word(part: &str, words: &[String]) -> bool {
    let mut spaced = String::new();
    let mut small = false;
    for c in part.chars() {
        if small && c.is_uppercase() {
            spaced.push(' ');
        }
        small = c.is_lowercase();
        spaced.extend(c.to_lowercase());
    }
    spaced.split(|c: char| !c.is_alphanumeric()).any(|word| words.iter().any(|wanted| wanted == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(all: &[&str]) -> Vec<String> {
        all.iter().map(|one| (*one).to_owned()).collect()
    }

    #[test]
    fn paths_match_by_whole_words_and_leave_own_documents_out() {
        let files = owned(&[
            "package.json",
            "src/auth/login.ts",
            "src/auth/session.ts",
            "src/pages/UserLogin.tsx",
            "src/author/index.ts",
            "docs/adr/1_auth.md",
            "docs/archive/task/auth.md",
            "docs/artifacts/auth.md",
            "docs/CURRENT_TASK.md",
            "docs/login.md",
            "node_modules/auth/index.js",
            ".env",
            ".idea/auth.xml",
        ]);
        let lists = lists(&files, &owned(&["auth", "login"]), &[]);
        assert_eq!(lists.allowlist, ["docs/login.md", "src/auth/", "src/pages/UserLogin.tsx"]);
        assert!(lists.is_specific);
        for pattern in [".git/", ".env", "node_modules/", "dist/", "credentials*"] {
            assert!(lists.forbidden.iter().any(|entry| entry == pattern), "{pattern}");
        }
        assert!(!lists.forbidden.contains(&"target/".to_owned()), "no Rust here");
    }

    #[test]
    fn an_answer_wins_and_nothing_overlaps() {
        let files = owned(&["package.json", "dist/app.js"]);
        let lists = lists(&files, &[], &owned(&["dist/", ".env", "docs/adr/", "src/*.ts"]));
        assert_eq!(lists.allowlist, ["dist/", "src/*.ts"]);
        assert!(!lists.forbidden.contains(&"dist/".to_owned()));
        assert!(lists.forbidden.contains(&".env".to_owned()));
        assert_eq!(lists.notes.len(), 2);
    }

    #[test]
    fn our_own_documents_are_carved_out_of_whatever_is_allowed() {
        for answer in
            ["docs/", "docs", "./docs//", "Docs/", "docs/*", "docs/**/*.md", "**/*.md", "d*", "docs/[a-z]*/x"]
        {
            let lists = lists(&[], &[], &[normal(answer).unwrap()]);
            assert_eq!(lists.allowlist.len(), 1, "{answer}");
            for own in ["docs/adr/", "docs/archive/"] {
                assert!(lists.forbidden.contains(&own.to_owned()), "{answer}: {:?}", lists.forbidden);
            }
        }
        let some = lists(&[], &[], &owned(&["docs/C*"])).forbidden;
        assert!(some.contains(&"docs/CURRENT_TASK.md".to_owned()) && !some.contains(&"docs/adr/".to_owned()));
        for answer in [
            "docs/adr",
            "docs/./adr/",
            "docs//archive/task/x.md",
            "DOCS/ADR/",
            "docs/CURRENT_TASK.md",
            "docs/adr/*.md",
        ] {
            let lists = lists(&owned(&["src/a.rs"]), &[], &[normal(answer).unwrap()]);
            assert_eq!(
                (lists.allowlist.as_slice(), lists.notes.len()),
                ([String::from("src/")].as_slice(), 2),
                "{answer}"
            );
        }
        let elsewhere = lists(&[], &[], &owned(&["src/docs/", "docsy/", "documents/"]));
        assert!(
            !elsewhere.forbidden.iter().any(|entry| entry.starts_with("docs/")),
            "{:?}",
            elsewhere.forbidden
        );
    }

    #[test]
    fn without_a_match_the_sources_are_allowed_never_everything() {
        for (files, expected) in [
            (owned(&["src/main.rs", "docs/adr/x.md"]), "src/"),
            (owned(&["engine/main.c", "docs/x.md"]), "engine/"),
            (owned(&["main.py"]), "main.py"),
            (owned(&[]), "src/"),
        ] {
            let lists = lists(&files, &owned(&["auth"]), &[]);
            assert_eq!(lists.allowlist, [expected]);
            assert!(!lists.is_specific);
        }
    }

    #[test]
    fn a_path_stays_inside_and_is_never_everything() {
        for path in
            ["**/*", "*", "**", ".", "./", "/", "", "*.*", "/etc", "../x", "a/../../b", "~/x", "C:\\x"]
        {
            assert!(normal(path).is_err(), "{path}");
        }
        assert_eq!(normal("./src\\auth/").unwrap(), "src/auth/");
        assert_eq!(normal("src/**/*.ts").unwrap(), "src/**/*.ts");
    }
}
