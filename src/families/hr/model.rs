//! Rules of hr that need no data: dates of reviews, kinds of days off, bands of salaries.

use chrono::{Days, NaiveDate};

use crate::money::Cents;

/// A review is due so many days before its date.
const DUE_DAYS: u64 = 30;

/// The last date that is due on a day.
pub fn due_until(today: &str) -> String {
    let day = NaiveDate::parse_from_str(today, "%Y-%m-%d").ok();
    let until = day.and_then(|day| day.checked_add_days(Days::new(DUE_DAYS)));
    until.map_or(today.to_owned(), |day| day.to_string())
}

/// How a review stands on a day.
pub fn review_status(due_date: &str, review_date: Option<&str>, today: &str) -> &'static str {
    match review_date {
        Some(_) => "completed",
        None if due_date < today => "overdue",
        None if due_date <= due_until(today).as_str() => "due",
        None => "scheduled",
    }
}

/// The kinds of days off that are counted, the one that people ask for first.
pub const TIME_OFF: [(&str, &str); 7] = [
    ("VACATION", "Vacation"),
    ("SICK", "Sick leave"),
    ("PERSONAL", "Personal days"),
    ("BEREAVEMENT", "Bereavement"),
    ("JURY_DUTY", "Jury duty"),
    ("PARENTAL", "Parental leave"),
    ("UNPAID", "Unpaid leave"),
];

pub const TIME_OFF_CODES: [&str; 7] =
    ["VACATION", "SICK", "PERSONAL", "BEREAVEMENT", "JURY_DUTY", "PARENTAL", "UNPAID"];

/// What a person should know about a new salary before they agree to it.
pub fn outside_of_band(grade: &str, band: (Cents, Cents), salary: Cents) -> Option<String> {
    let (least, most) = band;
    let where_it_is = match salary {
        salary if salary < least => "below",
        salary if salary > most => "above",
        _ => return None,
    };
    Some(format!("{salary} is {where_it_is} the band of grade {grade}, {least} to {most}"))
}

/// The difference of two salaries as a share of the first.
pub fn percent(before: Cents, after: Cents) -> Option<f64> {
    (before.0 > 0).then(|| ((after - before).0 as f64 / before.0 as f64 * 1000.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_is_due_from_thirty_days_before_its_date_until_it_is_held() {
        let today = "2026-11-18";
        for (due, held, status) in [
            ("2026-11-17", None, "overdue"),
            ("2026-11-18", None, "due"),
            ("2026-12-18", None, "due"),
            ("2026-12-19", None, "scheduled"),
            ("2026-11-17", Some("2026-11-10"), "completed"),
        ] {
            assert_eq!(review_status(due, held, today), status, "{due}");
        }
    }

    #[test]
    fn a_salary_outside_of_its_band_is_told() {
        let band = (Cents(100), Cents(200));
        let told = |salary| outside_of_band("L1", band, Cents(salary)).is_some();
        assert_eq!([99, 100, 200, 201].map(told), [true, false, false, true]);
        assert_eq!(percent(Cents(100_000), Cents(120_000)), Some(20.0));
        assert_eq!(percent(Cents(0), Cents(1)), None);
    }

    #[test]
    fn every_kind_of_day_off_has_its_code() {
        assert_eq!(TIME_OFF.map(|(code, _)| code), TIME_OFF_CODES);
    }
}
