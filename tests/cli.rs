//! The command line: data on standard output, talk on standard error, stable exit codes.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::json;

use crate::client::{Ran, backoffice};

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Desk(tempfile::tempdir().unwrap())
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        backoffice(self.0.path(), arguments)
    }

    /// Both streams and the exit code, without what differs from run to run.
    fn shown(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        let text = format!("exit {}\n--- stdout\n{}--- stderr\n{}", ran.code, ran.stdout, ran.stderr);
        hide_ids(&text.replace(self.0.path().to_str().unwrap(), "HOME"))
    }
}

/// Replaces what is random: UUIDs, instants and sizes.
fn hide_ids(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_inclusive([' ', '\n', '`', '(']) {
        let bare = word.trim_end_matches([' ', '\n', '`', '(', ';']);
        let replacement = if uuid::Uuid::try_parse(bare).is_ok() {
            Some("<uuid>")
        } else if bare.len() == 24 && bare.ends_with('Z') {
            Some("<instant>")
        } else {
            None
        };
        match replacement {
            Some(replacement) => shown.push_str(&word.replace(bare, replacement)),
            None => shown.push_str(word),
        }
    }
    shown
}

#[test]
fn alone_it_shows_a_status_and_the_next_command() {
    let desk = Desk::new();
    let told = desk.run(&[]);
    assert_eq!(told.code, 0);
    assert!(told.stdout.starts_with("backoffice 0."), "{}", told.stdout);
    for word in
        ["user          olivia", "project       default", "repository    none", "queue         0 open"]
    {
        assert!(told.stdout.contains(word), "{}", told.stdout);
    }
    assert!(told.stderr.contains("claude mcp add backoffice"), "{}", told.stderr);
    let json = desk.run(&["status", "--json"]);
    assert_eq!((json.json()["todos_open"].clone(), json.stderr.as_str()), (json!(0), ""));
}

