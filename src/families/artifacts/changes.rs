//! The difference of two texts, as people read it.

use similar::TextDiff;

/// What an answer may carry; the rest is in the file.
const MOST_BYTES: usize = 20_000;

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
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(2)
        .header(&names.0, &names.1)
        .to_string()
}
