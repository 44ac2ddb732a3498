//! Time is an input: the one place that reads a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};

/// An instant in milliseconds since 1970, as it is stored and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// RFC 3339 in UTC with milliseconds: the form of every instant in JSON.
    pub fn rfc3339(self) -> String {
        DateTime::<Utc>::from_timestamp_millis(self.0)
            .unwrap_or_default()
            .to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// The calendar day in UTC, for file names.
    pub fn day(self) -> String {
        self.rfc3339()[..10].to_owned()
    }

    /// A form that sorts and is legal in file names everywhere.
    pub fn file_stamp(self) -> String {
        self.rfc3339().replace(['-', ':'], "").replace('.', "")
    }

    pub fn plus_minutes(self, minutes: i64) -> Self {
        Timestamp(self.0.saturating_add(minutes.saturating_mul(60_000)))
    }
}

/// Tells the time: the system's, or in tests one that is set by hand.
#[derive(Clone, Debug)]
pub enum Clock {
    System,
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands still until it is moved.
    pub fn fixed(at: Timestamp) -> Self {
        Clock::Fixed(Arc::new(AtomicI64::new(at.0)))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::Fixed(at) => Timestamp(at.load(Ordering::Relaxed)),
            Clock::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            }
        }
    }

    /// Moves a fixed clock; a system clock cannot be moved.
    pub fn advance(&self, by: Duration) {
        if let Clock::Fixed(at) = self {
            at.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Ordering::Relaxed);
        }
    }
}

/// Measures how long something takes; immune to clock jumps.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_rfc3339_with_milliseconds() {
        let at = Timestamp(1_760_970_605_123);
        assert_eq!(at.rfc3339(), "2025-10-20T14:30:05.123Z");
        assert_eq!(at.day(), "2025-10-20");
        assert_eq!(at.file_stamp(), "20251020T143005123Z");
    }

    #[test]
    fn a_fixed_clock_moves_only_by_hand() {
        let clock = Clock::fixed(Timestamp(1_000));
        assert_eq!(clock.now(), clock.now());
        clock.advance(Duration::from_secs(1));
        assert_eq!(clock.now(), Timestamp(2_000));
    }
}
