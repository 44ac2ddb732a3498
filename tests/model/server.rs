//! A provider on this machine that behaves as it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Answers: status, further headers, body.
    Say(u16, &'static str, String),
    /// Reads the request and never answers.
    Silence,
    /// Begins to answer and never ends.
    Stall,
    /// Begins to answer and breaks the connection.
    HangUp,
    /// Breaks the connection at once.
    Slam,
}

impl Act {
    pub fn ok(body: &Value) -> Self {
        Act::Say(200, "", body.to_string())
    }

    pub fn status(status: u16) -> Self {
        Act::Say(status, "", json!({"error": {"message": "no"}}).to_string())
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    /// The first line and the headers, in small letters.
    pub head: String,
    pub body: String,
}

impl Request {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one that does these things in turn, the last one again and again.
    pub fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (requests, ended) = (Arc::<Mutex<Vec<Request>>>::default(), Arc::<AtomicBool>::default());
        let (seen, over) = (Arc::clone(&requests), Arc::clone(&ended));
        let thread = std::thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if over.load(Ordering::SeqCst) {
                    return;
                }
                // A client that goes away in the middle of its request has asked nothing.
                let Some(request) = read(&mut stream) else { continue };
                let count = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request);
                    seen.len()
                };
                perform(&acts[(count - 1).min(acts.len() - 1)], &mut stream);
                // What is silent stays open until the test is over.
                held.push(stream);
            }
        });
        Server { port, requests, ended, thread: Some(thread) }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        // The value of a header is as it was sent, its name in small letters.
        let (name, value) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
        let name = name.to_lowercase();
        if name == "content-length" {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&format!("{name}:{value}\n"));
    }
    let mut body = vec![0; (!head.is_empty()).then_some(length)?];
    reader.read_exact(&mut body).ok()?;
    Some(Request { head, body: String::from_utf8(body).ok()? })
}

/// A client that has gone away is no failure of the server's.
fn perform(act: &Act, stream: &mut TcpStream) {
    match act {
        Act::Say(status, headers, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            let _ = stream.shutdown(Shutdown::Write);
        }
        Act::Stall | Act::HangUp => {
            let _ = stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 1000\r\n\r\n{\"choices\": [");
            if matches!(act, Act::HangUp) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        Act::Slam => drop(stream.shutdown(Shutdown::Both)),
        Act::Silence => {}
    }
}
