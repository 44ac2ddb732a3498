//! Asking a person through the client's own form, in both eras.
//!
//! The stories run over the real binary; what needs a clock, a patience or a tool of its own runs
//! over a pipe in this process.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use backoffice::error::{Error, Result};
use backoffice::families;
use backoffice::mcp::Changes;
use backoffice::tool::ask::{Field, FieldKind, Form, FormOf, Speaker};
use backoffice::tool::{Access, Family, JsonObject, Place, Tool, ToolDef, WriteCx, WriteTool};
use insta::assert_snapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::client::{Client, modern_meta};
use crate::office::TestOffice;
use crate::protocol::Connection;

const AUTH: &str = "Add authentication";

/// A repository with the data folder in it.
fn shop() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".git")).unwrap();
    home
}

/// A client of the older era.
pub fn older(home: &TempDir, arguments: &[&str], version: &str, capabilities: Value) -> Client {
    let mut client = Client::start_silent(home.path(), arguments);
    let info = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": info});
    client.request("initialize", hello);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client
}

pub fn shows_forms() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}})
}

fn clarify(intention: &str) -> Value {
    json!({"name": "require_clarification", "arguments": {"user_intention": intention}})
}

/// Calls, and gives the request that shows the form.
pub fn asked(client: &mut Client, params: Value) -> (u64, Value) {
    let call = client.ask("tools/call", params);
    let form = client.message().unwrap();
    assert_eq!(form["method"], "elicitation/create", "{form}");
    (call, form)
}

pub fn fill_in(client: &mut Client, form: &Value, result: Value) {
    client.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": result}));
}

/// The call's parameters in the newer era, by a client that shows forms.
pub fn modern(mut params: Value) -> Value {
    params["_meta"] = modern_meta();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = shows_forms();
    params
}

/// The same call again, with what was filled in.
pub fn retried(mut params: Value, state: &Value, result: Value) -> Value {
    params["requestState"] = state.clone();
    params["inputResponses"] = json!({"form": result});
    modern(params)
}

pub fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

fn both() -> Value {
    json!({"auth_strategy": "OAuth", "auth_library": "Auth0"})
}

fn only_adr(home: &TempDir) -> String {
    let mut files = fs::read_dir(home.path().join("docs/adr")).unwrap();
    let adr = fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap();
    assert!(files.next().is_none(), "one decision, one record");
    adr
}

/// The questions are left open, and a note says why.
fn left_open(answer: &Value, why: &str) -> Value {
    let result = &answer["result"];
    let open = &result["structuredContent"];
    assert_eq!(open["status"], "needs_clarification", "{answer}");
    assert_eq!(result["content"][0]["text"].as_str().unwrap(), open.to_string());
    let note = result["content"][1]["text"].as_str().unwrap();
    assert!(note.contains(why), "{note}");
    open.clone()
}

