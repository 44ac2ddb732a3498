//! What a client pays for the bridge, and what connections that do nothing cost the daemon.

use std::process::{Child, Stdio};

use backoffice::daemon::{self, Control};
use backoffice::paths::Home;
use backoffice::tool::session::Wish;

use super::Outcome;
use super::cold_start::resident;
use super::jobs;
use super::report::Report;
use super::server::Server;
use super::site::Site;
use super::timings::{Timings, median, written};

const ROUNDS: usize = 7;
const CALLS: usize = 500;
const IDLE: usize = 200;

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    let daemon = Daemon::start(site)?;
    let mut direct = Server::connect(&daemon::socket::place(&daemon.home))?;
    let mut command = site.program(&daemon.home);
    command.arg("--connect");
    let mut bridged = Server::start(command)?;
    let (mut direct_times, mut bridged_times, mut ratios) =
        (Timings::default(), Timings::default(), Vec::new());
    for _ in 0..ROUNDS {
        let (straight, carried) = (p50(&mut direct)?, p50(&mut bridged)?);
        ratios.push(carried.p50() / straight.p50());
        direct_times.extend(straight);
        bridged_times.extend(carried);
    }
    let figures =
        format!("whoami p50 {} against {}", written(bridged_times.p50()), written(direct_times.p50()));
    report.tell(
        "a call over the bridge, against one over the socket",
        format!("{:.2} ×", median(ratios)),
        figures,
    );
    idle(&daemon, report)
}

fn p50(server: &mut Server) -> Outcome<Timings> {
    let whoami = jobs::whoami();
    let mut timings = Timings::default();
    for _ in 0..CALLS {
        timings.push(server.call(whoami.tool, &whoami.arguments())?.took);
    }
    Ok(timings)
}

fn idle(daemon: &Daemon, report: &mut Report) -> Outcome<()> {
    let what = format!("{IDLE} idle connections, in the daemon's memory");
    let Some(before) = resident(daemon.child.id()) else {
        report.tell(&what, "n/a".to_owned(), "only Linux tells".to_owned());
        return Ok(());
    };
    let place = daemon::socket::place(&daemon.home);
    let connections: Vec<Server> = (0..IDLE).map(|_| Server::connect(&place)).collect::<Outcome<_>>()?;
    let after = resident(daemon.child.id()).unwrap_or(before);
    let each = (after - before) * 1e3 / IDLE as f64;
    report.tell(
        &what,
        format!("{:.1} MB", after - before),
        format!("{before:.1} MB before, {each:.0} kB each"),
    );
    drop(connections);
    Ok(())
}

/// A daemon of the program itself.
struct Daemon {
    home: Home,
    child: Child,
}

impl Daemon {
    fn start(site: &Site) -> Outcome<Self> {
        let home = site.home("bridge")?;
        let mut command = site.daemon(&home);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut daemon = Daemon { home, child };
        while daemon::ask(&daemon.home, Control::Check, &Wish::default())?.is_none() {
            if daemon.child.try_wait()?.is_some() {
                return Err("the daemon ended before it answered".into());
            }
        }
        Ok(daemon)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = daemon::stop(&self.home);
        let _ = self.child.wait();
    }
}
