//! Points at which tests let the process die, as a power cut would. A release build has none.

/// Dies here if a test has asked for it.
#[cfg(debug_assertions)]
pub fn point(name: &str) {
    if crate::config::dies_at().is_some_and(|at| at == name) {
        std::process::abort();
    }
}

/// Goes on.
#[cfg(not(debug_assertions))]
pub fn point(_: &str) {}
