//! Clarification on the command line: questions on paper and on piped input, sessions that are left and
//! taken up again, and the decisions that come of them.

mod asking;
mod decisions;
mod sessions;
#[cfg(unix)]
mod terminal;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::client::{Ran, command};

/// A repository `shop`, and a data folder beside it.
struct Shop(tempfile::TempDir);

impl Shop {
    fn new() -> Self {
        let shop = Shop(tempfile::tempdir().unwrap());
        fs::create_dir_all(shop.root().join(".git")).unwrap();
        shop
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("shop")
    }

    fn data(&self) -> PathBuf {
        self.0.path().join("data/backoffice.db")
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// The decisions, oldest first.
    fn adrs(&self) -> Vec<String> {
        let listed = fs::read_dir(self.root().join("docs/adr")).into_iter().flatten();
        let mut files: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.fed(arguments, "")
    }

    /// Runs a command with lines on its standard input.
    fn fed(&self, arguments: &[&str], input: &str) -> Ran {
        self.fed_in(&self.root(), arguments, input)
    }

    fn fed_in(&self, folder: &Path, arguments: &[&str], input: &str) -> Ran {
        let mut command = command(self.0.path());
        command.current_dir(folder).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // One that asks nothing does not read, and may have ended already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let ran = Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "colour is for terminals");
        ran
    }

    /// Both streams and the exit code, without what differs from run to run.
    fn shown(&self, arguments: &[&str], input: &str) -> String {
        let ran = self.fed(arguments, input);
        let text = format!("exit {}\n--- stdout\n{}--- stderr\n{}", ran.code, ran.stdout, ran.stderr);
        hidden(&text)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        ran.json()
    }

    /// Makes every session as old as if nobody had touched it for an hour.
    #[expect(clippy::disallowed_methods, reason = "stands for the hour that a test does not wait")]
    fn an_hour_later(&self) {
        let connection = rusqlite::Connection::open(self.data()).unwrap();
        connection.execute("UPDATE preflight_sessions SET touched_at = touched_at - 3600000", []).unwrap();
    }
}

/// Replaces session ids, instants, days and the UIDs of decisions by what they are.
fn hidden(text: &str) -> String {
    let patterns = [
        (r"\d{8}T\d{6}\.\d{3}Z-[0-9A-F]{4}", "<uid>"),
        (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "<instant>"),
        (r"\d{4}-\d\d-\d\d", "<day>"),
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<session>"),
    ];
    let mut shown = text.to_owned();
    for (pattern, name) in patterns {
        shown = regex::Regex::new(pattern).unwrap().replace_all(&shown, name).into_owned();
    }
    shown
}
