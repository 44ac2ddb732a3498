//! Backup and restore, with servers at work.

use std::fs;

use serde_json::json;

use crate::client::{Client, backoffice, settle};

#[test]
fn a_backup_is_one_checked_file_and_never_overwrites() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    client.value("add_task", json!({"user_id": "ann", "title": "keep"}));
    let file = home.path().join("copy.db");
    let file = file.to_str().unwrap();
    let made = backoffice(home.path(), &["--json", "backup", file]).json();
    assert_eq!(made["checked"], true);
    let again = backoffice(home.path(), &["backup", file]);
    assert_eq!(again.code, 5, "{}", again.stderr);
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
}

/// The heart of it: a server that stays open over the restore sees the old data again, and no
/// number that was given meanwhile is given again.
#[test]
fn open_servers_go_on_and_no_counter_falls() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &["--project", "shop"]);
    let next = |client: &mut Client| {
        client.value("get_next_available_id", json!({"artifact_type": "US"}))["next_id"].clone()
    };
    assert_eq!(next(&mut client), "US-001");
    client.value("add_task", json!({"user_id": "ann", "title": "before"}));
    let file = home.path().join("copy.db");
    let file = file.to_str().unwrap();
    backoffice(home.path(), &["backup", file]);
    assert_eq!(next(&mut client), "US-002");
    client.value("reserve_id_range", json!({"artifact_type": "HLS", "count": 3}));
    client.value("add_task", json!({"user_id": "ann", "title": "after"}));

    let asked = backoffice(home.path(), &["restore", file]);
    assert_eq!(asked.code, 5, "without --yes and without a terminal nothing happens: {}", asked.stderr);
    let done = backoffice(home.path(), &["--json", "restore", file, "--yes"]).json();
    assert_eq!(done["counters_kept"], 2);
    assert!(fs::metadata(done["kept"].as_str().unwrap()).unwrap().len() > 0, "the old file is kept beside");

    let listed = client.value("list_tasks", json!({"user_id": "ann"}));
    let titles: Vec<_> =
        listed["tasks"].as_array().unwrap().iter().map(|task| task["title"].clone()).collect();
    assert_eq!(titles, ["before"]);
    assert_eq!(next(&mut client), "US-003");
    assert_eq!(client.value("get_next_available_id", json!({"artifact_type": "HLS"}))["next_id"], "HLS-004");
    assert_eq!(backoffice(home.path(), &["doctor"]).code, 0);
}

#[test]
fn what_is_no_backup_is_refused_and_nothing_changes() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| backoffice(home.path(), arguments);
    run(&["tasks", "add", "keep"]);
    let file = home.path().join("garbage.db");
    fs::write(&file, "garbage".repeat(1000)).unwrap();
    let refused = run(&["restore", file.to_str().unwrap(), "--yes"]);
    assert_eq!(refused.code, 7, "{}", refused.stderr);
    assert_eq!(run(&["restore", "nowhere.db", "--yes"]).code, 3);
    assert!(run(&["tasks"]).stdout.contains("keep"));
    let left = fs::read_dir(home.path().join("data"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("restoring"));
    assert_eq!(left.count(), 0);
}

#[test]
fn a_restore_into_an_empty_home_brings_everything() {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    backoffice(old.path(), &["tasks", "add", "moved"]);
    let file = old.path().join("copy.db");
    backoffice(old.path(), &["backup", file.to_str().unwrap()]);
    let done = backoffice(new.path(), &["restore", file.to_str().unwrap()]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(backoffice(new.path(), &["tasks"]).stdout.contains("moved"));
}

/// A log left behind by a killed process was once replayed into the restored file.
#[test]
fn a_log_that_an_old_file_left_behind_does_not_reach_the_restored_one() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| backoffice(home.path(), arguments);
    run(&["tasks", "add", "old"]);
    let file = home.path().join("copy.db");
    let file = file.to_str().unwrap();
    run(&["backup", file]);
    let mut client = Client::start(home.path(), &[]);
    for number in 0..50 {
        client.value("add_task", json!({"user_id": "olivia", "title": format!("new {number}")}));
    }
    client.kill();
    let data = home.path().join("data");
    assert!(fs::metadata(data.join("backoffice.db-wal")).unwrap().len() > 0);
    fs::remove_file(data.join("backoffice.db")).unwrap();
    assert_eq!(run(&["restore", file, "--yes"]).code, 0);
    assert_eq!(run(&["doctor"]).code, 0);
    let shown = run(&["tasks"]).stdout;
    assert!(shown.contains("old") && !shown.contains("new"), "{shown}");
}

#[test]
fn a_damaged_file_is_moved_aside_and_its_counters_are_kept_as_far_as_they_can_be_read() {
    for damage in [&b"garbage"[..], &[0; 4096]] {
        let home = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| backoffice(home.path(), arguments);
        run(&["tasks", "add", "keep"]);
        let file = home.path().join("copy.db");
        let file = file.to_str().unwrap();
        run(&["backup", file]);
        let data = home.path().join("data/backoffice.db");
        settle(&data);
        let mut bytes = fs::read(&data).unwrap();
        let at = if damage.len() > 100 { 8192 } else { 0 };
        bytes[at..at + damage.len()].copy_from_slice(damage);
        fs::write(&data, bytes).unwrap();
        assert_eq!(run(&["doctor"]).code, 5);
        let restored = run(&["--json", "restore", file, "--yes"]);
        assert_eq!(restored.code, 0, "{}", restored.stderr);
        assert_eq!(restored.json()["was_damaged"], true);
        assert!(fs::exists(restored.json()["kept"].as_str().unwrap()).unwrap());
        assert_eq!(run(&["doctor"]).code, 0);
        assert!(run(&["tasks"]).stdout.contains("keep"));
    }
}

/// Every commit of somebody else used to begin the copy again; it never ended.
#[test]
fn a_backup_ends_while_somebody_writes() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    let words = "w".repeat(2000);
    for number in 0..1500 {
        let arguments = json!({"user_id": "ann", "title": format!("{number}"), "description": words});
        client.ask("tools/call", json!({"name": "add_task", "arguments": arguments}));
        client.message().unwrap();
    }
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                client.value("get_next_available_id", json!({"artifact_type": "US"}));
            }
        });
        let file = home.path().join("copy.db");
        let made = backoffice(home.path(), &["backup", file.to_str().unwrap()]);
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(made.code, 0, "{}", made.stderr);
    });
}

/// A backup that was copied into place by hand has no write-ahead log; restoring over it hung.
#[test]
fn a_restore_over_a_plain_copy_works() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| backoffice(home.path(), arguments);
    run(&["tasks", "add", "one"]);
    run(&["backup", "copy.db"]);
    let copy = home.path().join("copy.db");
    let data = home.path().join("data/backoffice.db");
    settle(&data);
    fs::copy(&copy, data).unwrap();
    let restored = run(&["restore", "copy.db", "--yes"]);
    assert_eq!(restored.code, 0, "{}", restored.stderr);
    assert!(run(&["tasks"]).stdout.contains("one"));
    assert_eq!(run(&["--read-only", "restore", "copy.db", "--yes"]).code, 4);
}
