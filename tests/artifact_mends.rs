//! What was once wrong with documents, each under the name of what broke.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use backoffice::tool::dispatch::Reply;
use backoffice::tool::session::Session;
use serde_json::{Value, json};

use crate::artifacts::{THREE, approve, document, epic, prd, shop, store};
use crate::office::{TestOffice, show};

fn refused(office: &TestOffice, session: &Arc<Session>, tool: &str, arguments: Value) -> String {
    let reply = office.reply(session, tool, arguments);
    assert!(matches!(reply, Reply::Failed { .. }), "{}", show(&reply));
    show(&reply)
}

fn standing_in(office: &TestOffice, root: &Path, project: Option<&str>) -> Arc<Session> {
    let mut session = office.owner();
    session.stand_in(Some(root), project).unwrap();
    Arc::new(session)
}

fn next_number(office: &TestOffice, session: &Arc<Session>, kind: &str) -> String {
    let next = office.value(session, "get_next_available_id", json!({"artifact_type": kind}));
    next["next_id"].as_str().unwrap().to_owned()
}

/// An office with an approved epic and a PRD of the given text.
fn with_prd(content: &str) -> (TestOffice, Arc<Session>) {
    let (office, session) = shop();
    store(&office, &session, &epic("006"));
    approve(&office, &session, "EPIC-006");
    store(&office, &session, content);
    (office, session)
}

#[test]
fn a_status_that_mentions_a_placeholder_was_our_mistake() {
    let content = prd("006", THREE).replace("Draft", "Draft (HLS-AAA still open)");
    let (office, session) = with_prd(&content);
    assert_eq!(approve(&office, &session, "PRD-006")["tasks_created"], 3);
    let text = fs::read_to_string(office.repository().join("docs/artifacts/prds/PRD-006_v1.md")).unwrap();
    assert!(text.contains("- **Status:** Approved\n"), "{text}");
}

#[test]
fn what_cannot_be_approved_used_up_numbers() {
    let twice = "### HLS-AAA: One\n\n### HLS-AAA: Two\n\nAfter HLS-AAA.\n";
    let (office, session) = with_prd(&prd("006", twice));
    for _ in 0..3 {
        let told = refused(&office, &session, "approve_artifact", json!({"artifact_id": "PRD-006"}));
        assert!(told.contains("ambiguous_placeholder"), "{told}");
    }
    assert_eq!(next_number(&office, &session, "hls"), "HLS-001");
}

#[test]
fn two_projects_in_one_repository_overwrote_each_other() {
    let office = TestOffice::new();
    office.in_repository(&[]);
    let alpha = standing_in(&office, &office.repository(), Some("alpha"));
    let beta = standing_in(&office, &office.repository(), Some("beta"));
    store(&office, &alpha, &epic("001"));
    let other = epic("001").replace("Sell", "Buy");
    let told = refused(&office, &beta, "store_artifact", json!({"artifact_content": other}));
    assert!(told.contains("belongs to the project `alpha`"), "{told}");
}

#[test]
fn ids_with_paths_around_them_were_taken() {
    let (office, session) = shop();
    for id in
        ["../../EPIC-007", "EPIC-007/../../x", "/etc/EPIC-007", "see EPIC-007 and EPIC-008", "EPIC-20251020"]
    {
        let content = epic("006").replace("EPIC-006", id);
        let told = refused(&office, &session, "store_artifact", json!({"artifact_content": content}));
        assert!(told.starts_with("-32602"), "{id}: {told}");
    }
    let told = refused(&office, &session, "read_artifact", json!({"artifact_id": "../../etc/passwd"}));
    assert!(told.starts_with("-32602"), "{told}");
    assert_eq!(next_number(&office, &session, "epic"), "EPIC-001");
}

#[test]
fn an_impossible_parent_is_told() {
    let (office, session) = shop();
    let content = epic("006").replace("- **Status:**", "- **Parent PRD:** PRD-006\n- **Status:**");
    let stored = store(&office, &session, &content);
    assert_eq!(stored["warnings"], json!(["PRD-006 cannot be its parent"]));
    assert_eq!(approve(&office, &session, "EPIC-006")["warnings"][0], "PRD-006 cannot be its parent");
}

#[test]
fn storing_the_same_at_the_same_time_was_a_conflict() {
    let (office, session) = shop();
    for n in 1..6 {
        let content = epic(&format!("{n:03}"));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| store(&office, &session, &content));
            }
        });
    }
}

#[test]
fn files_that_are_gone_come_back_with_the_same_bytes() {
    let (office, session) = with_prd(&prd("006", THREE));
    approve(&office, &session, "PRD-006");
    let file = office.repository().join("docs/artifacts/prds/PRD-006_v1.md");
    let side = file.with_file_name("PRD-006_v1_metadata.json");
    let (text, metadata) = (fs::read_to_string(&file).unwrap(), fs::read(&side).unwrap());
    for gone in [&file, &side] {
        fs::remove_file(gone).unwrap();
        store(&office, &session, &text);
        assert_eq!(
            (fs::read_to_string(&file).unwrap(), fs::read(&side).unwrap()),
            (text.clone(), metadata.clone())
        );
    }
    let listed = office.value(&session, "list_artifacts", json!({"type": "prd"}));
    assert_eq!(
        (&listed["artifacts"][0]["status"], &listed["artifacts"][0]["tampered"]),
        (&json!("Approved"), &json!(false))
    );
}

