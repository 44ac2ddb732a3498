//! Tools over stdio at one caller, against (a) an echo of the same length and (b) the bare
//! statements of the same work.

use std::time::Duration;

use backoffice::clock::Stopwatch;
use serde_json::json;

use super::bare::Bare;
use super::bare_pages::Page;
use super::cores::Placement;
use super::disk::Disk;
use super::jobs::{self, Job};
use super::report::{Budget, Report};
use super::rounds::{self, Round};
use super::server::Server;
use super::site::Site;
use super::timings::{Timings, written};
use super::{Outcome, echo, load};

const ROUNDS: usize = 9;
const SLICE: Duration = Duration::from_millis(120);
pub const ALLOWED: Budget = Budget::AtMost(1.3, " × (a + b)");

/// The processes and the file that every row is measured with.
pub struct Bench {
    pub disk: Disk,
    pub server: Server,
    pub echo: Server,
    pub bare: Bare,
}

/// The p50s of one round, in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct P50s {
    pub tool: f64,
    pub echo: f64,
    pub bare: f64,
}

impl P50s {
    pub fn ratio(&self) -> f64 {
        self.tool / (self.echo + self.bare)
    }
}

type Statements<'a> = &'a dyn Fn(&Bare) -> Outcome<()>;

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    let (home, bare) = (site.home("single")?, site.home("bare")?);
    let mut bench = Bench {
        disk: site.disk()?,
        server: Server::start(site.program(&home))?,
        echo: Server::start(site.echo(&site.home("echo")?))?,
        bare: Bare::open(&bare.database(), &site.repository())?,
    };
    let page = jobs::list("list_tasks page of 50", json!({}));
    for placement in Placement::PINNED {
        placement.take(&[&bench.server, &bench.echo])?;
        let mut row =
            |job: &Job, durable, bare: Statements<'_>| bench.row(report, placement, job, durable, bare);
        row(&jobs::next_id(), true, &Bare::next_id)?;
        row(&jobs::reserve_three(), true, &Bare::reserve_three)?;
        row(&jobs::add_ten_tasks(), true, &Bare::add_ten_tasks)?;
        row(&jobs::whoami(), false, &|_| Ok(()))?;
        row(&page, false, &|bare| Page::FIRST.read(bare))?;
    }
    Placement::Anywhere.take(&[])
}

impl Bench {
    fn row(
        &mut self,
        report: &mut Report,
        placement: Placement,
        job: &Job,
        durable: bool,
        bare: Statements<'_>,
    ) -> Outcome<()> {
        let echo = echo::like(job, &mut self.server, &mut self.echo)?;
        let Bench { disk, server, echo: echo_server, bare: connection } = self;
        let kept = rounds::run(disk, placement, ROUNDS, |round| {
            connection.rest()?;
            let echo = load::alone(echo_server, SLICE, &echo)?.p50();
            let tool = slice(round, durable, || load::alone(server, SLICE, job))?.p50();
            let statements = || placement.beside_the_server(|| repeat(|| bare(connection)));
            let bare = slice(round, durable, statements)?.p50();
            Ok(P50s { tool, echo, bare })
        })?;
        let figures = format!(
            "p50 {}; a {}, b {}{}",
            written(kept.median(|p50s| p50s.tool)),
            written(kept.median(|p50s| p50s.echo)),
            written(kept.median(|p50s| p50s.bare)),
            kept.disk(),
        );
        let what = format!("{} over stdio, {}", job.name, placement.words());
        report.judge(what, ALLOWED, kept.median(P50s::ratio), figures);
        Ok(())
    }
}

fn slice(round: &mut Round<'_>, durable: bool, slice: impl FnOnce() -> Outcome<Timings>) -> Outcome<Timings> {
    if !durable {
        return slice();
    }
    let timings = round.durable(slice)?;
    round.synced(timings.p50());
    Ok(timings)
}

/// Times bare statements for a while.
pub fn repeat(mut statements: impl FnMut() -> Outcome<()>) -> Outcome<Timings> {
    let mut timings = Timings::default();
    let since = Stopwatch::start();
    while since.elapsed() < SLICE {
        let each = Stopwatch::start();
        statements()?;
        timings.push(each.elapsed());
    }
    Ok(timings)
}
