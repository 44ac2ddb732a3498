//! `ids scan`: numbers of documents that exist, on every branch and in every worktree.

use std::fs;
use std::path::Path;
use std::process::Command;

use backoffice::families::ids::scan::scan;
use serde_json::json;

use crate::client::backoffice;

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
    let done = Command::new("git").arg("-C").arg(folder).args(identity).args(arguments).output().unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A repository with a second branch, a linked worktree, and files that are in no commit.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("shop");
    fs::create_dir(&shop).unwrap();
    git(&shop, &["init", "-q", "-b", "main"]);
    write(&shop, "artifacts/backlog_stories/US-040_cart_v3.md", "# User Story: Cart\n");
    write(&shop, "artifacts/tasks/TASK-001_v2.md", "## Metadata\n- **Task ID:** TASK-034\n");
    write(&shop, "node_modules/x/US-999.md", "");
    git(&shop, &["add", "-f", "artifacts"]);
    git(&shop, &["commit", "-qm", "one"]);
    git(&shop, &["checkout", "-qb", "feature/ä"]);
    write(&shop, "artifacts/hls/HLS-011_v1.md", "");
    git(&shop, &["add", "-f", "artifacts"]);
    git(&shop, &["commit", "-qm", "two"]);
    git(&shop, &["checkout", "-q", "main"]);
    git(&shop, &["worktree", "add", "-q", "../shop-fix", "-b", "fix"]);
    write(&folder.path().join("shop-fix"), "drafts/PRD-007.md", "not committed");
    write(&shop, "EPIC-003_v1_metadata.json", "{}");
    folder
}

#[test]
fn every_branch_and_worktree_counts() {
    let folder = repository();
    let found = scan(&folder.path().join("shop"), &mut |_| {}).unwrap();
    let highest: Vec<_> =
        found.highest.iter().map(|(prefix, highest)| (prefix.as_str(), highest.number)).collect();
    assert_eq!(highest, [("EPIC", 3), ("HLS", 11), ("PRD", 7), ("TASK", 34), ("US", 40)]);
    assert_eq!((found.worktrees, found.branches), (2, 3));
    assert_eq!(found.highest["HLS"].source, "artifacts/hls/HLS-011_v1.md on feature/ä");
}

#[test]
fn a_folder_outside_a_repository_is_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a/US-007.md", "");
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", folder.path().join("a/up")).unwrap();
    let found = scan(folder.path(), &mut |_| {}).unwrap();
    assert_eq!((found.highest["US"].number, found.documents), (7, 1));
    assert!(scan(&folder.path().join("nowhere"), &mut |_| {}).is_err());
}

#[test]
fn the_command_shows_first_sets_when_told_and_never_lowers() {
    let (folder, home) = (repository(), tempfile::tempdir().unwrap());
    let shop = folder.path().join("shop");
    let shop = shop.to_str().unwrap();
    let run = |arguments: &[&str]| backoffice(home.path(), arguments);
    for _ in 0..50 {
        run(&["--project", "shop", "ids", "next", "US"]);
    }
    let shown = run(&["--json", "ids", "scan", shop]).json();
    assert_eq!((&shown["applied"], &shown["project_id"]), (&json!(false), &json!("shop")));
    assert_eq!(run(&["--project", "shop", "ids", "next", "HLS"]).stdout, "HLS-001\n");
    let set = run(&["ids", "scan", shop, "--yes"]);
    assert!(set.stdout.contains("hls            HLS-011        HLS-001     HLS-011"), "{}", set.stdout);
    assert!(set.stdout.contains("backlog_story  US-040         US-050      US-050"), "{}", set.stdout);
    assert_eq!(run(&["--project", "shop", "ids", "next", "HLS"]).stdout, "HLS-012\n");
    assert_eq!(run(&["--project", "shop", "ids", "next", "US"]).stdout, "US-051\n");
    let again = run(&["--json", "ids", "scan", shop, "--yes"]).json();
    assert_eq!(again["applied"], false, "there is nothing left to raise");
}
