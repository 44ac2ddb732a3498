//! Asks the disk how it is: the same one answers in 0.1 ms or in 4 ms, and changes within seconds.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use backoffice::clock::Stopwatch;

use super::Outcome;
use super::timings::Timings;

const BLOCK: [u8; 4096] = [7; 4096];
const ASKED: usize = 9;
/// From here on, in microseconds, a sync is one of a slow disk.
pub const SLOW: f64 = 1500.0;

/// A block that is overwritten and synced again and again.
#[derive(Debug)]
pub struct Disk(File);

/// What kind of answer the disk gives; only slices of one kind are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    Fast,
    Middling,
    Slow,
}

impl Disk {
    pub fn below(folder: &Path) -> Outcome<Self> {
        let path = folder.join("probe");
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
        file.write_all(&BLOCK)?;
        file.sync_all()?;
        Ok(Disk(file))
    }

    /// How long an overwritten block takes to be synced, in microseconds.
    pub fn probe(&mut self) -> Outcome<f64> {
        let mut timings = Timings::default();
        for _ in 0..ASKED {
            let since = Stopwatch::start();
            self.0.seek(SeekFrom::Start(0))?;
            self.0.write_all(&BLOCK)?;
            self.0.sync_data()?;
            timings.push(since.elapsed());
        }
        Ok(timings.p50())
    }
}

impl Regime {
    pub fn of(probe: f64) -> Self {
        match probe {
            fast if fast < 300.0 => Regime::Fast,
            slow if slow > SLOW => Regime::Slow,
            _ => Regime::Middling,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Regime::Fast => "fast",
            Regime::Middling => "middling",
            Regime::Slow => "slow",
        }
    }
}
