//! The daemon as a real process: its socket, its bridge, its end.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::client::{Client, backoffice, command, modern_meta};

/// A daemon that answers, until it is dropped.
struct Daemon {
    home: tempfile::TempDir,
    child: Child,
}

impl Daemon {
    fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap())
    }

    fn start_in(home: tempfile::TempDir) -> Self {
        let mut command = command(home.path());
        command.args(["daemon", "--foreground"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It says where it listens just before it does; `--background` waits for the handshake.
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("listening at "), "{line}");
        let daemon = Daemon { home, child };
        assert_eq!(backoffice(daemon.path(), &["daemon", "--background"]).code, 0);
        daemon
    }

    fn path(&self) -> &Path {
        self.home.path()
    }

    fn socket(&self) -> PathBuf {
        self.home.path().join("data/run/backoffice.sock")
    }

    fn connect(&self) -> Wire {
        Wire::open(&self.socket())
    }

    fn status(&self) -> Value {
        backoffice(self.path(), &["daemon", "status", "--json"]).json()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn kill(mut self) -> tempfile::TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::replace(&mut self.home, tempfile::tempdir().unwrap())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// MCP over the socket, without a private line.
struct Wire {
    write: UnixStream,
    read: BufReader<UnixStream>,
    next_id: u64,
}

impl Wire {
    fn open(socket: &Path) -> Self {
        let write = UnixStream::connect(socket).unwrap();
        let read = BufReader::new(write.try_clone().unwrap());
        let mut wire = Wire { write, read, next_id: 1 };
        let info = json!({"name": "wire", "version": "7"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        let id = wire.ask("initialize", params);
        assert_eq!(wire.message().unwrap()["id"], id);
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        wire
    }

    fn send(&mut self, message: Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    fn ask_next_id(&mut self) -> u64 {
        self.ask("tools/call", json!({"name": "get_next_available_id", "arguments": {"artifact_type": "US"}}))
    }

    fn next_id(&mut self) -> String {
        self.ask_next_id();
        let answer = self.message().unwrap();
        answer["result"]["structuredContent"]["next_id"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned()
    }

    fn message(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.read.read_line(&mut line).ok()?;
        (read > 0).then(|| serde_json::from_str(&line).unwrap())
    }
}

#[test]
fn many_connections_share_one_file_and_are_shown_by_name() {
    let daemon = Daemon::start();
    let mut wires: Vec<Wire> = (0..5).map(|_| daemon.connect()).collect();
    let given: BTreeSet<String> = wires.iter_mut().map(Wire::next_id).collect();
    assert_eq!(given.len(), 5);
    let status = daemon.status();
    let clients = status["clients"].as_array().unwrap();
    assert_eq!(
        (clients.len(), &clients[0]["name"], &clients[0]["version"]),
        (5, &json!("wire"), &json!("7"))
    );
    assert_eq!((&clients[0]["user_id"], &clients[0]["calls"]), (&json!("olivia"), &json!(1)));
    assert_eq!(status["last_error"], Value::Null);
    let table = backoffice(daemon.path(), &["daemon", "status"]).stdout;
    assert!(table.contains("CONNECTION") && table.contains("clients       5"), "{table}");
}

/// A form asks the client that made the call, and no other client of the daemon can fill it in.
#[test]
fn a_form_belongs_to_its_connection() {
    let daemon = Daemon::start();
    std::fs::create_dir(daemon.path().join(".git")).unwrap();
    let call =
        json!({"name": "require_clarification", "arguments": {"user_intention": "Add authentication"}});
    let content = json!({"auth_strategy": "OAuth", "auth_library": "Auth0"});
    let filled_in = json!({"action": "accept", "content": content});
    let [mut one, mut other] = [(); 2].map(|()| Client::start_silent(daemon.path(), &["--connect"]));
    let mut params = call.clone();
    params["_meta"] = modern_meta();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    let asked = one.request("tools/call", params.clone())["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] = json!({"form": filled_in});
    let status = |answer: Value| answer["result"]["structuredContent"]["status"].clone();
    assert_eq!(status(other.request("tools/call", params.clone())), "needs_clarification");
    assert_eq!(status(one.request("tools/call", params)), "completed");

    let mut older = Client::start_silent(daemon.path(), &["--connect"]);
    let info = json!({"name": "test", "version": "1"});
    let shows = json!({"elicitation": {}});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": shows, "clientInfo": info});
    older.request("initialize", hello);
    older.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let id = older.ask(
        "tools/call",
        json!({"name": "require_clarification", "arguments": {"user_intention": "Add a queue"}}),
    );
    let form = older.message().unwrap();
    assert_eq!(form["method"], "elicitation/create", "{form}");
    daemon.signal(Signal::TERM);
    let answer = older.answer_to(&json!(id));
    assert_eq!(status(answer), "needs_clarification", "a daemon that ends answers first");
}

#[test]
fn the_bridge_carries_the_wish_and_every_byte() {
    let daemon = Daemon::start();
    let arguments = ["--connect", "--as", "frank.davis", "--project", "web", "--toolsets", "tasks"];
    let mut client = Client::start(daemon.path(), &arguments);
    let told = client.value("whoami", json!({}));
    assert_eq!((&told["user_id"], &told["project_id"]), (&json!("frank.davis"), &json!("web")));
    assert_eq!(told["toolsets"], json!(["tasks"]));
    let long = "ä".repeat(2000);
    client.value("add_task", json!({"user_id": "frank.davis", "title": "x", "description": long}));
    let listed = client.value("list_tasks", json!({"user_id": "frank.davis"}));
    assert_eq!(listed["tasks"][0]["description"].as_str(), Some(long.as_str()));
    assert!(client.leave().success());
    let mut modern = Client::start_silent(daemon.path(), &["--connect"]);
    assert!(modern.modern("server/discover", json!({}))["result"].is_object());
    assert!(modern.leave().success());
}

#[test]
fn a_wish_that_cannot_be_granted_is_refused_before_anything_is_served() {
    let daemon = Daemon::start();
    let refused = backoffice(daemon.path(), &["mcp", "--connect", "--as", "frank.davies"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (5, ""));
    assert!(refused.stderr.contains("did you mean `frank.davis`?"), "{}", refused.stderr);
}

#[test]
fn without_a_daemon_connecting_says_how_to_start_one() {
    let home = tempfile::tempdir().unwrap();
    let refused = backoffice(home.path(), &["mcp", "--connect"]);
    assert_eq!(refused.code, 5);
    assert!(refused.stderr.contains("backoffice daemon --background"), "{}", refused.stderr);
    assert_eq!(backoffice(home.path(), &["daemon", "status"]).code, 5);
    assert_eq!(backoffice(home.path(), &["daemon", "stop"]).stdout, "none was running\n");
}

#[test]
fn a_second_daemon_is_refused_and_the_first_one_goes_on() {
    let daemon = Daemon::start();
    let mut wire = daemon.connect();
    let second = backoffice(daemon.path(), &["daemon", "--foreground"]);
    assert_eq!(second.code, 5);
    assert!(second.stderr.contains("another daemon is already running"), "{}", second.stderr);
    assert_eq!(wire.next_id(), "US-001");
    assert_eq!(daemon.connect().next_id(), "US-002");
}

#[test]
fn eight_clients_that_start_a_daemon_at_once_find_the_same_one() {
    let home = tempfile::tempdir().unwrap();
    let answers: BTreeSet<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = Client::start(home.path(), &["--connect=auto", "--project", "shop"]);
                    let id = client.value("get_next_available_id", json!({"artifact_type": "US"}))["next_id"]
                        .clone();
                    client.leave();
                    id.as_str().unwrap().to_owned()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.len(), 8);
    let stopped = backoffice(home.path(), &["daemon", "stop"]);
    assert_eq!(stopped.stdout, "stopped\n", "{}", stopped.stderr);
}

#[test]
fn after_a_kill_the_next_start_just_works() {
    let daemon = Daemon::start();
    assert_eq!(daemon.connect().next_id(), "US-001");
    let home = daemon.kill();
    assert!(home.path().join("data/run/backoffice.sock").exists(), "the stale socket is still there");
    let daemon = Daemon::start_in(home);
    assert_eq!(daemon.connect().next_id(), "US-002");
}

#[test]
fn asked_to_end_it_answers_what_is_in_flight_and_leaves_no_trace() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut daemon = Daemon::start();
        let mut wire = daemon.connect();
        for _ in 0..20 {
            wire.ask_next_id();
        }
        let first = wire.message().unwrap();
        daemon.signal(signal);
        let mut answers = vec![first];
        while let Some(answer) = wire.message() {
            answers.push(answer);
        }
        assert!(answers.iter().all(|answer| answer.get("result").is_some()), "{answers:?}");
        assert!(daemon.child.wait().unwrap().success());
        assert!(!daemon.socket().exists());
        // What was answered is there, and nothing was given twice.
        let next = backoffice(daemon.path(), &["ids", "next", "US"]).stdout;
        assert!(next.trim() > format!("US-{:03}", answers.len()).as_str(), "{next} after {}", answers.len());
    }
}

#[test]
fn stop_and_restart_are_commands() {
    let mut daemon = Daemon::start();
    let before = daemon.status()["pid"].clone();
    let restarted = backoffice(daemon.path(), &["daemon", "restart", "--json"]).json();
    assert_ne!(restarted["pid"], before);
    assert!(daemon.child.wait().unwrap().success(), "the first one ended in good order");
    assert_eq!(backoffice(daemon.path(), &["daemon", "stop"]).stdout, "stopped\n");
}

/// A thousand calls over four bridges, the daemon killed in the middle of them and started again.
#[test]
fn a_kill_in_the_middle_gives_nothing_twice() {
    let home = tempfile::tempdir().unwrap();
    let mut daemon = Daemon::start_in(home);
    let mut given = Vec::new();
    let mut unanswered = 0;
    for round in 0..4 {
        let mut wires: Vec<Wire> = (0..4).map(|_| daemon.connect()).collect();
        for wire in &mut wires {
            for _ in 0..62 {
                wire.ask_next_id();
            }
        }
        given.push(wires[round].message().unwrap());
        let home = daemon.kill();
        for wire in &mut wires {
            let mut answered = 0;
            while let Some(answer) = wire.message() {
                given.push(answer);
                answered += 1;
            }
            unanswered += 62 - answered;
        }
        daemon = Daemon::start_in(home);
    }
    let ids: Vec<&str> = given
        .iter()
        .map(|answer| answer["result"]["structuredContent"]["next_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "no number twice");
    assert!(unanswered > 0, "the kills came too late to show anything");
    let next = daemon.connect().next_id();
    assert!(ids.iter().all(|id| number(id) < number(&next)), "and none comes again");
    assert_eq!(backoffice(daemon.path(), &["doctor"]).code, 0);
}

fn number(id: &str) -> u32 {
    id.trim_start_matches("US-").parse().unwrap()
}

/// A client that floods and never reads, in three ways; each must end in back-pressure or in nothing
/// that is kept, and in neither case hold others back.
#[test]
fn a_client_that_never_reads_holds_nobody_back() {
    let daemon = Daemon::start();
    let call = |id: u64| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}}).to_string() + "\n"
    };
    let cancel = |id: u64| {
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
            .to_string()
            + "\n"
    };
    let listen = |id: u64| {
        let params = json!({"notifications": {"toolsListChanged": true}, "_meta": modern_meta()});
        json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params}).to_string()
            + "\n"
    };
    // Every other id is one that is under way already, which must not open a way around the bound.
    let mut stuck = [daemon.connect(), daemon.connect(), daemon.connect()];
    flood(&mut stuck[0], |id| call(id / 2));
    flood(&mut stuck[1], |id| call(id) + &cancel(id));
    flood(&mut stuck[2], listen);
    let mut other = daemon.connect();
    for _ in 0..100 {
        other.next_id();
    }
    let resident = resident_kb(daemon.child.id());
    assert!(resident.is_none_or(|kb| kb < 80_000), "{resident:?} KB");
}

/// Writes messages until the socket takes no more, or twenty thousand were taken.
fn flood(wire: &mut Wire, message: impl Fn(u64) -> String) {
    wire.write.set_nonblocking(true).unwrap();
    let (mut id, mut refused) = (100, 0);
    while refused < 50 && id < 20_000 {
        let messages: String = (id..id + 200).map(&message).collect();
        id += 200;
        if wire.write.write_all(messages.as_bytes()).is_ok() {
            refused = 0;
        } else {
            refused += 1;
            std::thread::yield_now();
        }
    }
}

#[test]
fn two_hundred_connections_are_held_while_sixteen_work() {
    let daemon = Daemon::start();
    let idle: Vec<Wire> = (0..200).map(|_| daemon.connect()).collect();
    let given: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    let mut wire = daemon.connect();
                    (0..25).map(|_| wire.next_id()).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), 400);
    assert!(daemon.status()["clients"].as_array().unwrap().len() >= idle.len());
}

