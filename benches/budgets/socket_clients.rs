//! Sixteen clients of a daemon, each with a connection of its own.

use std::process::{Child, Stdio};

use backoffice::clock::Stopwatch;
use backoffice::daemon::{self, Control};
use backoffice::paths::Home;
use backoffice::tool::session::Wish;

use super::Outcome;
use super::group_commit::{CALLERS, SLICE};
use super::jobs::Job;
use super::load::{self, Load};
use super::server::Server;
use super::site::Site;

pub struct SocketClients {
    home: Home,
    daemon: Child,
    clients: Vec<Server>,
}

impl SocketClients {
    pub fn start(site: &Site, batch: usize) -> Outcome<Self> {
        let home = site.home(&format!("socket-{batch}"))?;
        let mut command = site.limited_daemon(&home, batch);
        let daemon = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut started = SocketClients { home, daemon, clients: Vec::new() };
        while daemon::ask(&started.home, Control::Check, &Wish::default())?.is_none() {
            if started.daemon.try_wait()?.is_some() {
                return Err("the daemon ended before it answered".into());
            }
        }
        let place = daemon::socket::place(&started.home);
        for _ in 0..CALLERS {
            started.clients.push(Server::connect(&place)?);
        }
        Ok(started)
    }

    pub fn load(&mut self, job: &Job) -> Outcome<Load> {
        let since = Stopwatch::start();
        let loads = std::thread::scope(|scope| -> Outcome<Vec<Load>> {
            let clients = self.clients.iter_mut();
            let clients: Vec<_> =
                clients.map(|each| scope.spawn(|| load::outstanding(each, 1, SLICE, job))).collect();
            clients.into_iter().map(|each| each.join().map_err(|_| "a client panicked")?).collect()
        })?;
        Ok(Load::of_many(&loads, since.elapsed().as_secs_f64()))
    }
}

impl Drop for SocketClients {
    fn drop(&mut self) {
        self.clients.clear();
        let _ = daemon::stop(&self.home);
        let _ = self.daemon.wait();
    }
}
