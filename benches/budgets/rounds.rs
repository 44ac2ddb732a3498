//! Rounds: what is compared is measured in turns, and a round counts only if the disk was of one
//! kind from its first durable slice to its last.

use super::Outcome;
use super::cores::Placement;
use super::disk::{Disk, Regime, SLOW};
use super::timings::{median, written};

/// One turn of every configuration.
#[derive(Debug)]
pub struct Round<'d> {
    disk: &'d mut Disk,
    placement: Placement,
    probes: Vec<f64>,
    /// What one durable call took in each slice, in microseconds.
    syncs: Vec<f64>,
}

impl Round<'_> {
    /// Runs a slice that syncs, with a look at the disk before and after it.
    pub fn durable<T>(&mut self, slice: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        self.probe()?;
        let measured = slice()?;
        self.probe()?;
        Ok(measured)
    }

    /// Takes note of what one durable call took, so that the round is left out if that call cannot
    /// have waited for the disk that was probed.
    pub fn synced(&mut self, microseconds: f64) {
        self.syncs.push(microseconds);
    }

    fn probe(&mut self) -> Outcome<()> {
        let disk = &mut *self.disk;
        self.probes.push(self.placement.beside_the_server(|| disk.probe())?);
        Ok(())
    }

    /// The kind of disk this round had; `Err` if it changed on the way.
    fn regime(&self) -> Result<Option<Regime>, ()> {
        let first = self.probes.first().map(|probe| Regime::of(*probe));
        let same = self.probes.iter().all(|probe| Some(Regime::of(*probe)) == first);
        let probe = median(self.probes.iter().copied());
        let seen = |sync: &f64| *sync > probe / 2.0 && (first != Some(Regime::Fast) || *sync < SLOW);
        if same && self.syncs.iter().all(seen) { Ok(first) } else { Err(()) }
    }
}

/// The rounds that can be compared.
#[derive(Debug)]
pub struct Kept<T> {
    pub rounds: Vec<T>,
    disk: Option<(Regime, f64)>,
}

/// Repeats a round until `wanted` of one kind are there, within three times as many attempts.
pub fn run<T>(
    disk: &mut Disk,
    placement: Placement,
    wanted: usize,
    mut round: impl FnMut(&mut Round<'_>) -> Outcome<T>,
) -> Outcome<Kept<T>> {
    let mut groups: Vec<(Option<Regime>, Vec<f64>, Vec<T>)> = Vec::new();
    for _ in 0..3 * wanted {
        let mut turn = Round { disk, placement, probes: Vec::new(), syncs: Vec::new() };
        let measured = round(&mut turn)?;
        let Ok(regime) = turn.regime() else { continue };
        let at = groups.iter().position(|group| group.0 == regime).unwrap_or_else(|| {
            groups.push((regime, Vec::new(), Vec::new()));
            groups.len() - 1
        });
        groups[at].1.append(&mut turn.probes);
        groups[at].2.push(measured);
        if groups[at].2.len() == wanted {
            break;
        }
    }
    let most = groups.into_iter().max_by_key(|group| group.2.len());
    let (regime, probes, rounds) = most.unwrap_or((None, Vec::new(), Vec::new()));
    Ok(Kept { rounds, disk: regime.map(|regime| (regime, median(probes))) })
}

impl<T> Kept<T> {
    /// The median over the rounds of what is asked of each.
    pub fn median(&self, of: impl Fn(&T) -> f64) -> f64 {
        median(self.rounds.iter().map(of))
    }

    /// What to say of the disk beside a figure.
    pub fn disk(&self) -> String {
        match self.disk {
            Some((regime, probe)) => format!("; disk {} ({})", regime.word(), written(probe)),
            None => String::new(),
        }
    }
}
