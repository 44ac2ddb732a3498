//! Against what a user would pick instead: a server on the Python SDK that does the same work on
//! its own copy of the same tables, driven by the same client in the same run.

use std::process::Command;
use std::time::Duration;

use backoffice::clock::Stopwatch;
use backoffice::paths::Home;

use super::Outcome;
use super::cores::Placement;
use super::jobs::{self, Job};
use super::load;
use super::options::Peer;
use super::pages::{LISTINGS, filter, late_page};
use super::report::{Budget, Report};
use super::rounds;
use super::server::Server;
use super::site::Site;
use super::timings::{Timings, per_second, written};

const ROUNDS: usize = 5;
const SLICE: Duration = Duration::from_millis(400);
const STARTS: usize = 5;
const CALLERS: usize = 16;

fn command(site: &Site, peer: &Peer, home: &Home) -> Outcome<Command> {
    // Not resolved further: a virtual environment's interpreter is a link that must stay one.
    let mut command = site.command(&std::path::absolute(&peer.interpreter)?);
    command.arg(std::path::absolute(&peer.script)?).arg(home.database()).arg(site.repository());
    Ok(command)
}

pub fn measure_small(site: &Site, peer: &Peer, report: &mut Report) -> Outcome<()> {
    let mut disk = site.disk()?;
    let mut ours = Server::start(site.program(&site.home("ours")?))?;
    let mut theirs = Server::start(command(site, peer, &site.home("theirs")?)?)?;
    let jobs = [jobs::next_id(), jobs::reserve_three(), jobs::add_ten_tasks()];
    Placement::TwoCores.take(&[&ours, &theirs])?;
    for job in &jobs {
        let kept = rounds::run(&mut disk, Placement::TwoCores, ROUNDS, |round| {
            let ours = round.durable(|| load::alone(&mut ours, SLICE, job))?.p50();
            let theirs = round.durable(|| load::alone(&mut theirs, SLICE, job))?.p50();
            round.synced(ours);
            Ok((ours, theirs))
        })?;
        let (us, them) = (kept.median(|p50s| p50s.0), kept.median(|p50s| p50s.1));
        let figures = format!("p50 {} against {}{}", written(us), written(them), kept.disk());
        let gain = kept.median(|p50s| p50s.1 / p50s.0);
        report.judge(format!("{}, one caller", job.name), Budget::AtLeast(3.0, " ×"), gain, figures);
    }
    Placement::Anywhere.take(&[&ours, &theirs])?;
    for job in &jobs {
        let kept = rounds::run(&mut disk, Placement::Anywhere, ROUNDS, |round| {
            let ours = round.durable(|| load::outstanding(&mut ours, CALLERS, SLICE, job))?.rate();
            let theirs = round.durable(|| load::outstanding(&mut theirs, CALLERS, SLICE, job))?.rate();
            // It commits every call by itself.
            round.synced(1e6 / theirs);
            Ok((ours, theirs))
        })?;
        let (us, them) = (kept.median(|rates| rates.0), kept.median(|rates| rates.1));
        let figures = format!("{} against {}{}", per_second(us), per_second(them), kept.disk());
        let gain = kept.median(|rates| rates.0 / rates.1);
        let what = format!("{}, 16 outstanding", job.name);
        // The budget is for what one commit holds much of; a batch of ten is mostly its own rows.
        match job.tool {
            "add_task" if gain.is_nan() => {
                report.tell(what, "–".to_owned(), "no round could be compared".to_owned());
            }
            "add_task" => report.tell(what, format!("{gain:.1} ×"), figures),
            _ => report.judge(what, Budget::AtLeast(25.0, " ×"), gain, figures),
        }
    }
    cold_starts(site, peer, report)
}

fn cold_starts(site: &Site, peer: &Peer, report: &mut Report) -> Outcome<()> {
    let (home, whoami) = (site.home("peer-starts")?, jobs::whoami());
    let (mut ours, mut theirs) = (Timings::default(), Timings::default());
    for _ in 0..STARTS {
        let commands = [site.program(&home), command(site, peer, &home)?];
        for (command, timings) in commands.into_iter().zip([&mut ours, &mut theirs]) {
            let since = Stopwatch::start();
            let mut server = Server::start(command)?;
            server.call(whoami.tool, &whoami.arguments())?;
            timings.push(since.elapsed());
        }
    }
    let figures = format!("p50 {} against {}", written(ours.p50()), written(theirs.p50()));
    report.tell("cold start to the first answer", format!("{:.0} ×", theirs.p50() / ours.p50()), figures);
    Ok(())
}

pub fn measure_pages(site: &Site, large: &Home, peer: &Peer, report: &mut Report) -> Outcome<()> {
    let mut disk = site.disk()?;
    let mut ours = Server::start(site.program(large))?;
    let mut theirs = Server::start(command(site, peer, large)?)?;
    let (_, listing) = LISTINGS[0];
    let first = jobs::list("page 1", filter(listing));
    // Each server goes on from its own cursor.
    let (our_late, _) = late_page(&mut ours, "page 10,000", listing)?;
    let (their_late, _) = late_page(&mut theirs, "page 10,000", listing)?;
    Placement::TwoCores.take(&[&ours, &theirs])?;
    let pages: [(&Job, &Job); 2] = [(&first, &first), (&our_late, &their_late)];
    for (our_page, their_page) in pages {
        let kept = rounds::run(&mut disk, Placement::TwoCores, ROUNDS, |_| {
            let ours = load::alone(&mut ours, SLICE, our_page)?.p50();
            Ok((ours, load::alone(&mut theirs, SLICE, their_page)?.p50()))
        })?;
        let (us, them) = (kept.median(|p50s| p50s.0), kept.median(|p50s| p50s.1));
        let figures = format!("p50 {} against {}", written(us), written(them));
        let what = format!("list_tasks at 1,000,000 rows, {}", our_page.name);
        report.judge(what, Budget::AtLeast(3.0, " ×"), kept.median(|p50s| p50s.1 / p50s.0), figures);
    }
    Placement::Anywhere.take(&[])
}
