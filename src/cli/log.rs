//! `backoffice log`: the audit trail as a table.

use clap::Args;
use serde_json::{Value, json};

use super::output::Output;
use super::style::{Style, printable};
use super::{Globals, open};
use crate::clock::Timestamp;
use crate::config::Environment;
use crate::db::audit::{self, Entry, Filter};
use crate::error::{Error, Result};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice log",
    "backoffice log --tool get_next_available_id --since 1h",
    "backoffice log --who frank.davis --outcome forbidden --json",
])]
pub(super) struct LogArgs {
    /// Only calls of this person
    #[arg(long, value_name = "USER")]
    who: Option<String>,
    /// Only calls of this tool
    #[arg(long)]
    tool: Option<String>,
    /// Only calls with this outcome: ok, invalid, not_found, forbidden, conflict …
    #[arg(long)]
    outcome: Option<String>,
    /// Only calls with this correlation id
    #[arg(long, value_name = "ID")]
    task_id: Option<String>,
    /// Only calls since then: 30m, 12h, 7d, or a day such as 2026-11-18
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// At most so many, the newest
    #[arg(short = 'n', long, default_value_t = 50, value_name = "COUNT")]
    lines: i64,
    /// Go on showing calls as they come
    #[arg(short, long)]
    follow: bool,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &LogArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    let since = args.since.as_deref().map(|text| since(text, desk.office.clock.now())).transpose()?;
    let filter = Filter {
        caller: args.who.clone(),
        tool: args.tool.clone(),
        outcome: args.outcome.clone(),
        correlation_id: args.task_id.clone(),
        since,
    };
    // Watched before it is read, so that nothing falls between.
    let watch = if args.follow { Some(desk.office.db.watch()?) } else { None };
    let mut last = desk.office.db.read(audit::last_id)?;
    let mut entries = desk.office.db.read(|tx| audit::newest(tx, &filter, args.lines))?;
    entries.reverse();
    if output.json || args.follow {
        entries.iter().for_each(|entry| one(output, entry));
    } else if entries.is_empty() {
        output.note("no call fits; reads are not kept here, but in the log files");
    } else {
        let rows: Vec<Vec<String>> = entries.iter().map(cells).collect();
        let headings = ["TIME", "OUTCOME", "MS", "WHO", "TOOL", "CLIENT"];
        output.painted_table(
            &headings,
            &rows,
            |column, text| if column == 1 { Style::of(text) } else { Style::Plain },
        );
    }
    let Some(mut watch) = watch else { return Ok(()) };
    while !output.is_gone() {
        watch.wait(None)?;
        for entry in desk.office.db.read(|tx| audit::after(tx, last, i64::MAX))? {
            last = entry.id;
            if fits(&filter, &entry) {
                one(output, &entry);
            }
        }
    }
    Ok(())
}

fn one(output: &mut Output, entry: &Entry) {
    if output.json {
        return output.value(&json!({
            "at": entry.at.rfc3339(), "caller": entry.caller, "client": entry.client, "tool": entry.tool,
            "outcome": entry.outcome, "task_id": entry.correlation_id, "duration_us": entry.run_us,
            "receipt": entry.receipt.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok()),
        }));
    }
    let [at, outcome, took, who, tool, client] = cells(entry).try_into().unwrap_or_default();
    let outcome = output.paint(Style::of(&entry.outcome), &format!("{outcome:<9}"));
    output.line(&format!("{at}  {outcome}  {took:>8}  {who}  {tool}  {client}"));
}

fn cells(entry: &Entry) -> Vec<String> {
    let took = format!("{:.3}", entry.run_us as f64 / 1000.0);
    let [outcome, who, tool, client] =
        [&entry.outcome, &entry.caller, &entry.tool, &entry.client].map(|text| printable(text));
    vec![entry.at.rfc3339(), outcome, took, who, tool, client]
}

fn fits(filter: &Filter, entry: &Entry) -> bool {
    let same = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
    same(&filter.caller, &entry.caller)
        && same(&filter.tool, &entry.tool)
        && same(&filter.outcome, &entry.outcome)
        && (filter.correlation_id.is_none() || filter.correlation_id == entry.correlation_id)
}

/// `30m`, `12h`, `7d` back from now, or the beginning of a day in UTC.
fn since(text: &str, now: Timestamp) -> Result<Timestamp> {
    let unit = |letter: char| match letter {
        's' => Some(1_000),
        'm' => Some(60_000),
        'h' => Some(3_600_000),
        'd' => Some(86_400_000),
        _ => None,
    };
    let back = text.char_indices().last().and_then(|(at, letter)| {
        let count: i64 = text[..at].parse().ok()?;
        count.checked_mul(unit(letter)?)
    });
    let day = || {
        let day = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Some(Timestamp(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis()))
    };
    let found = back.map(|back| Timestamp(now.0.saturating_sub(back))).or_else(day);
    found.ok_or_else(|| {
        Error::invalid(format!("`{text}` is no time")).hint("write 30m, 12h, 7d, or a day such as 2026-11-18")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let now = Timestamp(1_760_970_605_123);
        for (text, expected) in [
            ("30m", Some(now.0 - 1_800_000)),
            ("7d", Some(now.0 - 604_800_000)),
            ("2025-10-20", Some(1_760_918_400_000)),
            ("yesterday", None),
            ("h", None),
            ("9999999999999999d", None),
            ("", None),
        ] {
            assert_eq!(since(text, now).ok().map(|at| at.0), expected, "{text}");
        }
    }
}
