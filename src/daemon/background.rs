//! Starting and stopping a daemon from another process.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::control::does_not_answer;
use super::{Control, DaemonLock, ask};
use crate::clock::Stopwatch;
use crate::error::{Error, Kind, Result};
use crate::paths::{Home, create_private_folder, private_file};
use crate::tool::session::Wish;

const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks at a process that is starting or ending.
const LOOK: Duration = Duration::from_millis(15);

/// Makes sure that a daemon answers, and returns its identity. Several may try at once: the lock
/// lets one of them through, and all find that one.
pub fn start(home: &Home, program: &Path) -> Result<Value> {
    if let Some(identity) = ask(home, Control::Check, &Wish::default())? {
        return Ok(identity);
    }
    create_private_folder(&home.run())?;
    let complaints = home.run().join("daemon.err");
    let failed = |error| Error::io(error, "start the daemon");
    let mut command = Command::new(program);
    command.arg("--home").arg(home.folder()).args(["daemon", "--foreground"]);
    let said = private_file().write(true).truncate(true).open(&complaints).map_err(failed)?;
    // Not where its starter happens to be: that folder may be wanted, or go away.
    command.current_dir(home.folder());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
    // Its own group: what ends the terminal's programs does not end it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(failed)?;
    let since = Stopwatch::start();
    while since.elapsed() < PATIENCE {
        if let Some(identity) = ask(home, Control::Check, &Wish::default())? {
            // Somebody else was first: ours must not wait for the lock and come up later, unasked.
            if identity["pid"] != child.id() {
                let _ = child.kill();
                let _ = child.wait();
            }
            return Ok(identity);
        }
        let ended = child.try_wait().map_err(failed)?;
        if ended.is_some_and(|status| !status.success()) && !DaemonLock::is_held(home)? {
            return Err(could_not_start(&fs::read_to_string(&complaints).unwrap_or_default()));
        }
        std::thread::sleep(LOOK);
    }
    Err(does_not_answer())
}

/// What a daemon has said before it gave up, as an error of this process.
fn could_not_start(said: &str) -> Error {
    let mut lines = said.lines().map(str::trim);
    let why = lines.next().unwrap_or_default().trim_start_matches("error: ");
    let error = match why {
        "" => Error::conflict("the daemon could not start, and could not say why"),
        why => Error::conflict(format!("the daemon could not start: {why}")),
    };
    match lines.next().and_then(|line| line.strip_prefix("hint: ")) {
        Some(hint) => error.hint(hint),
        None => error.hint("`backoffice doctor` looks for the reason"),
    }
}

/// Asks the daemon to end and waits until it has. `false` means that none was running.
pub fn stop(home: &Home) -> Result<bool> {
    let since = Stopwatch::start();
    let asked = loop {
        match ask(home, Control::Stop, &Wish::default())? {
            Some(identity) => break identity["pid"].clone(),
            None if !DaemonLock::is_held(home)? => return Ok(false),
            // It is starting or ending: there is one, and it will be there or gone in a moment.
            None if since.elapsed() > PATIENCE => return Err(does_not_answer()),
            None => std::thread::sleep(LOOK),
        }
    };
    while DaemonLock::is_held(home)? {
        // Another one may have been started meanwhile; the one that was asked has ended then.
        let now = ask(home, Control::Check, &Wish::default())?;
        if now.is_some_and(|identity| identity["pid"] != asked) {
            break;
        }
        if since.elapsed() > PATIENCE {
            return Err(Error::new(Kind::Busy, "the daemon has not ended yet").hint("look again in a moment"));
        }
        std::thread::sleep(LOOK);
    }
    Ok(true)
}
