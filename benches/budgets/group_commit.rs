//! Sixteen callers with durable writes: what sharing a commit is worth, and whether all get their
//! share.

use std::sync::Arc;
use std::time::Duration;

use backoffice::clock::Stopwatch;
use backoffice::db::writer::BATCH;
use backoffice::tool::JsonObject;
use backoffice::tool::dispatch::{Office, Reply};
use backoffice::tool::session::Session;

use super::cores::Placement;
use super::disk::Disk;
use super::jobs::{self, Job};
use super::load::{self, Load};
use super::report::{Budget, Report};
use super::rounds::{self, Kept};
use super::server::Server;
use super::site::Site;
use super::socket_clients::SocketClients;
use super::timings::{Timings, per_second, written};
use super::{Outcome, limited};

pub const CALLERS: usize = 16;
const ROUNDS: usize = 5;
pub const SLICE: Duration = Duration::from_millis(700);

/// One round: with and without sharing.
struct Pair {
    shared: Load,
    single: Load,
}

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    let mut disk = site.disk()?;
    let job = jobs::next_id();
    let mut clients = (SocketClients::start(site, BATCH)?, SocketClients::start(site, 1)?);
    let socket = (|| clients.0.load(&job), || clients.1.load(&job));
    tell(report, "16 clients on the socket", &compare(&mut disk, socket)?);
    drop(clients);

    let offices = (limited::open(&site.home("shared")?, BATCH)?, limited::open(&site.home("single")?, 1)?);
    let threads = (|| threads(&offices.0, &job), || threads(&offices.1, &job));
    tell(report, "16 callers in one process", &compare(&mut disk, threads)?);
    drop(offices);

    let mut shared = Server::start(site.limited(&site.home("shared-stdio")?, BATCH))?;
    let mut single = Server::start(site.limited(&site.home("single-stdio")?, 1))?;
    let stdio = (
        || load::outstanding(&mut shared, CALLERS, SLICE, &job),
        || load::outstanding(&mut single, CALLERS, SLICE, &job),
    );
    tell(report, "16 outstanding on one stdio", &compare(&mut disk, stdio)?);
    Ok(())
}

fn compare(
    disk: &mut Disk,
    (mut shared, mut single): (impl FnMut() -> Outcome<Load>, impl FnMut() -> Outcome<Load>),
) -> Outcome<Kept<Pair>> {
    rounds::run(disk, Placement::Anywhere, ROUNDS, |round| {
        let pair = Pair { shared: round.durable(&mut shared)?, single: round.durable(&mut single)? };
        // A commit of one call can be no quicker than the disk.
        round.synced(1e6 / pair.single.rate());
        Ok(pair)
    })
}

fn tell(report: &mut Report, what: &str, kept: &Kept<Pair>) {
    let figures = format!(
        "{} against {}, p50 {} against {}{}",
        per_second(kept.median(|pair| pair.shared.rate())),
        per_second(kept.median(|pair| pair.single.rate())),
        written(kept.median(|pair| pair.shared.p50)),
        written(kept.median(|pair| pair.single.p50)),
        kept.disk(),
    );
    let gain = kept.median(|pair| pair.shared.rate() / pair.single.rate());
    let budget = Budget::AtLeast(6.0, " × batch of 1");
    report.judge(format!("{what}, durable writes"), budget, gain, figures);
    let figures = format!("longest wait {}", written(kept.median(|pair| pair.shared.longest)));
    let fairness = kept.median(|pair| pair.shared.fairness());
    report.judge(format!("{what}, slowest caller"), Budget::AtLeast(0.5, " × fastest"), fairness, figures);
}

/// Sixteen threads that call and wait.
fn threads((office, session): &(Arc<Office>, Arc<Session>), job: &Job) -> Outcome<Load> {
    let since = Stopwatch::start();
    let calls = std::thread::scope(|scope| -> Outcome<Vec<Timings>> {
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(|| caller(office, session, job))).collect();
        callers.into_iter().map(|each| each.join().map_err(|_| "a caller panicked")?).collect()
    })?;
    let seconds = since.elapsed().as_secs_f64();
    Ok(Load::of(&calls, seconds))
}

fn caller(office: &Arc<Office>, session: &Arc<Session>, job: &Job) -> Outcome<Timings> {
    let arguments: JsonObject = serde_json::from_str(&job.arguments())?;
    let mut timings = Timings::default();
    let since = Stopwatch::start();
    while since.elapsed() < SLICE {
        let each = Stopwatch::start();
        if let Reply::Failed { error, .. } = office.call(session, job.tool, arguments.clone()) {
            return Err(error.into());
        }
        timings.push(each.elapsed());
    }
    Ok(timings)
}
