//! `backoffice ids scan PATH`: shows where the sequences would begin, and sets them when agreed.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::Globals;
use crate::cli::open::Desk;
use crate::cli::output::{Output, confirm};
use crate::cli::progress::spinner;
use crate::db::sequences;
use crate::error::Result;
use crate::families::ids::model::find_type;
use crate::families::ids::scan::{Scan, scan};
use crate::families::ids::store;
use crate::id::ArtifactId;
use crate::paths::Repository;

#[derive(Args, Debug)]
pub(super) struct ScanArgs {
    /// A folder; in a repository all of it is read, with every local branch and worktree
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Set the sequences without asking
    #[arg(long)]
    yes: bool,
}

/// One sequence: what was found, where it stands, where it would stand.
struct Row {
    prefix: String,
    name: String,
    found: i64,
    source: String,
    now: Option<i64>,
}

impl Row {
    fn rises(&self) -> bool {
        self.now.is_none_or(|now| now < self.found)
    }
}

pub(super) fn run(desk: &Desk, globals: &Globals, output: &mut Output, args: &ScanArgs) -> Result<()> {
    let mut watch = spinner(output.json, "reading");
    let found = scan(&args.path, &mut watch)?;
    drop(watch);
    let project = project_of(desk, globals, args);
    let (rows, unknown) = compare(desk, &project, &found)?;
    let rising: Vec<(String, i64)> =
        rows.iter().filter(|row| row.rises()).map(|row| (row.prefix.clone(), row.found)).collect();
    if !output.json {
        show(output, &project, &found, &rows, &unknown);
    }
    let agreed = !rising.is_empty() && (args.yes || (!output.json && ask(output)));
    if agreed {
        let (project, now) = (project.clone(), desk.office.clock.now());
        desk.write("ids scan", move |tx| {
            // Whoever has counted on meanwhile is never turned back.
            rising
                .iter()
                .try_for_each(|(prefix, to)| sequences::raise(tx, &project, prefix, *to, now).map(drop))
        })?;
    }
    if output.json {
        output.value(&answer(&project, &found, &rows, &unknown, agreed));
    } else if agreed {
        output.note("the sequences are set");
    }
    Ok(())
}

fn project_of(desk: &Desk, globals: &Globals, args: &ScanArgs) -> String {
    let of_path = || Repository::around(&args.path).map(|repository| repository.project);
    globals.project.clone().or_else(of_path).unwrap_or_else(|| desk.session.project.clone())
}

/// The sequences of known types, and the prefixes nobody has registered.
fn compare(desk: &Desk, project: &str, found: &Scan) -> Result<(Vec<Row>, Vec<String>)> {
    desk.office.db.read(|tx| {
        let added = store::added_types(tx, project)?;
        let (mut rows, mut unknown) = (Vec::new(), Vec::new());
        for (prefix, highest) in &found.highest {
            let Ok(kind) = find_type(prefix, || Ok(added.clone())) else {
                unknown.push(prefix.clone());
                continue;
            };
            rows.push(Row {
                prefix: prefix.clone(),
                name: kind.name,
                found: highest.number,
                source: highest.source.clone(),
                now: sequences::last(tx, project, prefix)?,
            });
        }
        Ok((rows, unknown))
    })
}

fn ask(output: &mut Output) -> bool {
    let agreed = confirm("Set the sequences so? They never go back.").is_ok();
    if !agreed {
        output.note("nothing was set; run it with --yes to set the sequences");
    }
    agreed
}

fn show(output: &mut Output, project: &str, found: &Scan, rows: &[Row], unknown: &[String]) {
    output.note(&format!(
        "project `{project}`: {} documents, {} worktrees, {} branches",
        found.documents, found.worktrees, found.branches
    ));
    for folder in &found.unreadable {
        output.note(&format!("not looked into, it cannot be read: {}", folder.display()));
    }
    if rows.is_empty() {
        output.note("no numbered document was found");
    } else {
        let lines: Vec<Vec<String>> = rows
            .iter()
            .map(|row| {
                let written = |number| ArtifactId::new(&row.prefix, number).to_string();
                let now = row.now.map_or("-".to_owned(), written);
                let after = written(row.found.max(row.now.unwrap_or(0)));
                vec![row.name.clone(), written(row.found), now, after, row.source.clone()]
            })
            .collect();
        output.table(&["TYPE", "HIGHEST FOUND", "LAST GIVEN", "WOULD BE", "FOUND IN"], &lines);
    }
    if !unknown.is_empty() {
        let prefixes = unknown.join(", ");
        output.note(&format!(
            "not counted, unknown types: {prefixes} (add them with `backoffice ids add-type`)"
        ));
    }
}

fn answer(project: &str, found: &Scan, rows: &[Row], unknown: &[String], applied: bool) -> Value {
    let sequences: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "artifact_type": row.name, "prefix": row.prefix, "highest_found": row.found,
                "found_in": row.source, "last_assigned": row.now,
                "would_be": row.found.max(row.now.unwrap_or(0)),
            })
        })
        .collect();
    json!({
        "project_id": project, "documents": found.documents, "worktrees": found.worktrees,
        "branches": found.branches, "sequences": sequences, "unknown_prefixes": unknown, "unreadable": found.unreadable, "applied": applied,
    })
}
