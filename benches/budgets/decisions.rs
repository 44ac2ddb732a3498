//! A repository with 1,000 decisions: what reading the architecture and ending a session cost beside
//! reading the same files once.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use backoffice::clock::{Stopwatch, Timestamp};
use backoffice::families::preflight::documents::decide::{Decided, Decision};
use backoffice::families::preflight::documents::{State, Uid, adr};
use backoffice::families::preflight::provenance::Provenance;
use serde_json::json;

use super::Outcome;
use super::cores::Placement;
use super::report::{Budget, Report};
use super::rounds;
use super::server::Server;
use super::site::Site;
use super::timings::{Timings, written};

const DECISIONS: u16 = 1_000;
/// Each snapshot carries so many fields.
const FIELDS: u16 = 40;
const ROUNDS: usize = 9;
const READS: usize = 15;
const SESSIONS: usize = 4;
/// 2025-10-20T14:30:05.000Z
const START: i64 = 1_760_970_605_000;
const ALLOWED: Budget = Budget::AtMost(1.0, " × reading them once");

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    let root = site.folder("decisions");
    lay_out(&root)?;
    let home = site.home("decisions-home")?;
    let mut program = site.program(&home);
    program.current_dir(&root).env("PATH", path());
    let mut server = Server::start(program)?;
    // The first call parses and folds; what is measured is a process that has been at work.
    server.ask("read_architecture", &json!({}))?;
    let mut databases = ["MySQL", "PostgreSQL"].iter().cycle();
    let mut end_session = |server: &mut Server| -> Outcome<Duration> {
        let database = databases.next().unwrap_or(&"MySQL");
        let intention = json!({ "user_intention": format!("Switch to {database} with Prisma for orders") });
        Ok(server.call("require_clarification", &intention.to_string())?.took)
    };
    end_session(&mut server)?;
    let placement = Placement::OneCore;
    placement.take(&[&server])?;
    let kept = rounds::run(&mut site.disk()?, placement, ROUNDS, |round| {
        let (mut plain, mut architecture, mut sessions) =
            (Timings::default(), Timings::default(), Timings::default());
        for _ in 0..READS {
            plain.push(placement.beside_the_server(|| read_once(&root))?);
            architecture.push(server.call("read_architecture", "{}")?.took);
        }
        round.durable(|| {
            for _ in 0..SESSIONS {
                sessions.push(end_session(&mut server)?);
            }
            Ok(())
        })?;
        Ok((plain.p50(), architecture.p50(), sessions.p50()))
    })?;
    let once = written(kept.median(|round| round.0));
    let figures = format!("p50 {}; once {once}", written(kept.median(|round| round.1)));
    let ratio = kept.median(|round| round.1 / round.0);
    report.judge("read_architecture over 1,000 decisions, warm", ALLOWED, ratio, figures);
    let figures = format!("p50 {}; once {once}{}", written(kept.median(|round| round.2)), kept.disk());
    let ratio = format!("{:.2} × reading them once", kept.median(|round| round.2 / round.0));
    report.tell("require_clarification that decides, over 1,000 decisions", ratio, figures);
    Placement::Anywhere.take(&[])
}

/// Reads every decision, as plain files.
fn read_once(root: &Path) -> Outcome<Duration> {
    let since = Stopwatch::start();
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(root.join("docs/adr"))? {
        files.push(entry?.path());
    }
    for file in files {
        black_box(fs::read(file)?);
    }
    Ok(since.elapsed())
}

/// A real repository, each decision made with those before it in view.
fn lay_out(root: &Path) -> Outcome<()> {
    fs::create_dir_all(root.join("docs/adr"))?;
    fs::create_dir_all(root.join("src/db"))?;
    fs::write(root.join("src/db/orders.rs"), "// Orders\n")?;
    let mut state = State::default();
    for number in 0..DECISIONS {
        let values = match number {
            0 => vec![value("Database", "Type", "SQLite"), value("Database", "ORM", "Prisma")],
            _ => vec![value("Other", &format!("Field_{}", number % FIELDS), &format!("value {number}"))],
        };
        let decision = Decision { values, rationale: "It was time.".to_owned(), ..Decision::default() };
        let uid = Uid::at(Timestamp(START + i64::from(number) * 60_000), number);
        let made = state.decide(decision, uid).ok_or("a decision that changes nothing")?;
        fs::write(root.join("docs/adr").join(made.file_name()), adr::write(&made))?;
        state.apply(&made)?;
    }
    git(root, &["init", "-q"])?;
    git(root, &["add", "-A"])?;
    let who = ["-c", "user.name=owner", "-c", "user.email=owner@example.org", "-c", "commit.gpgsign=false"];
    git(root, &[&who[..], &["commit", "-q", "-m", "decisions"]].concat())
}

fn value(category: &str, field: &str, value: &str) -> Decided {
    Decided {
        category: category.to_owned(),
        field: field.to_owned(),
        value: value.to_owned(),
        provenance: Provenance::Person,
    }
}

fn git(root: &Path, arguments: &[&str]) -> Outcome<()> {
    let mut git = Command::new("git");
    let ended =
        git.arg("-C").arg(root).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    if ended.success() { Ok(()) } else { Err(format!("git {arguments:?} failed").into()) }
}

#[expect(clippy::disallowed_methods, reason = "git is found where this process finds it")]
fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}
