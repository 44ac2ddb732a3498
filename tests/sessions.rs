//! What a connection is: its caller, its toolsets, read-only or not, its place.

use std::sync::Arc;

use backoffice::db::{Mode, audit};
use backoffice::families;
use backoffice::tool::session::Toolsets;
use insta::assert_snapshot;
use serde_json::json;

use crate::office::TestOffice;

#[test]
fn whoami_tells_caller_and_place() {
    let office = TestOffice::new();
    assert_snapshot!(office.call_as(office.pinned("nina.patel"), "whoami", json!({})), @r#"
    {
      "user_id": "nina.patel",
      "name": "Nina Patel",
      "roles": [
        "employee",
        "manager"
      ],
      "department": "Engineering",
      "pinned": true,
      "toolsets": [
        "all"
      ],
      "repository": null,
      "project_id": "shop",
      "email": "nina.patel@quillmere.example",
      "employee_id": "7722c76b-5449-8792-9157-b2e46c87ac2f",
      "may_not_call": [
        "approve_budget",
        "delete_invoice",
        "delete_employee",
        "update_salary",
        "close_deal",
        "delete_customer",
        "get_customer",
        "get_pipeline",
        "close_ticket"
      ]
    }
    "#);
    let session = office.in_repository(&[]);
    let told = office.value(&Arc::new(session), "whoami", json!({}));
    assert_eq!(told["project_id"], "shop");
    assert_eq!(told["repository"], office.repository().canonicalize().unwrap().to_str().unwrap());
    assert_eq!((&told["user_id"], &told["pinned"]), (&json!("olivia"), &json!(false)));
}

#[test]
fn the_eight_people_of_the_directory_have_their_roles() {
    let office = TestOffice::new();
    let people = [
        "eve.thompson",
        "alice.chen",
        "bob.martinez",
        "carol.johnson",
        "dan.williams",
        "nina.patel",
        "marcus.johnson",
        "frank.davis",
    ];
    let told: Vec<String> = people
        .iter()
        .map(|login| {
            let caller = office.pinned(login).caller;
            let roles: Vec<_> = caller.roles.iter().map(ToString::to_string).collect();
            format!("{} ({}): {}", caller.name, caller.department.unwrap_or_default(), roles.join(" "))
        })
        .collect();
    assert_snapshot!(told.join("\n"), @"
    Eve Thompson (Executive): employee manager executive hr-read finance-read sales-read support-read
    Alice Chen (Human Resources): employee manager hr-read hr-write
    Bob Martinez (Finance): employee manager finance-read finance-write
    Carol Johnson (Sales): employee manager sales-read sales-write
    Dan Williams (Customer Support): employee manager support-read
    Nina Patel (Engineering): employee manager
    Marcus Johnson (Engineering): employee
    Frank Davis (IT): employee
    ");
}

#[test]
fn a_misspelt_person_and_toolset_get_a_hint() {
    let office = TestOffice::new();
    let error = office.office.db.read(|tx| backoffice::db::people::pinned(tx, "frank.davies")).unwrap_err();
    assert_eq!(error.hint_text(), Some("did you mean `frank.davis`?"));
    let error = Toolsets::parse("ids,task", families::ALL).unwrap_err();
    assert!(error.hint_text().unwrap().starts_with("did you mean `tasks`?"));
}

#[test]
fn toolsets_choose_tools_and_the_desk_is_always_there() {
    let office = TestOffice::new();
    let names = |list: &str| -> Vec<&str> {
        let mut session = office.owner();
        session.toolsets = Toolsets::parse(list, families::ALL).unwrap();
        office
            .office
            .offered(&session)
            .map(|(family, _)| family.name)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    };
    assert_eq!(names("ids"), ["desk", "ids"]);
    assert_eq!(names("workflow"), ["artifacts", "desk", "docs", "ids", "tasks"]);
    assert_eq!(names("domain"), ["desk", "finance", "hr", "sales", "support"]);
    assert_eq!(names("tasks , ids"), ["desk", "ids", "tasks"]);
    assert_eq!(
        names("ids,all"),
        ["artifacts", "desk", "docs", "finance", "hr", "ids", "preflight", "sales", "support", "tasks",]
    );
    let mut session = office.owner();
    session.toolsets = Toolsets::parse("tasks", families::ALL).unwrap();
    let told = office.call_as(session, "get_next_available_id", json!({"artifact_type": "US"}));
    assert!(told.starts_with("-32602 Invalid params: unknown tool `get_next_available_id`"), "{told}");
}

#[test]
fn a_read_only_connection_has_no_writing_tool_and_a_file_it_cannot_write() {
    let office = TestOffice::new().reopened(Mode::AuditOnly);
    let mut session = office.owner();
    session.read_only = true;
    let writing: Vec<_> = office.office.offered(&session).filter(|(_, tool)| !tool.is_read()).collect();
    assert!(writing.is_empty());
    // Even if a tool were called by force, SQLite refuses.
    let forced = office.call("get_next_available_id", json!({"artifact_type": "US"}));
    assert!(forced.starts_with("-32000 Permission denied: this connection is read-only"), "{forced}");
    let trail = office.office.db.read(|tx| audit::newest(tx, &audit::Filter::default(), 10)).unwrap();
    assert_eq!(trail[0].outcome, "forbidden", "the audit trail is written all the same");
}

#[test]
fn a_write_and_its_audit_row_are_one_and_failures_are_kept_too() {
    let office = TestOffice::new();
    office.call("get_next_available_id", json!({"artifact_type": "US", "task_id": "abc-123"}));
    office.call("confirm_reservation", json!({"reservation_id": "nobody"}));
    office.call("whoami", json!({}));
    let trail = office.office.db.read(|tx| audit::newest(tx, &audit::Filter::default(), 10)).unwrap();
    let seen: Vec<_> = trail
        .iter()
        .map(|entry| (entry.tool.as_str(), entry.outcome.as_str(), entry.correlation_id.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [("confirm_reservation", "not_found", None), ("get_next_available_id", "ok", Some("abc-123"))]
    );
    assert_eq!((trail[0].caller.as_str(), trail[0].client.as_str()), ("olivia", "test"));
}

#[test]
fn a_read_only_connection_sees_what_has_run_out_as_expired() {
    let office = TestOffice::new();
    office.call("reserve_id_range", json!({"artifact_type": "US", "count": 1}));
    office.clock.advance(std::time::Duration::from_secs(16 * 60));
    let office = office.reopened(Mode::AuditOnly);
    let mut session = office.owner();
    session.read_only = true;
    let session = Arc::new(session);
    let states = |filter: serde_json::Value| -> Vec<serde_json::Value> {
        let page = office.value(&session, "list_reservations", filter);
        page["reservations"].as_array().unwrap().iter().map(|row| row["state"].clone()).collect()
    };
    assert_eq!(states(json!({})), ["expired"]);
    assert_eq!(states(json!({"state": "expired"})), ["expired"]);
    assert!(states(json!({"state": "active"})).is_empty());
}
