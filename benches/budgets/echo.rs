//! The echo tool: what the transport, the protocol and the dispatch cost when there is nothing to
//! do. It answers as many bytes as it is told to, and writes no log.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use backoffice::clock::Clock;
use backoffice::db::Mode;
use backoffice::error::Result;
use backoffice::id::Ids;
use backoffice::mcp;
use backoffice::paths::Home;
use backoffice::tool::dispatch::Office;
use backoffice::tool::session::Wish;
use backoffice::tool::{Access, Family, ReadCx, ReadTool, Tool, ToolDef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::jobs::Job;
use super::server::Server;
use super::site::OWNER;

struct EchoTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// How long the answer's text is
    #[schemars(range(min = 0, max = 1_000_000))]
    answer: usize,
    /// Makes the request as long as the one it stands for
    #[serde(rename = "padding")]
    _padding: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    text: String,
}

impl Tool for EchoTool {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "echo";
    const TITLE: &'static str = "Echo";
    const DESCRIPTION: &'static str = "Answers a text of the length asked for.";
    const ACCESS: Access = Access::Everyone;
}

impl ReadTool for EchoTool {
    fn run(_: &ReadCx<'_>, args: Args) -> Result<Output> {
        Ok(Output { text: "x".repeat(args.answer) })
    }
}

static TOOLS: [ToolDef; 1] = [ToolDef::read::<EchoTool>()];
static FAMILY: Family = Family { name: "echo", everywhere: true, tools: &TOOLS, ..Family::EMPTY };
static FAMILIES: [&Family; 1] = [&FAMILY];

pub fn serve(home: &Path) -> Outcome<ExitCode> {
    let office = Office::open(Home::at(home), Mode::Full, OWNER, &FAMILIES, Clock::System, Ids::Random)?;
    let session = office.connect(&Wish::default(), "echo".to_owned())?;
    mcp::serve_stdio(Arc::new(office), Arc::new(session))?;
    Ok(ExitCode::SUCCESS)
}

/// The echo whose request and answer are as long as those of another call.
pub fn like(job: &Job, server: &mut Server, echo: &mut Server) -> Outcome<Job> {
    let written = |answer: usize, padding: usize| {
        format!("{{\"answer\":{answer},\"padding\":\"{}\"}}", "x".repeat(padding))
    };
    let arguments = job.arguments();
    let padding = arguments.len().saturating_sub(written(0, 0).len());
    let answer = server.call(job.tool, &arguments)?.answer_bytes;
    let least = echo.call(EchoTool::NAME, &written(0, 0))?.answer_bytes;
    // The text comes twice: structured, and as text.
    Ok(Job::same("echo", EchoTool::NAME, written(answer.saturating_sub(least) / 2, padding)))
}
