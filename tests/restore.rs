//! Backup and restore, with servers at work.

use std::fs;

use serde_json::json;

use crate::client::{Client, backoffice};

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
