//! Identifiers: artifact types and numbers (`US-071`), and random ids.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

/// A kind of document with numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArtifactType {
    /// The long name, as tools answer it.
    pub name: &'static str,
    pub prefix: &'static str,
}

/// Every built-in type that has numbers, in the order of a project's life. Research has none.
pub const ARTIFACT_TYPES: [ArtifactType; 11] = [
    ArtifactType { name: "product_vision", prefix: "VIS" },
    ArtifactType { name: "initiative", prefix: "INIT" },
    ArtifactType { name: "epic", prefix: "EPIC" },
    ArtifactType { name: "prd", prefix: "PRD" },
    ArtifactType { name: "hls", prefix: "HLS" },
    ArtifactType { name: "funcspec", prefix: "FS" },
    ArtifactType { name: "backlog_story", prefix: "US" },
    ArtifactType { name: "spike", prefix: "SPIKE" },
    ArtifactType { name: "adr", prefix: "ADR" },
    ArtifactType { name: "tech_spec", prefix: "SPEC" },
    ArtifactType { name: "task", prefix: "TASK" },
];

/// Numbers past this are not counters but dates or hashes that look like one.
pub const LARGEST_NUMBER: i64 = 99_999_999;

/// `PREFIX-nnn`: at least three digits, more when they are needed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArtifactId {
    pub prefix: String,
    pub number: i64,
}

impl ArtifactId {
    pub fn new(prefix: impl Into<String>, number: i64) -> Self {
        ArtifactId { prefix: prefix.into(), number }
    }

    /// Reads `^[A-Z]+-\d{3,}$`.
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, digits) = text.split_once('-')?;
        let known_form =
            is_prefix(prefix) && digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = known_form.then(|| digits.parse().ok())??;
        (number <= LARGEST_NUMBER).then(|| ArtifactId::new(prefix, number))
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:03}", self.prefix, self.number)
    }
}

/// Whether a text can stand before the hyphen of an artifact id.
pub fn is_prefix(text: &str) -> bool {
    (1..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Makes random ids; in tests they count up instead.
#[derive(Clone, Debug)]
pub enum Ids {
    Random,
    Counting(Arc<AtomicU64>),
}

impl Ids {
    pub fn counting() -> Self {
        Ids::Counting(Arc::new(AtomicU64::new(1)))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that draws random ids")]
    pub fn uuid(&self) -> String {
        match self {
            Ids::Random => Uuid::new_v4().to_string(),
            Ids::Counting(next) => {
                let number = u128::from(next.fetch_add(1, Ordering::Relaxed));
                uuid::Builder::from_random_bytes(number.to_be_bytes()).into_uuid().to_string()
            }
        }
    }
}

/// Whether a text is a UUID in its usual form, of any version.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36 && Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifact_ids_have_three_digits_or_more() {
        let cases = [
            ("US-071", Some(("US", 71))),
            ("US-1071", Some(("US", 1071))),
            ("US-71", None),
            ("us-071", None),
            ("US-0x1", None),
            ("US071", None),
            ("-071", None),
            ("US-20251020001", None),
        ];
        for (text, expected) in cases {
            let parsed = ArtifactId::parse(text);
            let parts = parsed.as_ref().map(|id| (id.prefix.as_str(), id.number));
            assert_eq!(parts, expected, "{text}");
        }
        assert_eq!(ArtifactId::new("US", 7).to_string(), "US-007");
        assert_eq!(ArtifactId::new("US", 12_345).to_string(), "US-12345");
    }

    #[test]
    fn counting_ids_are_valid_and_repeatable() {
        let ids = Ids::counting();
        assert_eq!(ids.uuid(), "00000000-0000-4000-8000-000000000001");
        assert!(is_uuid(&ids.uuid()));
        assert!(is_uuid(&Ids::Random.uuid()));
    }
}