#[test]
fn a_moved_repository_left_dead_paths_in_its_tasks() {
    let (office, session) = with_prd(&prd("006", THREE));
    drop(session);
    let moved = office.folder.path().join("moved/shop");
    fs::create_dir_all(moved.parent().unwrap()).unwrap();
    fs::rename(office.repository(), &moved).unwrap();
    let session = standing_in(&office, &moved, None);
    approve(&office, &session, "PRD-006");
    let tasks = office.value(&session, "list_tasks", json!({"project_id": "shop", "depends_on": "PRD-006"}));
    assert_eq!(tasks["tasks"][0]["inputs"][0]["resource_path"], "docs/artifacts/prds/PRD-006_v1.md");
    assert!(fs::read_to_string(moved.join("docs/artifacts/prds/PRD-006_v1.md")).unwrap().contains("HLS-001"));
}

#[test]
fn approving_in_one_worktree_rewrote_the_other() {
    let (office, session) = with_prd(&prd("006", THREE));
    let other = office.folder.path().join("other/shop");
    let here = office.repository().join("docs/artifacts");
    fs::create_dir_all(other.join(".git")).unwrap();
    fs::create_dir_all(other.join("docs/artifacts/prds")).unwrap();
    let draft = fs::read_to_string(here.join("prds/PRD-006_v1.md")).unwrap();
    let theirs = other.join("docs/artifacts/prds/PRD-006_v1.md");
    fs::write(&theirs, draft.replace("FR-01", "FR-01, FR-02")).unwrap();
    approve(&office, &standing_in(&office, &other, Some("shop")), "PRD-006");
    assert_eq!(fs::read_to_string(here.join("prds/PRD-006_v1.md")).unwrap(), draft, "nobody stood there");
    let text = fs::read_to_string(&theirs).unwrap();
    assert!(
        text.contains("FR-02") && text.contains("HLS-001") && text.contains("Status:** Approved"),
        "{text}"
    );
    drop(session);
}

#[test]
fn inputs_could_pass_by_the_store() {
    let (office, session) = with_prd(&prd("006", THREE));
    fs::write(office.repository().join("README.md"), "# Read me\n").unwrap();
    let input = |change: Value| {
        let mut input = json!({
            "name": "prd", "classification": "mandatory", "artifact_id": "PRD-006", "status": "Approved",
            "mcp_resource_uri": "mcp://resources/artifacts/prds/PRD-006_v1.md",
        });
        for (name, value) in change.as_object().unwrap() {
            input[name] = value.clone();
        }
        json!({"tasks": [{"artifact_id": "HLS-020", "generator": "hls-generator", "inputs": [input]}]})
    };
    let elsewhere = json!({"mcp_resource_uri": "mcp://resources/other/x.md", "resource_path": "README.md"});
    for (change, reason) in [
        (json!({}), "not_approved"),
        (elsewhere.clone(), "id_mismatch"),
        (
            json!({"artifact_id": "EPIC-006", "mcp_resource_uri": "mcp://resources/artifacts/epics/EPIC-006_v1.md"}),
            "id_mismatch",
        ),
        (
            json!({"artifact_id": "PRD-777", "mcp_resource_uri": "mcp://resources/other/x.md", "resource_path": "README.md"}),
            "artifact_not_found",
        ),
        (json!({"classification": "conditional"}), "mandatory_input_missing"),
    ] {
        let told = refused(&office, &session, "add_task", input(change.clone()));
        assert!(told.contains(reason), "{change}: {told}");
    }
    approve(&office, &session, "PRD-006");
    let file = office.repository().join("docs/artifacts/prds/PRD-006_v1.md");
    fs::write(&file, fs::read_to_string(&file).unwrap() + "\nMore.\n").unwrap();
    let told = refused(&office, &session, "add_task", input(json!({})));
    assert!(told.contains("changed since its approval"), "{told}");
}

#[test]
fn a_draft_that_was_edited_is_listed_as_it_is() {
    let (office, session) = with_prd(&prd("006", THREE));
    let file = office.repository().join("docs/artifacts/prds/PRD-006_v1.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("# PRD: Checkout", "# PRD: Pay and go").replace("Draft", "Approved"))
        .unwrap();
    let listed = office.value(&session, "list_artifacts", json!({"type": "prd"}));
    assert_eq!(
        (&listed["artifacts"][0]["title"], &listed["artifacts"][0]["status"]),
        (&json!("Pay and go"), &json!("Approved"))
    );
    let told = refused(&office, &session, "approve_artifact", json!({"artifact_id": "PRD-006"}));
    assert!(told.contains("already approved (status: Approved)"), "{told}");
}

#[test]
fn an_imported_epic_brings_forth_its_prd_with_its_next_version() {
    let (office, session) = shop();
    let second = document(
        "Epic",
        "A shop",
        &[("Epic ID", "EPIC-001"), ("Version", "2"), ("Status", "Draft")],
        "## Scope\nMore.",
    );
    store(&office, &session, &second);
    assert_eq!(approve(&office, &session, "EPIC-001")["tasks_created"], 1);
    let third = second.replace("** 2", "** 3").replace("More.", "Most.");
    store(&office, &session, &third);
    assert_eq!(approve(&office, &session, "EPIC-001")["tasks_created"], 0, "its PRD is queued");
}
