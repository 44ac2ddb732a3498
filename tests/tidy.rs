//! The architecture, as tests: layers call one way, SQL and rmcp stay where they belong.

use std::fs;
use std::path::{Path, PathBuf};

const LEAVES: [&str; 11] = [
    "clock",
    "config",
    "error",
    "fault",
    "id",
    "identity",
    "logging",
    "money",
    "paths",
    "sample",
    "sensitive",
];

/// Which layers a layer may name, besides the leaves and itself.
const MAY_NAME: [(&str, &[&str]); 7] = [
    ("db", &[]),
    ("tool", &["db"]),
    ("families", &["tool", "db"]),
    ("mcp", &["tool"]),
    ("daemon", &["mcp", "tool", "db"]),
    ("cli", &["daemon", "mcp", "families", "tool", "db"]),
    ("main", &["cli"]),
];

/// Families that may name others: approving an artifact gives it numbers and tasks.
const FAMILY_MAY_NAME: [(&str, &[&str]); 1] = [("artifacts", &["ids", "tasks"])];

/// What lies beside the families, names none of them, and serves several.
const SHARED: [&str; 1] = ["departments"];

struct Source {
    path: String,
    /// Without tests and comments.
    code: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    collect(&root, &mut found);
    found
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let production = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code = production.lines().filter(|line| !line.trim_start().starts_with("//"));
            let path = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            Source { path, code: code.collect::<Vec<_>>().join("\n") }
        })
        .filter(|source| !source.path.ends_with("_tests.rs"))
        .collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

impl Source {
    fn layer(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The family a file belongs to.
    fn family(&self) -> Option<&str> {
        let mut parts = self.path.strip_prefix("families/")?.split('/');
        parts.next().filter(|part| !part.ends_with(".rs"))
    }

    /// The names that follow a path such as `crate::`.
    fn named_after(&self, path: &str) -> Vec<String> {
        let after = self.code.match_indices(path).map(|(at, _)| &self.code[at + path.len()..]);
        after
            .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>())
            .filter(|name| !name.is_empty())
            .collect()
    }
}

#[test]
fn layers_call_down_never_up() {
    let sources = sources();
    assert!(sources.len() > 40, "the sources were found");
    for source in sources.iter().filter(|source| source.path != "lib.rs") {
        let layer = source.layer();
        let allowed =
            MAY_NAME.iter().find(|(name, _)| *name == layer).map_or(&[][..], |(_, allowed)| *allowed);
        let known = LEAVES.contains(&layer) || MAY_NAME.iter().any(|(name, _)| *name == layer);
        assert!(known, "{}: `{layer}` is no layer of this test's list", source.path);
        for named in source.named_after("crate::").iter().chain(&source.named_after("backoffice::")) {
            let fine =
                named == layer || LEAVES.contains(&named.as_str()) || allowed.contains(&named.as_str());
            assert!(fine, "{} names `{named}`: calls go down, never up", source.path);
        }
    }
}

#[test]
fn families_do_not_name_each_other() {
    let sources = sources();
    for source in &sources {
        let Some(family) = source.family() else { continue };
        let allowed =
            FAMILY_MAY_NAME.iter().find(|(name, _)| *name == family).map_or(&[][..], |(_, allowed)| *allowed);
        for named in source.named_after("families::") {
            // `families::ARTIFACTS` and the like are joins that both sides know.
            let is_join = named.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            let known = allowed.contains(&named.as_str()) || SHARED.contains(&named.as_str());
            let fine = named == family || is_join || known;
            assert!(fine, "{} names the family `{named}`", source.path);
        }
    }
}

#[test]
fn sql_stays_in_the_stores() {
    for source in sources() {
        let is_store = source.path.starts_with("db/")
            || source.path.ends_with("/store.rs")
            || source.path.contains("/store/");
        let sql = ["\"SELECT ", "\"INSERT ", "\"UPDATE ", "\"DELETE ", "rusqlite"];
        let found = sql.iter().find(|word| source.code.contains(**word));
        assert!(is_store || found.is_none(), "{} holds {}", source.path, found.unwrap());
    }
}

#[test]
fn the_sdk_stays_in_the_protocol_layer_and_nothing_waits_below_it() {
    for source in sources().iter().filter(|source| source.layer() != "mcp") {
        let serves = source.layer() == "daemon";
        for word in ["rmcp::", "tokio::", ".await"] {
            let fine = serves && word != "rmcp::";
            assert!(fine || !source.code.contains(word), "{} holds `{word}`", source.path);
        }
    }
}

#[test]
fn files_are_small_and_their_names_explain_them() {
    let mut sizes = Vec::new();
    for source in sources() {
        let lines = source.code.lines().count();
        assert!(lines <= 400, "{} has {lines} lines of code: split it", source.path);
        sizes.push(lines);
        for empty in ["util", "common", "helper", "misc"] {
            assert!(!source.path.contains(empty), "{}: a name that explains nothing", source.path);
        }
    }
    sizes.sort_unstable();
    let median = sizes[sizes.len() / 2];
    assert!(median <= 130, "the median file has {median} lines of code");
}
