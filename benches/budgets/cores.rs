//! Which core runs what. A client and a server that share a core answer each other in a third of the
//! time that two cores need to wake each other, and the system moves them as it likes: left alone,
//! an echo takes 12 or 45 µs. So both sides of a ratio are placed alike.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::Outcome;
use super::server::Server;

/// Where the client, which is this process, and the servers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    OneCore,
    TwoCores,
    Anywhere,
}

impl Placement {
    pub const PINNED: [Placement; 2] = [Placement::OneCore, Placement::TwoCores];

    pub fn words(self) -> &'static str {
        match self {
            Placement::OneCore => "on one core",
            Placement::TwoCores => "on two cores",
            Placement::Anywhere => "",
        }
    }

    /// Puts this process and the given servers in their places. Systems without `taskset` leave
    /// everything where it is, and the table's figures are then coarser.
    pub fn take(self, servers: &[&Server]) -> Outcome<()> {
        let Some((client, server)) = self.cores() else { return Ok(()) };
        pin(std::process::id(), client)?;
        servers.iter().filter_map(|each| each.process_id()).try_for_each(|process| pin(process, server))
    }

    /// Does something where the servers are: the disk may be quick for one core and slow for another.
    pub fn beside_the_server<T>(self, act: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let Some((client, server)) = self.cores().filter(|(client, server)| client != server) else {
            return act();
        };
        pin(std::process::id(), server)?;
        let done = act();
        pin(std::process::id(), client)?;
        done
    }

    fn cores(self) -> Option<(&'static str, &'static str)> {
        let allowed = allowed_cores()?;
        let first = allowed.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(allowed);
        let last = allowed.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or(allowed);
        Some(match self {
            Placement::OneCore => (first, first),
            Placement::TwoCores => (first, last),
            Placement::Anywhere => (allowed, allowed),
        })
    }
}

/// The cores this process was given, read before it is first put anywhere.
fn allowed_cores() -> Option<&'static str> {
    static ALLOWED: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        status.lines().find_map(|line| Some(line.strip_prefix("Cpus_allowed_list:")?.trim().to_owned()))
    };
    ALLOWED.get_or_init(read).as_deref()
}

fn pin(process: u32, cores: &str) -> Outcome<()> {
    let mut taskset = Command::new("taskset");
    taskset.args(["--all-tasks", "--cpu-list", "--pid", cores, &process.to_string()]);
    let done = taskset.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match done {
        Ok(ended) if !ended.success() => Err(format!("taskset could not place a process on {cores}").into()),
        // It is not installed everywhere.
        Ok(_) | Err(_) => Ok(()),
    }
}