#[test]
fn a_client_of_the_older_era_asks_its_person_while_the_call_waits() {
    let home = shop();
    let mut client = older(&home, &[], "2025-11-25", shows_forms());
    let (call, form) = asked(&mut client, clarify(AUTH));
    let params = &form["params"];
    assert_eq!(params["mode"], "form");
    assert_snapshot!(params["message"].as_str().unwrap(), @"This is open before the work begins. What is optional may stay empty.");
    assert_snapshot!(params["requestedSchema"], @r#"{"type":"object","properties":{"auth_strategy":{"type":"string","title":"Which authentication strategy?","description":"Recommended: OAuth, because it is the usual choice","enum":["OAuth","Email/Password","Magic Links","SAML","Other (specify)"],"default":"OAuth"},"auth_library":{"type":"string","title":"Which authentication library?","description":"Recommended: NextAuth.js, because it is the usual choice","enum":["NextAuth.js","Auth0","Clerk","Passport.js","Authlib","django-allauth","Devise","Spring Security","Custom","Other (specify)"],"default":"NextAuth.js"}},"required":["auth_strategy","auth_library"]}"#);
    fill_in(&mut client, &form, accept(both()));
    let answer = client.answer_to(&json!(call));
    assert_eq!(answer["result"]["structuredContent"]["status"], "completed", "{answer}");
    assert_eq!(answer["result"]["content"].as_array().unwrap().len(), 1, "nothing to note");
    let adr = only_adr(&home);
    assert!(adr.contains("Authentication.Library = Auth0 (person)"), "{adr}");
    assert!(client.leave().success());
}

#[test]
fn a_client_of_the_newer_era_brings_the_call_again_with_what_was_filled_in() {
    let home = shop();
    let mut client = Client::start_silent(home.path(), &[]);
    let asked = client.request("tools/call", modern(clarify(AUTH)))["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let form = &asked["inputRequests"]["form"];
    assert_eq!((&form["method"], &form["params"]["mode"]), (&json!("elicitation/create"), &json!("form")));
    assert_eq!(form["params"]["requestedSchema"]["required"], json!(["auth_strategy", "auth_library"]));
    let again = retried(clarify(AUTH), &asked["requestState"], accept(both()));
    let answer = client.request("tools/call", again);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["structuredContent"]["status"], "completed", "{answer}");
    assert!(only_adr(&home).contains("Authentication.Strategy = OAuth (person)"));
    assert!(client.leave().success());
}

/// Whatever does not lead to values leads to the questions, which the agent can ask by itself.
#[test]
fn without_values_the_questions_come_back_in_both_eras() {
    let cases = [
        (json!({"action": "decline"}), "declined"),
        (json!({"action": "cancel"}), "closed it"),
        (json!({"action": "accept"}), "holds no values"),
        (accept(json!({"auth_strategy": "OAuth"})), "`auth_library` is needed"),
        (accept(json!({"auth_strategy": "Hope", "auth_library": "Auth0"})), "one of its options"),
        (json!({"shrug": true}), "could not show"),
    ];
    let home = shop();
    let mut patient = older(&home, &[], "2025-11-25", json!({"elicitation": {}}));
    let mut stateless = Client::start_silent(home.path(), &[]);
    let mut sessions = Vec::new();
    for (result, why) in cases {
        let (call, form) = asked(&mut patient, clarify(AUTH));
        fill_in(&mut patient, &form, result.clone());
        sessions.push(left_open(&patient.answer_to(&json!(call)), why));
        let asked = stateless.request("tools/call", modern(clarify(AUTH)));
        let again = retried(clarify(AUTH), &asked["result"]["requestState"], result);
        sessions.push(left_open(&stateless.request("tools/call", again), why));
    }
    let (call, form) = asked(&mut patient, clarify(AUTH));
    let error = json!({"code": -32603, "message": "no screen"});
    patient.send(&json!({"jsonrpc": "2.0", "id": form["id"], "error": error}));
    sessions.push(left_open(&patient.answer_to(&json!(call)), "could not show"));
    assert!(!home.path().join("docs").exists(), "nothing was decided");
    let id = &sessions[5]["session_id"];
    let answers = json!({"user_intention": AUTH, "session_id": id, "answers": both()});
    assert_eq!(patient.value("require_clarification", answers)["status"], "completed");
    assert!(only_adr(&home).contains("Authentication.Library = Auth0 (agent)"), "the agent has answered");
}

#[test]
fn a_client_that_shows_no_forms_sees_what_it_always_saw() {
    let home = shop();
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let mut client = older(&home, &[], "2025-11-25", capabilities.clone());
        let plain = client.call("require_clarification", json!({"user_intention": AUTH}));
        let mut params = clarify(AUTH);
        params["_meta"] = modern_meta();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        let mut client = Client::start_silent(home.path(), &[]);
        let newer = client.request("tools/call", params);
        for answer in [plain, newer] {
            assert_eq!(answer["result"]["structuredContent"]["status"], "needs_clarification", "{answer}");
            assert_eq!(answer["result"]["content"].as_array().unwrap().len(), 1);
        }
    }
    // Forms are not in this version, whatever the client says.
    let mut client = older(&home, &[], "2025-03-26", shows_forms());
    let plain = client.call("require_clarification", json!({"user_intention": AUTH}));
    assert_eq!(plain["result"]["structuredContent"]["status"], "needs_clarification", "{plain}");
}