#[test]
fn a_day_with_ids() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["ids", "next", "backlog_story"]).stdout, "US-001\n");
    assert_snapshot!(desk.shown(&["ids", "reserve", "hls", "2"]), @"
    exit 0
    --- stdout
    HLS-001
    HLS-002
    --- stderr
    reserved until <instant>; confirm with `backoffice ids confirm <uuid>`
    ");
    assert_snapshot!(desk.shown(&["ids", "list"]), @"
    exit 0
    --- stdout
    RESERVATION                           IDS                STATE   EXPIRES
    <uuid>  HLS-001 … HLS-002  active  <instant>
    --- stderr
    ");
    assert_snapshot!(desk.shown(&["ids"]), @"
    exit 0
    --- stdout
    TYPE  LAST     NEXT
    HLS   HLS-002  HLS-003
    US    US-001   US-002
    --- stderr
    ");
    assert_snapshot!(desk.shown(&["ids", "add-type", "rfc", "RFC"]), @"
    exit 0
    --- stdout
    rfc (RFC)
    --- stderr
    ");
    assert_eq!(desk.run(&["ids", "next", "rfc"]).stdout, "RFC-001\n");
    assert_snapshot!(desk.shown(&["ids", "add-type", "story", "US"]), @"
    exit 5
    --- stdout
    --- stderr
    error: the type `US` exists already
    ");
    let reserved = desk.run(&["--json", "ids", "reserve", "US", "1"]).json();
    let id = reserved["reservation_id"].as_str().unwrap();
    assert_eq!(desk.run(&["ids", "confirm", id]).stdout, "confirmed\n");
    assert_snapshot!(desk.shown(&["ids", "release", id]), @"
    exit 5
    --- stdout
    --- stderr
    error: Reservation <uuid> is confirmed already; its numbers are in use
    ");
}

#[test]
fn a_day_with_tasks() {
    let desk = Desk::new();
    assert_snapshot!(desk.shown(&["tasks"]), @r#"
    exit 0
    --- stdout
    --- stderr
    nothing to do; add something with `backoffice tasks add "…"`
    "#);
    let id = desk.run(&["tasks", "add", "Buy milk", "--priority", "High"]).stdout;
    let id = id.trim();
    desk.run(&["tasks", "add", "Größe prüfen 漢字"]);
    assert_snapshot!(desk.shown(&["tasks"]), @"
    exit 0
    --- stdout
    TASK                                  STATUS   PRIORITY  WHAT
    <uuid>  pending  High      Buy milk
    <uuid>  pending  Medium    Größe prüfen 漢字
    --- stderr
    ");
    assert_eq!(desk.run(&["tasks", "done", id]).stdout, format!("{id} completed\n"));
    assert_snapshot!(desk.shown(&["tasks", "list", "--status", "completed"]), @"
    exit 0
    --- stdout
    TASK                                  STATUS     PRIORITY  WHAT
    <uuid>  completed  High      Buy milk
    --- stderr
    ");
    assert_snapshot!(desk.shown(&["tasks", "delete", id]), @"
    exit 5
    --- stdout
    --- stderr
    error: nothing was changed
    hint: add --yes to go on without being asked
    ");
    assert_eq!(desk.run(&["tasks", "delete", id, "--yes"]).code, 0);
    assert_snapshot!(desk.shown(&["tasks", "next"]), @"
    exit 0
    --- stdout
    No pending tasks for project
    --- stderr
    ");
}

#[test]
fn any_tool_can_be_called_and_errors_have_stable_codes() {
    let desk = Desk::new();
    let called = desk.run(&["call", "get_next_available_id", r#"{"artifact_type":"US"}"#]);
    assert_eq!(called.json()["next_id"], "US-001");
    for (arguments, code) in [
        (&["call", "get_next_available_id", "{}"][..], 2),
        (&["call", "nothing"], 2),
        (&["call", "whoami", "[]"], 2),
        (&["call", "whoami", "{"], 2),
        (&["frobnicate"], 2),
        (&["ids", "confirm", "nobody"], 3),
        (&["--as", "nobody", "status"], 3),
        (&["--read-only", "ids", "next", "US"], 2),
        (&["--toolsets", "nothing", "status"], 2),
        (&["--as", "frank.davis", "call", "list_tasks", r#"{"user_id":"ann"}"#], 4),
    ] {
        let ran = desk.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty());
    }
    let told = desk.run(&["--json", "call", "get_next_available_id", r#"{"artifact_typ":"US"}"#]);
    assert_snapshot!(told.stderr, @r#"{"error":{"kind":"invalid","message":"unknown argument `artifact_typ`","hint":"did you mean `artifact_type`?","field":"artifact_typ","reason":"unknown_argument"}}"#);
}

#[test]
fn the_tools_are_listed_for_people_and_programs() {
    let desk = Desk::new();
    let table = desk.run(&["tools", "--toolsets", "ids"]).stdout;
    assert!(table.starts_with("TOOL                   TOOLSET  KIND   WHAT IT DOES\n"), "{table}");
    let listed = desk.run(&["tools", "--json"]).json();
    assert!(listed.as_array().unwrap().iter().all(|tool| tool["input_schema"]["type"] == "object"));
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let desk = Desk::new();
    assert_snapshot!(desk.shown(&["doctor"]), @"
    exit 0
    --- stdout
    data file HOME/data/backoffice.db
      data file    ok
      journal      ok
      logs         ok
    --- stderr
    ");
    let file = desk.0.path().join("data/backoffice.db");
    damage(&file);
    let told = desk.run(&["doctor"]);
    assert_eq!(told.code, 5, "{}", told.stdout);
    assert!(told.stdout.contains("backoffice restore"), "{}", told.stdout);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let desk = Desk::new();
        desk.run(&["status"]);
        fs::set_permissions(desk.0.path().join("data/backoffice.db"), fs::Permissions::from_mode(0o644))
            .unwrap();
        let told = desk.run(&["doctor", "--json"]);
        assert_eq!(told.code, 5);
        let checks = told.json()["checks"].clone();
        let sick: Vec<_> = checks.as_array().unwrap().iter().filter(|check| check["ok"] == false).collect();
        assert_eq!((sick.len(), &sick[0]["check"]), (1, &json!("permissions")), "{checks}");
    }
}

fn damage(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let from = 4096;
    let to = bytes.len();
    bytes[from..to].fill(0x5A);
    fs::write(file, bytes).unwrap();
}

#[test]
fn help_teaches() {
    let desk = Desk::new();
    let help = desk.run(&["--help"]);
    assert_eq!(help.code, 0);
    for word in ["Serve MCP", "Exit codes", "BACKOFFICE_HOME", "--read-only"] {
        assert!(help.stdout.contains(word), "{word} in {}", help.stdout);
    }
    assert_eq!(desk.run(&["--version"]).stdout.trim(), format!("backoffice {}", env!("CARGO_PKG_VERSION")));
}
