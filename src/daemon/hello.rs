//! The private first line of a connection: what the client wishes it to be, or a question to the
//! daemon itself. A connection that opens with MCP has no such line and is the owner's.

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

use crate::error::{Error, Result};
use crate::tool::session::Wish;

/// How every private line begins; nothing of MCP does.
const OPENING: &[u8] = b"{\"backoffice\":";
/// The version of this line, not of the program.
pub const PROTOCOL: u32 = 1;
const LONGEST: u64 = 64 * 1024;

/// The line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub backoffice: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    #[serde(flatten)]
    pub wish: Wish,
    pub version: String,
}

/// A question to the daemon, answered with one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Who are you, and would you serve this wish?
    Check,
    Status,
    Stop,
}

impl Hello {
    pub fn new(control: Option<Control>, wish: Wish) -> Self {
        Hello { backoffice: PROTOCOL, control, wish, version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    pub fn line(&self) -> Result<String> {
        let line = serde_json::to_string(self)
            .map_err(|error| Error::internal("the first line cannot be written").because(error))?;
        Ok(line + "\n")
    }
}

/// Reads the private line, if the connection opens with one; nothing else is taken from it.
pub async fn read(stream: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Hello>> {
    let failed = |error| Error::io(error, "read the first line of a connection");
    // The opening may arrive in pieces, but a piece never holds only the first byte or two of it:
    // it is written with one call. What does not begin like it is MCP.
    let begins = stream.fill_buf().await.map_err(failed)?.starts_with(OPENING);
    if !begins {
        return Ok(None);
    }
    let mut line = Vec::new();
    stream.take(LONGEST).read_until(b'\n', &mut line).await.map_err(failed)?;
    let hello: Hello = serde_json::from_slice(&line).map_err(|error| {
        Error::invalid("the first line of the connection is not understood").because(error)
    })?;
    if hello.backoffice == PROTOCOL {
        return Ok(Some(hello));
    }
    Err(Error::conflict(format!(
        "the client speaks version {} of the private line, this daemon {PROTOCOL}",
        hello.backoffice
    ))
    .hint("restart the daemon with the newer of the two programs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn given(text: &str) -> (Result<Option<Hello>>, String) {
        let mut stream = text.as_bytes();
        let read = read(&mut stream).await;
        (read, String::from_utf8_lossy(stream).into_owned())
    }

    #[tokio::test]
    async fn a_wish_is_read_and_what_follows_is_left() {
        let wish = Wish { caller: Some("nina.patel".to_owned()), read_only: true, ..Wish::default() };
        let hello = Hello::new(None, wish);
        let (read, rest) = given(&format!("{}{{\"jsonrpc\":\"2.0\"}}\n", hello.line().unwrap())).await;
        assert_eq!((read.unwrap(), rest.as_str()), (Some(hello), "{\"jsonrpc\":\"2.0\"}\n"));
    }

    #[tokio::test]
    async fn mcp_is_left_as_it_is() {
        let (read, rest) = given("{\"jsonrpc\":\"2.0\",\"id\":1}\n").await;
        assert_eq!((read.unwrap(), rest.as_str()), (None, "{\"jsonrpc\":\"2.0\",\"id\":1}\n"));
        assert_eq!(given("").await.0.unwrap(), None);
    }

    #[tokio::test]
    async fn another_version_and_nonsense_are_refused() {
        assert!(given("{\"backoffice\":2,\"version\":\"9.9.9\"}\n").await.0.is_err());
        assert!(given("{\"backoffice\":1,\n").await.0.is_err());
    }
}
