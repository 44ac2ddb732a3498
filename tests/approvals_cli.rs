//! `backoffice approvals` as people use it, with an agent at the other end.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, Ran, backoffice, command};

const FRANK: &str = "frank.davis";

/// A home in which an agent that speaks for Alice has asked that Frank be deleted.
struct Office {
    home: TempDir,
    agent: Client,
    id: String,
}

fn asked() -> Office {
    let home = tempfile::tempdir().unwrap();
    let mut agent = Client::start(home.path(), &["--as", "alice.chen"]);
    let id = ask(&mut agent);
    Office { home, agent, id }
}

fn ask(agent: &mut Client) -> String {
    let answer = agent.value("delete_employee", json!({"employee_id": FRANK}));
    assert_eq!(answer["status"], "pending_confirmation", "{answer}");
    answer["confirmationId"].as_str().unwrap().to_owned()
}

impl Office {
    fn as_alice(&self, arguments: &[&str]) -> Ran {
        backoffice(self.home.path(), &[&["--as", "alice.chen", "approvals"], arguments].concat())
    }

    fn frank_is_active(&self) -> bool {
        is_active(self.home.path())
    }

    /// The owner's PIN, set at a terminal.
    #[cfg(unix)]
    fn set_pin(&self) {
        let home = self.home.path();
        let mut terminal = crate::terminal::Terminal::start(home, home, 30, &["approvals", "pin", "set"]);
        terminal.at("New PIN: ", &["2468\n"]).at("Again: ", &["2468\n"]).at("from now on", &[]).ends_with(0);
    }
}

