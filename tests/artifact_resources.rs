//! Documents as resources and prompts, over the real binary and in both eras.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::artifacts::{THREE, epic, prd};
use crate::client::{Client, modern_meta};

/// A home with a repository in it, and a client that stands there.
struct Shop {
    home: tempfile::TempDir,
}

impl Shop {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("shop/.git")).unwrap();
        Shop { home }
    }

    fn repo(&self) -> String {
        self.home.path().join("shop").to_str().unwrap().to_owned()
    }

    fn legacy(&self) -> Client {
        Client::start(self.home.path(), &["--repo", &self.repo()])
    }

    fn modern(&self) -> Client {
        let mut client = Client::start_silent(self.home.path(), &["--repo", &self.repo()]);
        client.modern("server/discover", json!({}));
        client
    }
}

fn store(client: &mut Client, content: &str) -> Value {
    client.call("store_artifact", json!({"artifact_content": content}))["result"].clone()
}

fn read(client: &mut Client, uri: &str) -> Value {
    client.request("resources/read", json!({"uri": uri}))
}

/// The epic approved, its PRD a draft.
fn filled(client: &mut Client) {
    store(client, &epic("006"));
    client.value("approve_artifact", json!({"artifact_id": "EPIC-006"}));
    store(client, &prd("006", THREE));
}

