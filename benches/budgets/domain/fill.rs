//! The company with many more of everything, stored as `sample generate` stores it.

use backoffice::clock::{Clock, Stopwatch};
use backoffice::db::{Db, Mode};
use backoffice::families::company;
use backoffice::paths::Home;
use backoffice::sample::{self, Row, Volume};

use super::super::Outcome;
use super::super::bare::Bare;
use super::super::report::{Budget, Report, say};
use super::super::site::{OWNER, Site};
use super::super::timings::written;
use super::grouped;

/// So many rows share a commit, as with the command.
const CHUNK: usize = 5_000;
/// The full-text indexes are at rest once they have not changed for so many looks, a tenth of a second
/// each.
const QUIET: usize = 15;
const LEAST_EACH: usize = 10 * CHUNK;

/// A filled file.
pub struct Company {
    pub home: Home,
    /// How many employees, invoices and tickets there are each.
    pub rows: usize,
    /// The tickets that came last, as rows to make new ones from.
    pub latest: Vec<Row>,
}

pub fn company(site: &Site, rows: usize, report: &mut Report) -> Outcome<Company> {
    if rows < LEAST_EACH {
        return Err(format!("`--rows` needs {LEAST_EACH} or more: tenths are compared").into());
    }
    let home = site.home("domain")?;
    let db = Db::open(&home.database(), Mode::Full, &Clock::System, OWNER)?;
    let now = Clock::System.now();
    db.write(move |tx| company::load_sample(tx, now))?;
    let volume = Volume {
        employees: rows,
        invoices: rows,
        tickets: rows,
        expense_reports: 0,
        customers: 0,
        deals: 0,
        articles: 0,
    };
    let mut latest = Vec::new();
    for part in sample::more(company::today(now), volume) {
        let filled = fill(&db, part)?;
        filled.tell(report);
        if filled.name == "support.tickets" {
            latest = filled.latest;
        }
    }
    settle(site, &home, report)?;
    db.checkpoint()?;
    Ok(Company { home, rows, latest })
}

/// How a table was filled, in seconds.
struct Filled {
    name: &'static str,
    count: usize,
    tenths: Vec<f64>,
    finish: Option<f64>,
    /// Memory of this process before and at most while what is derived was made anew, in megabytes.
    memory: Option<(f64, f64)>,
    latest: Vec<Row>,
}

fn fill(db: &Db, part: sample::Table) -> Outcome<Filled> {
    let now = Clock::System.now();
    let (full, table) = company::table(part.name)?;
    let sample::Table { name, count, mut rows } = part;
    let (mut tenths, mut latest, mut done) = (vec![0.0; 10], Vec::new(), 0);
    while done < count {
        let since = Stopwatch::start();
        let chunk: Vec<Row> = rows.by_ref().take(CHUNK).collect();
        if done + CHUNK >= count {
            latest.clone_from(&chunk);
        }
        let (at, of) = (done * 10 / count, full.clone());
        done += chunk.len();
        db.write_many(move |tx| chunk.iter().try_for_each(|row| company::put(tx, &of, table, row, now)))?;
        tenths[at] += since.elapsed().as_secs_f64();
        if done * 10 / count > at {
            say(&format!("        {name}: {} of {}, {:.1} s", grouped(done), grouped(count), tenths[at]));
        }
    }
    let before = memory("VmRSS:");
    let since = Stopwatch::start();
    let finish = match table.finish {
        Some(finish) => {
            db.write_many(finish)?;
            Some(since.elapsed().as_secs_f64())
        }
        None => None,
    };
    Ok(Filled { name, count, tenths, finish, memory: before.zip(memory("VmHWM:")), latest })
}

impl Filled {
    fn tell(&self, report: &mut Report) {
        let each = self.count as f64 / 10.0;
        let (first, last) = (self.tenths[0], self.tenths[9]);
        let seconds: f64 = self.tenths.iter().sum();
        let figures =
            format!("{:.0}/s at first, {:.0}/s at last, {seconds:.0} s in all", each / first, each / last);
        let what = format!("sample generate, {} rows of {}, last tenth", grouped(self.count), self.name);
        report.judge(what, Budget::AtMost(1.5, " × the first"), last / first, figures);
        let Some(finish) = self.finish else { return };
        let memory = self.memory.map_or_else(String::new, |(before, most)| {
            format!("memory at most {most:.0} MB, {before:.0} MB before")
        });
        report.tell(
            format!("the chain of managers of {}", grouped(self.count)),
            format!("{finish:.1} s"),
            memory,
        );
    }
}

/// What the system says of this process's memory, in megabytes, where it does.
fn memory(which: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(which))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// Waits until the writer has merged what there is to merge, as it does when nobody comes.
fn settle(site: &Site, home: &Home, report: &mut Report) -> Outcome<()> {
    let bare = Bare::open(&home.database(), &site.repository())?;
    let pieces = || -> Outcome<(i64, i64)> {
        let count = "SELECT count(DISTINCT segid), total(pgno) FROM tickets_text_idx";
        Ok(bare.connection().query_row(count, [], |row| Ok((row.get(0)?, row.get::<_, f64>(1)? as i64)))?)
    };
    let since = Stopwatch::start();
    let (before, mut last, mut same) = (pieces()?, (0, 0), 0);
    while same < QUIET {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let now = pieces()?;
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
    let figures = format!("{} pieces became {}", before.0, last.0);
    report.tell(
        "merging the index of the tickets afterwards",
        written(since.elapsed().as_secs_f64() * 1e6),
        figures,
    );
    Ok(())
}
