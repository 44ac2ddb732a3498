//! Puts a table between its markers in `benches/README.md`.

use std::fmt::Write;
use std::fs;

use backoffice::clock::Clock;

use super::Outcome;
use super::report::Report;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/README.md");

pub fn write(name: &str, report: &Report) -> Outcome<()> {
    let text = fs::read_to_string(README)?;
    let (start, end) = (format!("<!-- {name}: generated -->\n"), format!("<!-- {name}: end -->"));
    let lacking = || format!("`benches/README.md` lacks the markers of `{name}`");
    let (before, rest) = text.split_once(&start).ok_or_else(lacking)?;
    let (_, after) = rest.split_once(&end).ok_or_else(lacking)?;
    fs::write(README, format!("{before}{start}\n{}\n{end}{after}", table(report)?))?;
    Ok(())
}

/// Says when and on what kind of machine, never on which one.
fn table(report: &Report) -> Outcome<String> {
    let cores = std::thread::available_parallelism()?;
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let day = Clock::System.now().day();
    let mut table = format!("Measured on {day}, {system} {processor}, {cores} cores.\n\n");
    table.push_str("| what | budget | measured | | figures |\n|---|---|---|---|---|\n");
    for line in &report.lines {
        let verdict = line.verdict.word();
        writeln!(
            table,
            "| {} | {} | {} | {verdict} | {} |",
            line.what, line.budget, line.measured, line.figures
        )?;
    }
    Ok(table)
}