/// A state is good once, for its call, on its connection; otherwise the call is an ordinary one,
/// and what came with it is nobody's answer.
#[test]
fn a_foreign_spent_or_changed_state_is_not_taken() {
    let home = shop();
    let mut client = Client::start_silent(home.path(), &[]);
    let mut other = Client::start_silent(home.path(), &[]);
    let open = |client: &mut Client| {
        client.request("tools/call", modern(clarify(AUTH)))["result"]["requestState"].clone()
    };
    let unknown = "not known here";
    let state = open(&mut client);
    let foreign = retried(clarify(AUTH), &state, accept(both()));
    left_open(&other.request("tools/call", foreign.clone()), unknown);
    let changed = json!(state.as_str().unwrap().replace('-', "+"));
    left_open(&client.request("tools/call", retried(clarify(AUTH), &changed, accept(both()))), unknown);
    let elsewhere = retried(clarify("Add authentication!"), &open(&mut client), accept(both()));
    left_open(&client.request("tools/call", elsewhere), unknown);
    assert!(!home.path().join("docs").exists(), "nothing was taken");
    assert_eq!(
        client.request("tools/call", foreign.clone())["result"]["structuredContent"]["status"],
        "completed"
    );
    let task = || fs::read_to_string(home.path().join("docs/CURRENT_TASK.md")).unwrap();
    let before = task();
    left_open(&client.request("tools/call", foreign), "filled in before");
    assert_eq!((only_adr(&home).is_empty(), task()), (false, before), "nothing is done twice");
}

#[test]
fn a_retry_that_brings_nothing_is_asked_again() {
    let home = shop();
    let mut client = Client::start_silent(home.path(), &[]);
    let mut params = clarify(AUTH);
    for _ in 0..5 {
        let asked = client.request("tools/call", modern(params.clone()))["result"].clone();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        params["requestState"] = asked["requestState"].clone();
    }
    let last = client.request("tools/call", modern(params))["result"].clone();
    assert_eq!(last["structuredContent"]["status"], "needs_clarification", "not for ever: {last}");
}