#[test]
fn a_data_folder_with_a_long_name_has_a_socket_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("x".repeat(150));
    let home = home.to_str().unwrap();
    let run = |arguments: &[&str]| backoffice(folder.path(), &[&["--home", home], arguments].concat());
    let started = run(&["daemon", "--background"]);
    assert_eq!(started.code, 0, "{}", started.stderr);
    let status = run(&["daemon", "status", "--json"]).json();
    assert!(status["socket"].as_str().unwrap().starts_with("/tmp/backoffice-"), "{status}");
    let stopped = run(&["daemon", "stop"]);
    assert_eq!(stopped.stdout, "stopped\n", "{}", stopped.stderr);
}

fn resident_kb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_client_that_starts_a_daemon_is_not_put_off_by_one_that_is_dying() {
    for _ in 0..3 {
        let home = Daemon::start().kill();
        let mut client = Client::start(home.path(), &["--connect=auto"]);
        assert_eq!(client.value("whoami", json!({}))["user_id"], "olivia");
        assert!(client.leave().success());
        assert_eq!(backoffice(home.path(), &["daemon", "stop"]).code, 0);
    }
}

/// The bridge says who has ended, and never ends well with a request lost.
#[test]
fn a_bridge_whose_daemon_is_killed_says_so() {
    let daemon = Daemon::start();
    let mut client = Client::start(daemon.path(), &["--connect"]);
    client.value("whoami", json!({}));
    let _home = daemon.kill();
    assert!(client.message().is_none());
    assert_eq!(client.leave().code(), Some(5));
}

#[test]
fn a_relative_repository_means_the_clients_folder() {
    let daemon = Daemon::start();
    std::fs::create_dir_all(daemon.path().join("other/.git")).unwrap();
    let mut client = Client::start(daemon.path(), &["--connect", "--repo", "other"]);
    assert_eq!(client.value("whoami", json!({}))["project_id"], "other");
}

#[test]
fn a_first_line_that_is_not_understood_is_refused_and_not_served_as_the_owner() {
    let daemon = Daemon::start();
    for line in [r#"{"backoffice":2,"version":"9"}"#, r#"{"as":"nina.patel"}"#, "hello"] {
        let mut stream = UnixStream::connect(daemon.socket()).unwrap();
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["refused"]["message"].is_string(), "{line}: {answer}");
    }
}

#[test]
fn stopping_one_that_is_just_starting_stops_it() {
    let home = tempfile::tempdir().unwrap();
    let mut starting =
        command(home.path()).args(["daemon", "--foreground"]).stderr(Stdio::null()).spawn().unwrap();
    // Until the lock is held there is no daemon, and nothing to stop.
    while backoffice(home.path(), &["daemon", "stop"]).stdout != "stopped\n" {}
    assert!(starting.wait().unwrap().success());
}
