//! Documents from draft to approval: stored, replaced, approved, with numbers and tasks; or refused.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use backoffice::db::journal;
use backoffice::tool::session::Session;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::office::{TestOffice, show};

/// A document as agents write them.
pub fn document(kind: &str, title: &str, metadata: &[(&str, &str)], body: &str) -> String {
    let rows: String = metadata.iter().map(|(label, value)| format!("- **{label}:** {value}\n")).collect();
    format!(
        "# {kind}: {title}\n\n## Metadata\n{rows}\n---\n\n{body}\n\nIt is long enough to be a document of its own, whatever it says.\n"
    )
}

pub fn epic(number: &str) -> String {
    let id = format!("EPIC-{number}");
    document(
        "Epic",
        "A shop on the web",
        &[("Epic ID", &id), ("Status", "Draft")],
        "## Epic Statement\nSell.",
    )
}

pub fn prd(number: &str, stories: &str) -> String {
    let (id, parent) = (format!("PRD-{number}"), format!("EPIC-{number}"));
    let body = format!("## Requirements\nFR-01\n\n## High-Level User Stories\n\n{stories}");
    document("PRD", "Checkout", &[("PRD ID", &id), ("Status", "Draft"), ("Parent Epic", &parent)], &body)
}

pub const THREE: &str = "### HLS-AAA: Pay by card\nBefore HLS-BBB.\n\n### HLS-BBB: Pay later\n\n### HLS-CCC: Refund\nAfter HLS-AAA.\n";

/// An office with a connection in a repository.
pub fn shop() -> (TestOffice, Arc<Session>) {
    let office = TestOffice::new();
    let session = Arc::new(office.in_repository(&[]));
    (office, session)
}

pub fn store(office: &TestOffice, session: &Arc<Session>, content: &str) -> Value {
    office.value(session, "store_artifact", json!({"artifact_content": content}))
}

pub fn approve(office: &TestOffice, session: &Arc<Session>, id: &str) -> Value {
    office.value(session, "approve_artifact", json!({"artifact_id": id}))
}

fn refused(office: &TestOffice, session: &Arc<Session>, tool: &str, arguments: Value) -> String {
    let reply = show(&office.reply(session, tool, arguments));
    assert!(reply.starts_with('-'), "{reply}");
    reply
}

fn research(office: &TestOffice, session: &Arc<Session>) {
    for what in ["Business", "Implementation"] {
        let text = format!(
            "# Shop {what} Research\n\n## Document Metadata\n- **Author:** Ann\n- **Version:** 1.0\n- **Status:** Final\n\n## 1. Summary\n{}\n",
            "Many people buy on the web. ".repeat(5)
        );
        store(office, session, &text);
    }
}

/// The whole way: research, epic, PRD, and three stories in the queue.
fn approved() -> (TestOffice, Arc<Session>, Value) {
    let (office, session) = shop();
    research(&office, &session);
    store(&office, &session, &epic("006"));
    approve(&office, &session, "EPIC-006");
    store(&office, &session, &prd("006", THREE));
    let arguments = json!({"artifact_id": "PRD-006", "task_id": "abc-123"});
    let answer = office.value(&session, "approve_artifact", arguments);
    (office, session, answer)
}

