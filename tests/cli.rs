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
    assert!(told.stderr.contains("`backoffice setup` connects Claude Code"), "{}", told.stderr);
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
    assert_eq!(desk.run(&["tasks", "add", "Buy milk", "--priority", "High"]).stdout, "1 Buy milk\n");
    desk.run(&["tasks", "add", "Größe prüfen 漢字"]);
    assert_snapshot!(desk.shown(&["tasks"]), @"
    exit 0
    --- stdout
    #  STATUS   PRIORITY  WHAT
    1  pending  High      Buy milk
    2  pending  Medium    Größe prüfen 漢字
    --- stderr
    ");
    assert_eq!(desk.run(&["tasks", "edit", "2", "--title", "Größe prüfen"]).stdout, "2 Größe prüfen\n");
    assert_eq!(desk.run(&["tasks", "done", "1"]).stdout, "1 completed\n");
    assert_snapshot!(desk.shown(&["tasks", "list", "--status", "completed"]), @"
    exit 0
    --- stdout
    #  STATUS     PRIORITY  WHAT
    1  completed  High      Buy milk
    --- stderr
    ");
    assert_snapshot!(desk.shown(&["tasks", "board"]), @"
    exit 0
    --- stdout
    PENDING (1)                             IN PROGRESS (0)                         COMPLETED (1)
    #2 Größe prüfen                                                                 #1 Buy milk
    --- stderr
    ");
    assert_snapshot!(desk.shown(&["tasks", "delete", "1"]), @"
    exit 5
    --- stdout
    --- stderr
    error: nothing was changed
    hint: add --yes to go on without being asked
    ");
    assert_eq!(desk.run(&["tasks", "delete", "#1", "--yes"]).code, 0);
    assert_snapshot!(desk.shown(&["tasks", "done", "1"]), @"
    exit 3
    --- stdout
    --- stderr
    error: you have no task `1`
    hint: `backoffice tasks list` shows them all
    ");
    assert_snapshot!(desk.shown(&["tasks", "done", "milk"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `milk` names no task
    hint: use the number that `backoffice tasks` shows, a UUID, or TASK-nnn
    ");
    assert_snapshot!(desk.shown(&["tasks", "next"]), @"
    exit 0
    --- stdout
    No pending tasks for project
    --- stderr
    ");
    desk.run(&["tasks", "add", "third"]);
    assert!(desk.run(&["tasks"]).stdout.contains("3  pending"), "a number is never used again");
    let foreign = desk.run(&["--as", "frank.davis", "tasks", "done", "3"]);
    assert_eq!(foreign.code, 3, "another user's number means nothing");
}

#[test]
fn what_others_write_cannot_repaint_the_screen() {
    let desk = Desk::new();
    desk.run(&["tasks", "add", "red\u{1b}[31m\nforged \u{202e}line"]);
    let shown = desk.run(&["tasks"]).stdout;
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
}

#[test]
fn settings_have_values_and_sources() {
    let desk = Desk::new();
    assert_snapshot!(desk.shown(&["config", "show"]), @"
    exit 0
    --- stdout
    SETTING   VALUE      FROM     WHAT IT IS
    as        the owner  default  the person to speak for
    connect   never      default  whether `mcp` serves itself or lets the daemon serve
    log       info       default  what is logged, such as debug
    toolsets  all        default  the toolsets that are offered
    --- stderr
    ");
    assert_eq!(desk.run(&["config", "set", "toolsets", "ids"]).stdout, "toolsets: ids\n");
    assert!(desk.run(&["config", "show"]).stdout.contains("toolsets  ids        file"));
    assert!(
        desk.run(&["config", "show", "--toolsets", "tasks"]).stdout.contains("toolsets  tasks      flag")
    );
    let tools = desk.run(&["tools"]).stdout;
    assert!(tools.contains("reserve_id_range") && !tools.contains("add_task"), "{tools}");
    assert_snapshot!(desk.shown(&["config", "set", "toolset", "ids"]), @"
    exit 2
    --- stdout
    --- stderr
    error: there is no setting `toolset`
    hint: did you mean `toolsets`?
    ");
    assert_eq!(desk.run(&["config", "set", "toolsets", "nothing"]).code, 2);
    assert_eq!(desk.run(&["config", "set", "connect", "maybe"]).code, 2);
    assert_eq!(desk.run(&["config", "set", "toolsets", "--unset"]).code, 0);
    assert!(desk.run(&["tools"]).stdout.contains("add_task"));
    assert!(desk.run(&["config", "path"]).stdout.trim().ends_with("data/config.json"));
}

#[test]
fn repositories_are_registered_by_what_is_around_a_folder() {
    let desk = Desk::new();
    let repository = desk.0.path().join("shop");
    fs::create_dir_all(repository.join(".git")).unwrap();
    fs::create_dir_all(repository.join("src")).unwrap();
    let inside = repository.join("src");
    let inside = inside.to_str().unwrap();
    assert_eq!(desk.run(&["repo", "add", "."]).code, 3);
    assert!(desk.run(&["repo", "add", inside]).stdout.starts_with("added: "));
    assert!(desk.run(&["repo", "add", inside]).stdout.starts_with("already there: "));
    assert!(desk.run(&["repo"]).stdout.contains("shop"));
    assert_eq!(desk.run(&["repo", "remove", inside]).code, 0);
    assert_eq!(desk.run(&["repo", "remove", inside]).code, 3);
}

#[test]
fn the_log_shows_who_called_what_and_filters() {
    let desk = Desk::new();
    desk.run(&["ids", "next", "US"]);
    desk.run(&["ids", "confirm", "nobody"]);
    desk.run(&["--as", "frank.davis", "tasks", "add", "x"]);
    let lines = |arguments: &[&str]| desk.run(&[&["log"], arguments].concat()).stdout.lines().count();
    assert_eq!(lines(&[]), 4, "a heading and three calls");
    assert_eq!(lines(&["--outcome", "not_found"]), 2);
    assert_eq!(lines(&["--who", "frank.davis"]), 2);
    assert_eq!(lines(&["--tool", "get_next_available_id", "--since", "1h"]), 2);
    assert_eq!(lines(&["--since", "2999-01-01"]), 0);
    assert_eq!(desk.run(&["log", "--since", "soon"]).code, 2);
    let json = desk.run(&["log", "-n", "1", "--json"]).json();
    assert_eq!((&json["caller"], &json["tool"]), (&json!("frank.davis"), &json!("add_task")));
}

#[test]
fn top_counts_the_calls_of_all_clients() {
    let desk = Desk::new();
    desk.run(&["ids", "next", "US"]);
    desk.run(&["ids", "next", "US"]);
    desk.run(&["call", "whoami"]);
    desk.run(&["ids", "confirm", "nobody"]);
    let top = desk.run(&["top", "--json"]).json();
    assert_eq!((&top["calls"], &top["failed"]), (&json!(4), &json!(1)));
    let groups = top["groups"].as_array().unwrap();
    let of = |tool: &str| {
        groups
            .iter()
            .filter(|group| group["tool"] == tool)
            .map(|group| group["calls"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!((of("get_next_available_id"), of("whoami")), (2, 1));
    assert!(desk.run(&["top"]).stdout.starts_with("4 calls in the last 60 s, 1 failed\n"));
}

#[test]
fn shells_are_answered_and_pages_are_written() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(desk.run(&["completions", shell]).stdout.contains("BACKOFFICE_COMPLETE"), "{shell}");
    }
    assert_eq!(desk.run(&["completions", "tcsh"]).code, 2);
    desk.run(&["tasks", "add", "Buy milk"]);
    let mut asked = crate::client::command(desk.0.path());
    asked.env("BACKOFFICE_COMPLETE", "fish").args(["--", "backoffice", "tasks", "done", ""]);
    let answer = String::from_utf8(asked.output().unwrap().stdout).unwrap();
    assert!(answer.contains("1\tBuy milk"), "{answer}");
    let pages = desk.run(&["man", "pages"]);
    assert_eq!(pages.code, 0, "{}", pages.stderr);
    let page = fs::read_to_string(desk.0.path().join("pages/backoffice-tasks.1")).unwrap();
    assert!(page.contains("backoffice tasks done 3"), "{page}");
}

/// Every example of every command's help is run, in a home that has what they speak of.
#[test]
fn the_examples_of_the_help_work() {
    let desk = Desk::new();
    fs::create_dir_all(desk.0.path().join(".git/objects")).unwrap();
    let git = std::process::Command::new("git").arg("init").arg("-q").current_dir(desk.0.path()).status();
    assert!(git.unwrap().success());
    fs::create_dir(desk.0.path().join(".claude")).unwrap();
    for title in ["one", "two", "three"] {
        desk.run(&["tasks", "add", title]);
    }
    let commands: Vec<String> = commands_of(&desk.run(&["--help"]).stdout);
    assert!(commands.len() > 12, "{commands:?}");
    let mut tried = 0;
    for command in &commands {
        let help = desk.run(&[command, "--help"]).stdout;
        let examples = help.lines().skip_while(|line| *line != "Examples:");
        for line in examples.filter_map(|line| line.trim().strip_prefix("backoffice ")) {
            let arguments = split(line);
            let ran = desk.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(ran.code, 0, "backoffice {line}: {}{}", ran.stdout, ran.stderr);
            tried += 1;
        }
    }
    assert!(tried >= 20, "{tried} examples");
}

fn commands_of(help: &str) -> Vec<String> {
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("    "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Splits as a shell does, as far as our examples need it.
pub fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    words
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
      artifacts    ok
      logs         ok
      daemon       ok
    --- stderr
    no PIN is set: an agent with a shell could pass for you; `backoffice approvals pin set`
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
    crate::client::settle(file);
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

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_not_a_success() {
    let desk = Desk::new();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran =
        crate::client::command(desk.0.path()).args(["ids", "next", "US"]).stdout(full).output().unwrap();
    assert_eq!(ran.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("cannot write the answer"));
}

#[test]
fn following_ends_with_its_reader() {
    let desk = Desk::new();
    desk.run(&["ids", "next", "US"]);
    let mut follow = crate::client::command(desk.0.path());
    let mut follow = follow.args(["log", "--follow"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut read = std::io::BufReader::new(follow.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut read, &mut line).unwrap();
    assert!(line.contains("get_next_available_id"), "{line}");
    drop(read);
    while follow.try_wait().unwrap().is_none() {
        desk.run(&["ids", "next", "US"]);
    }
}

#[test]
fn a_setting_that_would_break_everything_is_refused_or_named() {
    let desk = Desk::new();
    desk.run(&["status"]);
    assert_eq!(desk.run(&["config", "set", "as", "ghost"]).code, 3);
    assert_eq!(desk.run(&["config", "set", "log", "!!!nonsense["]).code, 2);
    fs::write(desk.0.path().join("data/config.json"), r#"{"as": "ghost"}"#).unwrap();
    let told = desk.run(&["tasks"]).stderr;
    assert!(told.contains("config.json") && told.contains("--unset"), "{told}");
    assert_eq!(desk.run(&["config", "set", "as", "--unset"]).code, 0);
    assert_eq!(desk.run(&["tasks"]).code, 0);
}

#[test]
fn pressing_a_key_makes_no_data_file() {
    let desk = Desk::new();
    let mut asked = crate::client::command(desk.0.path());
    asked.env("BACKOFFICE_COMPLETE", "fish").args(["--", "backoffice", "tasks", "done", ""]);
    assert!(asked.output().unwrap().status.success());
    assert!(!desk.0.path().join("data").exists());
    desk.run(&["setup", "cursor", "--print", "--as", "nina.patel"]);
    assert!(!desk.0.path().join("data/backoffice.db").exists());
}
