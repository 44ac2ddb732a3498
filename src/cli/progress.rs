//! What is going on, on a terminal's standard error; nothing elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::db::backup::Progress;

/// A bar for a copy.
pub(crate) fn bar(json: bool, what: &str) -> impl FnMut(Progress) {
    let clear = Clear(shown(json, Some(0), "{msg} [{bar:30}] {percent}%").with_message(what.to_owned()));
    move |progress| {
        clear.0.set_length(u64::try_from(progress.total).unwrap_or(0));
        clear.0.set_position(u64::try_from(progress.done).unwrap_or(0));
    }
}

/// A bar for files that are read on several threads.
pub(crate) fn counter(json: bool, what: &str) -> impl Fn(usize, usize) + Sync {
    let clear = Clear(shown(json, Some(0), "{msg} [{bar:30}] {pos}/{len}").with_message(what.to_owned()));
    move |done, total| {
        clear.0.set_length(u64::try_from(total).unwrap_or(0));
        clear.0.set_position(u64::try_from(done).unwrap_or(0));
    }
}

/// A line that says what is being looked at.
pub(crate) fn spinner(json: bool, what: &str) -> impl FnMut(&str) {
    let clear = Clear(shown(json, None, "{spinner} {prefix} {wide_msg}").with_prefix(what.to_owned()));
    move |now| {
        clear.0.set_message(now.to_owned());
        clear.0.tick();
    }
}

fn shown(json: bool, length: Option<u64>, template: &str) -> ProgressBar {
    let target = if json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(length, target);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

/// Leaves no trace of a bar behind, also when the work fails.
struct Clear(ProgressBar);

impl Drop for Clear {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
