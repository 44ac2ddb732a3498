//! The protocol layer: MCP of both eras over any byte stream. The only place that names `rmcp`,
//! and the last one that awaits.

mod about;
mod ask;
mod changes;
mod completion;
mod form;
mod in_flight;
mod inbox;
mod lines;
mod listen;
mod oversized;
mod parked;
mod prompts;
mod resources;
mod server;
mod tools;
mod transport;
mod twice;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

pub use self::changes::Changes;
use self::in_flight::{Counted, InFlight};
use self::listen::Hearing;
use self::server::Server;
use self::transport::Wire;
use crate::error::{Error, Result};
use crate::tool::dispatch::Office;
use crate::tool::session::Session;

/// How long a call waits for a person; clients give a call about a minute.
pub const PATIENCE: Duration = Duration::from_secs(45);

/// Serves one client over a pair of streams until it goes, or until `stop`: then nothing more is
/// read, and what is in flight is answered. All connections of a process share the changes.
pub async fn serve<R, W>(
    office: Arc<Office>,
    changes: Arc<Changes>,
    session: Arc<Session>,
    read: R,
    write: W,
    stop: CancellationToken,
) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve_patiently(office, changes, session, read, write, stop, PATIENCE).await
}

/// The same, with another patience for people.
pub async fn serve_patiently<R, W>(
    office: Arc<Office>,
    changes: Arc<Changes>,
    session: Arc<Session>,
    read: R,
    write: W,
    stop: CancellationToken,
    patience: Duration,
) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let gone = CancellationToken::new();
    // However the connection ends, nobody goes on telling it news.
    let _ended = gone.clone().drop_guard();
    let in_flight = Arc::<InFlight>::default();
    let transport = Wire::new(read, write, Arc::clone(&in_flight), stop, gone.clone());
    let service = Server::new(office, Arc::clone(&session), Arc::clone(&changes), gone.clone(), patience);
    let service = Hearing { service, changes, session, gone };
    match Counted::new(service, in_flight).serve(transport).await {
        Ok(running) => {
            running
                .waiting()
                .await
                .map_err(|error| Error::internal("the connection broke").because(error))?;
            Ok(())
        }
        // A client that only asks what this is, and goes, has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(Error::internal("the connection could not be opened").because(error)),
    }
}

/// Standard input and output without the detour over the blocking pool, where the system allows it.
pub fn standard_streams()
-> (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static) {
    rmcp::transport::io::stdio_pipes()
}

/// Serves one client over standard input and output.
pub fn serve_stdio(office: Arc<Office>, session: Arc<Session>) -> Result<()> {
    let changes = Arc::new(Changes::new(Arc::clone(&office)));
    on_one_thread(async {
        let (read, write) = standard_streams();
        serve(office, changes, session, read, write, CancellationToken::new()).await
    })
}

/// Runs to the end on this thread. A single client's calls gain nothing from a second one, and the
/// answer is quicker.
pub fn on_one_thread<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::io(error, "start the runtime"))?;
    let done = runtime.block_on(work);
    // A blocked read of standard input must not keep the process.
    runtime.shutdown_background();
    done
}
