//! The command line: one file per command. It talks to people; the library never does.

/// The examples at the end of a command's help; a test runs every one of them.
macro_rules! examples {
    ($($line:literal),+ $(,)?) => {
        concat!("Examples:", $("\n  ", $line),+)
    };
}

mod adr;
mod approvals;
mod architecture;
mod artifacts;
mod backup;
mod call;
mod completions;
mod config;
mod daemon;
mod data;
mod doctor;
mod ids;
mod init;
mod log;
mod man;
mod mcp;
mod open;
mod output;
mod people;
mod preflight;
mod progress;
mod repo;
mod restore;
mod review;
mod sample;
mod search;
mod setup;
mod status;
mod style;
mod tasks;
mod tools;
mod top;
mod whoami;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use self::output::Output;
pub use self::tools::markdown as tools_markdown;
use crate::config::Environment;
use crate::error::{Error, Kind, Result};

/// A back office for AI agents: IDs, tasks and records in one file, over MCP and this command line.
#[derive(Debug, Parser)]
#[command(
    name = "backoffice",
    version,
    after_help = "Exit codes: 0 done, 1 our mistake or a document that fails its checks, 2 wrong arguments, 3 not found, 4 not allowed, \
5 not possible in this state, 6 busy (try again), 7 the data file cannot be used.\n\n\
Environment: BACKOFFICE_HOME, BACKOFFICE_TOOLSETS, BACKOFFICE_AS, BACKOFFICE_LOG, NO_COLOR."
)]
struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What every command understands.
#[derive(Args, Debug)]
pub(crate) struct Globals {
    /// The data folder
    #[arg(long, global = true, value_name = "FOLDER")]
    home: Option<PathBuf>,
    /// Speak for a person of the directory, such as nina.patel
    #[arg(long = "as", global = true, value_name = "USER")]
    caller: Option<String>,
    /// Toolsets to offer: all, workflow, domain, ids, tasks …
    #[arg(long, global = true, value_name = "A,B")]
    toolsets: Option<String>,
    /// Offer reading tools only, on a connection that cannot write
    #[arg(long, global = true)]
    read_only: bool,
    /// A folder of the repository to work in; default: the working folder
    #[arg(long, global = true, value_name = "FOLDER")]
    repo: Option<PathBuf>,
    /// The project; default: the name of the repository
    #[arg(long, global = true, value_name = "NAME")]
    project: Option<String>,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP over standard input and output, for Claude, Cursor, VS Code
    Mcp(mcp::McpArgs),
    /// Connect Claude Code, Claude Desktop, Cursor or VS Code
    Setup(setup::SetupArgs),
    /// Run one process for many agents, at a local socket
    Daemon(daemon::DaemonArgs),
    /// Call any tool with JSON arguments
    Call(call::CallArgs),
    /// List the tools
    Tools(tools::ToolsArgs),
    /// Show where the data is and what is in it
    Status,
    /// Clarify an intention before work begins, and record what it decides
    Preflight(preflight::PreflightArgs),
    /// Decisions of this repository: list, read and search them, ask why
    Adr(adr::AdrArgs),
    /// Show what all decisions add up to
    Architecture(architecture::ArchitectureArgs),
    /// Documents: import, list, approve, compare and check them
    Artifacts(artifacts::ArtifactsArgs),
    /// Find decisions, tasks and artifacts by their words
    Search(search::SearchArgs),
    /// What agents have asked for and only a person can allow
    Approvals(approvals::ApprovalsArgs),
    /// Tell whom a connection speaks for, and what that person may do
    Whoami,
    /// Who can be spoken as, and in which roles
    People(people::PeopleArgs),
    /// The sample company: load, reset, clear, or make much more of it
    Sample(sample::SampleArgs),
    /// Bring business data of your own, as CSV or JSON lines
    Import(data::ImportArgs),
    /// Take business data out again
    Export(data::ExportArgs),
    /// Artifact IDs and reservations
    Ids(ids::IdsArgs),
    /// Personal to-dos and the project's queue
    Tasks(tasks::TasksArgs),
    /// Copy the data to a file, while others go on working
    Backup(backup::BackupArgs),
    /// Put a backup in place of the data, while others go on working
    Restore(restore::RestoreArgs),
    /// Check the installation and say what to do about each finding
    Doctor,
    /// Show who called what, and how it ended
    Log(log::LogArgs),
    /// Watch the calls of all clients: how many, how fast, how many failed
    Top(top::TopArgs),
    /// Register this repository and say what to do next
    #[command(after_help = examples!["backoffice init"])]
    Init,
    /// Repositories that are registered here
    Repo(repo::RepoArgs),
    /// Settings and where they come from
    Config(config::ConfigArgs),
    /// Print the completions for a shell
    Completions(completions::CompletionsArgs),
    /// Write the manual pages
    Man(man::ManArgs),
}

