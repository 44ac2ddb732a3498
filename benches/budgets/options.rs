//! What the executable was started as: the benchmark, or one of the processes it measures against.

use std::path::PathBuf;

use super::Outcome;

/// What this process is to do.
#[derive(Debug)]
pub enum Role {
    Bench(Options),
    /// Ends at once: what starting any process costs.
    Nothing,
    /// Serves the echo tool.
    Echo {
        home: PathBuf,
    },
    /// Serves the office over stdio with another batch limit.
    Stdio {
        home: PathBuf,
        batch: usize,
    },
    /// Serves the office at its socket with another batch limit.
    Socket {
        home: PathBuf,
        batch: usize,
    },
    /// Serves the office to somebody over stdio, without a line in the audit trail for each read.
    Unaudited {
        home: PathBuf,
        login: String,
    },
}

/// How the benchmark runs.
#[derive(Debug)]
pub struct Options {
    /// A missed budget fails the run.
    pub strict: bool,
    /// The parts to run, all unless named; the README is then left alone.
    pub only: Option<String>,
    pub peer: Option<Peer>,
    /// How many employees, invoices and tickets `domain` makes; fewer for a quick look.
    pub rows: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { strict: false, only: None, peer: None, rows: 1_000_000 }
    }
}

/// A server of somebody else's making that does the same work.
#[derive(Debug)]
pub struct Peer {
    pub interpreter: PathBuf,
    pub script: PathBuf,
}

pub const NOTHING: &str = "--nothing";
pub const SERVE_ECHO: &str = "--serve-echo";
pub const SERVE_STDIO: &str = "--serve-stdio";
pub const SERVE_SOCKET: &str = "--serve-socket";
pub const SERVE_UNAUDITED: &str = "--serve-unaudited";

impl Role {
    pub fn of(mut arguments: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut options = Options::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("`{argument}` lacks a value"));
            match argument.as_str() {
                NOTHING => return Ok(Role::Nothing),
                SERVE_ECHO => return Ok(Role::Echo { home: value()?.into() }),
                SERVE_STDIO => return Ok(Role::Stdio { home: value()?.into(), batch: value()?.parse()? }),
                SERVE_SOCKET => return Ok(Role::Socket { home: value()?.into(), batch: value()?.parse()? }),
                SERVE_UNAUDITED => return Ok(Role::Unaudited { home: value()?.into(), login: value()? }),
                "--strict" => options.strict = true,
                "--only" => options.only = Some(value()?),
                "--rows" => options.rows = value()?.parse()?,
                "--peer" => {
                    options.peer = Some(Peer { interpreter: value()?.into(), script: value()?.into() });
                }
                // Cargo adds it to whatever it starts as a benchmark.
                "--bench" => {}
                unknown => {
                    let known = "--strict, --only PART,PART, --rows NUMBER, --peer PYTHON SCRIPT";
                    return Err(format!("unknown argument `{unknown}`; there are {known}").into());
                }
            }
        }
        Ok(Role::Bench(options))
    }
}

impl Options {
    pub fn wants(&self, part: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.split(',').any(|wanted| wanted == part))
    }
}
