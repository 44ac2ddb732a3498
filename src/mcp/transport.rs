//! JSON-RPC over any pair of streams.
//!
//! Ours rather than `rmcp`'s, for what that one leaves undone: a message that is too large, of the
//! wrong shape or not JSON gets an error with its id; the requests under way are bounded; and the
//! end of input is announced at once, so that open subscriptions end instead of holding the process
//! for seconds.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::in_flight::InFlight;
use super::lines::{Line, Lines};
use super::oversized::IdScan;
use super::twice;

/// So many requests may wait for a place; beyond that nothing is read.
const WAITING: usize = 64;

type Message = RxJsonRpcMessage<RoleServer>;

pub(super) struct Wire<R, W> {
    lines: Lines<R>,
    write: Arc<Mutex<Option<W>>>,
    in_flight: Arc<InFlight>,
    /// Requests that have come and have no place yet.
    waiting: VecDeque<Message>,
    /// An error that is being written. It is a task of its own, because `receive` may be given up
    /// half-way, and half an answer would spoil the stream; while it lasts nothing more is read.
    refusing: Option<JoinHandle<()>>,
    /// Whether the conversation has begun: before it has, only requests are expected.
    begun: bool,
    ended: bool,
    stop: CancellationToken,
    gone: CancellationToken,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Wire<R, W> {
    /// Ends at the end of input or with `stop`, and then announces by `gone` that nothing more comes.
    pub fn new(
        read: R,
        write: W,
        in_flight: Arc<InFlight>,
        stop: CancellationToken,
        gone: CancellationToken,
    ) -> Self {
        Wire {
            lines: Lines::new(read),
            write: Arc::new(Mutex::new(Some(write))),
            in_flight,
            waiting: VecDeque::new(),
            refusing: None,
            begun: false,
            ended: false,
            stop,
            gone,
        }
    }

    /// Looks at a line; what is left for the service comes back.
    fn understand(&mut self, line: &[u8]) -> Option<Message> {
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
        if text.is_empty() {
            return None;
        }
        if let Ok(message) = serde_json::from_slice::<Message>(text) {
            return self.admit(message);
        }
        let mut scan = IdScan::default();
        scan.feed(text);
        match (serde_json::from_slice::<Value>(text), scan.id()) {
            (Ok(message), id) if !is_notification(&message) => {
                self.refuse(-32600, id.as_ref(), "Invalid request: this is not a JSON-RPC message of MCP");
            }
            (Err(error), Some(id)) => {
                self.refuse(-32700, Some(&id), &format!("Parse error: {error}"));
            }
            // Answering garbage invites an endless exchange of it: the SDKs ignore it, too.
            (Err(error), None) => tracing::warn!(event = "message_not_json", %error),
            (Ok(_), _) => {}
        }
        None
    }

    fn admit(&mut self, message: Message) -> Option<Message> {
        match &message {
            JsonRpcMessage::Request(request) => {
                let id = &request.id;
                if self.in_flight.holds(id) || self.waiting.iter().any(|waiting| id_of(waiting) == Some(id)) {
                    let shown = serde_json::to_value(id).ok();
                    self.refuse(
                        -32600,
                        shown.as_ref(),
                        "Invalid request: a request with this id is under way",
                    );
                    return None;
                }
                let subscribes = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
                if subscribes && !self.in_flight.may_subscribe() {
                    let shown = serde_json::to_value(id).ok();
                    self.refuse(-32600, shown.as_ref(), "Invalid request: too many subscriptions are open");
                    return None;
                }
                let probes = matches!(
                    request.request,
                    ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
                );
                self.begun |= !probes;
                self.waiting.push_back(message);
                None
            }
            JsonRpcMessage::Notification(note) => {
                if let ClientNotification::CancelledNotification(cancelled) = &note.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.retain(|waiting| id_of(waiting) != Some(id));
                }
                self.begun.then_some(message)
            }
            _ => self.begun.then_some(message),
        }
    }

    /// The next request that has a place.
    fn next_request(&mut self) -> Option<Message> {
        if !self.in_flight.has_place() {
            return None;
        }
        let message = self.waiting.pop_front()?;
        if let JsonRpcMessage::Request(request) = &message {
            let stays = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
            self.in_flight.take(&request.id, stays);
        }
        Some(message)
    }

    fn refuse(&mut self, code: i32, id: Option<&Value>, message: &str) {
        let answer = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
        let (write, line) = (Arc::clone(&self.write), answer.to_string().into_bytes());
        self.refusing = Some(tokio::spawn(async move { drop(write_line(&write, line).await) }));
    }
}

async fn write_line<W: AsyncWrite + Unpin>(write: &Mutex<Option<W>>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut write = write.lock().await;
    let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    write.write_all(&line).await?;
    write.flush().await
}

/// Whether a message that could not be read is a notification, which nobody waits for.
fn is_notification(message: &Value) -> bool {
    message.get("method").is_some_and(Value::is_string) && message.get("id").is_none()
}

fn id_of(message: &Message) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(&request.id),
        _ => None,
    }
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let sending = self.in_flight.sending(answered);
        let write = Arc::clone(&self.write);
        async move {
            let written = write_line(&write, twice::line(&item)?).await;
            drop(sending);
            written
        }
    }

    async fn receive(&mut self) -> Option<Message> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                let _ = refusing.await;
                self.refusing = None;
            }
            if let Some(request) = self.next_request() {
                return Some(request);
            }
            if self.ended && self.waiting.is_empty() {
                self.gone.cancel();
                return None;
            }
            let reads = !self.ended && self.waiting.len() < WAITING;
            let line = tokio::select! {
                biased;
                () = self.stop.cancelled(), if !self.ended => Ok(Line::End),
                () = self.in_flight.place(), if !self.waiting.is_empty() => continue,
                line = self.lines.next(), if reads => line,
            };
            match line {
                Ok(Line::Text(line)) => {
                    if let Some(message) = self.understand(&line) {
                        return Some(message);
                    }
                }
                Ok(Line::TooLarge(id)) => {
                    tracing::warn!(event = "message_too_large");
                    self.refuse(-32600, id.as_ref(), "Invalid request: the message is larger than 16 MiB");
                }
                Ok(Line::End) | Err(_) => self.ended = true,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A client that does not read may hold the lock for ever; its stream ends with the process.
        if let Ok(mut write) = self.write.try_lock() {
            write.take();
        }
        Ok(())
    }
}
