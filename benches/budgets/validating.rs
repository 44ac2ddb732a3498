//! The checklist of a PRD against one plain parse of the same bytes.

use std::hint::black_box;

use backoffice::clock::{Clock, Stopwatch};
use backoffice::families::artifacts::checklist::{self, Checklists, NoStore};
use backoffice::families::artifacts::document::Document;
use pulldown_cmark::{Options, Parser};

use super::Outcome;
use super::cores::Placement;
use super::documents;
use super::report::{Budget, Report};
use super::rounds;
use super::site::Site;
use super::timings::{Timings, written};

const ID: &str = "PRD-006";
const BYTES: usize = 100_000;
const ROUNDS: usize = 9;
const TURNS: usize = 25;
const ALLOWED: Budget = Budget::AtMost(2.2, " × one parse");

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    let text = documents::prd(ID, 8, BYTES);
    let checklist = Checklists::shared().get("prd_validation_v1", None, Clock::System.now())?;
    let validate = || checklist::validate(&Document::read(&text), ID, 2, &checklist, &NoStore);
    let found = validate()?;
    if !found.passed() {
        let failed = found.results.iter().find(|result| result.passed == Some(false));
        return Err(format!("the document is not as it should be: {failed:?}").into());
    }
    let automated = found.results.iter().filter(|result| result.validation_type == "automated").count();
    Placement::OneCore.take(&[])?;
    let kept = rounds::run(&mut site.disk()?, Placement::OneCore, ROUNDS, |_| {
        let (mut parsed, mut validated, mut read) =
            (Timings::default(), Timings::default(), Timings::default());
        for _ in 0..TURNS {
            let since = Stopwatch::start();
            black_box(Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter().count());
            parsed.push(since.elapsed());
            let since = Stopwatch::start();
            black_box(validate()?);
            validated.push(since.elapsed());
            let since = Stopwatch::start();
            black_box(Document::read(&text));
            read.push(since.elapsed());
        }
        Ok((validated.p50(), parsed.p50(), read.p50()))
    })?;
    let figures = format!(
        "p50 {}, of which {} to read it; one parse {}; {automated} criteria, {} of them decided",
        written(kept.median(|round| round.0)),
        written(kept.median(|round| round.2)),
        written(kept.median(|round| round.1)),
        found.automated_pass_rate()
    );
    report.judge("validate a PRD of 100 KB", ALLOWED, kept.median(|round| round.0 / round.1), figures);
    growth(report);
    Placement::Anywhere.take(&[])
}

/// Four times the text takes about four times as long, where the square would take sixteen.
fn growth(report: &mut Report) {
    let hostile =
        ["[", "§1 ", "[REQUIRES SPIKE] ", "`EPIC-001` ", "# a\n", "a\n", "TASK-XXX ", "~~", "no open "];
    let head = "## Metadata\n- **Status:** Ready\n- **Version:** 2\n## Open Questions\n1. ";
    let Ok(checklist) = Checklists::shared().get("backlog_story_validation_v1", None, Clock::System.now())
    else {
        return;
    };
    let cost = |part: &str, times: usize| {
        let text = format!("{head}{}", part.repeat(times));
        let mut timings = Timings::default();
        for _ in 0..5 {
            let since = Stopwatch::start();
            let _ = black_box(checklist::validate(&Document::read(&text), "US-071", 2, &checklist, &NoStore));
            timings.push(since.elapsed());
        }
        timings.p50()
    };
    let (worst, part) = hostile
        .iter()
        .map(|part| (cost(part, 16_000) / cost(part, 4_000), *part))
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .unwrap_or_default();
    let figures = format!("of {} hostile texts the worst repeats {part:?}", hostile.len());
    report.judge("validate four times a hostile text", Budget::AtMost(8.0, " × the time"), worst, figures);
}
