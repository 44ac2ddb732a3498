//! From starting the program to its first answer, and what it weighs.

use std::fs;
use std::process::Stdio;

use backoffice::clock::Stopwatch;
use serde_json::json;

use super::Outcome;
use super::jobs;
use super::report::{Budget, Report};
use super::server::Server;
use super::site::{PROGRAM, Site};
use super::timings::{Timings, median, written};

const STARTS: usize = 40;
const FIRST_STARTS: usize = 5;

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    let home = site.home("start")?;
    let (mut nothing, mut starts, mut handshakes) =
        (Timings::default(), Timings::default(), Timings::default());
    let mut ratios = Vec::new();
    for _ in 0..STARTS {
        let since = Stopwatch::start();
        site.nothing().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        let empty = since.elapsed();
        let since = Stopwatch::start();
        let mut server = Server::start(site.program(&home))?;
        handshakes.push(since.elapsed());
        let whoami = jobs::whoami();
        server.call(whoami.tool, &whoami.arguments())?;
        let first = since.elapsed();
        nothing.push(empty);
        starts.push(first);
        ratios.push(first.as_secs_f64() / empty.as_secs_f64());
    }
    let figures = format!(
        "p50 {}, of which {} to the end of the handshake; an empty process {}",
        written(starts.p50()),
        written(handshakes.p50()),
        written(nothing.p50())
    );
    let budget = Budget::AtMost(3.0, " × an empty process");
    report.judge("cold start to the first answer", budget, median(ratios), figures.clone());
    report.judge("cold start to the first answer", Budget::AtMost(10.0, " ms"), starts.p50() / 1e3, figures);
    first_ever(site, report)?;
    weigh(site, report)
}

/// The start that makes the data file; it waits for the disk.
fn first_ever(site: &Site, report: &mut Report) -> Outcome<()> {
    let mut timings = Timings::default();
    for number in 0..FIRST_STARTS {
        let home = site.no_home(&format!("first-start-{number}"));
        let since = Stopwatch::start();
        let mut server = Server::start(site.program(&home))?;
        server.call("whoami", "{}")?;
        timings.push(since.elapsed());
    }
    let measured = written(timings.p50());
    report.tell(
        "very first start, which makes the file",
        measured,
        format!("longest {}", written(timings.longest())),
    );
    Ok(())
}

fn weigh(site: &Site, report: &mut Report) -> Outcome<()> {
    let mut server = Server::start(site.program(&site.home("weight")?))?;
    server.request("tools/list", &json!({}))?;
    for job in [jobs::whoami(), jobs::next_id(), jobs::add_ten_tasks(), jobs::list("", json!({}))] {
        server.call(job.tool, &job.arguments())?;
    }
    match server.process_id().and_then(resident) {
        Some(megabytes) => {
            let figures = "after the list of tools and four calls".to_owned();
            report.judge("idle memory (RSS)", Budget::AtMost(15.0, " MB"), megabytes, figures);
        }
        None => report.tell("idle memory (RSS)", "n/a".to_owned(), "only Linux tells".to_owned()),
    }
    let size = fs::metadata(PROGRAM)?.len() as f64 / 1e6;
    report.judge(
        "the program's file",
        Budget::AtMost(15.0, " MB"),
        size,
        "stripped release build".to_owned(),
    );
    Ok(())
}

/// What the process holds in memory, in megabytes.
pub fn resident(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: f64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
