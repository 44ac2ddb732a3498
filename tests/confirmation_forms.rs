//! A person decides in the client's own form, in both eras; and never once a PIN is set.

use insta::assert_snapshot;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, backoffice};
use crate::forms::{accept, asked, fill_in, modern, older, retried, shows_forms};

const ALICE: [&str; 2] = ["--as", "alice.chen"];

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn delete_frank() -> Value {
    json!({"name": "delete_employee", "arguments": {"employee_id": "frank.davis"}})
}

fn frank_is_active(home: &TempDir) -> bool {
    let told = backoffice(home.path(), &["call", "get_employee", r#"{"employee_id":"EMP061"}"#]).json();
    told["data"]["active"] == true
}

#[test]
fn in_the_older_era_the_call_waits_for_the_person() {
    let home = home();
    let mut client = older(&home, &ALICE, "2025-11-25", shows_forms());
    let (call, form) = asked(&mut client, delete_frank());
    let message = form["params"]["message"].as_str().unwrap();
    let first = message.lines().next().unwrap();
    assert_snapshot!(first, @"Delete employee Frank Davis (frank.davis@quillmere.example)? This action cannot be undone.");
    for part in ["consequence: their login loses its roles", "active: true → false"] {
        assert!(message.contains(part), "{message}");
    }
    assert_snapshot!(form["params"]["requestedSchema"], @r#"{"type":"object","properties":{"approve":{"type":"boolean","title":"Do it?","description":"It happens once, if the data has not changed meanwhile","default":false}},"required":["approve"]}"#);
    assert!(frank_is_active(&home), "not yet");
    fill_in(&mut client, &form, accept(json!({"approve": true})));
    let answer = client.answer_to(&json!(call));
    let done = &answer["result"]["structuredContent"];
    assert_eq!(
        (&done["status"], &done["data"]["message"]),
        (&json!("success"), &json!("Employee Frank Davis has been deleted."))
    );
    assert!(answer["result"].get("_meta").is_none(), "the reply itself is the verdict: {answer}");
    assert!(!frank_is_active(&home));
    let trail = backoffice(home.path(), &["--json", "log", "--tool", "delete_employee"]).stdout;
    assert!(trail.contains(r#""how":"client form""#), "{trail}");
}

#[test]
fn in_the_newer_era_the_call_comes_again_with_the_decision_once() {
    let home = home();
    let mut client = Client::start_silent(home.path(), &ALICE);
    let asked = client.request("tools/call", modern(delete_frank()))["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let again = retried(delete_frank(), &asked["requestState"], accept(json!({"approve": true})));
    let answer = client.request("tools/call", again.clone());
    assert_eq!(answer["result"]["structuredContent"]["status"], "success", "{answer}");
    assert!(!frank_is_active(&home));
    let replayed = client.request("tools/call", again);
    assert_eq!(replayed["result"]["structuredContent"]["status"], "success", "what became of it: {replayed}");
    let trail = backoffice(home.path(), &["--json", "log", "--tool", "delete_employee"]).stdout;
    assert_eq!(trail.matches(r#""verdict":"executed""#).count(), 1, "{trail}");
}

/// What is not an answer leaves it to the other surfaces; a no is a no.
#[test]
fn whoever_closes_the_form_leaves_it_pending_and_whoever_declines_has_decided() {
    let home = home();
    let mut client = older(&home, &ALICE, "2025-11-25", shows_forms());
    for result in
        [json!({"action": "cancel"}), json!({"action": "accept"}), accept(json!({"approve": "yes"}))]
    {
        let (call, form) = asked(&mut client, delete_frank());
        fill_in(&mut client, &form, result.clone());
        let answer = client.answer_to(&json!(call));
        assert_eq!(
            answer["result"]["structuredContent"]["status"], "pending_confirmation",
            "{result} {answer}"
        );
    }
    for result in [json!({"action": "decline"}), accept(json!({"approve": false}))] {
        let (call, form) = asked(&mut client, delete_frank());
        fill_in(&mut client, &form, result.clone());
        let answer = client.answer_to(&json!(call));
        assert_eq!(answer["result"]["isError"], true, "{result} {answer}");
        let told = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(told.contains("the person declined"), "{told}");
    }
    assert!(frank_is_active(&home));
}

#[test]
fn a_client_without_forms_gets_the_card_and_goes_on() {
    let home = home();
    let mut client = Client::start(home.path(), &ALICE);
    let answer = client.request("tools/call", delete_frank());
    let card = &answer["result"]["structuredContent"]["confirmationData"];
    assert_eq!(
        (&card["action"], &card["mcpServer"], &card["user"]),
        (&json!("delete_employee"), &json!("hr"), &json!("alice.chen"))
    );
    assert!(card["timestamp"].is_i64() && backoffice::id::is_uuid(card["userId"].as_str().unwrap()));
    assert_eq!((&card["before"]["active"], &card["after"]["active"]), (&json!(true), &json!(false)));
}

#[cfg(unix)]
#[test]
fn once_a_pin_is_set_no_form_is_shown() {
    let home = home();
    let (place, pin) = (home.path(), ["approvals", "pin", "set"]);
    let mut terminal = crate::terminal::Terminal::start(place, place, 30, &pin);
    terminal.at("New PIN: ", &["2468\n"]).at("Again: ", &["2468\n"]).ends_with(0);
    let mut client = older(&home, &ALICE, "2025-11-25", shows_forms());
    let answer = client.request("tools/call", delete_frank());
    assert_eq!(answer["result"]["structuredContent"]["status"], "pending_confirmation", "{answer}");
    let mut newer = Client::start_silent(home.path(), &ALICE);
    let answer = newer.request("tools/call", modern(delete_frank()));
    assert_eq!(answer["result"]["structuredContent"]["status"], "pending_confirmation", "{answer}");
}
