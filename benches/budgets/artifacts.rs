//! Documents: validated, stored, approved, imported. A call that changes files and rows is measured
//! against (a) an echo of the same length and (b) the same files and statements alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use backoffice::clock::Stopwatch;
use serde_json::json;

use super::bare::Bare;
use super::bare_artifacts::{Documents, Row};
use super::cores::Placement;
use super::disk::Disk;
use super::documents::{self, EPIC, RESEARCH};
use super::jobs::Job;
use super::report::{Budget, Report};
use super::rounds::{self, Kept};
use super::server::Server;
use super::single_row::P50s;
use super::site::Site;
use super::timings::{Timings, written};
use super::{Outcome, echo, importing, load, validating};

const ROUNDS: usize = 9;
const SLICE: Duration = Duration::from_millis(120);
const ALLOWED: Budget = Budget::AtMost(1.3, " × (a + b)");
const BYTES: usize = 20_000;
/// What the bare work waits for: two files, their folder, and its commits.
const SYNCS_OF_STORE: f64 = 4.0;
const SYNCS_OF_APPROVE: f64 = 5.0;
/// The calls of a slice, whose documents are made before it.
const CALLS: usize = 30;

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    validating::measure(site, report)?;
    let (home, bare) = (site.home("documents")?, site.home("bare-documents")?);
    let mut bench = Bench {
        disk: site.disk()?,
        server: Server::start(site.program(&home))?,
        echo: Server::start(site.echo(&site.home("echo-documents")?))?,
        bare: Documents::below(
            site.folder("bare-documents-files"),
            Bare::open(&bare.database(), &site.repository())?,
        )?,
    };
    bench.lay_out()?;
    for placement in Placement::PINNED {
        placement.take(&[&bench.server, &bench.echo])?;
        bench.store(report, placement)?;
        bench.approve(report, placement, "approve_artifact with 3 placeholders", 3)?;
        bench.approve(report, placement, "approve_artifact with 100 placeholders", 100)?;
    }
    Placement::Anywhere.take(&[])?;
    drop(bench);
    importing::measure(site, report)
}

struct Bench {
    disk: Disk,
    server: Server,
    echo: Server,
    bare: Documents,
}

/// No two documents of a run have the same number.
static NEXT: AtomicUsize = AtomicUsize::new(1_000);

fn next(prefix: &str) -> String {
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Bench {
    /// What every PRD needs: an approved epic, and research that is finished.
    fn lay_out(&mut self) -> Outcome<()> {
        let research = RESEARCH.map(|(what, _)| documents::research(what));
        for text in research.iter().chain([&documents::epic()]) {
            self.server.ask("store_artifact", &json!({ "artifact_content": text }))?;
        }
        self.server.ask("approve_artifact", &json!({ "artifact_id": EPIC }))?;
        self.bare.store(Row { id: EPIC, kind: "epic", parents: &[] }, &documents::epic())
    }

    /// New documents, one after the other.
    fn store(&mut self, report: &mut Report, placement: Placement) -> Outcome<()> {
        let arguments = || json!({ "artifact_content": documents::story(&next("US"), BYTES) }).to_string();
        let job = Job::new("store_artifact of 20 KB", "store_artifact", arguments);
        let echo_job = echo::like(&job, &mut self.server, &mut self.echo)?;
        let Bench { disk, server, echo, bare: documents } = self;
        let kept = rounds::run(disk, placement, ROUNDS, |round| {
            documents.rest()?;
            let echo = load::alone(echo, SLICE, &echo_job)?.p50();
            let tool =
                round.durable(|| timed(CALLS, || Ok(server.call(job.tool, &job.arguments())?.took)))?;
            let store = || {
                let id = next("US");
                let text = documents::story(&id, BYTES);
                let row = Row { id: &id, kind: "backlog_story", parents: &["HLS-001", "PRD-001"] };
                let since = Stopwatch::start();
                documents.store(row, &text)?;
                Ok(since.elapsed())
            };
            let bare = round.durable(|| placement.beside_the_server(|| timed(CALLS, store)))?;
            round.synced(bare / SYNCS_OF_STORE);
            Ok(P50s { tool, echo, bare })
        })?;
        judge(report, job.name, placement, &kept);
        Ok(())
    }

    /// Drafts that were stored before, each with so many parts.
    fn approve(
        &mut self,
        report: &mut Report,
        placement: Placement,
        name: &'static str,
        parts: usize,
    ) -> Outcome<()> {
        let ready = Arc::new(AtomicUsize::new(NEXT.load(Ordering::Relaxed)));
        let draft = |server: &mut Server| {
            let text = documents::prd(&next("PRD"), parts, BYTES);
            server.ask("store_artifact", &json!({ "artifact_content": text }))
        };
        let arguments = {
            let ready = Arc::clone(&ready);
            move || {
                let number = ready.fetch_add(1, Ordering::Relaxed);
                json!({ "artifact_id": format!("PRD-{number}") }).to_string()
            }
        };
        draft(&mut self.server)?;
        let job = Job::new(name, "approve_artifact", arguments);
        let echo_job = echo::like(&job, &mut self.server, &mut self.echo)?;
        let Bench { disk, server, echo, bare: documents } = self;
        let kept = rounds::run(disk, placement, ROUNDS, |round| {
            documents.rest()?;
            let echo = load::alone(echo, SLICE, &echo_job)?.p50();
            ready.store(NEXT.load(Ordering::Relaxed), Ordering::Relaxed);
            for _ in 0..CALLS {
                draft(server)?;
            }
            let tool =
                round.durable(|| timed(CALLS, || Ok(server.call(job.tool, &job.arguments())?.took)))?;
            let mut drafts = Vec::new();
            for _ in 0..CALLS {
                let id = next("PRD");
                let text = documents::prd(&id, parts, BYTES);
                documents.store(Row { id: &id, kind: "prd", parents: &[EPIC] }, &text)?;
                drafts.push(id);
            }
            let approve = || {
                let id = drafts.pop().ok_or("there is no draft left")?;
                let since = Stopwatch::start();
                documents.approve(&id, parts)?;
                Ok(since.elapsed())
            };
            let bare = round.durable(|| placement.beside_the_server(|| timed(CALLS, approve)))?;
            round.synced(bare / SYNCS_OF_APPROVE);
            Ok(P50s { tool, echo, bare })
        })?;
        judge(report, name, placement, &kept);
        Ok(())
    }
}

/// The p50 of so many calls, in microseconds.
fn timed(calls: usize, mut call: impl FnMut() -> Outcome<Duration>) -> Outcome<f64> {
    let mut timings = Timings::default();
    for _ in 0..calls {
        timings.push(call()?);
    }
    Ok(timings.p50())
}

fn judge(report: &mut Report, name: &str, placement: Placement, kept: &Kept<P50s>) {
    let figures = format!(
        "p50 {}; a {}, b {}{}",
        written(kept.median(|p50s| p50s.tool)),
        written(kept.median(|p50s| p50s.echo)),
        written(kept.median(|p50s| p50s.bare)),
        kept.disk(),
    );
    report.judge(
        format!("{name} over stdio, {}", placement.words()),
        ALLOWED,
        kept.median(P50s::ratio),
        figures,
    );
}
