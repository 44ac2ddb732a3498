//! Several callers at once, each with one call outstanding.

use std::collections::HashMap;
use std::time::Duration;

use backoffice::clock::Stopwatch;

use super::Outcome;
use super::jobs::Job;
use super::server::Server;
use super::timings::{Timings, median};

/// What the callers of one slice got done.
#[derive(Debug, Default)]
pub struct Load {
    pub calls: Vec<usize>,
    pub seconds: f64,
    /// The longest wait of anybody, in microseconds.
    pub longest: f64,
    pub p50: f64,
}

impl Load {
    /// One caller's timings each.
    pub fn of(callers: &[Timings], seconds: f64) -> Self {
        Load {
            calls: callers.iter().map(Timings::len).collect(),
            seconds,
            longest: callers.iter().map(Timings::longest).fold(0.0, f64::max),
            p50: median(callers.iter().map(Timings::p50)),
        }
    }

    /// Connections as callers.
    pub fn of_many(connections: &[Load], seconds: f64) -> Self {
        Load {
            calls: connections.iter().map(|each| each.calls.iter().sum()).collect(),
            seconds,
            longest: connections.iter().map(|each| each.longest).fold(0.0, f64::max),
            p50: median(connections.iter().map(|each| each.p50)),
        }
    }

    pub fn rate(&self) -> f64 {
        self.calls.iter().sum::<usize>() as f64 / self.seconds
    }

    /// What the slowest caller got for each call of the fastest.
    pub fn fairness(&self) -> f64 {
        let (least, most) = (self.calls.iter().min(), self.calls.iter().max());
        least.zip(most).map_or(f64::NAN, |(least, most)| *least as f64 / *most as f64)
    }
}

/// Keeps `callers` calls outstanding on one connection.
pub fn outstanding(server: &mut Server, callers: usize, length: Duration, job: &Job) -> Outcome<Load> {
    let mut waiting: HashMap<u64, (usize, Stopwatch)> = HashMap::new();
    let mut load = Load { calls: vec![0; callers], ..Load::default() };
    let mut timings = Timings::default();
    let mut requests = Vec::new();
    let since = Stopwatch::start();
    for caller in 0..callers {
        let (id, request) = server.next_call(job.tool, &job.arguments());
        waiting.insert(id, (caller, Stopwatch::start()));
        requests.extend(request);
    }
    while !waiting.is_empty() {
        if !requests.is_empty() {
            server.send(&requests)?;
            requests.clear();
        }
        // What has arrived together is answered together.
        loop {
            server.receive()?;
            let id = server.answered()?;
            let (caller, called) = waiting.remove(&id).ok_or("an answer to no question")?;
            timings.push(called.elapsed());
            load.calls[caller] += 1;
            if since.elapsed() < length {
                let (id, request) = server.next_call(job.tool, &job.arguments());
                waiting.insert(id, (caller, Stopwatch::start()));
                requests.extend(request);
            }
            if !server.read.buffer().contains(&b'\n') {
                break;
            }
        }
    }
    load.seconds = since.elapsed().as_secs_f64();
    (load.longest, load.p50) = (timings.longest(), timings.p50());
    Ok(load)
}

/// Calls one after the other for a while, and at least a few times.
pub fn alone(server: &mut Server, length: Duration, job: &Job) -> Outcome<Timings> {
    const LEAST: usize = 20;
    let mut timings = Timings::default();
    let since = Stopwatch::start();
    while since.elapsed() < length || timings.len() < LEAST {
        timings.push(server.call(job.tool, &job.arguments())?.took);
    }
    Ok(timings)
}
