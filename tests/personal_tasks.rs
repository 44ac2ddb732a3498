//! Personal to-dos: exactly the contract, and strict isolation.

use std::sync::Arc;

use backoffice::db::Mode;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::office::TestOffice;

const NOBODYS: &str = "00000000-0000-4000-8000-00000000ffff";

fn add(office: &TestOffice, user: &str, title: &str) -> Value {
    office.value(&Arc::new(office.owner()), "add_task", json!({"user_id": user, "title": title}))["task_id"]
        .clone()
}

#[test]
fn a_task_from_first_to_last() {
    let office = TestOffice::new();
    assert_snapshot!(office.call("add_task", json!({"user_id": "ann", "title": "  Buy milk ", "description": "2 l"})), @r#"
    {
      "task_id": "00000000-0000-4000-8000-000000000001",
      "title": "Buy milk",
      "status": "pending",
      "created_at": "2025-10-20T14:30:05.123Z"
    }
    "#);
    let id = "00000000-0000-4000-8000-000000000001";
    assert_snapshot!(office.call("list_tasks", json!({"user_id": "ann"})), @r#"
    {
      "tasks": [
        {
          "task_id": "00000000-0000-4000-8000-000000000001",
          "title": "Buy milk",
          "description": "2 l",
          "status": "pending",
          "priority": "Medium",
          "created_at": "2025-10-20T14:30:05.123Z"
        }
      ]
    }
    "#);
    assert_snapshot!(office.call("update_task", json!({"user_id": "ann", "task_id": id, "title": "Buy oat milk", "priority": "High"})), @r#"
    {
      "task_id": "00000000-0000-4000-8000-000000000001",
      "title": "Buy oat milk",
      "description": "2 l",
      "status": "pending"
    }
    "#);
    assert_snapshot!(office.call("complete_task", json!({"user_id": "ann", "task_id": id})), @r#"
    {
      "task_id": "00000000-0000-4000-8000-000000000001",
      "title": "Buy oat milk",
      "status": "completed"
    }
    "#);
    assert_snapshot!(office.call("delete_task", json!({"user_id": "ann", "task_id": id})), @r#"
    {
      "success": true,
      "message": "Task deleted successfully"
    }
    "#);
    assert_snapshot!(office.call("list_tasks", json!({"user_id": "ann"})), @r#"
    {
      "tasks": []
    }
    "#);
}

#[test]
fn completing_twice_is_the_same_answer_deleting_twice_is_not() {
    let office = TestOffice::new();
    let id = add(&office, "ann", "x");
    let complete = || office.call("complete_task", json!({"user_id": "ann", "task_id": id}));
    assert_eq!(complete(), complete());
    office.call("delete_task", json!({"user_id": "ann", "task_id": id}));
    assert_snapshot!(office.call("delete_task", json!({"user_id": "ann", "task_id": id})), @r#"failed {"error":{"code":404,"message":"Task not found; list_tasks shows the tasks of a user"}}"#);
}

#[test]
fn another_users_task_is_as_unknown_as_none() {
    let office = TestOffice::new();
    let id = add(&office, "ann", "secret");
    for (tool, extra) in
        [("update_task", json!({"title": "mine"})), ("complete_task", json!({})), ("delete_task", json!({}))]
    {
        let arguments = |id: &Value| {
            let mut arguments = extra.clone();
            arguments["user_id"] = "bob".into();
            arguments["task_id"] = id.clone();
            arguments
        };
        let foreign = office.call(tool, arguments(&id));
        assert_eq!(foreign, office.call(tool, arguments(&json!(NOBODYS))), "{tool}");
        assert!(foreign.starts_with(r#"failed {"error":{"code":404,"#), "{foreign}");
    }
    let listed = office.value(&Arc::new(office.owner()), "list_tasks", json!({"user_id": "bob"}));
    assert_eq!(listed["tasks"], json!([]));
}

#[test]
fn a_pinned_caller_speaks_for_itself_only() {
    let office = TestOffice::new();
    let id = add(&office, "ann", "x");
    for (tool, arguments) in [
        ("add_task", json!({"user_id": "ann", "title": "x"})),
        ("list_tasks", json!({"user_id": "ann"})),
        ("update_task", json!({"user_id": "ann", "task_id": id, "title": "y"})),
        ("complete_task", json!({"user_id": "ann", "task_id": id})),
        ("delete_task", json!({"user_id": "ann", "task_id": id})),
    ] {
        let told = office.call_as(office.pinned("frank.davis"), tool, arguments);
        assert_eq!(
            told,
            r#"failed {"error":{"code":403,"message":"this connection may only use the tasks of its own user; use user_id `frank.davis`"}}"#,
            "{tool}"
        );
    }
    let own = office.call_as(
        office.pinned("frank.davis"),
        "add_task",
        json!({"user_id": "frank.davis", "title": "x"}),
    );
    assert!(own.contains("pending"), "{own}");
}

#[test]
fn tasks_survive_a_restart() {
    let office = TestOffice::new();
    add(&office, "ann", "keep me");
    let office = office.reopened(Mode::Full);
    let listed = office.value(&Arc::new(office.owner()), "list_tasks", json!({"user_id": "ann"}));
    assert_eq!(listed["tasks"][0]["title"], "keep me");
}

#[test]
fn a_thousand_tasks_come_in_one_answer_and_more_in_pages() {
    let office = TestOffice::new();
    let session = Arc::new(office.owner());
    for number in 0..1003 {
        let arguments =
            json!({"user_id": "ann", "title": format!("task {number}"), "description": "d".repeat(200)});
        office.value(&session, "add_task", arguments);
    }
    let page = office.value(&session, "list_tasks", json!({"user_id": "ann"}));
    assert_eq!(page["tasks"].as_array().unwrap().len(), 1000);
    let rest = json!({"user_id": "ann", "cursor": page["next_cursor"]});
    let rest = office.value(&session, "list_tasks", rest);
    let titles: Vec<_> = rest["tasks"].as_array().unwrap().iter().map(|task| task["title"].clone()).collect();
    assert_eq!(titles, ["task 1000", "task 1001", "task 1002"]);
    let stolen = json!({"user_id": "bob", "cursor": page["next_cursor"]});
    assert!(office.call("list_tasks", stolen).contains("`cursor` does not belong to this listing"));
}

#[test]
fn the_status_filter_narrows() {
    let office = TestOffice::new();
    let session = Arc::new(office.owner());
    let done = add(&office, "ann", "done");
    add(&office, "ann", "open");
    office.value(&session, "complete_task", json!({"user_id": "ann", "task_id": done}));
    let titles = |status: &str| -> Vec<Value> {
        let listed = office.value(&session, "list_tasks", json!({"user_id": "ann", "status": status}));
        listed["tasks"].as_array().unwrap().iter().map(|task| task["title"].clone()).collect()
    };
    assert_eq!(titles("all"), ["done", "open"]);
    assert_eq!(titles("pending"), ["open"]);
    assert_eq!(titles("completed"), ["done"]);
}

#[test]
fn bad_arguments_are_refused_in_the_contracts_form() {
    let office = TestOffice::new();
    let id = add(&office, "ann", "x");
    let cases = [
        ("add_task", json!({"user_id": "ann", "title": "   "})),
        ("add_task", json!({"user_id": "ann", "title": ""})),
        ("add_task", json!({"user_id": "ann", "title": "x".repeat(256)})),
        ("add_task", json!({"user_id": "ann", "title": "x", "description": "y".repeat(2001)})),
        ("add_task", json!({"user_id": "ann"})),
        ("add_task", json!({"title": "x"})),
        ("add_task", json!({"user_id": "ann", "title": "x", "priority": "high"})),
        ("add_task", json!({"user_id": "ann", "titel": "x"})),
        ("list_tasks", json!({"user_id": "ann", "status": "in_progress"})),
        ("list_tasks", json!({"user_id": "ann", "limit": 1001})),
        ("update_task", json!({"user_id": "ann", "task_id": id})),
        ("update_task", json!({"user_id": "ann", "task_id": id, "title": " "})),
        ("complete_task", json!({"user_id": "ann", "task_id": "7"})),
        ("delete_task", json!({"user_id": "ann", "task_id": "TASK-001"})),
        ("delete_task", json!({"task_id": id})),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .map(|(tool, arguments)| format!("{tool} {}", office.call(tool, arguments)))
        .collect();
    assert_snapshot!(told.join("\n"), @r#"
    add_task failed {"error":{"code":400,"message":"`title` is blank, expected 1 to 255 characters"}}
    add_task failed {"error":{"code":400,"message":"`title` is 0 characters, expected 1 to 255 characters"}}
    add_task failed {"error":{"code":400,"message":"`title` is 256 characters, expected 1 to 255 characters"}}
    add_task failed {"error":{"code":400,"message":"`description` is 2001 characters, expected at most 2000 characters"}}
    add_task failed {"error":{"code":400,"message":"`title` is missing"}}
    add_task failed {"error":{"code":400,"message":"`user_id` is missing"}}
    add_task failed {"error":{"code":400,"message":"`priority` is \"high\", expected one of High, Medium, Low; did you mean `High`?"}}
    add_task failed {"error":{"code":400,"message":"unknown argument `titel`; did you mean `title`?"}}
    list_tasks failed {"error":{"code":400,"message":"`status` is \"in_progress\", expected one of all, pending, completed"}}
    list_tasks failed {"error":{"code":400,"message":"`limit` is 1001, expected a whole number from 1 to 1000"}}
    update_task failed {"error":{"code":400,"message":"nothing to change; give title, description or priority"}}
    update_task failed {"error":{"code":400,"message":"`title` is blank, expected 1 to 255 characters"}}
    complete_task failed {"error":{"code":400,"message":"`task_id` is not a UUID"}}
    delete_task failed {"error":{"code":400,"message":"`TASK-001` is a task of a project's queue, not a personal one; queue tasks are completed with complete_task and never deleted"}}
    delete_task failed {"error":{"code":400,"message":"`user_id` is missing, expected a text"}}
    "#);
    let listed = office.value(&Arc::new(office.owner()), "list_tasks", json!({"user_id": "ann"}));
    assert_eq!(listed["tasks"].as_array().unwrap().len(), 1, "nothing was changed");
}

#[test]
fn both_scopes_or_none_is_a_protocol_error() {
    let office = TestOffice::new();
    for (tool, arguments) in [
        ("add_task", json!({})),
        (
            "add_task",
            json!({"user_id": "ann", "title": "x", "tasks": [{"artifact_id": "HLS-001", "generator": "hls-generator", "inputs": []}]}),
        ),
        ("add_task", json!({"user_id": "ann", "title": "x", "project_id": "shop"})),
        ("list_tasks", json!({})),
        ("list_tasks", json!({"user_id": "ann", "project_id": "shop"})),
        ("complete_task", json!({"task_id": NOBODYS})),
        ("complete_task", json!({"user_id": "ann", "project_id": "shop", "task_id": NOBODYS})),
    ] {
        let told = office.call(tool, arguments.clone());
        assert!(told.starts_with("-32602 Invalid params: give either "), "{tool} {arguments}: {told}");
    }
}