#[test]
fn documents_lists_and_checklists_are_read_by_every_spelling_of_their_uri() {
    let shop = Shop::new();
    let mut client = shop.legacy();
    filled(&mut client);
    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    let uris: Vec<&str> = listed.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(uris.len(), 15, "thirteen checklists and two documents: {uris:?}");
    assert_eq!(
        uris[13..],
        ["mcp://resources/artifacts/epics/EPIC-006_v1.md", "mcp://resources/artifacts/prds/PRD-006_v1.md"]
    );
    for below in ["prds/PRD-006_v1.md", "prd/PRD-006", "prds/006"] {
        let answer = read(&mut client, &format!("mcp://resources/artifacts/{below}"));
        let content = &answer["result"]["contents"][0];
        assert!(
            content["text"].as_str().unwrap_or_default().starts_with("# PRD: Checkout"),
            "{below}: {answer}"
        );
        assert_eq!(content["mimeType"], "text/markdown");
    }
    let checklist = read(&mut client, "mcp://resources/validation/prd_validation_v1");
    let checklist: Value =
        serde_json::from_str(checklist["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(checklist["criteria"].as_array().unwrap().len(), 26);
    let by = read(&mut client, "mcp://resources/artifacts?type=prd&status=Draft&parent=EPIC-006");
    let by: Value = serde_json::from_str(by["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&by["returned"], &by["artifacts"][0]["id"], &by["artifacts"][0]["parent_id"]),
        (&json!(1), &json!("PRD-006"), &json!("EPIC-006"))
    );
    let templates = client.request("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 5);
}

#[test]
fn what_is_not_there_or_leads_away_is_refused_as_the_protocol_says() {
    let shop = Shop::new();
    let (mut legacy, mut modern) = (shop.legacy(), shop.modern());
    for (uri, old, new) in [
        ("mcp://resources/artifacts/prds/PRD-999_v1.md", -32002, -32602),
        ("mcp://resources/validation/nobody_validation_v1", -32002, -32602),
        ("file:///etc/passwd", -32002, -32602),
        ("mcp://resources/artifacts/../../../etc/passwd", -32602, -32602),
        ("mcp://resources/artifacts?stauts=Draft", -32602, -32602),
    ] {
        assert_eq!(read(&mut legacy, uri)["error"]["code"], old, "{uri}");
        assert_eq!(modern.modern("resources/read", json!({"uri": uri}))["error"]["code"], new, "{uri}");
    }
}

#[test]
fn results_point_to_their_document_where_the_client_knows_how() {
    for (version, blocks) in [("2025-11-25", 2), ("2025-03-26", 1)] {
        let shop = Shop::new();
        let mut client = Client::start_silent(shop.home.path(), &["--repo", &shop.repo()]);
        client.initialize(version);
        let result = store(&mut client, &epic("006"));
        let content = result["content"].as_array().unwrap();
        assert_eq!(content.len(), blocks, "{version}");
        if blocks == 2 {
            assert_eq!(content[1]["type"], "resource_link");
            assert_eq!(content[1]["uri"], "mcp://resources/artifacts/epics/EPIC-006_v1.md");
        }
    }
}

#[test]
fn ids_and_types_are_completed() {
    let shop = Shop::new();
    let mut client = shop.legacy();
    filled(&mut client);
    let template = json!({"type": "ref/resource", "uri": "mcp://resources/artifacts/{type}/{id}"});
    let mut complete = |reference: &Value, argument: Value, context: Value| {
        let params = json!({"ref": reference, "argument": argument, "context": {"arguments": context}});
        client.request("completion/complete", params)["result"]["completion"]["values"].clone()
    };
    assert_eq!(complete(&template, json!({"name": "type", "value": "ep"}), json!({})), json!(["epic"]));
    assert_eq!(
        complete(&template, json!({"name": "id", "value": ""}), json!({"type": "prd"})),
        json!(["PRD-006"])
    );
    assert_eq!(complete(&template, json!({"name": "id", "value": "e"}), json!({})), json!(["EPIC-006"]));
    let prompt = json!({"type": "ref/prompt", "name": "generate"});
    assert_eq!(
        complete(&prompt, json!({"name": "generator", "value": "hl"}), json!({})),
        json!(["hls-generator"])
    );
}

#[test]
fn prompts_hand_over_inputs_criteria_and_findings() {
    let shop = Shop::new();
    let mut client = shop.legacy();
    filled(&mut client);
    let mut get = |name: &str, arguments: Value| {
        client.request("prompts/get", json!({"name": name, "arguments": arguments}))
    };
    let text = |answer: &Value| {
        answer["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_default().to_owned()
    };
    let made = get("generate", json!({"generator": "prd-generator", "parent_id": "EPIC-006"}));
    let made = text(&made);
    assert!(made.contains("- EPIC-006 (epic): mcp://resources/artifacts/epics/EPIC-006_v1.md"), "{made}");
    assert!(
        made.contains("HLS-AAA") && made.contains("Executive Summary") && made.len() < 6_000,
        "{} {made}",
        made.len()
    );
    let refused = get("generate", json!({"generator": "hls-generator", "parent_id": "PRD-006"}));
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    let mended = text(&get("refine", json!({"artifact_id": "PRD-006"})));
    assert!(
        mended.starts_with("Refine PRD-006 v1 (Draft).")
            && mended.contains("Missing sections: Executive Summary"),
        "{mended}"
    );
}

fn wait_for(client: &mut Client, method: &str) -> Value {
    loop {
        let message = client.message().expect("the server has ended");
        if message["method"] == method {
            return message;
        }
    }
}

#[test]
fn changes_are_told_in_both_eras_whoever_makes_them() {
    let shop = Shop::new();
    let mut writer = shop.legacy();
    let uri = "mcp://resources/artifacts/prd/PRD-006";
    let mut legacy = shop.legacy();
    legacy.request("resources/subscribe", json!({"uri": uri}));
    let mut modern = shop.modern();
    let notifications = json!({"resourcesListChanged": true, "resourceSubscriptions": [uri]});
    modern.ask("subscriptions/listen", json!({"notifications": notifications, "_meta": modern_meta()}));
    wait_for(&mut modern, "notifications/subscriptions/acknowledged");
    filled(&mut writer);
    for client in [&mut legacy, &mut modern] {
        wait_for(client, "notifications/resources/list_changed");
        let updated = wait_for(client, "notifications/resources/updated");
        assert_eq!(updated["params"]["uri"], uri);
    }
}

/// What an approval does is in the log, stage by stage, under one correlation id.
#[test]
fn the_stages_of_an_approval_are_logged() {
    let shop = Shop::new();
    let mut client = shop.legacy();
    filled(&mut client);
    client.value("approve_artifact", json!({"artifact_id": "PRD-006", "task_id": "abc-123"}));
    drop(client);
    let events = events(&shop.home.path().join("data/logs"), "abc-123");
    assert_eq!(
        events,
        [
            "approve_artifact_invocation_started",
            "approval_workflow_started",
            "approval_prerequisites_validated",
            "sub_artifacts_detected",
            "id_range_reserved",
            "placeholders_replaced",
            "artifact_status_updated",
            "generator_inputs_resolved",
            "tasks_created",
            "id_reservation_confirmed",
            "approval_workflow_completed",
            "approve_artifact_invocation_completed",
        ]
    );
}

fn events(logs: &Path, correlation: &str) -> Vec<String> {
    let files = fs::read_dir(logs).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let lines: Vec<Value> =
        files.collect::<String>().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_it = lines.iter().filter(|line| line["task_id"] == correlation);
    of_it.map(|line| line["event"].as_str().unwrap().to_owned()).collect()
}
