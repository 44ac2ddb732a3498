//! Four processes on one file, each with its own client: nobody starves, nobody fails.

use std::time::Duration;

use backoffice::clock::Stopwatch;

use super::Outcome;
use super::cores::Placement;
use super::jobs::{self, Job};
use super::load::{self, Load};
use super::report::{Budget, Report};
use super::rounds;
use super::server::Server;
use super::site::Site;
use super::timings::{per_second, written};

const PROCESSES: usize = 4;
const ROUNDS: usize = 3;
const SLICE: Duration = Duration::from_secs(2);

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    let mut disk = site.disk()?;
    let home = site.home("processes")?;
    let mut servers = Vec::new();
    for _ in 0..PROCESSES {
        servers.push(Server::start(site.program(&home))?);
    }
    let job = jobs::next_id();
    for outstanding in [1, 8] {
        let kept = rounds::run(&mut disk, Placement::Anywhere, ROUNDS, |round| {
            round.durable(|| together(&mut servers, outstanding, &job))
        })?;
        let what = format!("4 processes on one file, {outstanding} outstanding each");
        let figures = format!("{} in all{}", per_second(kept.median(Load::rate)), kept.disk());
        let fairness = kept.median(Load::fairness);
        report.judge(format!("{what}, slowest"), Budget::AtLeast(0.5, " × fastest"), fairness, figures);
        let stall = kept.rounds.iter().map(|load| load.longest).fold(f64::NAN, f64::max);
        let figures = format!("no error; p50 {}", written(kept.median(|load| load.p50)));
        report.judge(format!("{what}, longest stall"), Budget::AtMost(0.25, " s"), stall / 1e6, figures);
    }
    Ok(())
}

/// One slice of all processes at once; an error of any of them ends the benchmark.
fn together(servers: &mut [Server], outstanding: usize, job: &Job) -> Outcome<Load> {
    let since = Stopwatch::start();
    let loads = std::thread::scope(|scope| -> Outcome<Vec<Load>> {
        let clients: Vec<_> = servers
            .iter_mut()
            .map(|server| scope.spawn(move || load::outstanding(server, outstanding, SLICE, job)))
            .collect();
        clients.into_iter().map(|each| each.join().map_err(|_| "a client panicked")?).collect()
    })?;
    Ok(Load::of_many(&loads, since.elapsed().as_secs_f64()))
}
