//! MCP over the standard streams of the real binary, in both eras.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{Client, modern_meta};

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn every_older_version_is_answered_in_kind_and_newer_ones_with_the_last_of_them() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2031-01-01", "2025-11-25"),
    ] {
        let home = home();
        let mut client = Client::start_silent(home.path(), &[]);
        let result = client.initialize(asked);
        assert_eq!(result["protocolVersion"], answered, "{asked}");
        let info = &result["serverInfo"];
        assert_eq!(info["name"], "backoffice");
        assert!(info["icons"][0]["src"].as_str().unwrap().starts_with("data:image/svg+xml;base64,"));
        assert_eq!(
            client.value("get_next_available_id", json!({"artifact_type": "US"}))["next_id"],
            "US-001"
        );
        assert!(client.leave().success());
    }
}

#[test]
fn a_modern_client_needs_no_handshake() {
    let home = home();
    let mut client = Client::start_silent(home.path(), &[]);
    let found = client.modern("server/discover", json!({}))["result"].clone();
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    assert!(found["instructions"].as_str().unwrap().split_whitespace().count() < 150);
    let listed = client.modern("tools/list", json!({}))["result"].clone();
    assert_eq!(listed["resultType"], "complete");
    assert!(listed["ttlMs"].as_u64().unwrap() > 0, "a real time to live");
    let arguments = json!({"name": "get_next_available_id", "arguments": {"artifact_type": "US"}});
    let answer = client.modern("tools/call", arguments);
    assert_eq!(answer["result"]["structuredContent"]["next_id"], "US-001", "{answer}");
    assert!(client.leave().success());
}

#[test]
fn a_client_that_only_asks_what_this_is_has_done_nothing_wrong() {
    let home = home();
    let mut client = Client::start_silent(home.path(), &[]);
    client.modern("server/discover", json!({}));
    assert!(client.leave().success());
    assert!(Client::start_silent(home.path(), &[]).leave().success());
}

/// A subscription that is still open used to hold the process for five seconds; one that ends in
/// good order is answered.
#[test]
fn an_open_subscription_ends_in_good_order_with_the_input() {
    let home = home();
    let mut client = Client::start_silent(home.path(), &[]);
    client.modern("server/discover", json!({}));
    let listen = json!({"notifications": {"toolsListChanged": true}, "_meta": modern_meta()});
    let id = client.ask("subscriptions/listen", listen);
    let acknowledged = client.message().unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    client.end_input();
    let last = client.answer_to(&json!(id));
    assert!(last.get("result").is_some(), "{last}");
    assert!(client.leave().success());
}

#[test]
fn tools_come_with_title_hints_and_schemas_in_a_fixed_order() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    let list = |client: &mut Client| client.request("tools/list", json!({}))["result"]["tools"].clone();
    let tools = list(&mut client);
    assert_eq!(tools, list(&mut client));
    let shown: Vec<String> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            assert_eq!(tool["outputSchema"]["type"], "object");
            assert!(tool["title"].is_string());
            let hints = &tool["annotations"];
            let on: Vec<&str> = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
                .into_iter()
                .filter(|hint| hints[hint] == true)
                .collect();
            format!("{} {}", tool["name"].as_str().unwrap(), on.join(" "))
        })
        .collect();
    assert_snapshot!(shown.join("\n"), @"
    get_confirmation readOnlyHint
    whoami readOnlyHint
    approve_artifact 
    list_artifacts readOnlyHint
    read_artifact readOnlyHint
    store_artifact idempotentHint
    validate_artifact readOnlyHint
    search_docs readOnlyHint
    approve_budget destructiveHint
    delete_invoice destructiveHint
    get_budget readOnlyHint
    get_expense_report readOnlyHint
    list_budgets readOnlyHint
    list_invoices readOnlyHint
    delete_employee destructiveHint
    get_employee readOnlyHint
    get_org_chart readOnlyHint
    get_performance_reviews readOnlyHint
    get_time_off_balances readOnlyHint
    list_employees readOnlyHint
    update_salary destructiveHint
    confirm_reservation idempotentHint
    get_next_available_id 
    list_reservations readOnlyHint
    release_reservation idempotentHint
    reserve_id_range 
    read_architecture readOnlyHint
    require_clarification 
    close_deal destructiveHint
    delete_customer destructiveHint
    get_customer readOnlyHint
    get_pipeline readOnlyHint
    list_deals readOnlyHint
    close_ticket destructiveHint
    get_knowledge_article readOnlyHint
    search_knowledge_base readOnlyHint
    search_tickets readOnlyHint
    add_task 
    complete_task 
    delete_task destructiveHint
    get_next_task 
    list_tasks readOnlyHint
    update_task idempotentHint
    update_task_status
    ");
}

