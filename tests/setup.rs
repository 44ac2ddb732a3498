//! `backoffice setup`: entries in the configurations of four clients, through the real binary with a
//! home folder of its own. (On Windows the folders of a user cannot be moved by a variable.)
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{Ran, command};

const CLIENTS: [&str; 4] = ["claude-code", "claude-desktop", "cursor", "vscode"];
const CONFIG: &str = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
const DATA: &str = if cfg!(target_os = "macos") {
    "Library/Application Support/backoffice"
} else {
    ".local/share/backoffice"
};

/// A person's home folder with nothing in it.
struct Person(tempfile::TempDir);

impl Person {
    fn new() -> Self {
        Person(tempfile::tempdir().unwrap())
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    /// Where a client keeps its configuration.
    fn file(&self, client: &str) -> PathBuf {
        self.path(&match client {
            "claude-code" => ".claude.json".to_owned(),
            "claude-desktop" => format!("{CONFIG}/Claude/claude_desktop_config.json"),
            "cursor" => ".cursor/mcp.json".to_owned(),
            _ => format!("{CONFIG}/Code/User/mcp.json"),
        })
    }

    /// Gives a client a configuration.
    fn has(&self, client: &str, text: &str) -> PathBuf {
        let file = self.file(client);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(&[], arguments)
    }

    fn run_with(&self, variables: &[(&str, &Path)], arguments: &[&str]) -> Ran {
        self.run_in(self.0.path(), variables, arguments)
    }

    fn run_in(&self, folder: &Path, variables: &[(&str, &Path)], arguments: &[&str]) -> Ran {
        let mut command = command(self.0.path());
        command.env_remove("BACKOFFICE_HOME").env("PATH", self.path("bin")).current_dir(folder);
        command.envs(variables.iter().copied()).args(arguments).stdin(Stdio::null());
        let output = command.output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: self.tidy(&String::from_utf8(output.stdout).unwrap()),
            stderr: self.tidy(&String::from_utf8(output.stderr).unwrap()),
        }
    }

    fn shown(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        format!("exit {}\n--- stdout\n{}--- stderr\n{}", ran.code, ran.stdout, ran.stderr)
    }

    /// What a client has in its configuration, without what differs from machine to machine.
    fn configuration(&self, client: &str) -> String {
        self.tidy(&fs::read_to_string(self.file(client)).unwrap())
    }

    fn tidy(&self, text: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_backoffice")).canonicalize().unwrap();
        let home = self.0.path().canonicalize().unwrap();
        let text = text
            .replace(program.to_str().unwrap(), "PROGRAM")
            .replace(home.to_str().unwrap(), "HOME")
            .replace(self.0.path().to_str().unwrap(), "HOME")
            .replace(&format!("HOME/{DATA}"), "DATA")
            .replace(&format!("HOME/{CONFIG}"), "CONFIG");
        // Tests run programs that were just built, and say so.
        let lines =
            text.split_inclusive('\n').filter(|line| !line.starts_with("warning: PROGRAM may go away"));
        lines.map(hide_stamp).collect()
    }