fn is_active(home: &Path) -> bool {
    backoffice(home, &["call", "get_employee", r#"{"employee_id":"frank.davis"}"#]).json()["data"]["active"]
        == true
}

/// Decides with a PIN that comes through a pipe.
fn start(home: &Path, arguments: &[&str], pin: &str, dies_at: Option<&str>) -> Child {
    let mut command = command(home);
    command.args(["--as", "alice.chen", "approvals"]).args(arguments);
    if let Some(at) = dies_at {
        command.env("BACKOFFICE_DIES_AT", at);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // One that is refused before it asks has closed the pipe.
    let _ = child.stdin.take().unwrap().write_all(format!("{pin}\n").as_bytes());
    child
}

fn code(child: Child) -> i32 {
    child.wait_with_output().unwrap().status.code().unwrap_or(-1)
}

#[test]
fn a_pipe_is_nobody_and_the_wrong_person_is_told_who_decides() {
    let office = asked();
    let piped = office.as_alice(&["approve", &office.id]);
    assert_eq!(piped.code, 4, "{}{}", piped.stdout, piped.stderr);
    assert!(piped.stderr.contains("this needs a person at a terminal"), "{}", piped.stderr);
    let owner = backoffice(office.home.path(), &["approvals", "approve", &office.id]);
    assert_eq!(owner.code, 4);
    assert!(owner.stderr.contains("backoffice --as alice.chen approvals"), "{}", owner.stderr);
    assert!(office.frank_is_active());
    let listed = backoffice(office.home.path(), &["--json", "approvals"]).json();
    assert_eq!(listed["confirmations"][0]["state"], "pending");
    let unknown = office.as_alice(&["deny", "ffffffff"]);
    assert_eq!(unknown.code, 3, "{}", unknown.stderr);
}

#[cfg(unix)]
#[test]
fn at_a_terminal_a_person_sees_the_card_and_decides() {
    use crate::terminal::Terminal;

    let mut office = asked();
    let home = office.home.path().to_owned();
    let shown = office.as_alice(&["show", &office.id[..8]]);
    for part in ["Delete employee Frank Davis", "FIELD", "BEFORE", "AFTER", "active", "true", "false"] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    let mut terminal =
        Terminal::start(&home, &home, 40, &["--as", "alice.chen", "approvals", "approve", &office.id]);
    terminal.at("Do it? [y/N]", &["n\n"]).at("nothing was decided", &[]).ends_with(5);
    assert!(office.frank_is_active());
    let mut terminal = Terminal::start(&home, &home, 40, &["--as", "alice.chen", "approvals"]);
    terminal.at("[a]pprove, [d]eny, [l]ater", &["a\n"]).ends_with(0);
    assert!(!office.frank_is_active());
    // The agent hears of it with its next reply, whatever that is about, beside the answer itself.
    let answer = office.agent.call("whoami", json!({}));
    let content = answer["result"]["content"].as_array().unwrap();
    assert_eq!(content.len(), 2, "{answer}");
    assert!(
        content[1]["text"].as_str().unwrap().contains("a person approved it and it was done"),
        "{answer}"
    );
    let told = &answer["result"]["_meta"]["backoffice/confirmations"][0];
    assert_eq!((&told["confirmationId"], &told["state"]), (&json!(office.id), &json!("executed")));
    assert_eq!(
        answer["result"]["structuredContent"]["user_id"], "alice.chen",
        "the schema's content is its own"
    );
    let next = office.agent.call("whoami", json!({}));
    assert_eq!(next["result"]["content"].as_array().unwrap().len(), 1, "once: {next}");
}

#[cfg(unix)]
#[test]
fn of_many_that_approve_at_the_same_instant_one_does_it() {
    let office = asked();
    office.set_pin();
    let racers: Vec<Child> =
        (0..6).map(|_| start(office.home.path(), &["approve", &office.id], "2468", None)).collect();
    let mut codes: Vec<i32> = racers.into_iter().map(code).collect();
    codes.sort_unstable();
    assert_eq!(codes.first(), Some(&0), "{codes:?}");
    assert!(codes[1..].iter().all(|code| *code == 5), "the others are told that it was decided: {codes:?}");
    assert!(!office.frank_is_active());
    let trail = backoffice(office.home.path(), &["--json", "log", "--tool", "delete_employee"]).stdout;
    let executed = trail.lines().filter(|line| line.contains(r#""verdict":"executed""#)).count();
    assert_eq!(executed, 1, "{trail}");
}

#[cfg(unix)]
#[test]
fn killed_between_approval_and_execution_it_has_happened_or_still_waits() {
    let mut office = asked();
    office.set_pin();
    let died = start(office.home.path(), &["approve", &office.id], "2468", Some("decided"));
    assert_eq!(code(died), -1, "it died before its commit");
    assert!(office.frank_is_active());
    let state = |office: &mut Office| -> Value {
        let id = json!({"confirmation_id": office.id});
        office.agent.value("get_confirmation", id)["state"].clone()
    };
    assert_eq!(state(&mut office), "pending");
    let died = start(office.home.path(), &["approve", &office.id], "2468", Some("executed"));
    assert_eq!(code(died), -1, "it died right after its commit");
    assert_eq!(state(&mut office), "executed");
    assert!(!office.frank_is_active());
    assert_eq!(code(start(office.home.path(), &["approve", &office.id], "2468", None)), 5);
}

/// What changes who may decide, past all cards, asks for the PIN, too; and an old backup does not take it away.
#[cfg(unix)]
#[test]
fn nothing_gets_around_the_pin() {
    let office = asked();
    let home = office.home.path();
    assert_eq!(backoffice(home, &["backup", "before.db"]).code, 0);
    office.set_pin();
    for arguments in [
        &["people", "grant", "frank.davis", "hr-write"][..],
        &["people", "remove", "alice.chen"],
        &["sample", "reset", "--yes"],
        &["import", "hr.grades", "grades.csv"],
    ] {
        std::fs::write(home.join("grades.csv"), "grade,min_salary,max_salary\nL1,1,2\n").unwrap();
        let refused = backoffice(home, arguments);
        assert_eq!(refused.code, 4, "{arguments:?}: {}", refused.stderr);
        // Each guess is counted; a right one ends that.
        assert_eq!(code(start(home, &["pin", "status"], "", None)), 0);
        let right = start(home, &["deny", "ffffffff"], "2468", None);
        assert_eq!(code(right), 3);
        let mut owner = command(home);
        owner
            .args(["people", "grant", "marcus.johnson", "employee"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        let mut owner = owner.spawn().unwrap();
        owner.stdin.take().unwrap().write_all(b"2468\n").unwrap();
        assert!(owner.wait().unwrap().success());
    }
    assert_eq!(backoffice(home, &["restore", "before.db", "--yes"]).code, 0);
    assert_eq!(backoffice(home, &["approvals", "pin", "status"]).stdout.trim(), "a PIN is set");
}

#[cfg(unix)]
#[test]
fn the_pin_is_asked_for_everywhere_and_stands_nowhere() {
    let office = asked();
    office.set_pin();
    let wrong = start(office.home.path(), &["approve", &office.id], "1111", None).wait_with_output().unwrap();
    assert_eq!(wrong.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("the PIN is wrong"));
    assert_eq!(code(start(office.home.path(), &["deny", &office.id], "2468", None)), 0);
    assert!(office.frank_is_active());
    for entry in std::fs::read_dir(office.home.path().join("data/logs")).unwrap() {
        let log = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!log.contains("2468") && !log.contains("1111"), "{log}");
    }
}
