//! `YYYYMMDDTHHMMSS.mmmZ-XXXX`: what identifies a decision or a task, and the slug after it.

use std::fmt;
use std::sync::Arc;

use chrono::{NaiveDate, NaiveDateTime};

use crate::clock::Timestamp;

/// The part before the suffix.
const STAMP: usize = 20;
/// Room for the next millisecond: no UID of the last representable year is taken for one.
const LAST_YEAR: i32 = 9998;
/// The end of the year after it, in milliseconds.
const LAST_INSTANT: i64 = 253_402_300_799_999;
const LONGEST_SLUG: usize = 50;

/// A UID; its order is that of its text, and that is the order of decisions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(Arc<str>);

impl Uid {
    /// Reads a UID with or without its suffix; the suffix may have any letters and digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (stamp, suffix) = (text.get(..STAMP)?, text.get(STAMP..)?);
        let suffix_fits = match suffix.strip_prefix('-') {
            Some(rest) => rest.len() == 4 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            None => suffix.is_empty(),
        };
        (suffix_fits && instant(stamp).is_some()).then(|| Uid(text.into()))
    }

    /// The UID that a file's name begins with.
    pub fn leading(file_name: &str) -> Option<Self> {
        let stamp = file_name.get(..STAMP)?;
        let end = file_name[STAMP..].find(|c: char| c != '-' && !c.is_ascii_alphanumeric());
        let whole = end.map_or(file_name, |at| &file_name[..STAMP + at]);
        Uid::parse(whole).or_else(|| Uid::parse(stamp))
    }

    /// The UID of an instant.
    pub fn at(time: Timestamp, suffix: u16) -> Self {
        let instant = Timestamp(time.0.clamp(0, LAST_INSTANT)).rfc3339();
        let stamp: String = instant.chars().filter(|c| !matches!(c, '-' | ':')).collect();
        Uid(format!("{stamp}-{suffix:04X}").into())
    }

    /// A UID after every known one, also within one millisecond and when the clock went back: then it
    /// counts on from the highest rather than trust the clock.
    pub fn next(now: Timestamp, highest: Option<&Uid>, seed: u16) -> Self {
        let fresh = Uid::at(now, seed);
        let Some(highest) = highest.filter(|highest| fresh.stamp() <= highest.stamp()) else { return fresh };
        let suffix = highest.0.get(STAMP + 1..).unwrap_or_default();
        if suffix.is_empty() {
            return Uid(format!("{}-{seed:04X}", highest.stamp()).into());
        }
        // Small letters sort after all that we write, so that there is no counting on from them.
        let counts = suffix.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
        let counted = u16::from_str_radix(suffix, 16).ok().filter(|_| counts).and_then(|n| n.checked_add(1));
        match counted {
            Some(suffix) => Uid(format!("{}-{suffix:04X}", highest.stamp()).into()),
            None => Uid::at(Timestamp(highest.time().0 + 1), seed),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn time(&self) -> Timestamp {
        Timestamp(instant(self.stamp()).map_or(0, |at| at.and_utc().timestamp_millis()))
    }

    fn stamp(&self) -> &str {
        &self.0[..STAMP]
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The readable part of a file's name. Nothing is collapsed: names that exist must come out again.
pub fn slug(title: &str) -> String {
    let lower = title.to_lowercase().replace(' ', "_");
    let kept = lower.chars().filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_');
    let slug: String = kept.take(LONGEST_SLUG).collect();
    if slug.is_empty() { "untitled".to_owned() } else { slug }
}

/// `<UID>_<slug>.md`
pub fn file_name(uid: &Uid, title: &str) -> String {
    format!("{uid}_{}.md", slug(title))
}

fn instant(stamp: &str) -> Option<NaiveDateTime> {
    let shape = stamp.bytes().enumerate().all(|(at, byte)| match at {
        8 => byte == b'T',
        15 => byte == b'.',
        19 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    });
    if !shape {
        return None;
    }
    let number = |from: usize, to: usize| stamp.get(from..to)?.parse::<u32>().ok();
    let year = i32::try_from(number(0, 4)?).ok().filter(|year| *year <= LAST_YEAR)?;
    let day = NaiveDate::from_ymd_opt(year, number(4, 6)?, number(6, 8)?)?;
    day.and_hms_milli_opt(number(9, 11)?, number(11, 13)?, number(13, 15)?, number(16, 19)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn uids_are_read_with_and_without_a_suffix() {
        let cases = [
            ("20261118T051234.994Z-A470", true),
            ("20261118T051234.994Z", true),
            ("20261118T051234.994Z-T001", true),
            ("20261118T051234.994Z-a47f", true),
            ("20261118T051234.994Z-A47", false),
            ("20261118T051234.994Z-A4700", false),
            ("20261118T051234.994Z-A_70", false),
            ("20261318T051234.994Z-A470", false),
            ("20261118T250000.000Z-A470", false),
            ("99991118T050000.000Z-A470", false),
            ("20261118 051234.994Z-A470", false),
            ("2026111\u{e9}T051234.99Z", false),
            ("", false),
        ];
        for (text, fits) in cases {
            assert_eq!(Uid::parse(text).is_some(), fits, "{text}");
        }
    }

    #[test]
    fn a_file_name_begins_with_its_uid() {
        let cases = [
            ("20261118T051234.994Z-A470_database.md", Some("20261118T051234.994Z-A470")),
            ("20261118T051234.994Z_database.md", Some("20261118T051234.994Z")),
            ("20261118T051234.994Z-database.md", Some("20261118T051234.994Z")),
            ("20261118T051234.994Z-A470.md", Some("20261118T051234.994Z-A470")),
            ("0001-use-a-database.md", None),
        ];
        for (name, uid) in cases {
            assert_eq!(Uid::leading(name).as_ref().map(Uid::as_str), uid, "{name}");
        }
    }

    #[test]
    fn the_next_uid_is_after_the_highest() {
        let now = Timestamp(1_760_970_605_123);
        let cases = [
            (None, "20251020T143005.123Z-BEEF"),
            (Some("20251020T143005.122Z-FFFF"), "20251020T143005.123Z-BEEF"),
            (Some("20251020T143005.123Z"), "20251020T143005.123Z-BEEF"),
            (Some("20251020T143005.123Z-0009"), "20251020T143005.123Z-000A"),
            (Some("20251020T143005.123Z-FFFF"), "20251020T143005.124Z-BEEF"),
            (Some("20251020T143005.123Z-a001"), "20251020T143005.124Z-BEEF"),
            (Some("20251020T143005.123Z-T001"), "20251020T143005.124Z-BEEF"),
            (Some("20261231T235959.999Z-FFFF"), "20270101T000000.000Z-BEEF"),
        ];
        for (highest, expected) in cases {
            let highest = highest.and_then(Uid::parse);
            assert_eq!(Uid::next(now, highest.as_ref(), 0xBEEF).as_str(), expected);
        }
    }

    #[test]
    fn slugs_come_out_as_they_always_did() {
        let cases = [
            ("Authentication: Strategy = OAuth", "authentication_strategy__oauth"),
            ("../../etc/passwd", "etcpasswd"),
            ("Grün & Söhne", "grn__shne"),
            ("§§", "untitled"),
            ("", "untitled"),
        ];
        for (title, expected) in cases {
            assert_eq!(slug(title), expected, "{title}");
        }
        assert_eq!(slug(&"a".repeat(80)).len(), 50);
    }

    proptest! {
        #[test]
        fn every_next_uid_is_greater_whatever_the_clock_says(
            clock in prop::collection::vec((0i64..4_000_000_000_000, any::<u16>()), 1..40),
        ) {
            let mut highest: Option<Uid> = None;
            for (now, seed) in clock {
                let next = Uid::next(Timestamp(now), highest.as_ref(), seed);
                prop_assert!(highest.is_none_or(|highest| next > highest));
                prop_assert_eq!(Uid::parse(next.as_str()), Some(next.clone()));
                highest = Some(next);
            }
        }

        #[test]
        fn any_text_is_read_without_panic(text in any::<String>()) {
            let _ = Uid::parse(&text);
            let _ = Uid::leading(&text);
            prop_assert!((1..=50).contains(&slug(&text).len()));
        }
    }
}