    /// The copies beside a client's configuration, oldest first.
    fn copies(&self, client: &str) -> Vec<PathBuf> {
        let file = self.file(client);
        let prefix = format!("{}.backoffice-", file.file_name().unwrap().to_str().unwrap());
        let entries = fs::read_dir(file.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        let is_copy = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(&prefix);
        let mut copies: Vec<_> = entries.filter(is_copy).collect();
        copies.sort();
        copies
    }
}

fn hide_stamp(line: &str) -> String {
    match (line.find(".backoffice-2"), line.find(".bak")) {
        (Some(from), Some(to)) if from < to => format!("{}.backoffice-STAMP{}", &line[..from], &line[to..]),
        _ => line.to_owned(),
    }
}

#[test]
fn each_client_gets_the_entry_in_its_own_form() {
    let person = Person::new();
    for client in CLIENTS {
        let ran = person.run(&["setup", client, "--force"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_snapshot!(person.configuration("claude-code"), @r#"
    {
      "mcpServers": {
        "backoffice": {
          "type": "stdio",
          "command": "PROGRAM",
          "args": ["mcp"],
          "env": {}
        }
      }
    }
    "#);
    assert_snapshot!(person.configuration("claude-desktop"), @r#"
    {
      "mcpServers": {
        "backoffice": {
          "command": "PROGRAM",
          "args": ["mcp"]
        }
      }
    }
    "#);
    assert_snapshot!(person.configuration("cursor"), @r#"
    {
      "mcpServers": {
        "backoffice": {
          "command": "PROGRAM",
          "args": ["mcp"]
        }
      }
    }
    "#);
    assert_snapshot!(person.configuration("vscode"), @r#"
    {
      "servers": {
        "backoffice": {
          "type": "stdio",
          "command": "PROGRAM",
          "args": ["mcp"]
        }
      }
    }
    "#);
    let mode = fs::metadata(person.file("claude-code")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "a new file is for its owner only");
}

#[test]
fn the_flags_go_into_the_entry() {
    let person = Person::new();
    fs::create_dir_all(person.path("shop/.git")).unwrap();
    let flags =
        "--as frank.davis --toolsets ids,tasks --read-only --repo shop --project stall --home data --connect";
    let mut arguments = vec!["setup", "cursor", "--print"];
    arguments.extend(flags.split(' '));
    person.run(&["--home", "data", "status"]);
    assert_snapshot!(person.shown(&arguments), @r#"
    exit 0
    --- stdout
    {
      "mcpServers": {
        "backoffice": {
          "command": "PROGRAM",
          "args": ["mcp", "--home", "HOME/data", "--as", "frank.davis", "--toolsets", "ids,tasks", "--repo", "HOME/shop", "--project", "stall", "--read-only", "--connect=auto"]
        }
      }
    }
    --- stderr
    Cursor would have this in HOME/.cursor/mcp.json
    "#);
    assert!(!person.file("cursor").exists(), "--print writes nothing");
    let ran = person.run(&["setup", "vscode", "--print", "--json"]);
    assert_snapshot!(ran.stdout, @r#"{"client":"vscode","file":"CONFIG/Code/User/mcp.json","section":"servers","name":"backoffice","entry":{"type":"stdio","command":"PROGRAM","args":["mcp"]}}"#);
    for (wrong, code) in [
        (["--toolsets", "idz"], 2),
        (["--as", "nobody"], 3),
        (["--repo", "data"], 3),
        (["--project", "a/b"], 2),
    ] {
        let ran = person.run(&["setup", "cursor", "--force", wrong[0], wrong[1]]);
        assert_eq!(ran.code, code, "{wrong:?}: {}", ran.stderr);
        assert!(!person.file("cursor").exists(), "{wrong:?}");
    }
}

#[test]
fn the_data_folder_is_named_where_a_client_would_not_find_it() {
    let person = Person::new();
    let arguments = |variables: &[(&str, &Path)], flags: &[&str]| {
        let ran = person.run_with(variables, &[&["setup", "cursor", "--print", "--json"], flags].concat());
        ran.json()["entry"]["args"].clone()
    };
    let elsewhere = person.path("elsewhere");
    assert_eq!(arguments(&[], &[]), json!(["mcp"]));
    assert_eq!(
        arguments(&[("BACKOFFICE_HOME", &elsewhere)], &[]),
        json!(["mcp", "--home", "HOME/elsewhere"])
    );
    assert_eq!(arguments(&[], &["--home", "here"]), json!(["mcp", "--home", "HOME/here"]));
    if !cfg!(target_os = "macos") {
        let moved = [("XDG_DATA_HOME", elsewhere.as_path())];
        assert_eq!(arguments(&moved, &[]), json!(["mcp", "--home", "HOME/elsewhere/backoffice"]));
        let usual = person.path(".local/share");
        assert_eq!(arguments(&[("XDG_DATA_HOME", &usual)], &[]), json!(["mcp"]));
    }
}

/// The case that the data folder in the entry is for: without it the client would open an empty file.
#[test]
#[cfg(not(target_os = "macos"))]
fn a_moved_data_folder_is_found_by_the_client_too() {
    let person = Person::new();
    let elsewhere = person.path("elsewhere");
    let moved = [("XDG_DATA_HOME", elsewhere.as_path())];
    person.run_with(&moved, &["setup", "cursor", "--force"]);
    let checked = person.run_with(&moved, &["doctor"]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    assert!(checked.stdout.contains("cursor       ok"), "{}", checked.stdout);
    assert!(!person.path(".local/share").exists(), "the entry opened the file that was meant");
}

const WITH_COMMENTS: &str = r#"{
	// what the team uses
	"inputs": [{ "id": "key", "type": "promptString" }],
	"servers": {
		"search": { "url": "https://example.org/mcp" }, // the other one
		/* "off": {}, */
	},
	"zeta": 1.50,
	"alpha": [1,2]
}
"#;

#[test]
fn comments_order_and_layout_survive() {
    let person = Person::new();
    person.has("vscode", WITH_COMMENTS);
    assert_snapshot!(person.shown(&["setup", "vscode"]), @"
    exit 0
    --- stdout
    vscode is set up in CONFIG/Code/User/mcp.json
    --- stderr
    the file as it was is kept as CONFIG/Code/User/mcp.json.backoffice-STAMP.bak
    VS Code starts it when the chat first needs it; `MCP: List Servers` shows it
    ");
    assert_snapshot!(person.configuration("vscode"), @r#"
    {
    	// what the team uses
    	"inputs": [{ "id": "key", "type": "promptString" }],
    	"servers": {
    		"search": { "url": "https://example.org/mcp" }, // the other one
    		"backoffice": {
    			"type": "stdio",
    			"command": "PROGRAM",
    			"args": ["mcp"],
    		},
    		/* "off": {}, */
    	},
    	"zeta": 1.50,
    	"alpha": [1,2]
    }
    "#);
}

#[test]
fn a_second_run_changes_nothing() {
    let person = Person::new();
    let file = person.has("vscode", WITH_COMMENTS);
    person.run(&["setup", "vscode"]);
    let (text, written) = (person.configuration("vscode"), fs::metadata(&file).unwrap().modified().unwrap());
    assert_snapshot!(person.shown(&["setup", "vscode"]), @"
    exit 0
    --- stdout
    vscode is already up to date in CONFIG/Code/User/mcp.json
    --- stderr
    ");
    assert_eq!(person.configuration("vscode"), text);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written);
    assert_eq!(person.copies("vscode").len(), 1, "and keeps no further copy");
    let told = person.run(&["setup", "vscode", "--json"]).json();
    assert_eq!(told["state"], "unchanged", "{told}");
}

#[test]
fn what_a_person_added_to_the_entry_stays() {
    let person = Person::new();
    let file = person.has(
        "claude-code",
        r#"{"mcpServers": {"backoffice": {"command": "/old/backoffice", "timeout": 9000, "args": ["mcp"], "env": {"A": "1"}}}}"#,
    );
    person.run(&["setup", "claude-code"]);
    assert_snapshot!(person.configuration("claude-code"), @r#"
    {"mcpServers": {"backoffice": {
          "command": "PROGRAM",
          "timeout": 9000,
          "args": ["mcp"],
          "env": {"A": "1"},
          "type": "stdio"
        }}}
    "#);
    fs::write(&file, r#"{"mcpServers": {"backoffice": {"type": "http", "url": "http://localhost:1"}}}"#)
        .unwrap();
    person.run(&["setup", "claude-code"]);
    let present: Value = serde_json::from_str(&person.configuration("claude-code")).unwrap();
    assert_eq!(
        present["mcpServers"]["backoffice"],
        json!({"type": "stdio", "command": "PROGRAM", "args": ["mcp"], "env": {}})
    );
}

#[test]
fn a_copy_is_kept_with_the_permissions_of_the_file() {
    let person = Person::new();
    let before = "{\"secret\": \"s3cr3t\"}";
    let file = person.has("claude-code", before);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let told = person.run(&["setup", "claude-code", "--json"]).json();
    let copies = person.copies("claude-code");
    assert_eq!(copies.len(), 1);
    assert_eq!(told["backup"], "HOME/.claude.json.backoffice-STAMP.bak");
    assert_eq!(fs::read_to_string(&copies[0]).unwrap(), before);
    for path in [&file, &copies[0]] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640, "{}", path.display());
    }
    let left = fs::read_dir(person.0.path()).unwrap().count();
    assert_eq!(left, 2, "no half-written file stays behind");
}

#[test]
fn removing_brings_back_every_byte() {
    for (client, before) in [
        ("vscode", WITH_COMMENTS),
        ("vscode", "{ \"servers\": {} }"),
        ("claude-code", "{}"),
        ("claude-code", ""),
        ("claude-code", "{\"mcpServers\":{},\"a\":1}"),
        (
            "claude-desktop",
            "{\r\n    \"mcpServers\": {\r\n        \"a\": {\"command\": \"b\"}\r\n    }\r\n}\r\n",
        ),
        ("cursor", "\u{feff}{\n\n  \"mcpServers\": null }"),
    ] {
        let person = Person::new();
        let file = person.has(client, before);
        let ran = person.run(&["setup", client]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        person.run(&["setup", client, "--read-only"]);
        assert_eq!(person.run(&["setup", client, "--remove"]).code, 0);
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{client}");
    }
}

#[test]
fn removing_takes_out_no_more_than_the_entry() {
    let person = Person::new();
    let file = person.has("vscode", WITH_COMMENTS);
    person.run(&["setup", "vscode"]);
    let changed = fs::read_to_string(&file).unwrap().replace("1.50", "2.50");
    fs::write(&file, changed).unwrap();
    assert_snapshot!(person.shown(&["setup", "vscode", "--remove"]), @"
    exit 0
    --- stdout
    vscode is no longer set up in CONFIG/Code/User/mcp.json
    --- stderr
    the file as it was is kept as CONFIG/Code/User/mcp.json.backoffice-STAMP.bak
    ");
    assert_eq!(fs::read_to_string(&file).unwrap(), WITH_COMMENTS.replace("1.50", "2.50"));
    assert_snapshot!(person.shown(&["setup", "vscode", "--remove"]), @"
    exit 0
    --- stdout
    vscode is not set up in CONFIG/Code/User/mcp.json, nothing to remove
    --- stderr
    ");

    person.run(&["setup", "cursor", "--force"]);
    person.run(&["setup", "cursor", "--remove"]);
    assert!(!person.file("cursor").exists(), "a file that held nothing else goes with the entry");
}

#[test]
fn what_cannot_be_understood_is_left_alone() {
    for (client, text, reason) in [
        ("claude-code", "{\"a\": }", "is not valid JSON: Unexpected close brace on line 1 column 7"),
        (
            "claude-code",
            "{\n  // no comments here\n}",
            "is not valid JSON: key must be a string at line 2 column 3",
        ),
        ("claude-desktop", "{\"a\": 1,}", "is not valid JSON: "),
        ("vscode", "{\"servers\": {'a': 1}}", "is not valid JSON: "),
        ("vscode", "{\"servers\": []}", "`servers` in `CONFIG/Code/User/mcp.json` is not a JSON object"),
        ("cursor", "[]", "does not hold a JSON object"),
        ("cursor", "{\"mcpServers\": {}, \"mcpServers\": {}}", "holds `mcpServers` twice"),
    ] {
        let person = Person::new();
        let file = person.has(client, text);
        for arguments in [&["setup", client][..], &["setup", client, "--remove"]] {
            let ran = person.run(arguments);
            assert_eq!((ran.code, ran.stdout.as_str()), (5, ""), "{client} {text}: {}", ran.stderr);
            assert!(ran.stderr.contains(reason) && ran.stderr.contains("hint: "), "{}", ran.stderr);
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert!(person.copies(client).is_empty());
        assert_eq!(person.run(&["setup", client, "--print"]).code, 0, "--print always helps");
    }
    let person = Person::new();
    let file = person.file("claude-code");
    fs::write(&file, b"\xff\xfe{").unwrap();
    assert_eq!(person.run(&["setup", "claude-code"]).code, 5);
    assert_eq!(fs::read(&file).unwrap(), b"\xff\xfe{");
}

#[test]
fn a_link_stays_a_link() {
    let person = Person::new();
    let (file, real) = (person.file("cursor"), person.path("dotfiles/cursor.json"));
    fs::create_dir_all(real.parent().unwrap()).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    symlink(&real, &file).unwrap();
    let lost = person.run(&["setup", "cursor"]);
    assert_eq!(lost.code, 5);
    assert!(lost.stderr.contains("is a link that leads nowhere"), "{}", lost.stderr);
    fs::write(&real, "{}").unwrap();
    assert_eq!(person.run(&["setup", "cursor"]).code, 0);
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("backoffice"));
    person.run(&["setup", "cursor", "--remove"]);
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}");
}

#[test]
fn a_client_that_is_not_there_is_not_given_a_folder() {
    let person = Person::new();
    assert_snapshot!(person.shown(&["setup", "claude-desktop"]), @"
    exit 5
    --- stdout
    --- stderr
    error: Claude Desktop is not found on this machine: there is no `CONFIG/Claude`
    hint: start it once, or write the file all the same with `--force`
    ");
    assert!(!person.path(CONFIG).exists());
    let program = person.path("bin/claude-desktop");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "").unwrap();
    assert_eq!(person.run(&["setup", "claude-desktop"]).code, 5, "a file that cannot be run is no program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(person.run(&["setup", "claude-desktop"]).code, 0, "its program is on the path");
}

#[test]
fn a_project_has_files_of_its_own() {
    let person = Person::new();
    let inside = person.path("shop/src");
    fs::create_dir_all(&inside).unwrap();
    fs::create_dir_all(person.path("shop/.git")).unwrap();
    for (client, file) in
        [("claude-code", ".mcp.json"), ("cursor", ".cursor/mcp.json"), ("vscode", ".vscode/mcp.json")]
    {
        let ran = person.run_in(&inside, &[], &["setup", client, "--scope", "project"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let text = fs::read_to_string(person.path("shop").join(file)).unwrap();
        assert!(text.contains("\"backoffice\""), "{text}");
        assert!(!person.file(client).exists(), "the user's own stays as it is");
    }
    let ran = person.run_in(&inside, &[], &["setup", "claude-desktop", "--scope", "project"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = person.run(&["setup", "cursor", "--scope", "project"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
}

#[test]
fn claude_code_may_keep_its_configuration_elsewhere() {
    let person = Person::new();
    let folder = person.path("claude");
    fs::create_dir(&folder).unwrap();
    let ran = person.run_with(&[("CLAUDE_CONFIG_DIR", &folder)], &["setup", "claude-code"]);
    assert_eq!(ran.stdout, "claude-code is set up in HOME/claude/.claude.json\n", "{}", ran.stderr);
    assert!(!person.file("claude-code").exists());
}

#[test]
fn the_list_says_how_each_client_stands() {
    let person = Person::new();
    assert_snapshot!(person.shown(&["setup"]), @"
    exit 0
    --- stdout
    CLIENT          FOUND  STATE       FILE
    claude-code     no     not set up  HOME/.claude.json
    claude-desktop  no     not set up  CONFIG/Claude/claude_desktop_config.json
    cursor          no     not set up  HOME/.cursor/mcp.json
    vscode          no     not set up  CONFIG/Code/User/mcp.json
    --- stderr

    `backoffice setup CLIENT` writes the entry, with `--print` it only shows it.
    ");
    person.has("claude-desktop", "{");
    person
        .has("cursor", r#"{"mcpServers": {"backoffice": {"command": "/old/backoffice", "args": ["mcp"]}}}"#);
    person.run(&["setup", "vscode", "--force"]);
    assert_snapshot!(person.shown(&["setup"]), @"
    exit 0
    --- stdout
    CLIENT          FOUND  STATE               FILE
    claude-code     no     not set up          HOME/.claude.json
    claude-desktop  yes    cannot be read      CONFIG/Claude/claude_desktop_config.json
    cursor          yes    set up differently  HOME/.cursor/mcp.json
    vscode          yes    set up              CONFIG/Code/User/mcp.json
    --- stderr

    claude-desktop: `CONFIG/Claude/claude_desktop_config.json` is not valid JSON: Unterminated object on line 1 column 1
    cursor starts `/old/backoffice mcp`
    `backoffice setup CLIENT` writes the entry, with `--print` it only shows it.
    ");
    assert_snapshot!(person.shown(&["setup", "--json", "--toolsets", "ids"]), @r#"
    exit 0
    --- stdout
    [{"client":"claude-code","found":false,"state":"not_set_up","file":"HOME/.claude.json"},{"client":"claude-desktop","found":true,"state":"cannot_be_read","file":"CONFIG/Claude/claude_desktop_config.json","problem":"`CONFIG/Claude/claude_desktop_config.json` is not valid JSON: Unterminated object on line 1 column 1"},{"client":"cursor","found":true,"state":"set_up_differently","file":"HOME/.cursor/mcp.json","differs":["command","args"],"starts":{"command":"/old/backoffice","args":["mcp"]}},{"client":"vscode","found":true,"state":"set_up_differently","file":"CONFIG/Code/User/mcp.json","differs":["args"],"starts":{"command":"PROGRAM","args":["mcp"]}}]
    --- stderr
    "#);
}

#[test]
fn the_doctor_starts_every_entry_as_its_client_would() {
    let person = Person::new();
    person.run(&["setup", "claude-code", "--force"]);
    person.run(&["setup", "vscode", "--force", "--toolsets", "ids"]);
    assert_snapshot!(person.shown(&["doctor"]), @"
    exit 0
    --- stdout
    data file DATA/backoffice.db
      integrity    ok
      permissions  ok
      data file    ok
      journal      ok
      artifacts    ok
      logs         ok
      daemon       ok
      claude-code  ok
      vscode       ok
    --- stderr
    no PIN is set: an agent with a shell could pass for you; `backoffice approvals pin set`
    ");

    let program = Path::new(env!("CARGO_BIN_EXE_backoffice")).canonicalize().unwrap();
    let nobody =
        json!({"mcpServers": {"backoffice": {"command": program, "args": ["mcp", "--as", "nobody"]}}});
    person.has("claude-desktop", &nobody.to_string());
    person
        .has("cursor", r#"{"mcpServers": {"backoffice": {"command": "/gone/backoffice", "args": ["mcp"]}}}"#);
    person.has("vscode", r#"{"servers": {"backoffice": {"command": "${workspaceFolder}/backoffice"}}}"#);
    assert_snapshot!(person.shown(&["doctor"]), @"
    exit 5
    --- stdout
    data file DATA/backoffice.db
      integrity      ok
      permissions    ok
      data file      ok
      journal        ok
      artifacts      ok
      logs           ok
      daemon         ok
      claude-code    ok
      claude-desktop Claude Desktop cannot use its entry `PROGRAM mcp --as nobody`: error: nobody in the directory is called `nobody`; `backoffice setup claude-desktop` writes it anew, with the flags you add
      cursor         Cursor cannot use its entry `/gone/backoffice mcp`: it does not start: No such file or directory (os error 2); `backoffice setup cursor` writes it anew, with the flags you add
    --- stderr
    no PIN is set: an agent with a shell could pass for you; `backoffice approvals pin set`
    error: 2 of 10 checks failed
    ");

    person.has("cursor", r#"{"mcpServers": "#);
    let told = person.run(&["doctor"]);
    assert!(told.stdout.contains("`HOME/.cursor/mcp.json` is not valid JSON"), "{}", told.stdout);
}

/// A variable of this process that would make a broken entry look whole.
#[test]
fn the_doctor_lends_an_entry_nothing_that_a_client_would_not() {
    let person = Person::new();
    let server =
        json!({"command": "/bin/sh", "args": ["-c", "/usr/bin/env > environment"], "env": {"EXTRA": "1"}});
    person.has("cursor", &json!({"mcpServers": {"backoffice": server}}).to_string());
    let ran = person.run_with(&[("SECRET", Path::new("s"))], &["doctor"]);
    assert_eq!(ran.code, 5);
    assert!(ran.stdout.contains("it ended at once"), "{}", ran.stdout);
    let given = fs::read_to_string(person.path("environment")).unwrap();
    let names = given.lines().filter_map(|line| line.split('=').next());
    let mut names: Vec<_> = names.filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name)).collect();
    names.sort_unstable();
    assert_eq!(names, ["EXTRA", "HOME", "PATH", "USER"]);
}

#[test]
fn an_entry_may_lead_to_the_daemon() {
    let person = Person::new();
    person.run(&["setup", "cursor", "--force", "--connect"]);
    let checked = person.run(&["doctor"]);
    let stopped = person.run(&["daemon", "stop"]);
    assert!(checked.stdout.contains("cursor       ok"), "{}", checked.stdout);
    assert_eq!(stopped.stdout, "stopped\n", "the entry has started it");
}
