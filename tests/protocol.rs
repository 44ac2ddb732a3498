//! What only tools made for the purpose can show: panics, slow work, cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use backoffice::db::audit;
use backoffice::error::Result;
use backoffice::mcp::{self, Changes};
use backoffice::tool::dispatch::Office;
use backoffice::tool::session::Session;
use backoffice::tool::{Access, Family, Place, ReadCx, ReadTool, Tool, ToolDef, WriteCx, WriteTool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::office::TestOffice;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Debug, Serialize, JsonSchema)]
struct Done {
    done: bool,
}

/// Declares a tool without arguments.
macro_rules! tool {
    ($type:ident, $name:literal) => {
        struct $type;
        impl Tool for $type {
            type Args = Nothing;
            type Output = Done;
            const NAME: &'static str = $name;
            const TITLE: &'static str = $name;
            const DESCRIPTION: &'static str = $name;
            const ACCESS: Access = Access::Everyone;
        }
    };
}

tool!(PanickingRead, "panicking_read");
tool!(PanickingPrepare, "panicking_prepare");
tool!(PanickingRun, "panicking_run");
tool!(Counted, "counted");
tool!(Slow, "slow");

impl ReadTool for PanickingRead {
    fn run(_: &ReadCx<'_>, _: Nothing) -> Result<Done> {
        panic!("ouch")
    }
}

static COUNTED: AtomicUsize = AtomicUsize::new(0);

impl ReadTool for Counted {
    fn run(_: &ReadCx<'_>, _: Nothing) -> Result<Done> {
        COUNTED.fetch_add(1, Ordering::SeqCst);
        Ok(Done { done: true })
    }
}

impl WriteTool for PanickingPrepare {
    type Prepared = ();
    const TOUCHES_FILES: bool = true;

    fn prepare(_: &Place<'_>, _: &Nothing) -> Result<()> {
        panic!("ouch")
    }

    fn run(_: &WriteCx<'_>, _: &Nothing, (): &()) -> Result<Done> {
        Ok(Done { done: true })
    }
}

impl WriteTool for PanickingRun {
    type Prepared = ();

    fn run(_: &WriteCx<'_>, _: &Nothing, (): &()) -> Result<Done> {
        panic!("ouch")
    }
}

/// Announces itself, waits in `prepare` until it is let go, and counts how often it then ran.
static BEGUN: Semaphore = Semaphore::const_new(0);
static LET_GO: std::sync::Mutex<Option<std::sync::mpsc::Receiver<()>>> = std::sync::Mutex::new(None);
static RAN: AtomicUsize = AtomicUsize::new(0);

impl WriteTool for Slow {
    type Prepared = ();
    const TOUCHES_FILES: bool = true;

    fn prepare(_: &Place<'_>, _: &Nothing) -> Result<()> {
        let wait = LET_GO.lock().unwrap().take().unwrap();
        BEGUN.add_permits(1);
        wait.recv().unwrap();
        Ok(())
    }

    fn run(_: &WriteCx<'_>, _: &Nothing, (): &()) -> Result<Done> {
        RAN.fetch_add(1, Ordering::SeqCst);
        Ok(Done { done: true })
    }
}

static FAMILY: Family = Family { name: "odd", tools: &TOOLS, ..Family::EMPTY };
const FAMILIES: &[&Family] = &[&FAMILY];
static TOOLS: [ToolDef; 5] = [
    ToolDef::read::<Counted>(),
    ToolDef::write::<PanickingPrepare>(),
    ToolDef::read::<PanickingRead>(),
    ToolDef::write::<PanickingRun>(),
    ToolDef::write::<Slow>(),
];

/// What a pipe holds; small, so that one that nobody reads is soon full.
const PIPE: usize = 2048;

/// A client at one end of a pipe, the real server at the other.
pub struct Connection {
    pub write: WriteHalf<DuplexStream>,
    pub read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// Ends when the server is done with this client.
    pub served: JoinHandle<Result<()>>,
}

impl Connection {
    /// A client that has said nothing yet.
    pub fn silent(
        office: &Arc<Office>,
        changes: &Arc<Changes>,
        session: Session,
        stop: CancellationToken,
    ) -> Self {
        Self::patient(office, changes, session, stop, mcp::PATIENCE)
    }

    /// The same, with a server that waits so long for a person.
    pub fn patient(
        office: &Arc<Office>,
        changes: &Arc<Changes>,
        session: Session,
        stop: CancellationToken,
        patience: Duration,
    ) -> Self {
        let (near, far) = tokio::io::duplex(PIPE);
        let (read, write) = tokio::io::split(far);
        let (office, changes) = (Arc::clone(office), Arc::clone(changes));
        let session = Arc::new(session);
        let served =
            tokio::spawn(mcp::serve_patiently(office, changes, session, read, write, stop, patience));
        let (read, write) = tokio::io::split(near);
        Connection { write, read: BufReader::new(read).lines(), served }
    }

