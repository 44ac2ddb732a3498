//! Days and instants around the day on which the sample is looked at.

use chrono::{Datelike, NaiveDate, NaiveTime, TimeDelta, Weekday};

use crate::clock::Timestamp;

const DAY: i64 = 86_400_000;

pub fn plus(day: NaiveDate, days: i64) -> NaiveDate {
    day + TimeDelta::days(days)
}

/// The first day of the month that lies so many months before the day's.
pub fn month_before(day: NaiveDate, months: i32) -> NaiveDate {
    let month = day.year() * 12 + day.month0() as i32 - months;
    NaiveDate::from_ymd_opt(month.div_euclid(12), month.rem_euclid(12) as u32 + 1, 1).unwrap_or(day)
}

pub fn last_of_month(day: NaiveDate) -> NaiveDate {
    plus(month_before(day, -1), -1)
}

/// A day of that month on which people work; `spread` chooses among the first 26.
pub fn working_day(month: NaiveDate, spread: usize) -> NaiveDate {
    let day = plus(month, (spread % 26) as i64);
    match day.weekday() {
        Weekday::Sat => plus(day, 2),
        Weekday::Sun => plus(day, 1),
        _ => day,
    }
}

pub fn month(day: NaiveDate) -> String {
    format!("{:04}-{:02}", day.year(), day.month())
}

/// `2026-Q4`.
pub fn quarter(day: NaiveDate) -> String {
    format!("{:04}-Q{}", day.year(), day.month0() / 3 + 1)
}

/// `2026-H2`.
pub fn half(day: NaiveDate) -> String {
    format!("{:04}-H{}", day.year(), day.month0() / 6 + 1)
}

fn midnight(day: NaiveDate) -> i64 {
    day.and_time(NaiveTime::MIN).and_utc().timestamp_millis()
}

/// An instant in the working hours of a day; `spread` chooses the minute.
pub fn at_work(day: NaiveDate, spread: usize) -> String {
    Timestamp(midnight(day) + 8 * 3_600_000 + (spread % 540) as i64 * 60_000).rfc3339()
}

/// Instants that grow with the index and fill the days up to the beginning of the last one.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    from: i64,
    step: i64,
    pub until: i64,
}

impl Course {
    pub fn new(until: NaiveDate, days: i64, count: usize) -> Self {
        let until = midnight(until);
        Course { from: until - days * DAY, step: days * DAY / count.max(1) as i64, until }
    }

    pub fn at(self, index: usize, spread: usize) -> i64 {
        // Whole seconds, and never on the next one's ground.
        let within = spread as i64 % (self.step / 1000).max(1);
        self.from + index as i64 * self.step + within * 1000
    }

    /// So many minutes later, but not after the end.
    pub fn later(self, at: i64, minutes: i64) -> i64 {
        (at + minutes * 60_000).min(self.until)
    }

    pub fn days_before_the_end(self, at: i64) -> i64 {
        (self.until - at) / DAY
    }
}

pub fn instant(at: i64) -> String {
    Timestamp(at).rfc3339()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn months_are_counted_across_years() {
        assert_eq!(month_before(day("2026-01-31"), 2), day("2025-11-01"));
        assert_eq!(month_before(day("2026-11-30"), -2), day("2027-01-01"));
        assert_eq!(last_of_month(day("2028-02-03")), day("2028-02-29"));
        assert_eq!(
            (quarter(day("2026-10-01")), half(day("2026-06-30"))),
            ("2026-Q4".into(), "2026-H1".into())
        );
    }

    #[test]
    fn a_course_grows_and_ends_in_time() {
        let course = Course::new(day("2026-11-18"), 10, 100);
        let instants: Vec<i64> = (0..100).map(|index| course.at(index, index * 7919)).collect();
        assert!(instants.is_sorted());
        assert!(instants.iter().all(|at| *at < course.until));
        assert_eq!(instant(course.until), "2026-11-18T00:00:00.000Z");
    }
}