/// Runs the program and returns its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let environment = Environment::read();
    if completions::answer(&environment) {
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return refused(&error, arguments.iter().any(|given| given == "--json")),
    };
    let mut output = Output::new(cli.globals.json, environment.no_color || environment.dumb_terminal);
    match run(cli, &environment, &mut output).and_then(|()| output.ended()) {
        Ok(()) if output.is_wanting() => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output.error(&error);
            exit_code(&error)
        }
    }
}

/// Arguments that do not fit, or a help text that was asked for.
fn refused(error: &clap::Error, json: bool) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    if json && error.use_stderr() {
        let text = error.to_string();
        // The first paragraph; the rest is usage.
        let lines = text.lines().take_while(|line| !line.is_empty()).map(str::trim);
        let message = lines.collect::<Vec<_>>().join(" ");
        Output::new(true, true)
            .error(&Error::invalid(message.trim_start_matches("error: ")).hint("--help shows what it takes"));
    } else {
        let _ = error.print();
    }
    ExitCode::from(code)
}

fn run(cli: Cli, environment: &Environment, output: &mut Output) -> Result<()> {
    let globals = &cli.globals;
    match cli.command {
        None | Some(Command::Status) => status::run(globals, environment, output),
        Some(Command::Mcp(args)) => mcp::run(globals, environment, output, &args),
        Some(Command::Daemon(args)) => daemon::run(globals, environment, output, &args),
        Some(Command::Call(args)) => call::run(globals, environment, output, &args),
        Some(Command::Tools(args)) => tools::run(globals, environment, output, &args),
        Some(Command::Preflight(args)) => preflight::run(globals, environment, output, args),
        Some(Command::Adr(args)) => adr::run(globals, environment, output, args),
        Some(Command::Architecture(args)) => architecture::run(globals, environment, output, &args),
        Some(Command::Init) => init::run(globals, environment, output),
        Some(Command::Artifacts(args)) => artifacts::run(globals, environment, output, args),
        Some(Command::Search(args)) => search::run(globals, environment, output, &args),
        Some(Command::Approvals(args)) => approvals::run(globals, environment, output, &args),
        Some(Command::Whoami) => whoami::run(globals, environment, output),
        Some(Command::People(args)) => people::run(globals, environment, output, &args),
        Some(Command::Sample(args)) => sample::run(globals, environment, output, &args),
        Some(Command::Import(args)) => data::import(globals, environment, output, &args),
        Some(Command::Export(args)) => data::export(globals, environment, output, &args),
        Some(Command::Ids(args)) => ids::run(globals, environment, output, args),
        Some(Command::Tasks(args)) => tasks::run(globals, environment, output, args),
        Some(Command::Backup(args)) => backup::run(globals, environment, output, &args),
        Some(Command::Restore(args)) => restore::run(globals, environment, output, &args),
        Some(Command::Setup(args)) => setup::run(globals, environment, output, &args),
        Some(Command::Doctor) => doctor::run(globals, environment, output),
        Some(Command::Log(args)) => log::run(globals, environment, output, &args),
        Some(Command::Top(args)) => top::run(globals, environment, output, &args),
        Some(Command::Repo(args)) => repo::run(globals, environment, output, &args),
        Some(Command::Config(args)) => config::run(globals, environment, output, &args),
        Some(Command::Completions(args)) => completions::run(output, &args),
        Some(Command::Man(args)) => man::run(output, &args),
    }
}

fn exit_code(error: &Error) -> ExitCode {
    ExitCode::from(match error.kind() {
        Kind::Internal | Kind::Storage => 1,
        Kind::Invalid => 2,
        Kind::NotFound => 3,
        Kind::Forbidden => 4,
        Kind::Conflict => 5,
        Kind::Busy => 6,
        Kind::Unusable => 7,
    })
}