#[test]
fn what_other_stands_for_is_asked_in_a_second_form() {
    let chosen = || accept(json!({"auth_strategy": "Other (specify)", "auth_library": "Auth0"}));
    let said = || accept(json!({"auth_strategy__other": "Passkeys"}));
    let home = shop();
    let mut client = older(&home, &[], "2025-11-25", shows_forms());
    let (call, form) = asked(&mut client, clarify(AUTH));
    fill_in(&mut client, &form, chosen());
    let second = client.message().unwrap();
    assert_snapshot!(second["params"]["requestedSchema"], @r#"{"type":"object","properties":{"auth_strategy__other":{"type":"string","title":"Please specify the authentication strategy:"}},"required":["auth_strategy__other"]}"#);
    fill_in(&mut client, &second, said());
    let answer = client.answer_to(&json!(call));
    assert_eq!(answer["result"]["structuredContent"]["status"], "completed", "{answer}");
    let adr = only_adr(&home);
    assert!(adr.contains("Authentication.Strategy = Passkeys (person)"), "{adr}");

    let home = shop();
    let mut client = Client::start_silent(home.path(), &[]);
    let asked = client.request("tools/call", modern(clarify(AUTH)));
    let again = retried(clarify(AUTH), &asked["result"]["requestState"], chosen());
    let asked = client.request("tools/call", again)["result"].clone();
    let second = &asked["inputRequests"]["form"]["params"]["requestedSchema"]["properties"];
    assert_eq!(second.as_object().unwrap().keys().collect::<Vec<_>>(), ["auth_strategy__other"]);
    let again = retried(clarify(AUTH), &asked["requestState"], said());
    let answer = client.request("tools/call", again);
    assert_eq!(answer["result"]["structuredContent"]["status"], "completed", "{answer}");
    assert!(only_adr(&home).contains("Authentication.Strategy = Passkeys (person)"));
}

/// What is refused by the tool itself, and not by the form.
#[test]
fn an_answer_that_the_tool_refuses_leaves_the_second_questions_open() {
    let home = shop();
    let mut client = older(&home, &[], "2025-11-25", shows_forms());
    let (call, form) = asked(&mut client, clarify(AUTH));
    fill_in(&mut client, &form, accept(json!({"auth_strategy": "Other (specify)", "auth_library": "Auth0"})));
    let second = client.message().unwrap();
    fill_in(&mut client, &second, accept(json!({"auth_strategy__other": "Other (specify)"})));
    let open = left_open(&client.answer_to(&json!(call)), "takes the text itself");
    assert_eq!(open["questions"][0]["id"], "auth_strategy__other", "the last turn stands");
    assert_eq!(open["questions"].as_array().unwrap().len(), 1);
}

#[test]
fn lists_are_lists_or_texts_with_commas_where_a_version_knows_none() {
    for (version, filled_in) in
        [("2025-11-25", json!(["GitHub", "Google"])), ("2025-06-18", json!("github, Google"))]
    {
        let home = shop();
        let mut client = older(&home, &[], version, json!({"elicitation": {}}));
        let (call, form) = asked(&mut client, clarify("Add OAuth login"));
        let providers = &form["params"]["requestedSchema"]["properties"]["oauth_providers"];
        if version == "2025-06-18" {
            assert_snapshot!(providers, @r#"{"type":"string","title":"Which OAuth providers?","description":"Recommended: Google, because it is the usual choice. Several, with commas between them, of: Google, GitHub, Microsoft, Apple, Facebook, Other (specify)"}"#);
        } else {
            assert_snapshot!(providers, @r#"{"type":"array","title":"Which OAuth providers?","description":"Recommended: Google, because it is the usual choice","items":{"type":"string","enum":["Google","GitHub","Microsoft","Apple","Facebook","Other (specify)"]},"default":["Google"]}"#);
        }
        fill_in(&mut client, &form, accept(json!({"auth_library": "Auth0", "oauth_providers": filled_in})));
        let answer = client.answer_to(&json!(call));
        assert_eq!(answer["result"]["structuredContent"]["status"], "completed", "{answer}");
        let task = fs::read_to_string(home.path().join("docs/CURRENT_TASK.md")).unwrap();
        assert!(task.contains("GitHub") && task.contains("Google"), "{task}");
    }
}

/// A call that waits for a person must not hold the process for the five seconds of the SDK: one
/// that ends in good order is answered.
#[test]
fn a_client_that_goes_while_a_form_is_open_is_answered_and_the_process_ends() {
    let home = shop();
    let mut client = older(&home, &[], "2025-11-25", shows_forms());
    let (call, _) = asked(&mut client, clarify(AUTH));
    client.end_input();
    left_open(&client.answer_to(&json!(call)), "could not show");
    assert!(client.message().is_none(), "nothing more is said");
    assert!(client.leave().success());
}

#[test]
fn a_cancelled_call_takes_its_form_away() {
    let home = shop();
    let mut client = older(&home, &[], "2025-11-25", shows_forms());
    let (call, form) = asked(&mut client, clarify(AUTH));
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}}));
    let told = client.message().unwrap();
    assert_eq!(told["method"], "notifications/cancelled", "{told}");
    assert_eq!(told["params"]["requestId"], form["id"]);
    // Too late, and nobody minds.
    fill_in(&mut client, &form, accept(both()));
    assert_eq!(client.value("whoami", json!({}))["user_id"], "olivia");
    assert!(!home.path().join("docs").exists());
}

