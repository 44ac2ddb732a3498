use std::fs;
use std::process::{Command, Stdio};

use super::*;

struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Repository(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit("README.md", "# text\n");
        repository
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, arguments: &[&str]) {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let mut git = Command::new("git");
        git.arg("-C").arg(self.root()).args(who).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(git.status().unwrap().success(), "{arguments:?}");
    }

    fn commit(&self, file: &str, text: &str) {
        let path = self.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--no-verify", "-m", "x"]);
    }

    fn highest(&self) -> Option<String> {
        highest(self.root()).map(|uid| uid.to_string())
    }
}

#[test]
fn every_branch_counts_and_a_new_commit_is_seen() {
    let repository = Repository::new();
    assert_eq!(repository.highest(), None);
    repository.git(&["checkout", "-q", "-b", "one"]);
    repository.commit("docs/adr/20310101T000000.000Z-0001_a.md", "x");
    assert_eq!(repository.highest().as_deref(), Some("20310101T000000.000Z-0001"));
    repository.git(&["checkout", "-q", "main"]);
    repository.commit("docs/archive/task/20320101T000000.000Z-0001_b.md", "x");
    assert_eq!(repository.highest().as_deref(), Some("20320101T000000.000Z-0001"));
    repository.git(&["checkout", "-q", "-b", "two"]);
    repository.commit("docs/CURRENT_TASK.md", "<!-- UID: 20330101T000000.000Z-0001 -->\n# T\n");
    // A branch that only the other side has.
    repository.git(&["update-ref", "refs/remotes/origin/two", "HEAD"]);
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["branch", "-q", "-D", "two"]);
    assert_eq!(repository.highest().as_deref(), Some("20330101T000000.000Z-0001"));
    assert_eq!(repository.highest(), repository.highest());
}

/// Names that would be options, or commands for a shell.
#[test]
fn names_of_branches_are_never_part_of_a_question() {
    let repository = Repository::new();
    repository.commit("docs/adr/20310101T000000.000Z-0001_a.md", "x");
    for name in [
        "--output=pwned",
        "-rf",
        "$(touch pwned)",
        "a;touch${IFS}pwned",
        "`touch pwned`",
        "HEAD@{1}",
        "ümläut",
    ] {
        let file = format!("refs/heads/{name}");
        // Some of them git itself refuses; what it takes must do no harm.
        let mut git = Command::new("git");
        git.arg("-C").arg(repository.root()).args(["update-ref", &file, "HEAD"]).stderr(Stdio::null());
        let _ = git.status().unwrap();
    }
    assert_eq!(repository.highest().as_deref(), Some("20310101T000000.000Z-0001"));
    assert!(!repository.root().join("pwned").exists());
}

#[test]
fn a_broken_repository_is_gone_on_without() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    assert_eq!(highest(folder.path()), None);
    let repository = Repository::new();
    repository.commit("docs/adr/20310101T000000.000Z-0001_a.md", "x");
    // Below a repository, a folder with a broken `.git` of its own is not that repository.
    let inner = repository.root().join("inner");
    fs::create_dir_all(inner.join(".git")).unwrap();
    assert_eq!(highest(&inner), None);
    repository.git(&["branch", "-q", "good"]);
    fs::write(repository.root().join(".git/refs/heads/main"), "0123456789012345678901234567890123456789\n")
        .unwrap();
    assert_eq!(repository.highest().as_deref(), Some("20310101T000000.000Z-0001"), "the good branch counts");
}
