//! Pages of a million rows: the ten thousandth costs what the first costs.

use std::time::Duration;

use backoffice::paths::Home;
use serde_json::{Value, json};

use super::bare::Bare;
use super::bare_pages::{Listing, Page};
use super::cores::Placement;
use super::fill::COMMON_INPUT;
use super::jobs::{self, Job};
use super::report::{Budget, Report};
use super::rounds;
use super::server::Server;
use super::single_row::{ALLOWED, P50s, repeat};
use super::site::{PROJECT, Site};
use super::timings::written;
use super::{Outcome, echo, load};

const ROUNDS: usize = 7;
const SLICE: Duration = Duration::from_millis(120);
const LATE: usize = 10_000;

/// A listing under its name, as the tool and as the statements know it.
pub const LISTINGS: [(&str, Listing); 3] = [
    ("list_tasks", Listing::All),
    ("list_tasks status=pending", Listing::Pending),
    ("list_tasks depends_on", Listing::DependsOn(COMMON_INPUT)),
];

pub fn filter(listing: Listing) -> Value {
    match listing {
        Listing::All => json!({}),
        Listing::Pending => json!({ "status": "pending" }),
        Listing::DependsOn(artifact) => json!({ "depends_on": artifact }),
    }
}

pub fn measure(site: &Site, large: &Home, report: &mut Report) -> Outcome<()> {
    let mut disk = site.disk()?;
    let mut server = Server::start(site.program(large))?;
    let mut echo = Server::start(site.echo(&site.home("echo-pages")?))?;
    let bare = Bare::open(&large.database(), &site.repository())?;
    Placement::TwoCores.take(&[&server, &echo])?;
    for (name, listing) in LISTINGS {
        let first = jobs::list(name, filter(listing));
        let (late, after) = late_page(&mut server, name, listing)?;
        let echo_job = echo::like(&first, &mut server, &mut echo)?;
        let kept = rounds::run(&mut disk, Placement::TwoCores, ROUNDS, |_| {
            let echo = load::alone(&mut echo, SLICE, &echo_job)?.p50();
            let first_page = P50s {
                tool: load::alone(&mut server, SLICE, &first)?.p50(),
                echo,
                bare: repeat(|| Page { listing, after: 0 }.read(&bare))?.p50(),
            };
            let late_page = P50s {
                tool: load::alone(&mut server, SLICE, &late)?.p50(),
                echo,
                bare: repeat(|| Page { listing, after }.read(&bare))?.p50(),
            };
            Ok((first_page, late_page))
        })?;
        let figures = format!(
            "p50 {} against {}",
            written(kept.median(|pages| pages.1.tool)),
            written(kept.median(|pages| pages.0.tool))
        );
        let growth = kept.median(|pages| pages.1.tool / pages.0.tool);
        let what = format!("{name} at 1,000,000 rows, page 10,000");
        report.judge(what.clone(), Budget::AtMost(1.2, " × page 1"), growth, figures);
        let figures = format!(
            "p50 {}; a {}, b {}",
            written(kept.median(|pages| pages.1.tool)),
            written(kept.median(|pages| pages.1.echo)),
            written(kept.median(|pages| pages.1.bare))
        );
        report.judge(what, ALLOWED, kept.median(|pages| pages.1.ratio()), figures);
    }
    Placement::Anywhere.take(&[])
}

/// Follows the cursors, as a client would, and tells the key the last page starts after.
pub fn late_page(server: &mut Server, name: &'static str, listing: Listing) -> Outcome<(Job, i64)> {
    let mut arguments = filter(listing);
    arguments["project_id"] = PROJECT.into();
    let mut after = 0;
    for _ in 1..LATE {
        let page = server.ask("list_tasks", &arguments)?;
        let last = page["tasks"].as_array().and_then(|tasks| tasks.last()).ok_or("an empty page")?;
        // The file was filled in the order of its numbers, so they are the keys, too.
        let number = last["task_id"].as_str().and_then(|id| id.strip_prefix("TASK-"));
        after = number.ok_or("a task without a number")?.parse()?;
        arguments["cursor"] = page["next_cursor"].clone();
    }
    let late = Job::same(name, "list_tasks", arguments.to_string());
    Ok((late, after))
}
