//! `backoffice artifacts import PATH`: takes a tree of documents into the index, as it lies there.

mod report;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;

use self::report::{Report, Row};
use super::layout;
use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::progress::counter;
use crate::cli::style::printable;
use crate::clock::Timestamp;
use crate::db::WriteTx;
use crate::error::{Error, Result};
use crate::families::artifacts::import::{self, Found, Outcome, Tree, Who};
use crate::families::artifacts::kinds::Kinds;
use crate::paths::Repository;

/// Nothing in PATH is rewritten. What is approved and has other bytes now is refused.
#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts import docs/artifacts",
    "backoffice artifacts import docs/artifacts --dry-run --json",
])]
pub(super) struct ImportArgs {
    /// A folder, or one file
    path: PathBuf,
    /// Show what would happen, write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &ImportArgs) -> Result<()> {
    let given = args.path.display();
    let path = args.path.canonicalize().map_err(|_| {
        Error::not_found(format!("there is no file or folder `{given}`"))
            .hint("name a folder of documents, such as docs/artifacts")
    })?;
    let project = &desk.session.project;
    let kinds = desk.office.db.read(|tx| Kinds::of(tx, project))?;
    let watch = counter(output.json, "reading");
    let tree = import::read(&path, &kinds, &watch)?;
    drop(watch);
    let report = index(desk, output, &path, tree, args.dry_run)?;
    if output.json {
        output.value(&report.value(project));
    } else {
        note_project(desk, output, &path);
        report.show(output, args.dry_run);
    }
    Ok(())
}

/// Puts what was found into the index, so many rows to a transaction.
fn index(desk: &Desk, output: &Output, path: &Path, tree: Tree, dry_run: bool) -> Result<Report> {
    let highest = tree.highest();
    let own = layout(desk)?;
    let homes = Homes::new(path, own.base())?;
    let Tree { documents, others, mut problems } = tree;
    for (file, _) in &mut problems {
        *file = homes.of(file).1;
    }
    let mut rows: Vec<Row> = documents
        .into_iter()
        .map(|mut found| {
            let (base, path) = homes.of(&found.path);
            found.path = path;
            Row { base, found, outcome: Outcome::Unchanged }
        })
        .collect();
    let (now, total) = (desk.office.clock.now(), rows.len());
    let watch = counter(output.json, "indexing");
    for (at, chunk) in rows.chunks_mut(import::CHUNK).enumerate() {
        let what: Vec<(String, Found)> =
            chunk.iter().map(|row| (row.base.clone(), row.found.clone())).collect();
        let who = Who { caller: desk.session.caller.user_id.clone(), client: desk.session.signature() };
        let project = desk.session.project.clone();
        let outcomes = write(desk, dry_run, move |tx| index_each(tx, &project, &what, &who, now))?;
        for (row, (outcome, why)) in chunk.iter_mut().zip(outcomes) {
            row.outcome = outcome;
            problems.extend(why.map(|why| (row.found.path.clone(), why)));
        }
        watch((at * import::CHUNK + chunk.len()).min(total), total);
    }
    drop(watch);
    let (project, wanted) = (desk.session.project.clone(), highest.clone());
    let raised = write(desk, dry_run, move |tx| import::raise_counters(tx, &project, &wanted, now))?;
    problems.sort();
    let counters = highest.into_iter().filter(|(prefix, _)| raised.contains(prefix)).collect();
    Ok(Report { rows, problems, others: others.len(), counters })
}

fn index_each(
    tx: &WriteTx<'_>,
    project: &str,
    documents: &[(String, Found)],
    who: &Who,
    now: Timestamp,
) -> Result<Vec<(Outcome, Option<String>)>> {
    let mut outcomes = Vec::with_capacity(documents.len());
    for (base, found) in documents {
        outcomes.extend(import::index(tx, project, base, std::slice::from_ref(found), who, now)?);
    }
    Ok(outcomes)
}

/// Writes; or, for a rehearsal, writes and takes it back.
fn write<T: Send + 'static>(
    desk: &Desk,
    dry_run: bool,
    write: impl FnOnce(&WriteTx<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    if !dry_run {
        return desk.write("artifacts import", write);
    }
    let kept = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&kept);
    let undone: Result<()> = desk.office.db.write(move |tx| {
        let outcome = write(tx)?;
        *keep.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        Err(Error::conflict("a rehearsal is taken back"))
    });
    let outcome = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    outcome.ok_or_else(|| undone.err().unwrap_or_else(|| Error::internal("nothing was rehearsed")))
}

/// Where files belong: to the project's own folder if they lie in it, else to the tree they came with.
struct Homes {
    root: PathBuf,
    own: Option<(PathBuf, String)>,
    root_name: String,
}

impl Homes {
    fn new(path: &Path, own: &Path) -> Result<Self> {
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| {
                Error::invalid(format!("`{}` is not Unicode", path.display())).hint("name another folder")
            })
        };
        let root = if path.is_file() { path.parent().unwrap_or(path) } else { path };
        let own = own.canonicalize().ok().map(|real| text(own).map(|name| (real, name))).transpose()?;
        Ok(Homes { root: root.to_owned(), own, root_name: text(root)? })
    }

    /// The base of a file that was found, and its path below that.
    fn of(&self, path: &str) -> (String, String) {
        let file = self.root.join(path);
        let inside = self.own.as_ref().and_then(|(real, name)| Some((name, file.strip_prefix(real).ok()?)));
        match inside {
            Some((name, below)) => (name.clone(), below.to_string_lossy().replace('\\', "/")),
            None => (self.root_name.clone(), path.to_owned()),
        }
    }
}

/// A tree of another repository is probably meant for that one's project.
fn note_project(desk: &Desk, output: &mut Output, path: &Path) {
    let around = Repository::around(if path.is_file() { path.parent().unwrap_or(path) } else { path });
    let project = &desk.session.project;
    if let Some(other) = around.filter(|other| &other.project != project) {
        output.note(&format!(
            "imported for the project `{project}`; add `--repo {}` to import for `{}`",
            printable(&other.root.display().to_string()),
            printable(&other.project)
        ));
    }
}
