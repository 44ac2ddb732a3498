//! One number out of many timings.

use std::time::Duration;

/// The timings of one slice, in microseconds.
#[derive(Debug, Default)]
pub struct Timings(Vec<f64>);

impl Timings {
    pub fn push(&mut self, took: Duration) {
        self.0.push(took.as_secs_f64() * 1e6);
    }

    pub fn extend(&mut self, others: Timings) {
        self.0.extend(others.0);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn p50(&self) -> f64 {
        median(self.0.iter().copied())
    }

    /// What one of a hundred exceeds.
    pub fn p99(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() * 99 / 100).copied().unwrap_or(f64::NAN)
    }

    pub fn longest(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

/// The value in the middle; nothing has the median of a missing measurement.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Microseconds as a person reads them.
pub fn written(microseconds: f64) -> String {
    match microseconds {
        short if short < 100.0 => format!("{short:.1} µs"),
        short if short < 1000.0 => format!("{short:.0} µs"),
        long if long < 100_000.0 => format!("{:.2} ms", long / 1e3),
        long => format!("{:.2} s", long / 1e6),
    }
}

/// A rate as a person reads it.
pub fn per_second(rate: f64) -> String {
    if rate < 10_000.0 { format!("{rate:.0}/s") } else { format!("{:.1}k/s", rate / 1e3) }
}
