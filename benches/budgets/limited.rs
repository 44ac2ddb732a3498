//! Offices whose commits hold at most so many calls, or whose reads leave no line in the audit trail:
//! everything else is as the program has it.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use backoffice::clock::Clock;
use backoffice::daemon::{self, DaemonLock};
use backoffice::db::{Db, Mode};
use backoffice::id::Ids;
use backoffice::paths::Home;
use backoffice::tool::Family;
use backoffice::tool::dispatch::Office;
use backoffice::tool::session::{Session, Wish};
use backoffice::{families, logging, mcp};

use super::Outcome;
use super::site::{OWNER, PROJECT};

pub fn open(home: &Home, batch: usize) -> Outcome<(Arc<Office>, Arc<Session>)> {
    let db = Db::open_with_batch(&home.database(), Mode::Full, &Clock::System, OWNER, batch)?;
    let office = Office::around(db, home.clone(), families::ALL, Clock::System, Ids::Random)?;
    let wish = Wish { project: Some(PROJECT.to_owned()), ..Wish::default() };
    let session = office.connect(&wish, "budgets".to_owned())?;
    Ok((Arc::new(office), Arc::new(session)))
}

/// Serves as `backoffice mcp` does, logs included.
pub fn serve_stdio(home: &Path, batch: usize) -> Outcome<ExitCode> {
    let home = Home::at(home);
    logging::start(home.logs(), None);
    let (office, session) = open(&home, batch)?;
    mcp::serve_stdio(office, session)?;
    Ok(ExitCode::SUCCESS)
}

/// Serves somebody as `backoffice mcp --as` does, logs included, and keeps no trail of what was read.
pub fn serve_unaudited(home: &Path, login: &str) -> Outcome<ExitCode> {
    let home = Home::at(home);
    logging::start(home.logs(), None);
    // A process has one office, for as long as it lives.
    let quiet = families::ALL
        .iter()
        .map(|family| -> &'static Family { Box::leak(Box::new(Family { audits_reads: false, ..**family })) });
    let quiet: &'static [&'static Family] = Box::leak(quiet.collect());
    let office = Office::open(home, Mode::Full, OWNER, quiet, Clock::System, Ids::Random)?;
    let wish = Wish { caller: Some(login.to_owned()), toolsets: Some("all".to_owned()), ..Wish::default() };
    let session = office.connect(&wish, "budgets".to_owned())?;
    mcp::serve_stdio(Arc::new(office), Arc::new(session))?;
    Ok(ExitCode::SUCCESS)
}

/// Serves as `backoffice daemon` does, logs included.
pub fn serve_socket(home: &Path, batch: usize) -> Outcome<ExitCode> {
    let home = Home::at(home);
    logging::start(home.logs(), None);
    let lock = DaemonLock::take(&home)?;
    let (office, _) = open(&home, batch)?;
    daemon::run(&office, lock)?;
    Ok(ExitCode::SUCCESS)
}