#[test]
fn a_success_is_structured_and_the_same_as_text() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    let result =
        client.call("reserve_id_range", json!({"artifact_type": "US", "count": 2}))["result"].clone();
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    assert_ne!(result["isError"], true);
}

#[test]
fn a_failure_inside_a_result_is_text_only() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    let unknown = json!({"user_id": "ann", "task_id": "00000000-0000-4000-8000-00000000ffff"});
    let result = client.call("complete_task", unknown)["result"].clone();
    assert_eq!(result["isError"], true);
    assert_eq!(result.get("structuredContent"), None, "clients check it against the schema of a success");
    assert_snapshot!(result["content"][0]["text"].as_str().unwrap(), @r#"{"error":{"code":404,"message":"Task not found; list_tasks shows the tasks of a user"}}"#);
}

#[test]
fn what_does_not_fit_is_answered_and_the_connection_lives() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    let mut told = Vec::new();
    for (method, params) in [
        ("tools/call", json!({"name": "whoami", "arguments": "x"})),
        ("tools/call", json!({"arguments": {}})),
        ("tools/call", json!({"name": "whomai"})),
        ("tools/call", json!({"name": "whoami", "arguments": {"a": 1}})),
        ("prompts/get", json!({"name": "nothing"})),
        ("prompts/get", json!({"name": 7})),
        ("prompts/get", json!({"name": "work_the_queue", "arguments": {"project": "web"}})),
        ("no/such/method", json!({})),
        ("resources/read", json!({"uri": "mcp://resources/nothing"})),
    ] {
        let error = client.request(method, params)["error"].clone();
        told.push(format!("{method} {error}"));
    }
    client.send_line("this is not JSON");
    client.send_line("");
    client.send_line(r#"{"jsonrpc":"2.0","method":"notifications/of_no_kind"}"#);
    client.send_line(r#"[{"jsonrpc":"2.0","id":90,"method":"tools/list"}]"#);
    told.push(format!("a batch {}", client.message().unwrap()));
    client.send_line(r#"{"id":91,"hello":"world"}"#);
    told.push(format!("no method {}", client.answer_to(&json!(91))));
    assert_snapshot!(told.join("\n"), @r#"
    tools/call {"code":-32602,"message":"Invalid params: the parameters of `tools/call` do not have its form"}
    tools/call {"code":-32602,"message":"Invalid params: the parameters of `tools/call` do not have its form"}
    tools/call {"code":-32602,"message":"Invalid params: unknown tool `whomai`","data":{"reason":"unknown_tool","hint":"did you mean `whoami`?"}}
    tools/call {"code":-32602,"message":"Invalid params: unknown argument `a`","data":{"field":"a","reason":"unknown_argument","hint":"it takes no arguments"}}
    prompts/get {"code":-32602,"message":"Invalid params: unknown prompt `nothing`","data":{"hint":"list the prompts to see them"}}
    prompts/get {"code":-32602,"message":"Invalid params: the parameters of `prompts/get` do not have its form"}
    prompts/get {"code":-32602,"message":"Invalid params: unknown argument `project`","data":{"field":"project","reason":"unknown_argument","hint":"did you mean `project_id`?"}}
    no/such/method {"code":-32601,"message":"no/such/method"}
    resources/read {"code":-32002,"message":"Resource not found: there is no resource `mcp://resources/nothing`","data":{"uri":"mcp://resources/nothing"}}
    a batch {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: this is not a JSON-RPC message of MCP"}}
    no method {"jsonrpc":"2.0","id":91,"error":{"code":-32600,"message":"Invalid request: this is not a JSON-RPC message of MCP"}}
    "#);
    assert_eq!(client.value("whoami", json!({}))["user_id"], "olivia");
}

#[test]
fn an_id_that_is_under_way_cannot_be_used_again() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add_task","arguments":{"user_id":"ann","title":"x"}}}"#;
    client.send_line(&[call, call].join("\n"));
    let answers = [client.message().unwrap(), client.message().unwrap()];
    let refused = answers.iter().filter(|answer| answer["error"]["code"] == -32600).count();
    let listed = client.value("list_tasks", json!({"user_id": "ann"}));
    assert_eq!((refused, listed["tasks"].as_array().unwrap().len()), (1, 1), "{answers:?}");
}

#[test]
fn a_message_that_is_too_large_is_refused_by_its_id() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    let title = "x".repeat(17 * 1024 * 1024);
    let id = client
        .ask("tools/call", json!({"name": "add_task", "arguments": {"user_id": "ann", "title": title}}));
    let refused = client.answer_to(&json!(id));
    assert_eq!(refused["error"]["code"], -32600);
    assert_eq!(client.value("list_tasks", json!({"user_id": "ann"}))["tasks"], json!([]));
}

#[test]
fn nothing_but_messages_reaches_standard_output_even_when_everything_is_logged() {
    let home = home();
    let mut command = crate::client::command(home.path());
    command.env("BACKOFFICE_LOG", "trace");
    let mut client = Client::spawn(command, &[]);
    client.initialize("2025-11-25");
    client.call("get_next_available_id", json!({"artifact_type": "US"}));
    client.call("get_next_available_id", json!({"artifact_type": "nothing"}));
    client.end_input();
    while client.message().is_some() {}
}

#[test]
fn flags_shape_the_connection() {
    let home = home();
    let names = |arguments: &[&str]| -> Vec<String> {
        let mut client = Client::start(home.path(), arguments);
        let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
        listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let reading = [
        "get_confirmation",
        "whoami",
        "list_artifacts",
        "read_artifact",
        "validate_artifact",
        "search_docs",
        "list_reservations",
        "read_architecture",
        "list_tasks",
    ];
    assert_eq!(names(&["--read-only", "--toolsets", "workflow,preflight"]), reading);
    let all = names(&["--read-only"]);
    assert!(all.contains(&"list_deals".to_owned()) && !all.contains(&"close_deal".to_owned()), "{all:?}");
    assert!(names(&["--toolsets", "ids"]).iter().all(|name| !name.contains("task")));
    let mut pinned = Client::start(home.path(), &["--as", "frank.davis", "--project", "web"]);
    let told = pinned.value("whoami", json!({}));
    assert_eq!(
        (&told["user_id"], &told["pinned"], &told["project_id"]),
        (&json!("frank.davis"), &json!(true), &json!("web"))
    );
}

#[test]
fn the_prompt_teaches_how_to_work_the_queue() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    let prompts = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    let names: Vec<&str> =
        prompts.as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["generate", "refine", "work_the_queue"]);
    let asked = json!({"name": "work_the_queue", "arguments": {"project_id": "web"}});
    let text = client.request("prompts/get", asked)["result"]["messages"][0]["content"]["text"].clone();
    assert!(
        text.as_str()
            .unwrap()
            .starts_with("Work through the task queue. Call get_next_task with project_id `web`")
    );
}

/// A notification before the conversation has begun used to end the server.
#[test]
fn what_comes_before_the_first_request_is_passed_over() {
    let home = home();
    let mut client = Client::start_silent(home.path(), &[]);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "result": {}}));
    client.modern("server/discover", json!({}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    client.initialize("2025-11-25");
    assert_eq!(client.value("whoami", json!({}))["user_id"], "olivia");
}

#[test]
fn a_request_that_is_not_json_is_answered_by_its_id() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    for (id, broken) in (50..).zip([r#""\ud83d""#, deep.as_str(), "1e400", "tru"]) {
        let arguments = format!(r#"{{"name":"add_task","arguments":{{"user_id":"ann","title":{broken}}}}}"#);
        client.send_line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{arguments}}}"#
        ));
        let refused = client.answer_to(&json!(id));
        assert_eq!(refused["error"]["code"], -32700, "{refused}");
    }
    assert_eq!(client.value("list_tasks", json!({"user_id": "ann"}))["tasks"], json!([]));
}

#[test]
fn the_last_line_need_not_end() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    client.send_raw(r#"{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"whoami"}}"#);
    client.end_input();
    assert!(client.answer_to(&json!(70))["result"].is_object());
    assert!(client.leave().success());
}

/// A client that goes without having read its answers must not leave a process behind.
#[test]
fn the_process_ends_even_if_nobody_reads_its_answers() {
    let home = home();
    let mut client = Client::start(home.path(), &[]);
    for number in 0..300 {
        client.value(
            "add_task",
            json!({"user_id": "ann", "title": format!("{number}"), "description": "d".repeat(1900)}),
        );
    }
    for _ in 0..3 {
        client.ask("tools/call", json!({"name": "list_tasks", "arguments": {"user_id": "ann"}}));
    }
    // Nobody reads on; `leave` waits for the end.
    client.leave();
}
