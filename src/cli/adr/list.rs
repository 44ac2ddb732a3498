//! `backoffice adr list`: every decision, oldest first.

use serde_json::{Value, json};

use super::{Decisions, NONE_YET, path};
use crate::cli::output::Output;
use crate::cli::style::{Style, printable};
use crate::error::Result;

const TITLE: usize = 3;
const STATUS: usize = 4;

pub(super) fn run(decisions: &Decisions, output: &mut Output) -> Result<()> {
    let rows = decisions.library.adrs.iter().map(|adr| {
        let text = decisions.text(adr).unwrap_or_default();
        (adr, decisions.status(adr, &text))
    });
    if output.json {
        let listed = rows.map(|(adr, status)| {
            json!({
                "uid": adr.uid.as_str(), "date": adr.date, "category": adr.category, "title": adr.title,
                "status": status, "path": path(adr),
            })
        });
        let problems = decisions.library.problems.iter();
        let problems =
            problems.map(|(file, problem)| json!({ "file": file, "problem": problem.to_string() }));
        let (listed, problems): (Vec<Value>, Vec<Value>) = (listed.collect(), problems.collect());
        output.value(&json!({ "adrs": listed, "problems": problems }));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = rows
        .map(|(adr, status)| {
            [adr.uid.as_str(), &adr.date, &adr.category, &adr.title, &status].map(printable).to_vec()
        })
        .collect();
    if rows.is_empty() {
        output.note(NONE_YET);
    } else {
        let headings = ["UID", "DATE", "CATEGORY", "TITLE", "STATUS"];
        output.fitted_table(&headings, &rows, TITLE, |column, text| match column {
            STATUS if text == "Disputed" => Style::Bad,
            STATUS => Style::of(text),
            _ => Style::Plain,
        });
    }
    decisions.tell_problems(output);
    Ok(())
}
