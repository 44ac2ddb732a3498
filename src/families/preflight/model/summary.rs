//! What a model is told: the redacted summary of a situation. Never the content of a file, and no
//! name but those of folders.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::clarify::Situation;
use super::super::clarify::catalogue::OTHER;
use super::super::clarify::proposed::Listed;
use super::redact;
use crate::error::Result;

/// Longer texts are cut: a question needs no more.
const LONGEST_TEXT: usize = 4_000;
const MOST_FOLDERS: usize = 20;
const MOST_EXTENSIONS: usize = 5;
const LONGEST_EXTENSION: usize = 10;
/// Folders that are not counted: tools fill them, or they are nobody's business.
const DENIED_FOLDERS: [&str; 20] = [
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    "venv",
    ".venv",
    "env",
    "__pycache__",
    ".idea",
    ".vscode",
    ".vs",
    "dist",
    "build",
    "target",
    "out",
    ".next",
    "logs",
    "secrets",
    ".ssh",
    ".aws",
];
/// File names that are not counted, as they begin.
const DENIED_BEGINNINGS: [&str; 5] = [".env", "credentials", "secrets", "id_rsa", "id_ed25519"];
/// File names that are not counted, as they end.
const DENIED_EXTENSIONS: [&str; 14] = [
    "pem", "key", "crt", "p12", "pfx", "jks", "keystore", "log", "dump", "dmp", "sql", "csv", "sqlite", "db",
];

/// The summary of a situation, with the questions that are open and the files of the repository.
pub fn of(situation: &Situation<'_>, open: &[Listed], files: &[String]) -> Result<Value> {
    let reading = situation.reading;
    let detected: Map<String, Value> =
        reading.detected.iter().map(|found| (found.label.clone(), found.value().into())).collect();
    let answers: Map<String, Value> = situation
        .answers
        .0
        .iter()
        .map(|(id, answer)| {
            (id.clone(), answer.values.iter().filter(|value| *value != OTHER).cloned().collect())
        })
        .collect();
    let open: Vec<Value> =
        open.iter().map(|listed| json!({ "id": listed.id, "question": listed.question })).collect();
    let whole = redact::value(&json!({
        "intention": reading.intention,
        "context": reading.context,
        "detected": detected,
        "answers": answers,
        "decisions": situation.decisions,
        "open_questions": open,
        "repository": repository(files),
    }))?;
    Ok(cut(whole))
}

/// How many files there are, where, and of which kinds.
fn repository(files: &[String]) -> Value {
    let (mut folders, mut extensions) = (BTreeMap::new(), BTreeMap::new());
    let counted: Vec<&String> = files.iter().filter(|file| !is_denied(file)).collect();
    for file in &counted {
        let (folder, name) = match file.split_once('/') {
            Some((folder, rest)) => (folder, rest.rsplit('/').next().unwrap_or(rest)),
            None => (".", file.as_str()),
        };
        *folders.entry(folder).or_insert(0_usize) += 1;
        let extension = name.rsplit_once('.').map(|(_, extension)| extension).filter(|extension| {
            extension.len() <= LONGEST_EXTENSION && extension.chars().all(|c| c.is_ascii_alphanumeric())
        });
        if let Some(extension) = extension {
            *extensions.entry(extension).or_insert(0_usize) += 1;
        }
    }
    json!({
        "files": counted.len(),
        "folders": commonest(folders, MOST_FOLDERS),
        "extensions": commonest(extensions, MOST_EXTENSIONS),
    })
}

/// Whether a file is not even counted.
fn is_denied(file: &str) -> bool {
    let file = file.to_lowercase();
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", &file));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    folders.split('/').any(|folder| DENIED_FOLDERS.contains(&folder))
        || DENIED_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || DENIED_EXTENSIONS.contains(&extension)
}

fn commonest(counts: BTreeMap<&str, usize>, most: usize) -> Map<String, Value> {
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().take(most).map(|(name, count)| (name.to_owned(), count.into())).collect()
}

/// Cuts what is too long, after redaction: half a secret is one as well.
fn cut(tree: Value) -> Value {
    match tree {
        Value::String(text) => Value::String(text.chars().take(LONGEST_TEXT).collect()),
        Value::Array(items) => items.into_iter().map(cut).collect(),
        Value::Object(members) => members.into_iter().map(|(name, member)| (name, cut(member))).collect(),
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::clarify::{Answer, Answers, Decisions, Hints, Provenance, Reading};
    use super::super::redact::tests::PLANTED;
    use super::*;

    fn told(reading: &Reading, answers: &Answers, decisions: &Decisions, files: &[String]) -> Value {
        let situation = Situation {
            reading,
            answers,
            hints: &Hints::default(),
            decisions,
            conflicts: &[],
            asked: &[],
            proposed: &[],
            force_adr: false,
            ask_for_paths: false,
        };
        of(&situation, &[], files).unwrap()
    }

    #[test]
    fn no_secret_is_told_wherever_it_stands() {
        for (planted, secret) in PLANTED {
            let reading = Reading::of(&format!("Add login, {planted}"), Some(planted)).unwrap();
            let answer = Answer { values: vec![planted.to_owned()], by: Provenance::Agent };
            let answers = Answers([("description".to_owned(), answer)].into());
            let decisions =
                Decisions::from([("Other".to_owned(), [(planted.to_owned(), planted.to_owned())].into())]);
            let name = planted.replace('/', "_");
            let files = [format!("{name}/main.rs"), format!("src/{name}"), format!("src/a.{name}")];
            let told = told(&reading, &answers, &decisions, &files).to_string();
            assert!(!told.contains(secret), "{planted}: {told}");
        }
    }

    #[test]
    fn a_repository_is_told_in_numbers() {
        let files = [
            "README.md",
            "src/a.rs",
            "src/deep/b.rs",
            "src/c.ts",
            "web/d.css",
            "web/e.HTML",
            "web/f.json",
            "web/g.toml",
            ".env",
            ".env.production",
            "config/.envrc",
            "config/server.pem",
            "credentials.json",
            "infra/Secrets.yaml",
            "node_modules/x/i.js",
            "dump.sql",
            "people.csv",
            "logs/today.txt",
            ".git/config",
            "secrets/a.txt",
        ]
        .map(str::to_owned);
        let told = repository(&files);
        assert_eq!(told["files"], 8);
        assert_eq!(told["folders"], json!({"web": 4, "src": 3, ".": 1}));
        assert_eq!(told["extensions"].as_object().unwrap().len(), MOST_EXTENSIONS);
        assert_eq!(told["extensions"]["rs"], 2);
        let whole = told.to_string();
        for name in ["env", "pem", "sql", "credentials", "README", "deep", "config"] {
            assert!(!whole.contains(name), "{name}: {whole}");
        }
    }

    #[test]
    fn a_long_context_is_cut_after_it_was_redacted() {
        let key = "0123456789abcdefghij".repeat(3);
        let words = "word ".repeat(LONGEST_TEXT / 5 - 4);
        let reading = Reading::of("Add login", Some(&format!("{words}{key} {words}"))).unwrap();
        let told = told(&reading, &Answers::default(), &Decisions::new(), &[]);
        assert_eq!(told["context"].as_str().unwrap().chars().count(), LONGEST_TEXT);
        assert!(!told.to_string().contains("0123"), "half a key is one as well");
    }
}
