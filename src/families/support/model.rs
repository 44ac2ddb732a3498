//! Rules of support that need no data.

/// Up to so many matches are put into the order of relevance; more than that would take long, and
/// would mean little.
pub const MOST_RANKED: i64 = 20_000;

pub const BY_RELEVANCE: &str = "relevance";
pub const NEWEST_FIRST: &str = "newest first";

/// In lists, a longer text ends here.
const LONGEST: usize = 1_000;

pub const STATUSES: [&str; 5] = ["open", "in_progress", "pending", "resolved", "closed"];
pub const PRIORITIES: [&str; 4] = ["low", "medium", "high", "critical"];
pub const RESOLUTION_TYPES: [&str; 5] = ["solved", "workaround", "duplicate", "cannot_reproduce", "wont_fix"];
pub const ARTICLE_STATUSES: [&str; 3] = ["draft", "published", "archived"];

/// A score that grows with the fit: the index has it the other way round. Four digits are enough to
/// tell which is better.
pub fn score(rank: f64) -> f64 {
    (rank.min(0.0) * -10_000.0).round() / 10_000.0
}

pub fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The words of a stored list.
pub fn words(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_grow_and_long_texts_end() {
        assert_eq!((score(-1.234_567), score(0.0), score(0.5)), (1.2346, 0.0, 0.0));
        assert_eq!(cut("short".to_owned()), "short");
        assert_eq!(cut("ä".repeat(2_000)).chars().count(), LONGEST + 1);
    }
}
