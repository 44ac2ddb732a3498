//! Questions to a running daemon, and its answers.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::hello::{Control, Hello};
use super::{Daemon, socket};
use crate::error::{Error, Kind, Result};
use crate::mcp;
use crate::paths::Home;
use crate::tool::session::Wish;

/// A daemon that does not answer a question within this time is not healthy.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks the daemon of a data folder. `None` means that nobody listens there.
pub fn ask(home: &Home, control: Control, wish: &Wish) -> Result<Option<Value>> {
    mcp::on_one_thread(async {
        tokio::time::timeout(PATIENCE, exchange(&socket::place(home), control, wish.clone()))
            .await
            .unwrap_or_else(|_| Err(does_not_answer()))
    })
}

pub(super) fn does_not_answer() -> Error {
    Error::new(Kind::Busy, "the daemon does not answer")
        .hint("look at its process and at the end of its log; if it hangs, end it and start it again")
}

async fn exchange(path: &Path, control: Control, wish: Wish) -> Result<Option<Value>> {
    let Some(mut stream) = socket::connect(path).await? else { return Ok(None) };
    let line = Hello::new(Some(control), wish).line()?;
    let mut answer = String::new();
    let spoken = async {
        stream.write_all(line.as_bytes()).await?;
        BufReader::new(stream).read_line(&mut answer).await
    };
    // One that is just dying hangs up: it is as good as gone.
    if !matches!(spoken.await, Ok(read) if read > 0) {
        return Ok(None);
    }
    let answer: Value = serde_json::from_str(&answer)
        .map_err(|error| Error::conflict("the daemon's answer is not understood").because(error))?;
    match answer.get("refused") {
        Some(refused) => Err(refusal(refused)),
        None => Ok(Some(answer)),
    }
}

impl Daemon {
    /// Answers a question; for [`Control::Stop`] the answer comes first.
    pub(super) fn answer(&self, control: Control, wish: &Wish) -> Value {
        let answered = match control {
            Control::Check => self.office.connect(wish, "check".to_owned()).map(|_| self.identity()),
            Control::Status => Ok(self.status()),
            Control::Stop => Ok(self.identity()),
        };
        answered.unwrap_or_else(|error| refused(&error))
    }

    fn identity(&self) -> Value {
        json!({ "version": env!("CARGO_PKG_VERSION"), "pid": std::process::id() })
    }

    fn status(&self) -> Value {
        let office = &self.office;
        let failure = office.last_failure().map(|(at, error)| json!({ "at": at.rfc3339(), "error": error }));
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "pid": std::process::id(),
            "started_at": self.started_at.rfc3339(),
            "uptime_seconds": self.running.elapsed().as_secs(),
            "file": office.home.database(),
            "socket": socket::place(&office.home),
            "clients": self.clients.show(),
            "queue_depth": office.db.queue_depth(),
            "last_error": failure,
        })
    }
}

/// An error as it crosses the socket.
pub(super) fn refused(error: &Error) -> Value {
    json!({ "refused": { "message": error.chain(), "hint": error.hint_text() } })
}

fn refusal(told: &Value) -> Error {
    let error = Error::conflict(told["message"].as_str().unwrap_or("the daemon refused"));
    match told["hint"].as_str() {
        Some(hint) => error.hint(hint),
        None => error,
    }
}
