//! The real binary: run once as a command, or kept as a server that is spoken to line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

/// A command with a data folder of its own and nothing else from this process's environment.
#[expect(clippy::disallowed_methods, reason = "git is found where this process finds it")]
pub fn command(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backoffice"));
    command.env_clear().current_dir(home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).env("USER", "olivia").env("BACKOFFICE_HOME", home.join("data"));
    command
}

/// Brings everything that still stands in the log into the file itself, for a test to spoil it.
#[expect(clippy::disallowed_methods, reason = "stands for another program that opens the file")]
pub fn settle(file: &Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
}

/// What a command left behind.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }
}

/// Runs a command to its end.
pub fn backoffice(home: &Path, arguments: &[&str]) -> Ran {
    let output = command(home).args(arguments).stdin(Stdio::null()).output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A server under test and the pipes to it.
pub struct Client {
    child: Child,
    write: Option<ChildStdin>,
    read: BufReader<ChildStdout>,
    next_id: u64,
}

impl Client {
    /// Starts `backoffice mcp` and opens the older way, with a handshake.
    pub fn start(home: &Path, arguments: &[&str]) -> Self {
        let mut client = Self::start_silent(home, arguments);
        client.initialize("2025-11-25");
        client
    }

    /// Starts `backoffice mcp` and says nothing.
    pub fn start_silent(home: &Path, arguments: &[&str]) -> Self {
        Self::spawn(command(home), arguments)
    }

    pub fn spawn(mut command: Command, arguments: &[&str]) -> Self {
        command.arg("mcp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let write = child.stdin.take();
        let read = BufReader::new(child.stdout.take().unwrap());
        Client { child, write, read, next_id: 1 }
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        let info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer_to(&json!(id))
    }

    /// A request of the newer era: every message says who speaks which version.
    pub fn modern(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = modern_meta();
        self.request(method, params)
    }

    /// Sends a request without waiting.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The structured content of a call that must succeed.
    pub fn value(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments);
        assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub fn send_line(&mut self, line: &str) {
        self.send_raw(&format!("{line}\n"));
    }

    pub fn send_raw(&mut self, text: &str) {
        let write = self.write.as_mut().unwrap();
        write.write_all(text.as_bytes()).unwrap();
        write.flush().unwrap();
    }

    /// The next message with this id; what comes before it is passed over.
    pub fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            let message = self.message().expect("the server has ended");
            if message.get("id") == Some(id) {
                return message;
            }
        }
    }

    /// The next message, `None` at the end.
    pub fn message(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.read.read_line(&mut line).ok()?;
        (read > 0).then(|| serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}")))
    }

    /// Says that nothing more will come.
    pub fn end_input(&mut self) {
        self.write.take();
    }

    /// Ends the input and waits for the process.
    pub fn leave(mut self) -> ExitStatus {
        self.end_input();
        self.child.wait().unwrap()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a message of the newer era carries.
pub fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    })
}
