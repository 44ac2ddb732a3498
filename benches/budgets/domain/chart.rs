//! The chart of everybody, which is bounded however many there are.

use std::time::Duration;

use serde_json::json;

use super::super::cores::Placement;
use super::super::jobs::Job;
use super::super::report::{Budget, Report};
use super::super::server::Server;
use super::super::site::Site;
use super::super::timings::written;
use super::super::{Outcome, echo, load, rounds};
use super::fill::Company;
use super::{HR, grouped, program};

const ROUNDS: usize = 5;
const SLICE: Duration = Duration::from_millis(200);

pub fn measure(site: &Site, company: &Company, report: &mut Report) -> Outcome<()> {
    let mut echo = Server::start(site.echo(&site.home("echo-chart")?))?;
    let mut server = Server::start(program(site, &company.home, HR))?;
    Placement::TwoCores.take(&[&server, &echo])?;
    let job = Job::same("get_org_chart", "get_org_chart", json!({ "max_depth": 3 }).to_string());
    let bytes = server.call(job.tool, &job.arguments())?.answer_bytes;
    let echo_job = echo::like(&job, &mut server, &mut echo)?;
    let kept = rounds::run(&mut site.disk()?, Placement::TwoCores, ROUNDS, |_| {
        let tool = load::alone(&mut server, SLICE, &job)?;
        Ok((tool.p50(), tool.p99(), load::alone(&mut echo, SLICE, &echo_job)?.p50()))
    })?;
    let what = format!("get_org_chart of {}, 3 levels", grouped(company.rows));
    let figures = format!(
        "p50 {}, p99 {}; a {}; both forms of the answer together",
        written(kept.median(|p50s| p50s.0)),
        written(kept.median(|p50s| p50s.1)),
        written(kept.median(|p50s| p50s.2)),
    );
    report.judge(what, Budget::AtMost(200.0, " KB"), bytes as f64 / 1000.0, figures);
    Placement::Anywhere.take(&[])
}
