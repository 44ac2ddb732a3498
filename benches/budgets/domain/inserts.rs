//! Tickets that come one at a time, into the index of all the others, as the writer stores them.

use backoffice::clock::{Clock, Stopwatch};
use backoffice::db::{Db, Mode};
use backoffice::families::company;

use super::super::cores::Placement;
use super::super::report::{Budget, Report};
use super::super::site::{OWNER, Site};
use super::super::timings::{Timings, written};
use super::super::{Outcome, rounds};
use super::fill::Company;
use super::grouped;

const ROUNDS: usize = 3;
const EACH: usize = 1_000;

pub fn measure(site: &Site, filled: &Company, report: &mut Report) -> Outcome<()> {
    let db = Db::open(&filled.home.database(), Mode::Full, &Clock::System, OWNER)?;
    let (full, table) = company::table("support.tickets")?;
    let mut rows = filled.latest.iter().cycle().enumerate();
    let kept = rounds::run(&mut site.disk()?, Placement::Anywhere, ROUNDS, |round| {
        round.durable(|| {
            let mut timings = Timings::default();
            for (number, row) in rows.by_ref().take(EACH) {
                let (mut row, full, now) = (row.clone(), full.clone(), Clock::System.now());
                row.insert("ticket_id".to_owned(), format!("NEW-{number}").into());
                let since = Stopwatch::start();
                db.write(move |tx| company::put(tx, &full, table, &row, now))?;
                timings.push(since.elapsed());
            }
            Ok(timings)
        })
    })?;
    let figures = format!(
        "p50 {}, p99 {}, longest {} of {}{}",
        written(kept.median(Timings::p50)),
        written(kept.median(Timings::p99)),
        written(kept.rounds.iter().map(Timings::longest).fold(0.0, f64::max)),
        grouped(EACH * kept.rounds.len()),
        kept.disk(),
    );
    let what = format!("a ticket into the index of {}, p99", grouped(filled.rows));
    report.judge(what, Budget::AtMost(5.0, " ms"), kept.median(|timings| timings.p99() / 1e3), figures);
    Ok(())
}
