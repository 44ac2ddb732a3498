//! Asks git about a repository: nothing but what lies on this disk, and never another repository.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The variables by which git would look at another repository; a hook that calls us has set them.
const ELSEWHERE: [&str; 6] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE"];

/// What git prints; none where it is not installed or dislikes the repository.
pub fn ask(root: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = command(root, arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// The same for a command that reads what it is asked.
pub fn ask_with(root: &Path, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut child = command(root, arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut asking = child.stdin.take()?;
    // Asking and reading at once: git stops reading when nobody takes its answers.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || asking.write_all(input));
        child.wait_with_output()
    });
    output.ok().filter(|output| output.status.success()).map(|output| output.stdout)
}

fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(arguments).stderr(Stdio::null());
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    // No lock, no network for what a partial clone has not fetched, no question to a person.
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    // Where `.git` is broken, the repository around it is not meant.
    if let Some(above) = root.parent() {
        command.env("GIT_CEILING_DIRECTORIES", above);
    }
    command
}