    /// Opens the older way, with a handshake.
    pub async fn initialize(&mut self, version: &str) -> Value {
        let info = json!({"name": "t", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
        self.ask(0, "initialize", params).await;
        let answer = self.next().await;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        answer["result"].clone()
    }

    pub async fn send(&mut self, message: Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub async fn ask(&mut self, id: u64, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    pub async fn next(&mut self) -> Value {
        serde_json::from_str(&self.read.next_line().await.unwrap().unwrap()).unwrap()
    }
}

async fn open() -> (TestOffice, Connection) {
    let office = TestOffice::with(FAMILIES);
    let changes = Arc::new(Changes::new(Arc::clone(&office.office)));
    let mut connection =
        Connection::silent(&office.office, &changes, office.owner(), CancellationToken::new());
    connection.initialize("2025-11-25").await;
    (office, connection)
}

#[tokio::test]
async fn a_panicking_tool_is_answered_and_the_connection_lives() {
    let (_office, mut connection) = open().await;
    for (id, tool) in (1..).zip(["panicking_read", "panicking_prepare", "panicking_run", "panicking_read"]) {
        connection.ask(id, "tools/call", json!({"name": tool})).await;
        let answer = connection.next().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(id), &json!(-32603)), "{answer}");
        assert!(!answer.to_string().contains("ouch"), "what a panic says is for the log");
    }
}

/// Five hundred calls and nobody who reads the answers: the server stops taking more, instead of
/// keeping what nobody fetches; once they are fetched, all five hundred come.
#[tokio::test]
async fn a_client_that_does_not_read_is_not_served_further() {
    let (office, Connection { mut write, mut read, .. }) = open().await;
    tokio::spawn(async move {
        for id in 1..=500 {
            let call =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "counted"}});
            write.write_all(format!("{call}\n").as_bytes()).await.unwrap();
        }
        std::future::pending::<()>().await;
    });
    // On this one thread, whatever can go on has gone on after so many turns.
    for _ in 0..5_000 {
        tokio::task::yield_now().await;
    }
    let begun = COUNTED.load(Ordering::SeqCst);
    // Thirty-two under way or being written, what the pipe holds, and what the SDK's own channel
    // between a handler and the writing holds.
    let (fits_the_pipe, fits_the_channel) = (PIPE / 100, 64);
    assert!(begun > 0 && begun <= 32 + fits_the_pipe + fits_the_channel, "{begun} calls were begun");
    for _ in 0..500 {
        read.next_line().await.unwrap().unwrap();
    }
    assert_eq!(COUNTED.load(Ordering::SeqCst), 500);
    drop(office);
}

/// With every place taken, a cancellation must still be read.
#[tokio::test]
async fn a_call_that_waits_for_its_place_can_be_cancelled() {
    let (office, Connection { mut write, mut read, .. }) = open().await;
    // The answers do not fit the pipe, so the places stay taken and the rest waits.
    let call = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}});
    for id in 1..=60 {
        write.write_all(format!("{}\n", call(id)).as_bytes()).await.unwrap();
    }
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 60}});
    write.write_all(format!("{cancel}\n{}\n", call(61)).as_bytes()).await.unwrap();
    let mut answered = std::collections::BTreeSet::new();
    while !answered.contains(&61) {
        let answer: Value = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        answered.insert(answer["id"].as_u64().unwrap());
    }
    assert_eq!((answered.len(), answered.contains(&60)), (60, false));
    drop(office);
}

#[tokio::test]
async fn a_cancelled_call_that_has_not_begun_to_write_never_does() {
    let (let_go, wait) = std::sync::mpsc::channel();
    *LET_GO.lock().unwrap() = Some(wait);
    let (office, mut connection) = open().await;
    connection.ask(1, "tools/call", json!({"name": "slow"})).await;
    BEGUN.acquire().await.unwrap().forget();
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    connection.send(cancel).await;
    // Messages are taken in order: once this one is answered, the cancellation has been seen.
    connection.ask(2, "tools/list", json!({})).await;
    assert_eq!(connection.next().await["id"], 2, "a cancelled request is not answered");
    let_go.send(()).unwrap();
    let trail = || office.office.db.read(|tx| audit::newest(tx, &audit::Filter::default(), 1)).unwrap().pop();
    let ended = loop {
        match trail() {
            Some(entry) => break entry,
            None => tokio::task::yield_now().await,
        }
    };
    assert_eq!((ended.tool.as_str(), ended.outcome.as_str()), ("slow", "conflict"));
    assert_eq!(RAN.load(Ordering::SeqCst), 0);
}
