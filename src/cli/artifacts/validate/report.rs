//! What a validation found: a line for each document, then what it fails.

use serde_json::{Value, json};

use crate::cli::artifacts::counted;
use crate::cli::output::Output;
use crate::cli::style::{Style, printable};
use crate::families::artifacts::checklist::{Outcome, Report};

/// A document that a checklist was applied to.
pub(super) struct Checked {
    pub artifact_id: String,
    pub version: i64,
    pub report: Report,
}

pub(super) fn show(
    output: &mut Output,
    checked: &[(String, Checked)],
    unreadable: &[(String, String)],
    others: usize,
    all: bool,
) {
    if output.json {
        let problem = |(path, why): &(String, String)| json!({ "path": path, "problem": why });
        let values = checked.iter().map(value).chain(unreadable.iter().map(problem));
        output.value(&values.collect());
        return;
    }
    let width = checked.iter().map(|(path, _)| console::measure_text_width(path)).max().unwrap_or(0);
    for (path, found) in checked {
        document(output, path, width, found, all);
    }
    for (path, why) in unreadable {
        let word = output.paint(Style::Bad, "ERR ");
        output.line(&format!("{word}  {}: {}", printable(path), printable(why)));
    }
    if checked.is_empty() && !unreadable.is_empty() {
        return;
    }
    let failed = checked.iter().filter(|(_, found)| !found.report.passed()).count();
    let of_all = |count: fn(&Report) -> usize| -> usize {
        checked.iter().map(|(_, found)| count(&found.report)).sum()
    };
    let (agent, person) = (of_all(Report::agent_reviews), of_all(Report::manual_reviews));
    output.note(&format!(
        "{}: {} passed, {failed} failed; {} left to an agent, {person} to a person; {}",
        counted(checked.len(), "document"),
        checked.len() - failed,
        if agent == 1 { "1 criterion".to_owned() } else { format!("{agent} criteria") },
        counted(others, "other Markdown file"),
    ));
}

fn document(output: &mut Output, path: &str, width: usize, found: &Checked, all: bool) {
    let report = &found.report;
    let (style, word) = if report.passed() { (Style::Good, "pass") } else { (Style::Bad, "FAIL") };
    let path = printable(path);
    let gap = " ".repeat(width.saturating_sub(console::measure_text_width(&path)));
    let word = output.paint(style, word);
    output.line(&format!(
        "{word}  {path}{gap}  {} v{}  {}",
        printable(&found.artifact_id),
        found.version,
        report.automated_pass_rate()
    ));
    for outcome in &report.results {
        match outcome.passed {
            Some(false) => criterion(output, outcome, Style::Bad, "✗"),
            Some(true) if all => criterion(output, outcome, Style::Good, "✓"),
            _ => {}
        }
    }
}

/// What is asked, then what was found and where.
fn criterion(output: &mut Output, outcome: &Outcome, style: Style, sign: &str) {
    let name = output.paint(style, &format!("{sign} {}", printable(&outcome.id)));
    output.line(&format!("      {name}  {}", printable(&outcome.description)));
    let at = outcome.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    let found = outcome.details.lines().map(printable).collect::<Vec<_>>().join(" ");
    output.line(&format!("        {at}{found}"));
}

fn value((path, found): &(String, Checked)) -> Value {
    let report = &found.report;
    let result = |outcome: &Outcome| {
        let mut value = json!({
            "id": outcome.id, "category": outcome.category, "description": outcome.description,
            "passed": outcome.passed, "validation_type": outcome.validation_type,
            "requires_agent_review": outcome.requires_agent_review(), "details": outcome.details,
        });
        if let Some(line) = outcome.line {
            value["line"] = line.into();
        }
        value
    };
    json!({
        "path": path, "artifact_id": found.artifact_id, "version": found.version, "passed": report.passed(),
        "automated_pass_rate": report.automated_pass_rate(), "agent_review_required": report.agent_reviews(),
        "manual_review_required": report.manual_reviews(),
        "results": report.results.iter().map(result).collect::<Vec<_>>(),
    })
}
