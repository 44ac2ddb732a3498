//! The difference of two texts, as people read it.

use std::time::Duration;

use similar::TextDiff;

/// What an answer may carry; the rest is in the file.
const MOST_BYTES: usize = 20_000;
/// Texts that have little in common take long to compare; then a coarser difference must do.
const LONGEST: Duration = Duration::from_millis(500);

/// A unified diff; a long one is cut, and says so.
pub fn unified(name: &str, before: &str, after: &str) -> String {
    let whole = full(name, before, after);
    match whole.char_indices().map(|(at, _)| at).find(|at| *at >= MOST_BYTES) {
        Some(end) => format!("{}\n… {} bytes more", &whole[..end], whole.len() - end),
        None => whole,
    }
}

/// The whole of it.
pub fn full(name: &str, before: &str, after: &str) -> String {
    let names = (format!("a/{name}"), format!("b/{name}"));
    let compared = TextDiff::configure().timeout(LONGEST).diff_lines(before, after);
    compared.unified_diff().context_radius(2).header(&names.0, &names.1).to_string()
}
