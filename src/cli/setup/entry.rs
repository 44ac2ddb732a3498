//! The entry: which program a client starts, and with which arguments.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};

use super::SetupArgs;
use super::clients::{Facts, on_path};
use crate::cli::{Globals, open};
use crate::config::Environment;
use crate::error::{Error, Result};
use crate::paths::Home;

/// What starts the server, before it takes a client's form.
#[derive(Debug)]
pub(super) struct Entry {
    pub program: PathBuf,
    command: String,
    arguments: Vec<String>,
}

impl Entry {
    /// Takes over what the flags say, and names the data folder where a client would not find it.
    pub fn new(globals: &Globals, environment: &Environment, args: &SetupArgs) -> Result<Self> {
        let program = program(environment)?;
        let command = text(&program)?;
        let mut arguments = vec!["mcp".to_owned()];
        let mut say = |flag: &str, value: &str| arguments.extend([flag.to_owned(), value.to_owned()]);
        let home = open::home(globals, environment)?;
        let is_chosen = globals.home.is_some() || environment.home.is_some();
        let found = Home::found_by_clients(environment);
        if is_chosen || found.is_none_or(|found| found.folder() != home.folder()) {
            say("--home", &text(home.folder())?);
        }
        if let Some(caller) = &globals.caller {
            say("--as", caller);
        }
        if let Some(toolsets) = &globals.toolsets {
            say("--toolsets", toolsets);
        }
        if let Some(repo) = &globals.repo {
            let absolute = std::path::absolute(repo)
                .map_err(|error| Error::io(error, format!("resolve `{}`", repo.display())))?;
            say("--repo", &text(&absolute)?);
        }
        if let Some(project) = &globals.project {
            say("--project", project);
        }
        if globals.read_only {
            arguments.push("--read-only".to_owned());
        }
        if args.connect {
            arguments.push("--connect=auto".to_owned());
        }
        Ok(Entry { program, command, arguments })
    }

    /// The entry as a client writes it.
    pub fn value(&self, facts: &Facts) -> Value {
        let mut members = Map::new();
        if facts.typed {
            members.insert("type".to_owned(), json!("stdio"));
        }
        members.insert("command".to_owned(), json!(self.command));
        members.insert("args".to_owned(), json!(self.arguments));
        if facts.env {
            members.insert("env".to_owned(), json!({}));
        }
        Value::Object(members)
    }
}

/// The members in which an entry does not start what was wanted; what else it holds is the person's.
pub(super) fn differences(present: &Value, wanted: &Value) -> Vec<&'static str> {
    let mut differing: Vec<&'static str> = ["command", "args"].into_iter().collect();
    differing.retain(|name| present.get(name) != wanted.get(name));
    let is_program = present.get("type").is_none_or(|kind| kind == "stdio") && present.get("url").is_none();
    if !is_program {
        differing.push("type");
    }
    differing
}

/// This program by the name it keeps: package managers link a fixed name to a folder per version.
fn program(environment: &Environment) -> Result<PathBuf> {
    let own = open::program(environment)?;
    let is_own = |path: &PathBuf| {
        path.canonicalize().is_ok_and(|path| own.canonicalize().is_ok_and(|own| own == path))
    };
    Ok(on_path("backoffice", environment).filter(is_own).unwrap_or_else(|| own.to_owned()))
}

/// Whether a program lies where builds and temporary files come and go.
pub(super) fn may_go_away(program: &Path) -> bool {
    let temporary = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/var/folders", "/private/var/folders"];
    let names: Vec<_> = program.components().map(Component::as_os_str).collect();
    let is_built = names
        .iter()
        .position(|name| *name == "target")
        .is_some_and(|at| names[at..].iter().any(|name| *name == "debug" || *name == "release"));
    let is_fleeting = names.iter().any(|name| *name == "Temp" || *name == "_npx");
    is_built || is_fleeting || temporary.iter().any(|folder| program.starts_with(folder))
}

fn text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Error::invalid(format!("`{}` is not a Unicode text and cannot be written as JSON", path.display()))
            .hint("use a folder with another name")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_may_go_away_are_known() {
        for (path, expected) in [
            ("/home/ann/src/backoffice/target/debug/backoffice", true),
            ("/home/ann/src/backoffice/target/x86_64-unknown-linux-musl/release/backoffice", true),
            ("/tmp/backoffice", true),
            ("/home/ann/.cargo/bin/backoffice", false),
            ("/home/target/bin/backoffice", false),
            ("/tmpfs/backoffice", false),
        ] {
            assert_eq!(may_go_away(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn only_what_starts_the_program_makes_a_difference() {
        let wanted = json!({"type": "stdio", "command": "/b", "args": ["mcp"], "env": {}});
        for (present, expected) in [
            (json!({"command": "/b", "args": ["mcp"], "env": {"A": "1"}, "timeout": 5}), vec![]),
            (json!({"command": "/a", "args": ["mcp", "--as", "x"]}), vec!["command", "args"]),
            (json!({"type": "http", "url": "http://localhost"}), vec!["command", "args", "type"]),
            (json!("nonsense"), vec!["command", "args"]),
        ] {
            assert_eq!(differences(&present, &wanted), expected, "{present}");
        }
    }
}
