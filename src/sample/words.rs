//! The words everything is told with: lists of `assets/sample/`, read once.

use std::sync::LazyLock;

use serde::Deserialize;

/// Read by test, so that an unreadable file is seen before it is built in.
pub static WORDS: LazyLock<Words> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../assets/sample/words.json")).unwrap_or_default()
});

/// What customers ask about; tickets and articles are told from the same twenty topics, so that a
/// search finds both.
pub static TOPICS: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../assets/sample/topics.json")).unwrap_or_default()
});

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub first_names: Vec<String>,
    pub last_names: Vec<String>,
    pub company_first: Vec<String>,
    /// With the industry it stands for.
    pub company_second: Vec<(String, String)>,
    /// City, state, the first three digits of its zip codes, country.
    pub cities: Vec<(String, String, String, String)>,
    pub streets: Vec<String>,
    pub strengths: Vec<String>,
    pub improvements: Vec<String>,
    pub review_comments: Vec<String>,
    pub budget_notes: Vec<String>,
    pub deal_kinds: Vec<String>,
    pub deal_notes: Vec<String>,
    pub loss_reasons: Vec<String>,
    pub report_titles: Vec<String>,
    /// Category, description, vendor, lowest and highest amount.
    pub expenses: Vec<(String, String, String, i64, i64)>,
    pub openings: Vec<String>,
    pub contexts: Vec<String>,
    pub requests: Vec<String>,
    /// The most frequent words of the texts that are only there to be measured with.
    pub frequent: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    pub name: String,
    pub category: String,
    pub tags: Vec<String>,
    pub subjects: [String; 3],
    /// Each belongs to the subject at its place.
    pub problems: [String; 3],
    pub resolutions: [String; 2],
    pub about: String,
    pub steps: Vec<String>,
    pub prevent: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_read() {
        assert!(WORDS.frequent.len() >= 64, "the first buckets of the vocabulary are real words");
        assert_eq!(TOPICS.len(), 20);
    }
}
