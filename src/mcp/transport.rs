//! One JSON message a line, over any pair of streams.
//!
//! Ours rather than `rmcp`'s, for what that one leaves unanswered: a message that is too large and
//! one of the wrong shape get an error with their id, and the end of input is announced at once, so
//! that open subscriptions end instead of holding the process for seconds.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::in_flight::{InFlight, answered};
use super::oversized::IdScan;

/// The largest message that is read.
pub const LARGEST_LINE: usize = 16 * 1024 * 1024;

pub(super) struct Lines<R, W> {
    read: BufReader<R>,
    /// The line so far; kept here because `receive` may be dropped half-way and called again.
    line: Vec<u8>,
    too_large: Option<IdScan>,
    write: Arc<Mutex<Option<W>>>,
    in_flight: Arc<InFlight>,
    stop: CancellationToken,
    gone: CancellationToken,
}

enum Read {
    Line,
    TooLarge(Option<Value>),
    End,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    /// Ends at the end of input or with `stop`, and then announces by `gone` that nothing more comes.
    pub fn new(read: R, write: W, stop: CancellationToken, gone: CancellationToken) -> Self {
        Lines {
            read: BufReader::new(read),
            line: Vec::new(),
            too_large: None,
            write: Arc::new(Mutex::new(Some(write))),
            in_flight: Arc::default(),
            stop,
            gone,
        }
    }

    async fn next_line(&mut self) -> io::Result<Read> {
        self.in_flight.place().await;
        self.read_line().await
    }

    /// Reads to the end of a line. Between two awaits nothing is held outside of `self`.
    async fn read_line(&mut self) -> io::Result<Read> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(Read::End);
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = &available[..newline.map_or(available.len(), |at| at + 1)];
            let used = taken.len();
            if let Some(scan) = &mut self.too_large {
                scan.feed(taken);
            } else if self.line.len() + used > LARGEST_LINE {
                let mut scan = IdScan::default();
                scan.feed(&self.line);
                scan.feed(taken);
                self.line = Vec::new();
                self.too_large = Some(scan);
            } else {
                self.line.extend_from_slice(taken);
            }
            self.read.consume(used);
            if newline.is_some() {
                return Ok(match self.too_large.take() {
                    Some(scan) => Read::TooLarge(scan.id()),
                    None => Read::Line,
                });
            }
        }
    }

    async fn refuse(&mut self, id: Option<Value>, message: &str) {
        let error = json!({ "code": -32600, "message": format!("Invalid request: {message}") });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        let _ = write_line(&self.write, answer.to_string().into_bytes()).await;
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

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (write, in_flight) = (Arc::clone(&self.write), Arc::clone(&self.in_flight));
        async move {
            let written = match serde_json::to_vec(&item) {
                Ok(line) => write_line(&write, line).await,
                Err(error) => Err(error.into()),
            };
            in_flight.free(answered(&item).as_ref());
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let stop = self.stop.clone();
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => Ok(Read::End),
                next = self.next_line() => next,
            };
            match next {
                Ok(Read::Line) => {}
                Ok(Read::TooLarge(id)) => {
                    tracing::warn!(event = "message_too_large", limit = LARGEST_LINE);
                    self.refuse(id, "the message is larger than 16 MiB").await;
                    continue;
                }
                Ok(Read::End) | Err(_) => {
                    self.gone.cancel();
                    return None;
                }
            }
            let line = std::mem::take(&mut self.line);
            let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii();
            if text.is_empty() {
                continue;
            }
            match serde_json::from_slice(text) {
                Ok(message) => {
                    let Some(id) = self.in_flight.came(&message) else { return Some(message) };
                    self.refuse(serde_json::to_value(id).ok(), "a request with this id is under way").await;
                }
                Err(error) => match serde_json::from_slice::<Value>(text) {
                    // Answering garbage invites an endless exchange of it: the SDKs ignore it, too.
                    Err(_) => tracing::warn!(event = "message_not_json", %error),
                    Ok(message) if is_notification(&message) => {}
                    Ok(message) => {
                        let id = message.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
                        self.refuse(id, "this is not a JSON-RPC message of MCP").await;
                    }
                },
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.take();
        Ok(())
    }
}
