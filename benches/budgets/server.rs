//! A raw JSON-RPC client: it writes lines to a child process and reads lines from it, and adds as
//! little as possible of its own to what it times.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use backoffice::clock::Stopwatch;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Outcome;

/// A connection to a server, and the server's process if it is there for this connection only.
pub struct Server {
    child: Option<Child>,
    write: Option<Box<dyn Write + Send>>,
    pub(super) read: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    asked: u64,
}

/// One call: how long it took and what went over the wire.
#[derive(Clone, Copy, Debug)]
pub struct Called {
    pub took: Duration,
    pub answer_bytes: usize,
}

/// As much of an answer as says whose it is and whether it is one.
#[derive(Debug, Deserialize)]
pub struct Envelope {
    pub id: Option<u64>,
    result: Option<Judged>,
}

#[derive(Debug, Deserialize)]
struct Judged {
    #[serde(default, rename = "isError")]
    is_error: bool,
}

impl Server {
    /// Starts a process and shakes hands.
    pub fn start(mut command: Command) -> Outcome<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let write = child.stdin.take().ok_or("the child has no input")?;
        let read = child.stdout.take().ok_or("the child has no output")?;
        Self::shake_hands(Some(child), Box::new(write), Box::new(read))
    }

    /// Connects to a daemon's socket and shakes hands.
    pub fn connect(socket: &Path) -> Outcome<Self> {
        #[cfg(unix)]
        let stream = std::os::unix::net::UnixStream::connect(socket)?;
        #[cfg(windows)]
        let stream = std::fs::OpenOptions::new().read(true).write(true).open(socket)?;
        Self::shake_hands(None, Box::new(stream.try_clone()?), Box::new(stream))
    }

    fn shake_hands(
        child: Option<Child>,
        write: Box<dyn Write + Send>,
        read: Box<dyn Read + Send>,
    ) -> Outcome<Self> {
        let read = BufReader::with_capacity(1 << 18, read);
        let mut server = Server { child, write: Some(write), read, line: Vec::new(), asked: 0 };
        server.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "budgets", "version": "1" },
            }),
        )?;
        server.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(server)
    }

    pub fn process_id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Any request, and its result.
    pub fn request(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.asked += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        self.send(format!("{request}\n").as_bytes())?;
        self.receive()?;
        let answer: Value = serde_json::from_slice(&self.line)?;
        match answer.get("result") {
            Some(result) if result.get("isError") != Some(&Value::Bool(true)) => Ok(result.clone()),
            _ => Err(format!("`{method}` was answered with {answer}").into()),
        }
    }

    /// Calls a tool, timed from the first byte written to the last one read.
    pub fn call(&mut self, tool: &str, arguments: &str) -> Outcome<Called> {
        let (_, request) = self.next_call(tool, arguments);
        let since = Stopwatch::start();
        self.send(&request)?;
        self.receive()?;
        let took = since.elapsed();
        self.answered()?;
        Ok(Called { took, answer_bytes: self.line.len() })
    }

    /// Calls a tool and returns its structured answer, untimed.
    pub fn ask(&mut self, tool: &str, arguments: &Value) -> Outcome<Value> {
        let answer = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        Ok(answer.get("structuredContent").cloned().unwrap_or_default())
    }

    /// The line of a call and the id it will be answered under.
    pub(super) fn next_call(&mut self, tool: &str, arguments: &str) -> (u64, Vec<u8>) {
        self.asked += 1;
        let id = self.asked;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\
             \"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
        );
        (id, line.into_bytes())
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.write.as_mut().ok_or("the connection is closed")?.write_all(bytes)?;
        Ok(())
    }

    /// Reads an answer; what the server tells of its own accord is passed over.
    pub(super) fn receive(&mut self) -> Outcome<()> {
        loop {
            self.line.clear();
            if self.read.read_until(b'\n', &mut self.line)? == 0 {
                return Err("the server has ended".into());
            }
            if !self.line.starts_with(b"{\"jsonrpc\":\"2.0\",\"method\":") {
                return Ok(());
            }
        }
    }

    /// Checks that the line just read is a success, and tells whose.
    pub(super) fn answered(&self) -> Outcome<u64> {
        let envelope: Envelope = serde_json::from_slice(&self.line)?;
        match (envelope.id, envelope.result) {
            (Some(id), Some(Judged { is_error: false })) => Ok(id),
            _ => Err(format!("a call was answered with {}", String::from_utf8_lossy(&self.line)).into()),
        }
    }
}

impl Drop for Server {
    /// A server ends when its input does; what it still says is not needed.
    fn drop(&mut self) {
        self.write.take();
        if let Some(child) = &mut self.child {
            let mut rest = Vec::new();
            let _ = self.read.read_to_end(&mut rest);
            let _ = child.wait();
        }
    }
}