#[test]
fn from_placeholder_to_real_id_to_ready_task() {
    let (office, session, mut answer) = approved();
    answer["sha256"] = "…".into();
    assert_snapshot!(serde_json::to_string_pretty(&answer).unwrap(), @r#"
    {
      "success": true,
      "artifact_id": "PRD-006",
      "old_status": "Draft",
      "new_status": "Approved",
      "artifact_path": "docs/artifacts/prds/PRD-006_v1.md",
      "placeholder_ids_replaced": 3,
      "id_mapping": {
        "HLS-AAA": "HLS-001",
        "HLS-BBB": "HLS-002",
        "HLS-CCC": "HLS-003"
      },
      "sub_artifacts_detected": [
        "HLS-001",
        "HLS-002",
        "HLS-003"
      ],
      "tasks_created": 3,
      "task_ids": [
        "TASK-002",
        "TASK-003",
        "TASK-004"
      ],
      "sha256": "…"
    }
    "#);
    let file = office.repository().join("docs/artifacts/prds/PRD-006_v1.md");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("- **Status:** Approved\n"), "{text}");
    assert!(text.contains("### HLS-001: Pay by card\nBefore HLS-002."), "{text}");
    let side: Value =
        serde_json::from_slice(&fs::read(file.with_file_name("PRD-006_v1_metadata.json")).unwrap()).unwrap();
    assert_eq!(side["status"], "Approved");
    assert_eq!(side["sha256"], journal::hash(text.as_bytes()));
    let tasks = office.value(&session, "list_tasks", json!({"project_id": "shop", "depends_on": "PRD-006"}));
    assert_eq!(tasks["count"], 3);
    assert_snapshot!(serde_json::to_string_pretty(&tasks["tasks"][0]).unwrap(), @r#"
    {
      "task_id": "TASK-002",
      "project_id": "shop",
      "artifact_id": "HLS-001",
      "generator": "hls-generator",
      "status": "pending",
      "description": "Generate HLS-001 from PRD-006",
      "inputs": [
        {
          "name": "prd",
          "classification": "mandatory",
          "artifact_type": "prd",
          "artifact_id": "PRD-006",
          "resource_path": "docs/artifacts/prds/PRD-006_v1.md",
          "mcp_resource_uri": "mcp://resources/artifacts/prds/PRD-006_v1.md",
          "status": "Approved"
        },
        {
          "name": "business_research",
          "classification": "recommended",
          "artifact_type": "research",
          "artifact_id": "N/A",
          "resource_path": "docs/artifacts/research/Shop_business_research.md",
          "mcp_resource_uri": "mcp://resources/artifacts/research/Shop_business_research.md",
          "status": "Finalized"
        },
        {
          "name": "implementation_research",
          "classification": "recommended",
          "artifact_type": "research",
          "artifact_id": "N/A",
          "resource_path": "docs/artifacts/research/Shop_implementation_research.md",
          "mcp_resource_uri": "mcp://resources/artifacts/research/Shop_implementation_research.md",
          "status": "Finalized"
        }
      ],
      "created_at": "2025-10-20T14:30:05.123Z",
      "updated_at": "2025-10-20T14:30:05.123Z",
      "started_at": null,
      "completed_at": null,
      "completion_notes": null
    }
    "#);
    let reservations = office.value(&session, "list_reservations", json!({"state": "confirmed"}));
    assert_eq!(reservations["reservations"][0]["reserved_ids"], json!(["HLS-001", "HLS-002", "HLS-003"]));
    let _ = session;
}

#[test]
fn an_epic_claims_the_prd_of_its_number_and_no_other() {
    let (office, session) = shop();
    for number in ["006", "003", "004"] {
        store(&office, &session, &epic(number));
    }
    let answer = approve(&office, &session, "EPIC-006");
    assert_eq!(answer["sub_artifacts_detected"], json!(["PRD-006"]));
    assert_eq!(answer["tasks_created"], 1);
    assert_eq!(
        approve(&office, &session, "EPIC-003")["sub_artifacts_detected"],
        json!(["PRD-003"]),
        "a gap is nobody's"
    );
    let next = office.value(&session, "get_next_available_id", json!({"artifact_type": "prd"}));
    assert_eq!(next["next_id"], "PRD-007");
    store(&office, &session, &prd("004", "").replace("EPIC-004", "EPIC-003"));
    let told = refused(&office, &session, "approve_artifact", json!({"artifact_id": "EPIC-004"}));
    assert_snapshot!(told, @r#"
    -32000 PRD-004 is taken already, and EPIC-004 claims exactly that number
    {"reason":"id_taken","artifact_id":"EPIC-004","taken":"PRD-004"}
    "#);
    store(&office, &session, &epic("007"));
    let told = refused(&office, &session, "approve_artifact", json!({"artifact_id": "EPIC-007"}));
    assert!(told.contains("PRD-007 is taken already"), "it was handed out: {told}");
}

#[test]
fn every_prerequisite_has_its_own_reason_and_changes_nothing() {
    let (office, session) = shop();
    let attempt = |id: &str| refused(&office, &session, "approve_artifact", json!({"artifact_id": id}));
    let mut told = vec![attempt("PRD-006")];
    store(&office, &session, &prd("006", THREE));
    told.push(attempt("PRD-006"));
    store(&office, &session, &epic("006"));
    told.push(attempt("PRD-006"));
    approve(&office, &session, "EPIC-006");
    told.push(attempt("EPIC-006"));
    let blocked = format!(
        "{}\n## Open Questions\n1. **Tax:** who pays? [REQUIRES SPIKE]\n2. **Law:** which? [REQUIRES ADR]\n",
        prd("006", THREE)
    );
    store(&office, &session, &blocked);
    told.push(attempt("PRD-006"));
    store(&office, &session, &blocked.replace("Draft", "In Review"));
    told.push(attempt("PRD-006"));
    assert_snapshot!(told.join("\n"), @r#"
    -32001 Resource not found: Artifact PRD-006 not found
    {"artifact_id":"PRD-006","reason":"artifact_not_found","hint":"store it with store_artifact first; list_artifacts shows what is there"}
    -32000 Parent EPIC-006 must be approved first
    {"reason":"parent_not_approved","artifact_id":"PRD-006","parent_id":"EPIC-006","parent_status":"unknown","hint":"store and approve it, or import the tree it lies in"}
    -32000 Parent EPIC-006 must be approved first
    {"reason":"parent_not_approved","artifact_id":"PRD-006","parent_id":"EPIC-006","parent_status":"Draft","hint":"approve it with approve_artifact"}
    -32000 Artifact EPIC-006 already approved (status: Approved)
    {"reason":"already_approved","artifact_id":"EPIC-006","status":"Approved"}
    -32000 Artifact has 2 open questions requiring resolution
    {"reason":"blocking_open_questions","artifact_id":"PRD-006","lines":[27,28],"hint":"answer what is marked [REQUIRES SPIKE] or [REQUIRES ADR], then store the document again"}
    -32000 Artifact PRD-006 is not in Draft (status: In Review)
    {"reason":"not_draft","artifact_id":"PRD-006","status":"In Review","hint":"only a draft can be approved; set its status back and store it again"}
    "#);
    let counters = office.value(&session, "list_reservations", json!({}));
    assert_eq!(counters["reservations"], json!([]), "no number was reserved");
}

#[test]
fn a_preview_shows_all_of_it_and_does_none_of_it() {
    let (office, session) = shop();
    store(&office, &session, &epic("006"));
    approve(&office, &session, "EPIC-006");
    store(&office, &session, &prd("006", THREE));
    let preview =
        office.value(&session, "approve_artifact", json!({"artifact_id": "PRD-006", "preview": true}));
    assert_snapshot!(preview["preview"]["diff"].as_str().unwrap(), @"
    --- a/PRD-006_v1.md
    +++ b/PRD-006_v1.md
    @@ -3,5 +3,5 @@
     ## Metadata
     - **PRD ID:** PRD-006
    -- **Status:** Draft
    +- **Status:** Approved
     - **Parent Epic:** EPIC-006
     
    @@ -13,11 +13,11 @@
     ## High-Level User Stories
     
    -### HLS-AAA: Pay by card
    -Before HLS-BBB.
    +### HLS-001: Pay by card
    +Before HLS-002.
     
    -### HLS-BBB: Pay later
    +### HLS-002: Pay later
     
    -### HLS-CCC: Refund
    -After HLS-AAA.
    +### HLS-003: Refund
    +After HLS-001.
    ");
    assert_eq!(preview["preview"]["tasks"][2]["artifact_id"], "HLS-003");
    assert_eq!(office.value(&session, "list_reservations", json!({}))["reservations"], json!([]));
    let real = approve(&office, &session, "PRD-006");
    assert_eq!((&real["id_mapping"], &real["sha256"]), (&preview["id_mapping"], &preview["sha256"]));
    assert_eq!(
        real["warnings"],
        json!([
            "recommended input 'business_research' was not found",
            "recommended input 'implementation_research' was not found"
        ])
    );
}

#[test]
fn the_same_bytes_twice_a_changed_draft_and_an_approved_document() {
    let (office, session) = shop();
    let first = store(&office, &session, &epic("006"));
    assert_snapshot!(serde_json::to_string(&first).unwrap(), @r#"{"success":true,"artifact_id":"EPIC-006","storage_path":"docs/artifacts/epics/EPIC-006_v1.md","resource_uri":"mcp://resources/artifacts/epics/EPIC-006_v1.md","version":1,"status":"Draft"}"#);
    assert_eq!(store(&office, &session, &epic("006")), first, "the same answer");
    let changed = epic("006").replace("Sell.", "Sell more.");
    assert_eq!(store(&office, &session, &changed)["version"], 1);
    approve(&office, &session, "EPIC-006");
    let mut told = vec![refused(&office, &session, "store_artifact", json!({"artifact_content": changed}))];
    let second = changed.replace("- **Status:**", "- **Version:** 2.0\n- **Status:**");
    told.push(refused(
        &office,
        &session,
        "store_artifact",
        json!({"artifact_content": second.replace("Draft", "Approved")}),
    ));
    assert_snapshot!(told.join("\n"), @r#"
    -32000 EPIC-006 v1 is Approved: store a new version
    {"reason":"approved","hint":"write `- **Version:** 2` and `- **Status:** Draft` into its Metadata block"}
    -32000 EPIC-006 cannot be stored as Approved
    {"reason":"not_approved","hint":"store it as Draft, let a person agree, then call approve_artifact"}
    "#);
    assert_eq!(store(&office, &session, &second)["version"], 2);
    let listed = office.value(&session, "list_artifacts", json!({}));
    assert_eq!(
        (&listed["artifacts"][0]["version"], listed["artifacts"].as_array().unwrap().len()),
        (&json!(2), 1)
    );
    assert_eq!(approve(&office, &session, "EPIC-006")["tasks_created"], 0, "its PRD is there already");
}

#[test]
fn everything_wrong_with_the_metadata_is_told_at_once() {
    let (office, session) = shop();
    let store =
        |content: &str| refused(&office, &session, "store_artifact", json!({"artifact_content": content}));
    let long = "Words that fill the page. ".repeat(8);
    let told = [
        store("# x"),
        store(&format!("# Notes\n\n{long}")),
        store(&format!("## Metadata\n- **Story ID:** US-001\n\n{long}")),
        store(&document("PRD", "T", &[("PRD ID", "PRD-001"), ("Status", "Backlog")], &long)),
        store(&document("Memo", "Something", &[("Memo ID", "MEMO-001"), ("Status", "Draft")], &long)),
    ];
    assert_snapshot!(told.join("\n"), @r#"
    -32602 Invalid params: Missing required metadata fields: ID, Status; the document has fewer than 100 characters; Title has 1 characters, expected 5 to 200
    {"field":"artifact_content","missing":["ID","Status"],"wrong":["the document has fewer than 100 characters","Title has 1 characters, expected 5 to 200"],"reason":"impossible_metadata","hint":"a `## Metadata` block holds rows such as `- **PRD ID:** PRD-006` and `- **Status:** Draft`; the title is the first heading"}
    -32602 Invalid params: Missing required metadata fields: ID, Status
    {"field":"artifact_content","missing":["ID","Status"],"wrong":[],"reason":"impossible_metadata","hint":"a `## Metadata` block holds rows such as `- **PRD ID:** PRD-006` and `- **Status:** Draft`; the title is the first heading"}
    -32602 Invalid params: Missing required metadata fields: Title, Status
    {"field":"artifact_content","missing":["Title","Status"],"wrong":[],"reason":"impossible_metadata","hint":"a `## Metadata` block holds rows such as `- **PRD ID:** PRD-006` and `- **Status:** Draft`; the title is the first heading"}
    -32602 Invalid params: Status is `Backlog`, expected one of Draft, In Review, Approved, Ready, In Progress, Completed; Title has 1 characters, expected 5 to 200
    {"field":"artifact_content","missing":[],"wrong":["Status is `Backlog`, expected one of Draft, In Review, Approved, Ready, In Progress, Completed","Title has 1 characters, expected 5 to 200"],"reason":"impossible_metadata","hint":"a `## Metadata` block holds rows such as `- **PRD ID:** PRD-006` and `- **Status:** Draft`; the title is the first heading"}
    -32602 Invalid params: MEMO is no known prefix, expected one of VIS, INIT, EPIC, PRD, HLS, FS, US, SPIKE, ADR, SPEC, TASK
    {"field":"artifact_content","missing":[],"wrong":["MEMO is no known prefix, expected one of VIS, INIT, EPIC, PRD, HLS, FS, US, SPIKE, ADR, SPEC, TASK"],"reason":"impossible_metadata","hint":"a `## Metadata` block holds rows such as `- **PRD ID:** PRD-006` and `- **Status:** Draft`; the title is the first heading"}
    "#);
    assert!(!office.repository().join("docs").exists(), "nothing was written");
}

#[test]
fn an_approved_document_that_changes_is_noticed() {
    let (office, session, _) = approved();
    let tampered = |id: &str| {
        let listed = office.value(&session, "list_artifacts", json!({"type": "prd"}));
        let read = office.value(&session, "read_artifact", json!({"artifact_id": id}));
        (listed["artifacts"][0]["tampered"].clone(), read["metadata"]["tampered"].clone())
    };
    assert_eq!(tampered("PRD-006"), (json!(false), json!(false)));
    let file = office.repository().join("docs/artifacts/prds/PRD-006_v1.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("Refund", "Return")).unwrap();
    assert_eq!(tampered("PRD-006"), (json!(true), json!(true)));
    let story = document(
        "High-Level User Story",
        "Pay by card",
        &[("Story ID", "HLS-001"), ("Status", "Draft"), ("Parent PRD", "PRD-006")],
        "## Decomposition into Backlog Stories\n1. **Form** (~3 SP)\n2. **Receipt** (~2 SP)\n",
    );
    store(&office, &session, &story);
    let told = refused(&office, &session, "approve_artifact", json!({"artifact_id": "HLS-001"}));
    assert!(told.contains("changed since its approval"), "{told}");
    fs::write(&file, text).unwrap();
    let answer = approve(&office, &session, "HLS-001");
    assert_eq!(answer["id_mapping"], json!({"item 1": "US-001", "item 2": "US-002"}));
    let text = fs::read_to_string(office.repository().join("docs/artifacts/hls/HLS-001_v1.md")).unwrap();
    assert!(text.contains("1. **US-001: Form** (~3 SP)\n2. **US-002: Receipt** (~2 SP)"), "{text}");
}

#[test]
fn tasks_take_only_inputs_the_store_knows_to_be_approved() {
    let (office, session, _) = approved();
    let input = |id: &str, uri: &str| json!({"name": "prd", "classification": "mandatory", "artifact_id": id, "mcp_resource_uri": format!("mcp://resources/artifacts/{uri}"), "status": "Approved"});
    let add = |artifact: &str, input: Value| json!({"tasks": [{"artifact_id": artifact, "generator": "hls-generator", "inputs": [input]}]});
    office.value(&session, "add_task", add("HLS-020", input("PRD-006", "prds/PRD-006_v1.md")));
    let draft = prd("006", THREE).replace("- **Status:**", "- **Version:** 2\n- **Status:**");
    store(&office, &session, &draft);
    let told = [
        refused(&office, &session, "add_task", add("HLS-021", input("PRD-006", "prds/PRD-006_v2.md"))),
        refused(&office, &session, "add_task", add("HLS-021", input("PRD-006", "prds/PRD-007_v1.md"))),
        refused(&office, &session, "add_task", add("HLS-021", input("PRD-009", "prds/PRD-009_v1.md"))),
    ];
    assert_snapshot!(told.join("\n"), @r#"
    -32602 Invalid params: Input artifact PRD-006 must be Approved (current status: Draft)
    {"reason":"not_approved"}
    -32602 Invalid params: Input 'prd' is PRD-006, but its URI names PRD-007
    {"field":"mcp_resource_uri","reason":"id_mismatch"}
    -32602 Invalid params: Input artifact PRD-009 is not in the store (input name: prd)
    {"field":"artifact_id","reason":"artifact_not_found","hint":"store and approve it, or import the tree it lies in"}
    "#);
}

#[test]
fn documents_are_read_by_part_and_by_section() {
    let (office, session, _) = approved();
    let read = |arguments: Value| office.value(&session, "read_artifact", arguments);
    let section = read(json!({"artifact_id": "PRD-006", "section": "High-Level User Stories"}));
    assert!(section["content"].as_str().unwrap().starts_with("## High-Level User Stories\n\n### HLS-001"));
    assert_eq!(section["metadata"]["approved_by"], "olivia");
    let told = refused(
        &office,
        &session,
        "read_artifact",
        json!({"artifact_id": "PRD-006", "section": "Requirement"}),
    );
    assert!(told.contains("did you mean `Requirements`?"), "{told}");
    let long = document(
        "Epic",
        "A long one",
        &[("Epic ID", "EPIC-009"), ("Status", "Draft")],
        &"Ä line of words.\n".repeat(6_000),
    );
    store(&office, &session, &long);
    let (mut whole, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let part = read(json!({"artifact_id": "EPIC-009", "offset": offset}));
        whole.push_str(part["content"].as_str().unwrap());
        offset = part["next_offset"].clone();
    }
    assert_eq!(whole, long);
}

#[test]
fn filters_combine_and_any_parent_counts() {
    let (office, session, _) = approved();
    let story = |id: &str, status: &str| {
        document(
            "User Story",
            "A story to tell",
            &[
                ("Story ID", id),
                ("Status", status),
                ("Parent PRD", "PRD-006"),
                ("Parent High-Level Story", "HLS-001 (Pay)"),
            ],
            "## User Story\nAs a",
        )
    };
    store(&office, &session, &story("US-001", "Backlog"));
    store(&office, &session, &story("US-002", "Ready"));
    let ids = |filters: Value| -> Vec<String> {
        let listed = office.value(&session, "list_artifacts", filters);
        listed["artifacts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["artifact_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(json!({"parent": "PRD-006"})), ["US-001", "US-002"]);
    assert_eq!(ids(json!({"type": "us", "status": "backlog", "parent": "HLS-001"})), ["US-001"]);
    assert_eq!(ids(json!({"parent": "EPIC-006", "status": "Approved"})), ["PRD-006"]);
    assert_eq!(
        ids(json!({"type": "research", "status": "Final"})),
        ["Shop_business_research", "Shop_implementation_research"]
    );
    assert_eq!(ids(json!({"type": "spike"})), [""; 0]);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let (office, session) = shop();
    let outside = office.folder.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::create_dir_all(office.repository().join("docs/artifacts")).unwrap();
    std::os::unix::fs::symlink(&outside, office.repository().join("docs/artifacts/epics")).unwrap();
    let told = refused(&office, &session, "store_artifact", json!({"artifact_content": epic("006")}));
    assert!(told.contains("path_traversal"), "{told}");
    assert_eq!(entries(&outside), 0);
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}