#[test]
fn a_client_is_not_asked_more_than_a_few_things_at_once() {
    let home = shop();
    let mut client = older(&home, &[], "2025-11-25", shows_forms());
    let calls: Vec<u64> = (0..6).map(|_| client.ask("tools/call", clarify(AUTH))).collect();
    let messages: Vec<Value> = (0..6).map(|_| client.message().unwrap()).collect();
    let (forms, answers): (Vec<_>, Vec<_>) = messages.iter().partition(|one| one.get("method").is_some());
    assert_eq!((forms.len(), answers.len()), (4, 2), "{messages:?}");
    for answer in answers {
        left_open(answer, "could not show");
    }
    for form in forms {
        fill_in(&mut client, form, json!({"action": "decline"}));
    }
    for _ in 0..4 {
        let answer = client.message().unwrap();
        assert!(calls.contains(&answer["id"].as_u64().unwrap()));
        left_open(&answer, "declined");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    sure: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    sure: Option<bool>,
    by_person: bool,
}

/// Takes nobody's word for it, however often it is given.
struct Nag;

impl Tool for Nag {
    type Args = Args;
    type Output = Output;
    const NAME: &'static str = "nag";
    const TITLE: &'static str = "Nag";
    const DESCRIPTION: &'static str = "Asks again";
    const ACCESS: Access = Access::Everyone;
    const FORM: Option<FormOf<Output>> = Some(|_| {
        let sure = Field {
            name: "sure".to_owned(),
            title: "Really?".to_owned(),
            description: None,
            required: true,
            kind: FieldKind::YesNo { default: Some(false) },
        };
        let message = "One never knows.".to_owned();
        Some(Form { message, fields: vec![sure], with: JsonObject::new(), into: None, decides: None })
    });
}

impl WriteTool for Nag {
    type Prepared = Speaker;

    fn prepare(place: &Place<'_>, _: &Args) -> Result<Speaker> {
        Ok(place.speaker)
    }

    fn run(_: &WriteCx<'_>, args: &Args, speaker: &Speaker) -> Result<Output> {
        match args.sure {
            Some(false) => Err(Error::conflict("then not")),
            sure => Ok(Output { sure, by_person: *speaker == Speaker::Person }),
        }
    }
}

static TOOLS: [ToolDef; 1] = [ToolDef::write::<Nag>()];
static FAMILY: Family = Family { name: "odd", tools: &TOOLS, ..Family::EMPTY };
const FAMILIES: &[&Family] = &[&FAMILY];

fn connect(office: &TestOffice, patience: Duration) -> Connection {
    connect_until(office, patience, CancellationToken::new())
}

fn connect_until(office: &TestOffice, patience: Duration, stop: CancellationToken) -> Connection {
    let changes = Arc::new(Changes::new(Arc::clone(&office.office)));
    let session = office.in_repository(&[]);
    Connection::patient(&office.office, &changes, session, stop, patience)
}

async fn initialize(connection: &mut Connection) {
    let info = json!({"name": "t", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": shows_forms(), "clientInfo": info});
    connection.ask(0, "initialize", hello).await;
    connection.next().await;
    connection.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
}

#[tokio::test]
async fn a_client_that_never_answers_gets_the_questions_and_takes_the_form_away() {
    let office = TestOffice::with(families::ALL);
    let mut connection = connect(&office, Duration::from_millis(1));
    initialize(&mut connection).await;
    connection.ask(1, "tools/call", clarify(AUTH)).await;
    let form = connection.next().await;
    assert_eq!(form["method"], "elicitation/create", "{form}");
    let (one, other) = (connection.next().await, connection.next().await);
    let (answer, told) = if one.get("id").is_some() { (one, other) } else { (other, one) };
    assert_eq!(
        (&told["method"], &told["params"]["requestId"]),
        (&json!("notifications/cancelled"), &form["id"])
    );
    let open = left_open(&answer, "nobody filled it in");
    connection.send(json!({"jsonrpc": "2.0", "id": form["id"], "result": accept(both())})).await;
    let arguments = json!({"user_intention": AUTH, "session_id": open["session_id"], "answers": both()});
    connection.ask(2, "tools/call", json!({"name": "require_clarification", "arguments": arguments})).await;
    // That there are new documents may be told before or after.
    let mut answer = connection.next().await;
    while answer["id"] != 2 {
        answer = connection.next().await;
    }
    assert_eq!(answer["result"]["structuredContent"]["status"], "completed", "the agent has asked: {answer}");
}

#[tokio::test]
async fn a_server_that_stops_while_a_form_is_open_answers_first() {
    let office = TestOffice::with(families::ALL);
    let stop = CancellationToken::new();
    let mut connection = connect_until(&office, Duration::from_secs(600), stop.clone());
    initialize(&mut connection).await;
    connection.ask(1, "tools/call", clarify(AUTH)).await;
    connection.next().await;
    stop.cancel();
    left_open(&connection.next().await, "could not show");
    connection.served.await.unwrap().unwrap();
}

/// One deadline for all forms of a call, and a bound on their number.
#[tokio::test]
async fn a_tool_that_never_has_enough_is_cut_short_in_both_eras() {
    let office = TestOffice::with(FAMILIES);
    let mut connection = connect(&office, Duration::from_secs(600));
    initialize(&mut connection).await;
    connection.ask(1, "tools/call", json!({"name": "nag"})).await;
    let mut forms = 0;
    let answer = loop {
        let message = connection.next().await;
        if message.get("method").is_none() {
            break message;
        }
        forms += 1;
        let result = accept(json!({"sure": true}));
        connection.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
    };
    assert_eq!((forms, &answer["id"]), (5, &json!(1)));
    assert_eq!(answer["result"]["structuredContent"], json!({"sure": true, "by_person": true}));

    let mut connection = connect(&office, Duration::ZERO);
    let mut params = json!({"name": "nag"});
    for id in 1..=5 {
        connection.ask(id, "tools/call", modern(params.clone())).await;
        let asked = connection.next().await["result"].clone();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        params = retried(json!({"name": "nag"}), &asked["requestState"], accept(json!({"sure": true})));
    }
    connection.ask(6, "tools/call", params).await;
    let answer = connection.next().await;
    assert_eq!(answer["result"]["structuredContent"], json!({"sure": true, "by_person": true}));
}

/// What a person has filled in may also be what makes the call fail.
#[tokio::test]
async fn a_failure_after_the_form_is_told_as_one() {
    let office = TestOffice::with(FAMILIES);
    let mut connection = connect(&office, Duration::from_secs(600));
    connection.ask(1, "tools/call", modern(json!({"name": "nag"}))).await;
    let state = connection.next().await["result"]["requestState"].clone();
    connection
        .ask(2, "tools/call", retried(json!({"name": "nag"}), &state, accept(json!({"sure": false}))))
        .await;
    assert_eq!(connection.next().await["error"]["message"], "then not");
}

#[tokio::test]
async fn a_form_that_is_filled_in_after_five_minutes_is_too_late() {
    let office = TestOffice::with(families::ALL);
    let mut connection = connect(&office, Duration::from_secs(600));
    connection.ask(1, "tools/call", modern(clarify(AUTH))).await;
    let state = connection.next().await["result"]["requestState"].clone();
    office.clock.advance(Duration::from_secs(300));
    connection.ask(2, "tools/call", retried(clarify(AUTH), &state, accept(both()))).await;
    let open = left_open(&connection.next().await, "too late");
    assert!(!office.repository().join("docs").exists());
    let arguments = json!({"user_intention": AUTH, "session_id": open["session_id"], "answers": both()});
    let params = modern(json!({"name": "require_clarification", "arguments": arguments}));
    connection.ask(3, "tools/call", params).await;
    let answer = connection.next().await;
    assert_eq!(answer["result"]["structuredContent"]["status"], "completed", "the session goes on: {answer}");
}
