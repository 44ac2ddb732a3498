//! Sixteen callers with durable writes: what sharing a commit is worth, and whether all get their
//! share.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use backoffice::clock::{Clock, Stopwatch};
use backoffice::db::writer::BATCH;
use backoffice::db::{Db, Mode, people};
use backoffice::id::Ids;
use backoffice::paths::Home;
use backoffice::tool::JsonObject;
use backoffice::tool::dispatch::{Office, Reply};
use backoffice::tool::session::{Session, Toolsets};
use backoffice::{families, logging, mcp};

use super::Outcome;
use super::jobs::{self, Job};
use super::load::{self, Load};
use super::report::{Budget, Report};
use super::rounds::{self, Kept};
use super::server::Server;
use super::site::{OWNER, PROJECT, Site};
use super::timings::{Timings, per_second, written};

const CALLERS: usize = 16;
const ROUNDS: usize = 5;
const SLICE: Duration = Duration::from_millis(700);

/// One round: with and without sharing.
struct Pair {
    shared: Load,
    single: Load,
}

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    let mut disk = site.disk()?;
    let job = jobs::next_id();
    let shared = open(&site.home("shared")?, BATCH)?;
    let single = open(&site.home("single-commits")?, 1)?;
    let kept = rounds::run(&mut disk, ROUNDS, |round| {
        Ok(Pair {
            shared: round.durable(|| threads(&shared, &job))?,
            single: round.durable(|| threads(&single, &job))?,
        })
    })?;
    tell(report, "16 callers in one process", &kept);
    drop((shared, single));

    let mut shared = Server::start(site.limited(&site.home("shared-stdio")?, BATCH))?;
    let mut single = Server::start(site.limited(&site.home("single-stdio")?, 1))?;
    let kept = rounds::run(&mut disk, ROUNDS, |round| {
        Ok(Pair {
            shared: round.durable(|| load::outstanding(&mut shared, CALLERS, SLICE, &job))?,
            single: round.durable(|| load::outstanding(&mut single, CALLERS, SLICE, &job))?,
        })
    })?;
    tell(report, "16 outstanding on one stdio", &kept);
    Ok(())
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

/// Serves stdio as the program does, logs included, with another batch limit.
pub fn serve(home: &Path, batch: usize) -> Outcome<ExitCode> {
    let home = Home::at(home);
    logging::start(home.logs(), None);
    let (office, session) = open(&home, batch)?;
    mcp::serve_stdio(office, session)?;
    Ok(ExitCode::SUCCESS)
}

fn open(home: &Home, batch: usize) -> Outcome<(Arc<Office>, Arc<Session>)> {
    let db = Db::open_with_batch(&home.database(), Mode::Full, &Clock::System, OWNER, batch)?;
    let office = Office::around(db, home.clone(), families::ALL, Clock::System, Ids::Random);
    let mut session = Session::new(office.db.read(people::owner)?, Toolsets::All, "budgets".to_owned());
    session.stand_in(None, Some(PROJECT))?;
    Ok((Arc::new(office), Arc::new(session)))
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
