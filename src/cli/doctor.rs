//! `backoffice doctor`: looks at everything and says what to do about each finding.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::output::Output;
use super::{Globals, artifacts, open, setup};
use crate::config::Environment;
use crate::daemon::{self, Control, DaemonLock};
use crate::db::{backup, journal};
use crate::error::{Error, Result};
use crate::paths::{self, Home};
use crate::tool::confirm;
use crate::tool::render::with_hint;
use crate::tool::session::Wish;

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    /// What is wrong and what to do about it; nothing if all is well.
    problem: Option<String>,
}

pub(super) fn run(globals: &Globals, environment: &Environment, output: &mut Output) -> Result<()> {
    let home = open::home(globals, environment)?;
    let file = home.database();
    let mut findings = Vec::new();
    let mut look = |what, checked: Result<()>| {
        findings.push(Finding { what, problem: checked.err().map(|error| with_hint(&error)) });
    };
    if file.exists() {
        look("integrity", backup::check_file(&file));
        look("permissions", is_private(home.folder()).and_then(|()| is_private(&file)));
    }
    let opened = open::desk(globals, environment, "doctor");
    look("data file", opened.as_ref().map(|_| ()).map_err(Clone::clone));
    if let Ok(desk) = &opened {
        look("journal", desk.office.db.read(journal::promised).and_then(|open| settled(&open)));
        look("artifacts", artifacts::verify::examine(desk));
        look("logs", is_writable(&home.logs()));
        look("daemon", daemon_answers(&home));
    }
    for (client, tried) in setup::trial::of_every_client(environment) {
        look(client, tried);
    }
    let sick = findings.iter().filter(|finding| finding.problem.is_some()).count();
    report(output, &file, &findings);
    if let Ok(desk) = &opened
        && !desk.office.db.read(|tx| confirm::has_pin(tx, &desk.session.caller.user_id))?
    {
        output
            .note("no PIN is set: an agent with a shell could pass for you; `backoffice approvals pin set`");
    }
    if sick == 0 {
        Ok(())
    } else {
        Err(Error::conflict(format!("{sick} of {} checks failed", findings.len())))
    }
}

fn report(output: &mut Output, file: &Path, findings: &[Finding]) {
    if output.json {
        let checks = findings.iter().map(|finding| {
            json!({ "check": finding.what, "ok": finding.problem.is_none(), "problem": finding.problem })
        });
        output.value(&json!({ "file": file, "checks": checks.collect::<Vec<Value>>() }));
        return;
    }
    output.line(&format!("data file {}", file.display()));
    let width = findings.iter().map(|finding| finding.what.len()).max().unwrap_or(0).max(12);
    for finding in findings {
        let verdict = finding.problem.as_deref().unwrap_or("ok");
        output.line(&format!("  {:<width$} {verdict}", finding.what));
    }
}

/// A daemon need not run; one that does must answer.
fn daemon_answers(home: &Home) -> Result<()> {
    if home.run().exists() {
        is_private(&home.run())?;
    }
    let identity = daemon::ask(home, Control::Check, &Wish::default())?;
    match identity {
        None if DaemonLock::is_held(home)? => {
            Err(Error::conflict("a daemon holds the lock and does not answer")
                .hint("look at its process and at the end of its log; end it and start it again"))
        }
        Some(identity) if identity["version"] != env!("CARGO_PKG_VERSION") => {
            Err(Error::conflict(format!("the daemon is version {}", identity["version"]))
                .hint("`backoffice daemon restart` brings it up to this one"))
        }
        _ => Ok(()),
    }
}

fn settled(open: &[(PathBuf, Option<String>)]) -> Result<()> {
    match open.first() {
        None => Ok(()),
        Some((path, _)) => Err(Error::conflict(format!(
            "{} files were promised and are lost, the first is {}",
            open.len(),
            path.display()
        ))
        .hint("put the documents back from your version control, or restore a backup")),
    }
}

fn is_private(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path)
            .map_err(|error| Error::io(error, format!("look at `{}`", path.display())))?
            .permissions()
            .mode();
        if mode & 0o077 != 0 {
            let shown = format!("`{}` is open to other users (mode {:o})", path.display(), mode & 0o777);
            return Err(Error::conflict(shown).hint("take their permissions away with chmod go= on it"));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn is_writable(folder: &Path) -> Result<()> {
    let probe = folder.join(".doctor");
    paths::create_private_folder(folder)?;
    fs::write(&probe, "").and_then(|()| fs::remove_file(&probe)).map_err(|error| {
        Error::io(error, format!("write to the log folder `{}`", folder.display()))
            .hint("tools go on working, but nothing is logged; check its owner and permissions")
    })
}
