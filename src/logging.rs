//! Logs: JSON lines in a dated file that is kept for thirty days, and readable lines on a terminal.
//!
//! Lines are written with one `write` to a file opened for appending, so that several processes share
//! it. A line may be held back until the next one (the beginning of a call that takes microseconds
//! is written with its end). A failing log never fails a tool: errors of the file are dropped here.

use std::fs::{self, File};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::clock::Clock;
use crate::paths;

/// How long a day's file is kept.
const KEPT_DAYS: usize = 30;
const PREFIX: &str = "backoffice-";
const SUFFIX: &str = ".jsonl";
/// A field of this name holds a JSON object whose members become fields of the line.
pub const FIELDS: &str = "fields";
/// A field of this name says that the line may wait for the next one: two lines, one write.
pub const HELD: &str = "held";
/// So much waits at the most.
const MOST_HELD: usize = 64 * 1024;

/// Whether a text is a filter as [`start`] takes it.
pub fn is_filter(text: &str) -> bool {
    EnvFilter::try_new(text).is_ok()
}

/// Starts logging for the process. Only the first call has an effect.
pub fn start(folder: PathBuf, filter: Option<&str>) {
    // The SDK writes whole requests at its finer levels; the log never holds what people write.
    let chosen = |directives| EnvFilter::try_new(format!("{directives},rmcp=warn"));
    let filter = chosen(filter.unwrap_or("info")).unwrap_or_else(|_| EnvFilter::new("info,rmcp=warn"));
    let terminal = std::io::stderr().is_terminal().then(|| {
        tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .with_target(false)
            .with_filter(EnvFilter::new("warn"))
    });
    let lines = JsonLines::new(folder, Clock::System).with_filter(filter);
    let _ = tracing_subscriber::registry().with(lines).with(terminal).try_init();
}

/// Writes each event as one JSON object to the file of its day.
struct JsonLines {
    folder: PathBuf,
    clock: Clock,
    open: Mutex<Open>,
}

/// The file of the day, and lines that wait for the next one to be written with it.
#[derive(Default)]
struct Open {
    day: String,
    file: Option<File>,
    held: Vec<u8>,
}

impl JsonLines {
    fn new(folder: PathBuf, clock: Clock) -> Self {
        JsonLines { folder, clock, open: Mutex::default() }
    }

    fn append(&self, day: &str, line: &[u8], held: bool) -> Option<()> {
        let mut open = self.open.lock().ok()?;
        if open.day != day {
            *open = Open { file: Some(self.start_day(day)?), day: day.to_owned(), held: Vec::new() };
        }
        open.held.extend_from_slice(line);
        if held && open.held.len() < MOST_HELD {
            return Some(());
        }
        let lines = std::mem::take(&mut open.held);
        open.file.as_mut()?.write_all(&lines).ok()
    }

    fn start_day(&self, day: &str) -> Option<File> {
        paths::create_private_folder(&self.folder).ok()?;
        self.forget_old(day);
        let file = self.folder.join(file_name(day));
        paths::private_file().append(true).open(file).ok()
    }

    /// Takes away what is older than thirty days, as long as thirty younger days are kept: a clock
    /// that jumps ahead must not empty the folder.
    fn forget_old(&self, today: &str) {
        let Some(today) = parse_day(today) else { return };
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut days: Vec<(chrono::NaiveDate, PathBuf)> = entries
            .filter_map(|entry| {
                let name = entry.file_name();
                let day = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX).and_then(parse_day)?;
                Some((day, entry.path()))
            })
            .collect();
        days.sort();
        let spare = days.len().saturating_sub(KEPT_DAYS);
        for (day, path) in days.into_iter().take(spare) {
            if (today - day).num_days() > KEPT_DAYS as i64 {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// The name of a day's file.
pub fn file_name(day: &str) -> String {
    format!("{PREFIX}{day}{SUFFIX}")
}

fn parse_day(text: &str) -> Option<chrono::NaiveDate> {
    chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()
}

impl<S: Subscriber> Layer<S> for JsonLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let now = self.clock.now().rfc3339();
        let level = event.metadata().level();
        let mut line = Line { json: format!(r#"{{"timestamp":"{now}","level":"{level}""#), held: false };
        event.record(&mut line);
        line.json.push_str("}\n");
        self.append(&now[..10], line.json.as_bytes(), line.held);
    }
}

/// Writes an event's fields as the members of a JSON object.
struct Line {
    json: String,
    held: bool,
}

impl Line {
    fn member(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        if let (Ok(name), Ok(value)) = (serde_json::to_string(name), serde_json::to_string(value)) {
            self.json.push(',');
            self.json.push_str(&name);
            self.json.push(':');
            self.json.push_str(&value);
        }
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() != FIELDS {
            return self.member(field.name(), value);
        }
        // It is JSON already: its members become members of the line as they are.
        let members = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if let Some(members) = members.filter(|members| !members.is_empty()) {
            self.json.push(',');
            self.json.push_str(members);
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field.name(), &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field.name(), &value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.member(field.name(), &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        if field.name() == HELD {
            self.held = value;
        } else {
            self.member(field.name(), &value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    fn files(folder: &std::path::Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn events_become_lines_and_their_fields_members() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(Timestamp(1_760_970_605_123));
        let layer = JsonLines::new(folder.path().join("logs"), clock);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::info!(held = true, event = "begun");
            let file = folder.path().join("logs/backoffice-2025-10-20.jsonl");
            assert_eq!(fs::read_to_string(file).unwrap(), "", "it waits for the next line");
            tracing::info!(event = "done", count = 3, fields = r#"{"ids":["A"]}"#, "a sentence");
        });
        let file = folder.path().join("logs/backoffice-2025-10-20.jsonl");
        assert_eq!(
            fs::read_to_string(file).unwrap(),
            concat!(
                r#"{"timestamp":"2025-10-20T14:30:05.123Z","level":"INFO","event":"begun"}"#,
                "\n",
                r#"{"timestamp":"2025-10-20T14:30:05.123Z","level":"INFO","#,
                r#""message":"a sentence","event":"done","count":3,"ids":["A"]}"#,
                "\n"
            )
        );
    }

    #[test]
    fn a_new_day_starts_a_file_and_forgets_what_is_older_than_thirty_days() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |count: u32| {
            for day in (1..=count).map(|day| format!("2025-09-{day:02}")) {
                fs::write(folder.path().join(file_name(&day)), "").unwrap();
            }
            let layer = JsonLines::new(folder.path().to_path_buf(), Clock::System);
            layer.append("2025-10-20", b"x\n", false).unwrap();
            files(folder.path())
        };
        assert_eq!(begin(5).len(), 6, "old, but few: the clock may be wrong");
        let kept = begin(30);
        assert_eq!((kept.len(), kept[0].as_str()), (30, "backoffice-2025-09-02.jsonl"));
        assert_eq!(kept[29], "backoffice-2025-10-20.jsonl");
    }

    #[test]
    fn a_log_that_cannot_be_written_is_not_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("file");
        fs::write(&blocked, "").unwrap();
        let layer = JsonLines::new(blocked.join("logs"), Clock::System);
        assert_eq!(layer.append("2025-10-20", b"x\n", false), None);
    }
}
