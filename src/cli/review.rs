//! `backoffice repo review`: documents that were changed although they must not be, and what a person
//! makes of it.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::artifacts::show_diff;
use super::open::Desk;
use super::output::{Output, confirm};
use super::style::{Style, printable};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::families::artifacts::changes;
use crate::families::docs::review::{self, Case};

/// Decisions and archived tasks are never changed, approved artifacts only with a new approval. One
/// that was edited all the same is suspended until you adopt the change or revert it.
#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice repo review",
    "backoffice repo review --json",
])]
pub(super) struct ReviewArgs {
    /// The documents to decide about; default: ask for each
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Stand by the change: the document must keep its new text from now on
    #[arg(long, requires = "paths", conflicts_with = "revert")]
    adopt: bool,
    /// Put the text back that the document had
    #[arg(long, requires = "paths")]
    revert: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Adopt,
    Revert,
    Later,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &ReviewArgs) -> Result<()> {
    let scope = desk.office.scope(&desk.session);
    desk.office.look_around(&scope.documents, &scope.project)?;
    let cases = desk.office.db.read(|tx| review::cases(tx, &scope.documents))?;
    let cases = chosen(cases, &args.paths)?;
    let verdict = match (args.adopt, args.revert) {
        (true, _) => Some(Verdict::Adopt),
        (_, true) => Some(Verdict::Revert),
        _ => None,
    };
    if output.json {
        return decide_silently(desk, output, args, &scope.documents, (&cases, verdict));
    }
    if cases.is_empty() {
        output.line("every document is as it must be");
        return Ok(());
    }
    let asks = io::stdin().is_terminal();
    for case in &cases {
        show(output, case);
        let decided = match verdict {
            Some(verdict) if args.yes => verdict,
            Some(verdict) => {
                confirm(&format!("{} {}?", word(verdict), case.row.path))?;
                verdict
            }
            None if asks => ask(case)?,
            None => Verdict::Later,
        };
        carry_out(desk, &scope.documents, case, decided)?;
        if decided != Verdict::Later {
            output.line(&format!("{}: {}", past(decided), printable(&case.row.path)));
        }
    }
    if verdict.is_none() && !asks {
        output.note("decide with `backoffice repo review PATH --adopt` or `--revert`");
    }
    Ok(())
}

/// Whoever reads JSON is not asked.
fn decide_silently(
    desk: &Desk,
    output: &mut Output,
    args: &ReviewArgs,
    root: &Path,
    (cases, verdict): (&[Case], Option<Verdict>),
) -> Result<()> {
    if verdict.is_some() && !args.yes {
        return Err(Error::conflict("nothing was changed").hint("whoever reads JSON is not asked: add --yes"));
    }
    let verdict = verdict.unwrap_or(Verdict::Later);
    for case in cases {
        carry_out(desk, root, case, verdict)?;
    }
    let shown: Vec<Value> = cases.iter().map(|case| value(case, verdict)).collect();
    output.value(&json!({ "documents": shown }));
    Ok(())
}

fn chosen(cases: Vec<Case>, paths: &[String]) -> Result<Vec<Case>> {
    if paths.is_empty() {
        return Ok(cases);
    }
    let is_meant = |case: &Case, path: &str| {
        let path = path.trim_start_matches("./");
        case.row.path == path || case.row.id == path || case.row.path.rsplit('/').next() == Some(path)
    };
    for path in paths {
        if !cases.iter().any(|case| is_meant(case, path)) {
            return Err(Error::not_found(format!("`{path}` is not under review"))
                .hint("`backoffice repo review` shows what is"));
        }
    }
    Ok(cases.into_iter().filter(|case| paths.iter().any(|path| is_meant(case, path))).collect())
}

fn carry_out(desk: &Desk, root: &Path, case: &Case, verdict: Verdict) -> Result<()> {
    let (office, session) = (&desk.office, &desk.session);
    let now = office.clock.now();
    match verdict {
        Verdict::Later => Ok(()),
        Verdict::Revert => {
            let batch = Arc::new(review::lay_out(root, case)?);
            let (promised, place, case) = (Arc::clone(&batch), root.to_owned(), case.clone());
            desk.write("repo review: revert", move |tx| review::revert(tx, &place, &case, &promised, now))?;
            batch.keep(&office.db)
        }
        Verdict::Adopt => {
            let by = (session.caller.user_id.clone(), session.signature());
            let (place, case, project) = (root.to_owned(), case.clone(), session.project.clone());
            desk.write("repo review: adopt", move |tx| {
                review::adopt(tx, (&place, &project), &case, (&by.0, &by.1), now)
            })
        }
    }
}

fn show(output: &mut Output, case: &Case) {
    let since = case.row.tampered_at.map(Timestamp::rfc3339).unwrap_or_default();
    let heading = format!("{}  {}", printable(&case.row.path), printable(&case.row.title));
    output.line(&output.paint(Style::Strong, &heading));
    output.line(&format!("{}, changed since it was recorded; noticed {since}", case.row.kind.word()));
    match &case.recorded {
        Some(before) => {
            output.line("");
            show_diff(output, &changes::unified(&case.row.path, before, &case.now));
        }
        None => output.note("what it said before is not known here; your version control may know"),
    }
}

fn ask(case: &Case) -> Result<Verdict> {
    let choices = if case.recorded.is_some() { "[a]dopt, [r]evert, [l]ater" } else { "[a]dopt, [l]ater" };
    loop {
        let _ = write!(io::stderr(), "{}: {choices}? ", printable(&case.row.path));
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        let read = read.map_err(|error| Error::io(error, "read the answer"))?;
        match answer.trim() {
            _ if read == 0 => return Ok(Verdict::Later),
            "a" | "adopt" => return Ok(Verdict::Adopt),
            "r" | "revert" if case.recorded.is_some() => return Ok(Verdict::Revert),
            "l" | "later" | "" => return Ok(Verdict::Later),
            _ => {}
        }
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Adopt => "Adopt",
        Verdict::Revert => "Revert",
        Verdict::Later => "Leave",
    }
}

fn past(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Adopt => "adopted",
        Verdict::Revert => "reverted",
        Verdict::Later => "left",
    }
}

fn value(case: &Case, verdict: Verdict) -> Value {
    json!({
        "kind": case.row.kind.word(), "id": case.row.id, "title": case.row.title, "path": case.row.path,
        "noticed_at": case.row.tampered_at.map(Timestamp::rfc3339),
        "sha256": case.row.sha256, "recorded_sha256": case.row.recorded_sha256,
        "can_revert": case.recorded.is_some(), "verdict": past(verdict),
    })
}
