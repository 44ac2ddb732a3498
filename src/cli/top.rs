//! `backoffice top`: the calls of every process on this file, from the log they all write.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::output::Output;
use super::{Globals, open};
use crate::clock::Clock;
use crate::config::Environment;
use crate::error::Result;
use crate::logging;

/// How much of the log's end is looked at for the time before the view began.
const TAIL: u64 = 64 * 1024 * 1024;
const REFRESH: Duration = Duration::from_secs(1);

#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice top --once", "backoffice top --once --window 600 --json"])]
pub(super) struct TopArgs {
    /// The last so many seconds are counted
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(1..=86_400))]
    window: i64,
    /// Show it once and end; what happens anyway when nobody watches
    #[arg(long)]
    once: bool,
}

/// A call that has ended.
#[derive(Debug)]
struct Ended {
    at: i64,
    tool: String,
    client: String,
    ms: f64,
    failed: bool,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &TopArgs,
) -> Result<()> {
    let home = open::home(globals, environment)?;
    let mut tail =
        Tail { folder: home.logs(), day: String::new(), position: 0, rest: Vec::new(), cut: false };
    let mut calls: Vec<Ended> = Vec::new();
    // Whether the log begins, or what was read of it, after the window does.
    let mut refresh = |calls: &mut Vec<Ended>| {
        let now = Clock::System.now();
        tail.read(&now.day(), calls);
        let from = now.0 - args.window * 1000;
        let cut = tail.cut && calls.first().is_some_and(|oldest| oldest.at > from);
        calls.retain(|call| call.at >= from);
        cut
    };
    let mut at_least = refresh(&mut calls);
    if args.once || output.json || !output.can_repaint() {
        show(output, &calls, args.window, at_least);
        return Ok(());
    }
    let (tell, keys) = channel();
    // Reading a key puts the terminal into another mode until one comes, so this thread ends with
    // the key that ends the view.
    std::thread::spawn(move || {
        while let Ok(key) = console::Term::stdout().read_key() {
            let last = ends(&key);
            if tell.send(key).is_err() || last {
                return;
            }
        }
    });
    loop {
        let _ = write!(io::stdout(), "\u{1b}[2J\u{1b}[H");
        show(output, &calls, args.window, at_least);
        output.line("\nq ends it");
        match keys.recv_timeout(REFRESH) {
            Ok(key) if ends(&key) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Ok(_) | Err(RecvTimeoutError::Timeout) => at_least = refresh(&mut calls),
        }
    }
}

fn ends(key: &console::Key) -> bool {
    matches!(key, console::Key::Char('q') | console::Key::Escape | console::Key::CtrlC)
}

/// The end of the log, followed over midnight.
struct Tail {
    folder: PathBuf,
    day: String,
    position: u64,
    /// The beginning of a line whose end is not written yet.
    rest: Vec<u8>,
    /// Whether there is more before what was read.
    cut: bool,
}

impl Tail {
    fn read(&mut self, today: &str, calls: &mut Vec<Ended>) {
        let begins = self.day != today;
        let Ok(mut file) = File::open(self.folder.join(logging::file_name(today))) else { return };
        let length = file.metadata().map_or(0, |found| found.len());
        if begins {
            self.position = length.saturating_sub(TAIL);
            self.cut = self.position > 0;
            self.day = today.to_owned();
            self.rest.clear();
        }
        let read = file.seek(SeekFrom::Start(self.position)).and_then(|_| file.read_to_end(&mut self.rest));
        self.position += read.unwrap_or(0) as u64;
        let complete = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.rest.drain(..complete).collect();
        calls.extend(lines.split(|byte| *byte == b'\n').filter_map(ended));
    }
}

fn ended(line: &[u8]) -> Option<Ended> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let failed = line.get("success")? == &Value::Bool(false);
    let at = chrono::DateTime::parse_from_rfc3339(line["timestamp"].as_str()?).ok()?.timestamp_millis();
    let client = line["client"].as_str()?;
    Some(Ended {
        at,
        tool: line["tool_name"].as_str()?.to_owned(),
        client: kind_of(client).to_owned(),
        ms: line["duration_ms"].as_f64()?,
        failed,
    })
}

/// The program's own name if it has told one, else the kind of connection: people look for
/// programs, not for processes.
fn kind_of(client: &str) -> &str {
    client.split_once('/').map_or_else(|| client.split('-').next().unwrap_or(client), |(name, _)| name)
}

fn show(output: &mut Output, calls: &[Ended], window: i64, at_least: bool) {
    let mut groups: BTreeMap<(&str, &str), Vec<&Ended>> = BTreeMap::new();
    for call in calls {
        groups.entry((&call.tool, &call.client)).or_default().push(call);
    }
    let mut rows: Vec<(usize, Vec<String>, Value)> = groups
        .into_iter()
        .map(|((tool, client), calls)| {
            let mut times: Vec<f64> = calls.iter().map(|call| call.ms).collect();
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
            let failed = calls.iter().filter(|call| call.failed).count();
            let (count, p50, p99) = (calls.len(), at(0.5), at(0.99));
            let cells = vec![
                tool.to_owned(),
                count.to_string(),
                failed.to_string(),
                format!("{p50:.3}"),
                format!("{p99:.3}"),
                client.to_owned(),
            ];
            let value = json!({
                "tool": tool, "client": client, "calls": count, "failed": failed, "p50_ms": p50, "p99_ms": p99,
            });
            (count, cells, value)
        })
        .collect();
    rows.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    let failed = calls.iter().filter(|call| call.failed).count();
    if output.json {
        let groups: Vec<Value> = rows.into_iter().map(|(_, _, value)| value).collect();
        let value = json!({ "window_seconds": window, "calls": calls.len(), "failed": failed, "at_least": at_least, "groups": groups });
        return output.value(&value);
    }
    let about = if at_least { "at least " } else { "" };
    output.line(&format!("{about}{} calls in the last {window} s, {failed} failed", calls.len()));
    if !rows.is_empty() {
        let cells: Vec<Vec<String>> = rows.into_iter().map(|(_, cells, _)| cells).collect();
        output.table(&["TOOL", "CALLS", "FAILED", "P50 MS", "P99 MS", "CLIENT"], &cells);
    }
}
