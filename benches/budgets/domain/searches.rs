//! Searches among tickets, from a word that a hundred of a million have to one that nearly all have.

use std::time::Duration;

use serde_json::json;

use super::super::bare::Bare;
use super::super::cores::Placement;
use super::super::jobs::Job;
use super::super::report::{Budget, Report};
use super::super::server::Server;
use super::super::single_row::{ALLOWED, repeat};
use super::super::site::Site;
use super::super::timings::{Timings, written};
use super::super::{Outcome, echo, load, rounds};
use super::fill::Company;
use super::{SUPPORT, bare_searches, grouped, program};

const ROUNDS: usize = 5;
const SLICE: Duration = Duration::from_millis(200);

/// Markers, which are in known shares of the tickets, and the most frequent words there are.
const WORDS: [&str; 8] =
    ["quetzal", "zeppelin", "obelisk", "sextant", "marigold", "the", "the system", "marigold quetzal"];

/// The slices of one round.
struct Slices {
    tool: Timings,
    unaudited: f64,
    echo: f64,
    bare: f64,
    matches: f64,
}

pub fn measure(site: &Site, company: &Company, report: &mut Report) -> Outcome<()> {
    let bare = Bare::open(&company.home.database(), &site.repository())?;
    let mut echo = Server::start(site.echo(&site.home("echo-search")?))?;
    let mut server = Server::start(program(site, &company.home, SUPPORT))?;
    let mut unaudited = Server::start(site.unaudited(&company.home, SUPPORT))?;
    Placement::TwoCores.take(&[&server, &unaudited, &echo])?;
    for words in WORDS {
        let job = Job::same("search_tickets", "search_tickets", json!({ "query": words }).to_string());
        let echo_job = echo::like(&job, &mut server, &mut echo)?;
        let count = bare_searches::count_all(&bare, words)?;
        let ranked = count <= bare_searches::MOST_RANKED;
        let kept = rounds::run(&mut site.disk()?, Placement::TwoCores, ROUNDS, |_| {
            Ok(Slices {
                tool: load::alone(&mut server, SLICE, &job)?,
                unaudited: load::alone(&mut unaudited, SLICE, &job)?.p50(),
                echo: load::alone(&mut echo, SLICE, &echo_job)?.p50(),
                bare: repeat(|| bare_searches::read(&bare, words))?.p50(),
                matches: repeat(|| bare_searches::matches(&bare, words, ranked))?.p50(),
            })
        })?;
        let told = |of: fn(&Slices) -> f64| written(kept.median(of));
        let order = if ranked { "by relevance" } else { "newest first" };
        let what = format!(
            "search_tickets `{words}` at {}, {} matches, {order}",
            grouped(company.rows),
            grouped(usize::try_from(count)?)
        );
        let figures = format!(
            "p50 {}, p99 {}, {} without its line in the audit trail; a {}, b {}, of which the matches {}",
            told(|slices| slices.tool.p50()),
            told(|slices| slices.tool.p99()),
            told(|slices| slices.unaudited),
            told(|slices| slices.echo),
            told(|slices| slices.bare),
            told(|slices| slices.matches),
        );
        let ratio = kept.median(|slices| slices.tool.p50() / (slices.echo + slices.bare));
        report.judge(what.clone(), ALLOWED, ratio, figures.clone());
        if !ranked {
            let milliseconds = kept.median(|slices| slices.tool.p50() / 1e3);
            report.judge(what, Budget::AtMost(1.0, " ms"), milliseconds, figures);
        }
    }
    Placement::Anywhere.take(&[])
}
