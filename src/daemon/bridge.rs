//! `mcp --connect`: standard input and output, byte for byte, to the daemon and back.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::hello::Hello;
use super::socket;
use crate::error::{Error, Result};
use crate::mcp;
use crate::paths::Home;
use crate::tool::session::Wish;

/// Carries bytes until one side ends.
pub fn bridge(home: &Home, wish: Wish) -> Result<()> {
    mcp::on_one_thread(carry(home, wish))
}

async fn carry(home: &Home, wish: Wish) -> Result<()> {
    let gone = |error| Error::io(error, "talk to the daemon");
    let stream = socket::connect(&socket::place(home)).await?;
    let stream = stream.ok_or_else(|| Error::conflict("the daemon has ended"))?;
    let (mut from_daemon, mut to_daemon) = tokio::io::split(stream);
    to_daemon.write_all(Hello::new(None, wish).line()?.as_bytes()).await.map_err(gone)?;
    let (mut input, mut output) = mcp::standard_streams();
    let up = async {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = input.read(&mut buffer).await.unwrap_or(0);
            if count == 0 {
                // The client has said its last word; the daemon answers what is in flight and closes.
                let _ = to_daemon.shutdown().await;
                return Side::Client;
            }
            if to_daemon.write_all(&buffer[..count]).await.is_err() {
                return Side::Daemon;
            }
        }
    };
    let down = async {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = from_daemon.read(&mut buffer).await.unwrap_or(0);
            if count == 0 {
                return Side::Daemon;
            }
            let written = output.write_all(&buffer[..count]).await;
            if written.is_err() || output.flush().await.is_err() {
                return Side::Client;
            }
        }
    };
    tokio::pin!(up, down);
    let first = tokio::select! {
        side = &mut down => side,
        side = &mut up => {
            // What is in flight is still carried.
            down.await;
            side
        }
    };
    match first {
        Side::Client => Ok(()),
        Side::Daemon => Err(Error::conflict("the daemon has ended")
            .hint("start the client again; what was answered is kept, what was not may be asked again")),
    }
}

/// Who has ended the conversation.
#[derive(Clone, Copy)]
enum Side {
    Client,
    Daemon,
}
