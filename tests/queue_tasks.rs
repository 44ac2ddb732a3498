//! A project's queue: validated as a whole, claimed by one, returned when a lease runs out.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use backoffice::tool::session::Session;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::office::TestOffice;

const PRD: &str = "artifacts/prds/PRD-006_v3.md";
const RESEARCH: &str = "artifacts/research/shop_business_research.md";

fn prd() -> Value {
    json!({
        "name": "prd", "classification": "mandatory", "artifact_type": "prd", "artifact_id": "PRD-006",
        "resource_path": PRD, "mcp_resource_uri": format!("mcp://resources/{PRD}"), "status": "Approved",
    })
}

fn research() -> Value {
    json!({
        "name": "business_research", "classification": "recommended", "artifact_type": "research",
        "artifact_id": "N/A", "resource_path": RESEARCH, "resource_uri": format!("mcp://resources/{RESEARCH}"),
        "status": "Final",
    })
}

fn story(artifact_id: &str) -> Value {
    json!({"artifact_id": artifact_id, "generator": "hls-generator", "task_id": "gen-001", "inputs": [prd(), research()]})
}

fn in_shop(office: &TestOffice) -> Arc<Session> {
    Arc::new(office.in_repository(&[PRD, RESEARCH]))
}

/// An office whose queue holds the given artifacts.
fn queued(artifacts: &[&str]) -> (TestOffice, Arc<Session>) {
    let office = TestOffice::new();
    let session = in_shop(&office);
    let tasks: Vec<Value> = artifacts.iter().map(|id| story(id)).collect();
    office.value(&session, "add_task", json!({"tasks": tasks}));
    (office, session)
}

