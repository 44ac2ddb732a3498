//! The budgets of the design, measured: `cargo bench`.
//!
//! Every figure that is judged is a ratio of slices that were measured in turns within one run;
//! `README.md` beside this folder says what they mean and holds the last table. A missed budget is
//! printed, not asserted: `--strict` turns it into the exit code.

mod artifacts;
mod bare;
mod bare_artifacts;
mod bare_pages;
mod bridge;
mod cold_start;
mod cores;
mod decisions;
mod disk;
mod documents;
mod domain;
mod echo;
mod fill;
mod four_processes;
mod group_commit;
mod importing;
mod jobs;
mod limited;
mod load;
mod options;
mod pages;
mod peer;
mod readme;
mod report;
mod rounds;
mod server;
mod single_row;
mod site;
mod socket_clients;
mod timings;
mod tool_list;
mod validating;

use std::process::ExitCode;

use self::options::{Options, Role};
use self::report::Report;
use self::site::Site;

/// The same as the program's, so that what is compared differs in nothing else.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let ran = match Role::of(std::env::args().skip(1)) {
        Ok(Role::Nothing) => return ExitCode::SUCCESS,
        Ok(Role::Echo { home }) => echo::serve(&home),
        Ok(Role::Stdio { home, batch }) => limited::serve_stdio(&home, batch),
        Ok(Role::Socket { home, batch }) => limited::serve_socket(&home, batch),
        Ok(Role::Unaudited { home, login }) => limited::serve_unaudited(&home, &login),
        Ok(Role::Bench(options)) => bench(&options),
        Err(error) => Err(error),
    };
    ran.unwrap_or_else(|error| {
        report::say(&format!("the benchmark could not run: {error}"));
        ExitCode::FAILURE
    })
}

/// Durable slices come first: filling the large file upsets the disk for a while.
fn bench(options: &Options) -> Outcome<ExitCode> {
    let site = Site::new()?;
    let mut report = Report::default();
    let mut against = Report::default();
    if options.wants("single") {
        single_row::measure(&site, &mut report)?;
    }
    if options.wants("artifacts") {
        artifacts::measure(&site, &mut report)?;
    }
    if options.wants("decisions") {
        decisions::measure(&site, &mut report)?;
    }
    if options.wants("group") {
        group_commit::measure(&site, &mut report)?;
    }
    if options.wants("processes") {
        four_processes::measure(&site, &mut report)?;
    }
    if options.wants("bridge") {
        bridge::measure(&site, &mut report)?;
    }
    if options.wants("start") {
        cold_start::measure(&site, &mut report)?;
    }
    if options.wants("list") {
        tool_list::measure(&site, &mut report)?;
    }
    if let Some(peer) = &options.peer {
        peer::measure_small(&site, peer, &mut against)?;
    }
    if options.wants("pages") || options.peer.is_some() {
        let large = fill::large_home(&site)?;
        if options.wants("pages") {
            pages::measure(&site, &large, &mut report)?;
        }
        if let Some(peer) = &options.peer {
            peer::measure_pages(&site, &large, peer, &mut against)?;
        }
    }
    if options.wants("domain") {
        domain::measure(&site, options.rows, &mut report)?;
    }
    if options.only.is_none() {
        readme::write("budgets", &report)?;
        if options.peer.is_some() {
            readme::write("peers", &against)?;
        }
    }
    let missed = report.missed() + against.missed();
    report::say(&format!("{missed} missed"));
    Ok(if options.strict && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
