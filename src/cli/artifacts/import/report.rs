//! What an import found, as a table and as JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::cli::artifacts::counted;
use crate::cli::output::Output;
use crate::cli::style::printable;
use crate::families::artifacts::import::{Found, Outcome};
use crate::tool::JsonObject;

/// A document, where it belongs, and what became of it.
pub(super) struct Row {
    pub base: String,
    pub found: Found,
    pub outcome: Outcome,
}

/// Everything an import found and did.
pub(super) struct Report {
    pub rows: Vec<Row>,
    pub problems: Vec<(String, String)>,
    pub others: usize,
    pub counters: BTreeMap<String, i64>,
}

impl Report {
    pub fn value(&self, project: &str) -> Value {
        let documents = self.rows.iter().map(|row| {
            let described = &row.found.described;
            let parents: Vec<String> = described.metadata.parents.iter().map(ToString::to_string).collect();
            json!({
                "artifact_id": described.artifact_id, "type": described.kind.type_name(),
                "version": row.found.version(), "status": described.status(), "title": described.title(),
                "parent_ids": parents, "path": row.found.path, "outcome": word(row.outcome),
            })
        });
        let problems = self.problems.iter().map(|(path, what)| json!({ "path": path, "problem": what }));
        let counters = self.counters.iter().map(|(prefix, number)| (prefix.clone(), json!(number)));
        json!({
            "project_id": project, "documents": documents.collect::<Vec<_>>(),
            "problems": problems.collect::<Vec<_>>(), "others": self.others,
            "counters": counters.collect::<JsonObject>(),
        })
    }

    pub fn show(&self, output: &mut Output, dry_run: bool) {
        if self.rows.is_empty() {
            output.note("no document was found");
        } else {
            let headings = ["TYPE", "DOCUMENTS", "VERSIONS", "NEW", "CHANGED", "UNCHANGED", "REFUSED"];
            output.table(&headings, &self.by_type());
        }
        if !self.problems.is_empty() {
            if !self.rows.is_empty() {
                output.line("");
            }
            for (path, what) in &self.problems {
                output.line(&format!("{}: {}", printable(path), printable(what)));
            }
        }
        let counters: Vec<String> = self.counters.iter().map(|(prefix, n)| format!("{prefix} {n}")).collect();
        let raised = if counters.is_empty() {
            "no sequence raised".to_owned()
        } else {
            format!("sequences raised: {}", counters.join(", "))
        };
        output.note(&format!(
            "{}, {}, {raised}",
            counted(self.problems.len(), "problem"),
            counted(self.others, "other Markdown file")
        ));
        if dry_run {
            output.note("nothing was written; without --dry-run it is");
        }
    }

    /// A line for each type, in the order of a project's life.
    fn by_type(&self) -> Vec<Vec<String>> {
        let mut order: Vec<&str> = Vec::new();
        for row in &self.rows {
            let name = row.found.described.kind.type_name();
            if !order.contains(&name) {
                order.push(name);
            }
        }
        let line = |name: &str| {
            let of = || self.rows.iter().filter(move |row| row.found.described.kind.type_name() == name);
            let ids: BTreeSet<&str> = of().map(|row| row.found.described.artifact_id.as_str()).collect();
            let outcomes = [Outcome::New, Outcome::Changed, Outcome::Unchanged, Outcome::Refused];
            let counts = outcomes.map(|outcome| of().filter(|row| row.outcome == outcome).count());
            let cells = [ids.len(), of().count()].into_iter().chain(counts).map(|count| count.to_string());
            std::iter::once(name.to_owned()).chain(cells).collect()
        };
        order.into_iter().map(line).collect()
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::New => "new",
        Outcome::Changed => "changed",
        Outcome::Unchanged => "unchanged",
        Outcome::Refused => "refused",
    }
}