#[test]
fn a_batch_from_first_to_last() {
    let office = TestOffice::new();
    let call = |tool, arguments| office.call_as(office.in_repository(&[PRD, RESEARCH]), tool, arguments);
    let batch = json!({"tasks": [story("HLS-012"), story("HLS-013")], "task_id": "abc-123"});
    assert_snapshot!(call("add_task", batch), @r#"
    {
      "success": true,
      "tasks_added": 2,
      "task_ids": [
        "TASK-001",
        "TASK-002"
      ],
      "artifact_ids": [
        "HLS-012",
        "HLS-013"
      ]
    }
    "#);
    assert_snapshot!(call("get_next_task", json!({"worker": "agent-1"})), @r#"
    {
      "success": true,
      "task": {
        "task_id": "TASK-001",
        "project_id": "shop",
        "artifact_id": "HLS-012",
        "generator": "hls-generator",
        "status": "in_progress",
        "description": "Generate HLS-012 from PRD-006",
        "inputs": [
          {
            "name": "prd",
            "classification": "mandatory",
            "artifact_type": "prd",
            "artifact_id": "PRD-006",
            "resource_path": "artifacts/prds/PRD-006_v3.md",
            "mcp_resource_uri": "mcp://resources/artifacts/prds/PRD-006_v3.md",
            "status": "Approved"
          },
          {
            "name": "business_research",
            "classification": "recommended",
            "artifact_type": "research",
            "artifact_id": "N/A",
            "resource_path": "artifacts/research/shop_business_research.md",
            "mcp_resource_uri": "mcp://resources/artifacts/research/shop_business_research.md",
            "status": "Final"
          }
        ],
        "created_at": "2025-10-20T14:30:05.123Z",
        "updated_at": "2025-10-20T14:30:05.123Z",
        "started_at": "2025-10-20T14:30:05.123Z",
        "completed_at": null,
        "completion_notes": null,
        "worker": "agent-1",
        "lease_expires_at": "2025-10-20T15:00:05.123Z"
      }
    }
    "#);
    let done = json!({"task_id": "TASK-001", "completion_notes": "written"});
    assert_snapshot!(call("complete_task", done), @r#"
    {
      "success": true,
      "updated_task": {
        "task_id": "TASK-001",
        "status": "completed",
        "completed_at": "2025-10-20T14:30:05.123Z",
        "completion_notes": "written"
      }
    }
    "#);
    let second = json!({"task_id": "TASK-002", "status": "in_progress"});
    assert_snapshot!(call("update_task_status", second), @r#"
    {
      "success": true,
      "updated_task": {
        "task_id": "TASK-002",
        "status": "in_progress",
        "completed_at": null,
        "completion_notes": null
      }
    }
    "#);
    assert_snapshot!(call("get_next_task", json!({})), @r#"
    {
      "success": true,
      "task": null,
      "message": "No pending tasks for project"
    }
    "#);
}

#[test]
fn the_five_validations_in_their_order_and_nothing_is_inserted() {
    let office = TestOffice::new();
    let session = in_shop(&office);
    office.value(&session, "add_task", json!({"tasks": [story("HLS-001")]}));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut task = story("HLS-012");
        change(&mut task);
        json!({"tasks": [story("HLS-020"), task]})
    };
    let cases = [
        with(&|task| task["artifact_id"] = "HLS-12".into()),
        with(&|task| task["artifact_id"] = "US-012".into()),
        with(&|task| task["generator"] = "hls-generater".into()),
        with(&|task| task["inputs"] = json!([])),
        with(&|task| task["inputs"] = json!([research()])),
        with(&|task| {
            let mut epic = prd();
            epic["name"] = "epic".into();
            task["inputs"] = json!([prd(), epic]);
        }),
        with(&|task| task["inputs"][0]["mcp_resource_uri"] = "file:///etc/passwd".into()),
        with(&|task| task["inputs"][0]["mcp_resource_uri"] = "mcp://resources/../x.md".into()),
        with(&|task| task["inputs"][0]["resource_path"] = "../../secret.md".into()),
        with(&|task| task["inputs"][0]["resource_path"] = "artifacts/prds".into()),
        with(&|task| task["inputs"][0]["resource_path"] = "artifacts/prds/PRD-999.md".into()),
        with(&|task| task["inputs"][0]["status"] = "Draft (v2)".into()),
        with(&|task| task["inputs"][1]["status"] = "Draft".into()),
        with(&|task| task["artifact_id"] = "HLS-020".into()),
        with(&|task| task["artifact_id"] = "HLS-001".into()),
        with(&|task| task["inputs"][0]["stauts"] = "Approved".into()),
        json!({"tasks": []}),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .map(|batch| crate::office::show(&office.reply(&session, "add_task", batch)))
        .collect();
    assert_snapshot!(told.join("\n"), @r#"
    -32602 Invalid params: Invalid artifact_id: HLS-12, expected a prefix and three digits or more such as HLS-012
    {"field":"artifact_id"}
    -32602 Invalid params: artifact_id US-012 does not fit hls-generator, which makes HLS-nnn
    {"field":"generator"}
    -32602 Invalid params: Unknown generator: hls-generater
    {"reason":"unknown_generator","hint":"did you mean `hls-generator`?"}
    -32602 Invalid params: inputs list must contain at least one GeneratorInput
    {"field":"inputs","artifact_id":"HLS-012"}
    -32602 Invalid params: Mandatory input 'prd' missing for task HLS-012
    {"reason":"mandatory_input_missing","input":"prd","hint":"one of 'epic' would do as well"}
    -32602 Invalid params: Inputs 'prd', 'epic' exclude each other for task HLS-012: give exactly one
    {"reason":"exclusive_inputs"}
    -32602 Invalid params: Invalid MCP resource URI format: file:///etc/passwd
    {"field":"mcp_resource_uri","input":"prd","hint":"use mcp://resources/… such as mcp://resources/artifacts/prds/PRD-006_v3.md"}
    -32602 Invalid params: Invalid MCP resource URI format: mcp://resources/../x.md
    {"field":"mcp_resource_uri","input":"prd","hint":"use mcp://resources/… such as mcp://resources/artifacts/prds/PRD-006_v3.md"}
    -32602 Invalid params: Input path leaves the repository: ../../secret.md
    {"field":"resource_path","reason":"path_traversal"}
    -32602 Invalid params: Input file not found: artifacts/prds (input name: prd, artifact_id: PRD-006)
    {"field":"resource_path","reason":"file_not_found"}
    -32602 Invalid params: Input file not found: artifacts/prds/PRD-999.md (input name: prd, artifact_id: PRD-006)
    {"field":"resource_path","reason":"file_not_found"}
    -32602 Invalid params: Input artifact PRD-006 must be Approved (current status: Draft (v2))
    {"reason":"not_approved"}
    -32602 Invalid params: Research input 'business_research' must have status='Finalized' (current status: Draft)
    {"reason":"not_finalized"}
    -32602 Invalid params: Duplicate artifact_id in batch: HLS-020
    {"reason":"duplicate"}
    -32602 Invalid params: Task validation failed: artifact_id HLS-001 already exists in queue
    {"field":"artifact_id","reason":"duplicate"}
    -32602 Invalid params: unknown argument `tasks[1].inputs[0].stauts`
    {"field":"tasks[1].inputs[0].stauts","reason":"unknown_argument","hint":"did you mean `status`?"}
    -32602 Invalid params: `tasks` is 0 items, expected 1 to 100 items
    {"field":"tasks","received":"0 items","expected":"1 to 100 items","reason":"invalid_argument"}
    "#);
    let listed = office.value(&session, "list_tasks", json!({"project_id": "shop"}));
    assert_eq!(listed["count"], 1, "nothing was inserted");
    let next = office.value(&session, "get_next_available_id", json!({"artifact_type": "TASK"}));
    assert_eq!(next["next_id"], "TASK-002", "and no number was used");
}

#[test]
fn queue_tasks_and_task_documents_share_one_sequence() {
    let (office, session) = queued(&["HLS-001", "HLS-002"]);
    let next = office.value(&session, "get_next_available_id", json!({"artifact_type": "task"}));
    assert_eq!(next["next_id"], "TASK-003");
}

#[test]
fn a_completed_artifact_may_be_queued_again_an_open_one_not() {
    let (office, session) = queued(&["HLS-001"]);
    let again = json!({"tasks": [story("HLS-001")]});
    let told = crate::office::show(&office.reply(&session, "add_task", again.clone()));
    assert!(
        told.starts_with(
            "-32602 Invalid params: Task validation failed: artifact_id HLS-001 already exists in queue"
        ),
        "{told}"
    );
    office.value(&session, "get_next_task", json!({}));
    office.value(&session, "complete_task", json!({"task_id": "TASK-001"}));
    assert_eq!(office.value(&session, "add_task", again)["task_ids"], json!(["TASK-002"]));
}

#[test]
fn only_the_two_steps_forward_are_allowed() {
    let (office, session) = queued(&["HLS-001"]);
    let to = |status: &str| {
        let arguments = json!({"task_id": "TASK-001", "status": status});
        crate::office::show(&office.reply(&session, "update_task_status", arguments))
    };
    assert!(
        to("completed").starts_with("-32602 Invalid params: Invalid status transition: pending → completed")
    );
    assert!(to("in_progress").contains("in_progress"));
    assert!(
        to("pending").starts_with("-32602 Invalid params: Invalid status transition: in_progress → pending")
    );
    assert!(to("completed").contains("completed_at"));
    assert!(
        to("pending").starts_with("-32602 Invalid params: Invalid status transition: completed → pending")
    );
    let unknown = json!({"task_id": "TASK-099", "status": "completed"});
    assert_snapshot!(crate::office::show(&office.reply(&session, "update_task_status", unknown)), @r#"
    -32001 Resource not found: there is no task TASK-099 in project `shop`
    {"hint":"list_tasks shows the tasks of a project"}
    "#);
    let malformed = json!({"task_id": "99", "status": "completed"});
    assert_snapshot!(crate::office::show(&office.reply(&session, "update_task_status", malformed)), @r#"
    -32602 Invalid params: `task_id` is "99", expected TASK and three digits or more
    {"field":"task_id"}
    "#);
}

#[test]
fn each_task_is_claimed_by_one_worker_only() {
    let artifacts: Vec<String> = (1..=90).map(|number| format!("HLS-{number:03}")).collect();
    let (office, session) = queued(&artifacts.iter().map(String::as_str).collect::<Vec<_>>());
    let claim = |worker: usize| {
        let (office, session) = (&office, &session);
        move || {
            let mut claimed = Vec::new();
            loop {
                let arguments = json!({"worker": format!("agent-{worker}")});
                let answer = office.value(session, "get_next_task", arguments);
                match answer["task"]["task_id"].as_str() {
                    Some(id) => claimed.push(id.to_owned()),
                    None => return claimed,
                }
            }
        }
    };
    let claimed: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..9).map(|worker| scope.spawn(claim(worker))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(claimed.len(), 90);
    assert_eq!(claimed.iter().collect::<BTreeSet<_>>().len(), 90);
}

#[test]
fn a_lease_that_runs_out_returns_the_task_and_a_worker_that_lives_keeps_it() {
    let (office, idle) = queued(&["HLS-001", "HLS-002"]);
    let busy = in_shop(&office);
    let lease = |worker: &str| json!({"worker": worker, "lease_minutes": 10});
    office.value(&idle, "get_next_task", lease("idle"));
    office.value(&busy, "get_next_task", lease("busy"));
    for _ in 0..3 {
        office.clock.advance(Duration::from_secs(4 * 60));
        office.value(&busy, "whoami", json!({}));
    }
    let watcher = in_shop(&office);
    let listed = office.value(&watcher, "list_tasks", json!({"project_id": "shop"}));
    let seen: Vec<_> =
        listed["tasks"].as_array().unwrap().iter().map(|task| (&task["status"], &task["worker"])).collect();
    assert_eq!(seen, [(&json!("pending"), &Value::Null), (&json!("in_progress"), &json!("busy"))]);
    let events = office.office.db.read(|tx| {
        tx.rows("SELECT event, worker FROM queue_events WHERE task_seq = 1 ORDER BY id", [], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?))
        })
    });
    let idle = Some("idle".to_owned());
    let expected = [
        ("added".to_owned(), None),
        ("claimed".to_owned(), idle.clone()),
        ("lease_expired".to_owned(), idle),
    ];
    assert_eq!(events.unwrap(), expected, "the return is recorded");
}

#[test]
fn a_lease_that_ran_out_is_not_revived_by_its_late_worker() {
    let (office, late) = queued(&["HLS-001"]);
    office.value(&late, "get_next_task", json!({"worker": "late", "lease_minutes": 10}));
    office.clock.advance(Duration::from_secs(11 * 60));
    office.value(&late, "whoami", json!({}));
    let next = office.value(&in_shop(&office), "get_next_task", json!({"worker": "next"}));
    assert_eq!(next["task"]["task_id"], "TASK-001");
}

#[test]
fn filters_combine_and_page() {
    let (office, session) = queued(&["HLS-001", "HLS-002", "HLS-003"]);
    office.value(&session, "get_next_task", json!({}));
    let ids = |filters: Value| -> Vec<String> {
        let mut arguments = filters;
        arguments["project_id"] = "shop".into();
        let listed = office.value(&session, "list_tasks", arguments);
        listed["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["artifact_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(json!({})), ["HLS-001", "HLS-002", "HLS-003"]);
    assert_eq!(ids(json!({"status": "pending"})), ["HLS-002", "HLS-003"]);
    assert_eq!(ids(json!({"artifact_id": "HLS-002"})), ["HLS-002"]);
    assert_eq!(ids(json!({"depends_on": "PRD-006"})), ["HLS-001", "HLS-002", "HLS-003"]);
    assert_eq!(ids(json!({"depends_on": "PRD-006", "status": "in_progress"})), ["HLS-001"]);
    assert!(ids(json!({"depends_on": "PRD-007"})).is_empty());
    assert!(ids(json!({"missing_mandatory": true})).is_empty());
    let page = office.value(&session, "list_tasks", json!({"project_id": "shop", "limit": 2}));
    let rest = json!({"project_id": "shop", "limit": 2, "cursor": page["next_cursor"]});
    assert_eq!(office.value(&session, "list_tasks", rest)["tasks"][0]["artifact_id"], "HLS-003");
}

#[test]
fn a_task_without_a_mandatory_input_is_found_by_its_filter() {
    let office = TestOffice::new();
    let session = in_shop(&office);
    let task =
        json!({"artifact_id": "RES-001", "generator": "business-research-generator", "inputs": [research()]});
    office.value(&session, "add_task", json!({"tasks": [task, story("HLS-001")]}));
    let lacking =
        office.value(&session, "list_tasks", json!({"project_id": "shop", "missing_mandatory": true}));
    assert_eq!((&lacking["count"], &lacking["tasks"][0]["artifact_id"]), (&json!(1), &json!("RES-001")));
}

#[test]
fn a_repository_may_have_generators_of_its_own() {
    let office = TestOffice::new();
    let session = in_shop(&office);
    let table = office.repository().join(".backoffice/generators.json");
    fs::create_dir_all(table.parent().unwrap()).unwrap();
    fs::write(&table, r#"{"generators":{"memo-generator":{"produces":"MEMO","mandatory":[["prd"]]}}}"#)
        .unwrap();
    let memo =
        json!({"tasks": [{"artifact_id": "MEMO-001", "generator": "memo-generator", "inputs": [prd()]}]});
    assert_eq!(office.value(&session, "add_task", memo.clone())["tasks_added"], 1);
    fs::write(&table, "{").unwrap();
    let told = crate::office::show(&office.reply(&session, "add_task", memo));
    assert!(
        told.starts_with("-32000 `.backoffice/generators.json` of this repository is not a generator table"),
        "{told}"
    );
}

#[test]
fn without_a_repository_documents_live_below_the_data_folder() {
    let office = TestOffice::new();
    let told = office.call("add_task", json!({"tasks": [story("HLS-001")]}));
    assert!(told.contains("Input file not found"), "{told}");
    for file in [PRD, RESEARCH] {
        let path = office.folder.path().join("home/projects/shop").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "# text\n").unwrap();
    }
    assert!(office.call("add_task", json!({"tasks": [story("HLS-001")]})).contains("TASK-001"));
}

/// Left out, in small letters or with a zero too many, an artifact's approval was not looked at.
#[test]
fn an_artifact_cannot_hide_behind_another_spelling() {
    let office = TestOffice::new();
    let session = in_shop(&office);
    let draft = |id: Value| {
        let mut input = prd();
        input["artifact_id"] = id;
        input["status"] = "Draft".into();
        json!({"tasks": [{"artifact_id": "HLS-012", "generator": "hls-generator", "inputs": [input]}]})
    };
    for id in
        [json!("PRD-006"), json!("prd-006"), json!("PRD-0006"), json!("PRD-06"), json!("N/A"), Value::Null]
    {
        let told = crate::office::show(&office.reply(&session, "add_task", draft(id.clone())));
        assert!(told.starts_with("-32602"), "{id}: {told}");
    }
    office.value(&session, "add_task", json!({"tasks": [story("HLS-012")]}));
    let twin =
        crate::office::show(&office.reply(&session, "add_task", json!({"tasks": [story("HLS-0012")]})));
    assert!(twin.starts_with("-32602 Invalid params: Invalid artifact_id: HLS-0012"), "{twin}");
}

#[test]
fn a_lease_that_ran_out_stays_run_out_though_the_call_that_finds_it_fails() {
    let (office, session) = queued(&["HLS-001"]);
    office.value(&session, "get_next_task", json!({"lease_minutes": 1}));
    office.clock.advance(Duration::from_secs(61));
    let late = office.reply(&session, "complete_task", json!({"task_id": "TASK-001"}));
    assert!(crate::office::show(&late).contains("pending → completed"));
    let status = office
        .office
        .db
        .read(|tx| tx.row("SELECT status FROM queue_tasks", [], |row| row.get::<_, String>(0)));
    assert_eq!(status.unwrap().as_deref(), Some("pending"));
}
