//! `backoffice artifacts validate PATH…`: documents against the checklists of their types, as a check
//! before a commit or in a build.

mod files;
mod report;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;

use self::files::File;
use self::report::Checked;
use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::progress::counter;
use crate::error::{Error, Kind, Result};
use crate::families::artifacts::checklist::{self, Checklists};
use crate::families::artifacts::described::{Described, NoArtifact};
use crate::families::artifacts::document::Document;
use crate::families::artifacts::kinds::Kinds;
use crate::families::artifacts::linked::StoreLinks;
use crate::families::artifacts::metadata::version_in_name;
use crate::tool::ReadCx;

/// Larger files are no documents.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Ends with 1 if a document fails, with 2 if a file cannot be checked at all.
#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice artifacts validate docs/artifacts",
    "backoffice artifacts validate draft.md --all",
])]
pub(super) struct ValidateArgs {
    /// Files, or folders to look for documents in
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Show the criteria that passed, too
    #[arg(long)]
    all: bool,
}

/// What a file turned out to be.
enum Verdict {
    Checked(Checked),
    /// Nothing there is a checklist for.
    Other(String),
    Unreadable(String),
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &ValidateArgs) -> Result<()> {
    let files = files::below(&args.paths)?;
    let kinds = desk.office.db.read(|tx| Kinds::of(tx, &desk.session.project))?;
    let watch = counter(output.json, "checking");
    let verdicts = on_all_cores(&files, &watch, &|file| verdict(desk, &kinds, file));
    drop(watch);
    let (mut checked, mut unreadable, mut others) = (Vec::new(), Vec::new(), 0);
    for (file, verdict) in files.into_iter().zip(verdicts) {
        match verdict? {
            Verdict::Checked(found) => checked.push((file.shown, found)),
            Verdict::Other(why) | Verdict::Unreadable(why) if file.named => {
                unreadable.push((file.shown, why));
            }
            Verdict::Unreadable(why) => unreadable.push((file.shown, why)),
            Verdict::Other(_) => others += 1,
        }
    }
    report::show(output, &checked, &unreadable, others, args.all);
    if !unreadable.is_empty() {
        return Err(Error::invalid(format!(
            "{} could not be checked",
            super::counted(unreadable.len(), "file")
        ))
        .reason("unreadable"));
    }
    if checked.iter().any(|(_, found)| !found.report.passed()) {
        output.found_wanting();
    }
    Ok(())
}

/// Looks at files on all cores; the answers come in the order of the files.
fn on_all_cores(
    files: &[File],
    watch: &(dyn Fn(usize, usize) + Sync),
    look: &(dyn Fn(&File) -> Result<Verdict> + Sync),
) -> Vec<Result<Verdict>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    let mut answers: Vec<(usize, Result<Verdict>)> = std::thread::scope(|scope| {
        let worker = || {
            let mut mine = Vec::new();
            while let Some((at, file)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| files.get(at).map(|file| (at, file)))
            {
                mine.push((at, look(file)));
                watch(done.fetch_add(1, Ordering::Relaxed) + 1, files.len());
            }
            mine
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    answers.sort_by_key(|(at, _)| *at);
    let lost = || Err(Error::internal("a file could not be checked"));
    let mut answers = answers.into_iter().peekable();
    (0..files.len())
        .map(|at| answers.next_if(|(found, _)| *found == at).map_or_else(lost, |(_, answer)| answer))
        .collect()
}

fn verdict(desk: &Desk, kinds: &Kinds, file: &File) -> Result<Verdict> {
    let text = match text_of(file) {
        Ok(text) => text,
        Err(why) => return Ok(Verdict::Unreadable(why)),
    };
    let document = Document::read(&text);
    let name = file.path.file_name().and_then(|name| name.to_str());
    let described = match Described::of(&document, name, kinds) {
        Ok(described) => described,
        Err(NoArtifact::NoId) => {
            return Ok(Verdict::Other("it says nowhere which document it is".to_owned()));
        }
        Err(NoArtifact::UnknownType) => {
            return Ok(Verdict::Unreadable("its ID has a prefix of no known type".to_owned()));
        }
    };
    desk.office.look(&desk.session, "artifacts validate", |cx| check(cx, kinds, &document, &described, name))
}

fn check(
    cx: &ReadCx<'_>,
    kinds: &Kinds,
    document: &Document<'_>,
    described: &Described,
    name: Option<&str>,
) -> Result<Verdict> {
    // A file promises a document by its name; one that holds another is found out.
    let promised = described.named.as_ref().and_then(|id| Some((id.to_string(), kinds.of_id(id)?)));
    let (artifact_id, kind) = promised.unwrap_or_else(|| (described.artifact_id.clone(), &described.kind));
    let id = format!("{}_validation_v1", kind.name);
    let checklist = match Checklists::shared().get(&id, cx.session.repository.as_deref(), cx.now) {
        Ok(checklist) => checklist,
        Err(error) if error.kind() == Kind::NotFound => {
            return Ok(Verdict::Other(format!("its type `{}` has no checklist", kind.name)));
        }
        Err(error) => return Err(error),
    };
    let version = checklist::version_of(document, name.and_then(version_in_name));
    let links = StoreLinks::new(cx, &cx.session.project);
    let report = checklist::validate(document, &artifact_id, version, &checklist, &links)?;
    Ok(Verdict::Checked(Checked { artifact_id, version, report }))
}

fn text_of(file: &File) -> Result<String, String> {
    let unreadable = |error| format!("it cannot be read: {error}");
    if fs::metadata(&file.path).map_err(unreadable)?.len() > LARGEST {
        return Err("it is larger than 4 MiB".to_owned());
    }
    String::from_utf8(fs::read(&file.path).map_err(unreadable)?).map_err(|_| "it is not UTF-8".to_owned())
}
