//! Tries what a client would do: starts its entry with the little environment that it leaves to
//! servers, and makes one call.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::clients::Client;
use super::list::{present, started};
use crate::cli::output::text;
use crate::cli::style::printable;
use crate::clock::Stopwatch;
use crate::config::Environment;
use crate::error::{Error, Result};

const PATIENCE: Duration = Duration::from_secs(10);
/// How long a server may take to end once nobody speaks to it.
const FAREWELL: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(5);
const MOST_OUTPUT: u64 = 1 << 20;

/// Tries the entry of every client that has one.
pub(in crate::cli) fn of_every_client(environment: &Environment) -> Vec<(&'static str, Result<()>)> {
    let outcome = |client: &Client| {
        let name = client.facts().name;
        match client.user_file(environment).and_then(|path| present(*client, path)) {
            Err(error) => Some((name, Err(unreadable(&error)))),
            Ok(None) => None,
            // Only the client knows what its placeholders stand for.
            Ok(Some(entry)) if entry.to_string().contains("${") => None,
            Ok(Some(entry)) => Some((name, check(*client, &entry, environment))),
        }
    };
    Client::value_variants().iter().filter_map(outcome).collect()
}

fn unreadable(error: &Error) -> Error {
    let hint = error.hint_text().unwrap_or("look at the file, its owner and its permissions");
    Error::conflict(error.chain()).hint(hint)
}

fn check(client: Client, entry: &Value, environment: &Environment) -> Result<()> {
    let Some(command) = command(entry, environment) else {
        return Err(broken(client, entry, "it names no program"));
    };
    call(command, PATIENCE).map_err(|why| broken(client, entry, &why))
}

fn broken(client: Client, entry: &Value, why: &str) -> Error {
    let facts = client.facts();
    let (title, entry, why) = (facts.title, started(entry), printable(why));
    Error::conflict(format!("{title} cannot use its entry {entry}: {why}"))
        .hint(format!("`backoffice setup {}` writes it anew, with the flags you add", facts.name))
}

fn command(entry: &Value, environment: &Environment) -> Option<Command> {
    let mut command = Command::new(entry["command"].as_str()?);
    command.args(entry["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
    command.env_clear().envs(environment.left_to_servers.iter().map(|(name, value)| (name, value)));
    let own = entry["env"].as_object().into_iter().flatten();
    command.envs(own.filter_map(|(name, value)| Some((name, value.as_str()?))));
    if let Some(base) = directories::BaseDirs::new() {
        command.current_dir(base.home_dir());
    }
    Some(command)
}

/// Starts a server, opens a session and asks `whoami`; otherwise tells why that did not work.
fn call(mut command: Command, patience: Duration) -> Result<(), String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Server::start(command).map_err(|error| format!("it does not start: {error}"))?;
    let since = Stopwatch::start();
    let outcome = server.converse(&|| patience.saturating_sub(since.elapsed()));
    let ending = server.end();
    outcome.map_err(|failure| match failure {
        Failure::Refused(why) => why,
        Failure::Silent => format!("it has not answered for {} s", patience.as_secs_f32()),
        Failure::Gone => match (ending.status, ending.said) {
            (status, said) if said.is_empty() => format!("it ended at once, {status}"),
            (_, said) => said,
        },
    })
}

enum Failure {
    /// It answered, but not with a result.
    Refused(String),
    Silent,
    Gone,
}

struct Ending {
    status: String,
    /// The line of its complaints that tells most.
    said: String,
}

/// A process that is spoken to line by line. It never outlives this value.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    complaints: Receiver<String>,
}

