//! The daemon: one long-lived process with the local socket, sweeps, the bus of changes, and an eye
//! on the registered repositories.
//!
//! Its lock decides who is the daemon, its handshake whether it is healthy; neither a pid nor the
//! existence of a socket file means anything.

mod background;
mod bridge;
mod clients;
mod control;
pub mod events;
mod hello;
mod lock;
mod repositories;
mod signals;
pub mod socket;
mod sweeps;

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use self::background::{start, stop};
pub use self::bridge::bridge;
use self::clients::Clients;
pub use self::control::ask;
use self::events::Events;
pub use self::hello::Control;
use self::hello::{First, Hello};
pub use self::lock::DaemonLock;
use self::signals::Signals;
use self::socket::Listener;
use crate::clock::{Stopwatch, Timestamp};
use crate::error::{Error, Result};
use crate::mcp;
use crate::tool::dispatch::Office;
use crate::tool::session::Wish;

/// What is in flight when the daemon is asked to end has this long to be answered.
const FAREWELL: Duration = Duration::from_secs(8);
const THREADS: usize = 2;

/// A daemon at work; shared by its connections.
#[derive(Debug)]
struct Daemon {
    office: Arc<Office>,
    changes: Arc<mcp::Changes>,
    clients: Arc<Clients>,
    stop: CancellationToken,
    started_at: Timestamp,
    running: Stopwatch,
}

/// Serves until a signal or a `stop` asks it to end. The lock is held by the caller's process for
/// as long as this runs.
pub fn run(office: &Arc<Office>, lock: DaemonLock) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .map_err(|error| Error::io(error, "start the runtime"))?;
    let served = runtime.block_on(serve(office));
    // After a second signal something may still be under way; it is not waited for.
    runtime.shutdown_background();
    office.db.checkpoint()?;
    drop(lock);
    served
}

async fn serve(office: &Arc<Office>) -> Result<()> {
    let mut signals = Signals::listen()?;
    let place = socket::place(&office.home);
    let mut listener = Listener::bind(&place)?;
    let events = Arc::new(Events::start(office)?);
    let daemon = Arc::new(Daemon {
        office: Arc::clone(office),
        changes: Arc::new(mcp::Changes::new(Arc::clone(office))),
        clients: Arc::default(),
        stop: CancellationToken::new(),
        started_at: office.clock.now(),
        running: Stopwatch::start(),
    });
    tokio::spawn(sweeps::run(Arc::clone(office), Arc::clone(&events), daemon.stop.clone()));
    let following =
        repositories::run(Arc::clone(office), Arc::clone(&daemon.changes), events, daemon.stop.clone());
    tokio::spawn(following);
    tracing::info!(event = "daemon_started", pid = std::process::id(), socket = %place.display());
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = signals.next() => break,
            () = daemon.stop.cancelled() => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok(stream) => {
                    let daemon = Arc::clone(&daemon);
                    connections.spawn(async move { daemon.welcome(stream).await });
                }
                Err(error) => {
                    // Out of file handles, most likely: those that are open go on, and will end.
                    tracing::error!(event = "accept_failed", %error);
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
    drop(listener);
    daemon.stop.cancel();
    let farewell = async { while connections.join_next().await.is_some() {} };
    tokio::select! {
        () = farewell => {}
        () = tokio::time::sleep(FAREWELL) => tracing::warn!(event = "daemon_left_clients"),
        () = signals.next() => tracing::warn!(event = "daemon_ended_at_once"),
    }
    tracing::info!(event = "daemon_ended", pid = std::process::id());
    Ok(())
}

impl Daemon {
    async fn welcome<S: AsyncRead + AsyncWrite + Send + 'static>(&self, stream: S) {
        let (read, mut write) = tokio::io::split(stream);
        let mut read = BufReader::new(read);
        let hello = tokio::select! {
            hello = hello::read(&mut read) => hello,
            () = self.stop.cancelled() => return,
        };
        let outcome = match hello {
            Ok(First::Hello(Hello { control: Some(control), wish, .. })) => {
                let answer = self.answer(control, &wish);
                say(&mut write, &answer).await;
                if control == Control::Stop {
                    self.stop.cancel();
                }
                return;
            }
            Ok(First::Hello(hello)) => self.serve_client(&hello.wish, read, write).await,
            Ok(First::Mcp(line)) => {
                self.serve_client(&Wish::default(), Cursor::new(line).chain(read), write).await
            }
            Ok(First::End) => return,
            Err(error) => {
                say(&mut write, &control::refused(&error)).await;
                Err(error)
            }
        };
        if let Err(error) = outcome {
            tracing::warn!(event = "connection_failed", error = %error.chain());
        }
    }

    async fn serve_client<R, W>(&self, wish: &Wish, read: R, mut write: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let name = format!("socket-{:08x}", fastrand::u32(..));
        let session = match self.office.connect(wish, name) {
            Ok(session) => Arc::new(session),
            Err(error) => {
                say(&mut write, &control::refused(&error)).await;
                return Err(error);
            }
        };
        let _connected = self.clients.enter(&session, self.office.clock.now());
        let (office, changes) = (Arc::clone(&self.office), Arc::clone(&self.changes));
        mcp::serve(office, changes, session, read, write, self.stop.clone()).await
    }
}

/// One line to a client, the last one.
async fn say(write: &mut (impl AsyncWrite + Unpin), value: &Value) {
    let _ = write.write_all(format!("{value}\n").as_bytes()).await;
    let _ = write.shutdown().await;
}
