//! The log: the events of the contract, values summarised, never content.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::Client;

fn lines(home: &Path) -> Vec<Value> {
    let mut text = String::new();
    for entry in fs::read_dir(home.join("data/logs")).unwrap() {
        text.push_str(&fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_call_leaves_its_events_with_ids_and_without_words() {
    let home = tempfile::tempdir().unwrap();
    let mut command = crate::client::command(home.path());
    command.env("BACKOFFICE_LOG", "backoffice=info,trace");
    let mut client = Client::spawn(command, &[]);
    client.initialize("2025-11-25");
    client.value("reserve_id_range", json!({"artifact_type": "US", "count": 2, "task_id": "abc-123"}));
    client.call("confirm_reservation", json!({"reservation_id": "nobody"}));
    client.value("add_task", json!({"user_id": "ann", "title": "call the bank about PIN 4711"}));
    client.leave();
    let lines = lines(home.path());
    let events: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert_eq!(
        events,
        [
            "reserve_id_range_invocation_started",
            "reserve_id_range_invocation_completed",
            "confirm_reservation_invocation_started",
            "confirm_reservation_invocation_failed",
            "add_task_invocation_started",
            "add_task_invocation_completed",
        ]
    );
    let done = &lines[1];
    assert_eq!((&done["task_id"], &done["success"]), (&json!("abc-123"), &json!(true)));
    assert_eq!(done["reserved_ids"], json!(["US-001", "US-002"]));
    assert!(done["duration_ms"].is_number() && done["timestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!((&lines[3]["error_type"], &lines[3]["success"]), (&json!("not_found"), &json!(false)));
    assert!(!lines.iter().any(|line| line.to_string().contains("4711")), "what people write is not logged");
}

#[test]
fn a_log_that_cannot_be_written_fails_no_tool() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("data")).unwrap();
    fs::write(home.path().join("data/logs"), "a file where the folder should be").unwrap();
    let mut client = Client::start(home.path(), &[]);
    assert_eq!(client.value("get_next_available_id", json!({"artifact_type": "US"}))["next_id"], "US-001");
}

#[test]
fn a_misspelt_argument_takes_no_words_into_the_log() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    client.call("add_task", json!({"user_id": "ann", "titel": "about the divorce", "x".repeat(5000): 1}));
    client.leave();
    let lines = lines(home.path());
    assert!(
        lines.iter().all(|line| line.to_string().len() < 5000 && !line.to_string().contains("divorce")),
        "{lines:?}"
    );
}
