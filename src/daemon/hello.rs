//! The private first line of a connection: what the client wishes it to be, or a question to the
//! daemon itself. A connection that opens with MCP has no such line and is the owner's.

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

use crate::error::{Error, Result};
use crate::tool::session::Wish;

/// The version of this line, not of the program.
pub const PROTOCOL: u32 = 1;
/// A first message of MCP may be as long as any other.
const LONGEST: u64 = 16 * 1024 * 1024;

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

/// How a connection opens.
#[derive(Debug, PartialEq, Eq)]
pub enum First {
    Hello(Hello),
    /// A message of MCP, which is to be read again by whoever serves it.
    Mcp(Vec<u8>),
    /// Nothing at all.
    End,
}

/// The two words that tell the kinds of first line apart.
#[derive(Deserialize)]
struct Opening {
    backoffice: Option<u32>,
    jsonrpc: Option<serde::de::IgnoredAny>,
}

/// Reads the first line. What is neither ours nor MCP is refused: a wish that is misunderstood must
/// not become the owner's connection.
pub async fn read(stream: &mut (impl AsyncBufRead + Unpin)) -> Result<First> {
    let mut line = Vec::new();
    let read = stream.take(LONGEST).read_until(b'\n', &mut line).await;
    if read.map_err(|error| Error::io(error, "read the first line of a connection"))? == 0 {
        return Ok(First::End);
    }
    let not_understood =
        |error| Error::invalid("the first line of the connection is not understood").because(error);
    let opening: Opening = serde_json::from_slice(&line).map_err(not_understood)?;
    match opening {
        Opening { backoffice: Some(PROTOCOL), .. } => {
            Ok(First::Hello(serde_json::from_slice(&line).map_err(not_understood)?))
        }
        Opening { backoffice: Some(other), .. } => Err(Error::conflict(format!(
            "the client speaks version {other} of the private line, this daemon {PROTOCOL}"
        ))
        .hint("restart the daemon with the newer of the two programs")),
        Opening { jsonrpc: Some(_), .. } => Ok(First::Mcp(line)),
        Opening { .. } => Err(Error::invalid("the first line of the connection is neither ours nor MCP")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn given(text: &str) -> (Result<First>, String) {
        let mut stream = text.as_bytes();
        let read = read(&mut stream).await;
        (read, String::from_utf8_lossy(stream).into_owned())
    }

    #[tokio::test]
    async fn a_wish_is_read_and_what_follows_is_left() {
        let wish = Wish { caller: Some("nina.patel".to_owned()), read_only: true, ..Wish::default() };
        let hello = Hello::new(None, wish);
        for line in [hello.line().unwrap(), hello.line().unwrap().replacen('{', "{ ", 1)] {
            let (read, rest) = given(&format!("{line}{{\"jsonrpc\":\"2.0\"}}\n")).await;
            assert_eq!(
                (read.unwrap(), rest.as_str()),
                (First::Hello(hello.clone()), "{\"jsonrpc\":\"2.0\"}\n")
            );
        }
    }

    #[tokio::test]
    async fn mcp_is_handed_on_as_it_came() {
        let line = "{\"jsonrpc\":\"2.0\",\"id\":1}\n";
        assert_eq!(given(line).await.0.unwrap(), First::Mcp(line.as_bytes().to_vec()));
        assert_eq!(given("").await.0.unwrap(), First::End);
    }

    #[tokio::test]
    async fn another_version_and_nonsense_are_refused() {
        for line in [
            "{\"backoffice\":2,\"version\":\"9\"}\n",
            "{\"backoffice\":1,\n",
            "{\"as\":\"nina.patel\"}\n",
            "hello\n",
        ] {
            assert!(given(line).await.0.is_err(), "{line}");
        }
    }
}
