//! What a check has found.

/// The result of one check: passed, failed, or `None` where it does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub passed: Option<bool>,
    pub details: String,
    pub line: Option<usize>,
}

impl Finding {
    pub fn pass(details: impl Into<String>) -> Self {
        Finding { passed: Some(true), details: details.into(), line: None }
    }

    pub fn fail(details: impl Into<String>) -> Self {
        Finding { passed: Some(false), details: details.into(), line: None }
    }

    pub fn not_applicable(why: impl AsRef<str>) -> Self {
        Finding { passed: None, details: format!("Not applicable: {}", why.as_ref()), line: None }
    }

    /// Passed or failed, by a condition.
    pub fn when(fine: bool, details: impl Into<String>) -> Self {
        if fine { Self::pass(details) } else { Self::fail(details) }
    }

    pub fn at(mut self, line: impl Into<Option<usize>>) -> Self {
        self.line = line.into();
        self
    }

    pub fn failed(&self) -> bool {
        self.passed == Some(false)
    }
}

/// A text in a sentence: on one line and not too long.
pub(super) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 80 {
        return line;
    }
    let cut: String = line.chars().take(79).collect();
    format!("{}…", cut.trim_end())
}

/// `1 placeholder`, `2 placeholders`.
pub(super) fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}