impl Server {
    fn start(mut command: Command) -> std::io::Result<Self> {
        let mut child = command.spawn()?;
        let (tell, messages) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(stdout.take(MOST_OUTPUT)).lines().map_while(Result::ok) {
                    let Ok(message) = serde_json::from_str(&line) else { continue };
                    let _ = tell.send(message);
                }
            });
        }
        let (complain, complaints) = mpsc::channel();
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || {
                for line in BufReader::new(stderr.take(MOST_OUTPUT)).lines().map_while(Result::ok) {
                    let _ = complain.send(line);
                }
            });
        }
        let input = child.stdin.take();
        Ok(Server { child, input, messages, complaints })
    }

    fn converse(&mut self, left: &dyn Fn() -> Duration) -> Result<(), Failure> {
        let info = json!({ "name": "backoffice-doctor", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        self.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }))?;
        self.answer(1, left)?;
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let whoami = json!({ "name": "whoami", "arguments": {} });
        self.say(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": whoami }))?;
        let answer = self.answer(2, left)?;
        if answer["isError"] == true {
            return Err(Failure::Refused(
                answer["content"][0]["text"].as_str().unwrap_or("whoami failed").to_owned(),
            ));
        }
        Ok(())
    }

    fn say(&mut self, message: &Value) -> Result<(), Failure> {
        let input = self.input.as_mut().ok_or(Failure::Gone)?;
        writeln!(input, "{message}").and_then(|()| input.flush()).map_err(|_| Failure::Gone)
    }

    /// The result that belongs to a request; other messages are passed over.
    fn answer(&self, id: u64, left: &dyn Fn() -> Duration) -> Result<Value, Failure> {
        loop {
            let message = self.messages.recv_timeout(left()).map_err(|error| match error {
                RecvTimeoutError::Timeout => Failure::Silent,
                RecvTimeoutError::Disconnected => Failure::Gone,
            })?;
            if message["id"] == id {
                return match message.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => Err(Failure::Refused(text(&message["error"]["message"]))),
                };
            }
        }
    }

    /// Ends the process: first by saying no more, then by force.
    fn end(&mut self) -> Ending {
        self.input.take();
        let since = Stopwatch::start();
        let mut status = self.child.try_wait();
        while matches!(status, Ok(None)) && since.elapsed() < FAREWELL {
            thread::sleep(LOOK);
            status = self.child.try_wait();
        }
        let status = match status {
            Ok(Some(status)) => status.to_string(),
            _ => "killed".to_owned(),
        };
        // Whoever else holds the pipe may keep it open, so the end is not waited for.
        let mut said = Vec::new();
        while let Ok(line) = self.complaints.recv_timeout(Duration::from_millis(100)) {
            said.push(line);
        }
        let is_error = |line: &&String| line.starts_with("error");
        let said = said.iter().find(is_error).or(said.iter().rfind(|line| !line.trim().is_empty()));
        Ending { status, said: said.map(|line| line.chars().take(300).collect()).unwrap_or_default() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn tried(script: &str, patience: Duration) -> Result<(), String> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        call(command, patience)
    }

    #[test]
    fn a_server_that_does_not_answer_is_given_up_and_ended() {
        let since = Stopwatch::start();
        let told = tried("exec sleep 60", Duration::from_millis(200));
        assert_eq!(told, Err("it has not answered for 0.2 s".to_owned()));
        assert!(since.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_server_that_ends_at_once_has_its_complaint_told() {
        let long = Duration::from_secs(30);
        assert_eq!(
            tried("echo 'error: no file' >&2; echo 'hint: make one' >&2; exit 3", long),
            Err("error: no file".to_owned())
        );
        assert_eq!(tried("exit 3", long), Err("it ended at once, exit status: 3".to_owned()));
    }

    #[test]
    fn a_refusal_is_told_and_other_messages_are_passed_over() {
        let script = r#"
            echo 'talk on the wrong stream'
            echo '{"jsonrpc":"2.0","method":"notifications/message"}'
            echo '{"jsonrpc":"2.0","id":1,"result":{}}'
            echo '{"jsonrpc":"2.0","id":2,"result":{"isError":true,"content":[{"type":"text","text":"the file is locked"}]}}'
            cat >/dev/null"#;
        assert_eq!(tried(script, Duration::from_secs(30)), Err("the file is locked".to_owned()));
    }
}
