//! The optional language model: what it is told, what becomes of its questions, and every way in
//! which it can fail.

mod server;

use std::fs;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use backoffice::config::model::{ModelEnvironment, Patience, Secret};
use backoffice::db::Mode;
use backoffice::tool::session::Session;
use serde_json::{Value, json};

use self::server::{Act, Server};
use crate::client;
use crate::office::{TestOffice, show};

const INTENTION: &str = "Add authentication";

/// A test waits for a deadline only where the deadline is what it is about.
const LONG: Patience =
    Patience { attempt: Duration::from_secs(60), all: Duration::from_secs(180), pause: Duration::ZERO };
const SHORT: Patience = Patience { attempt: Duration::from_millis(300), ..LONG };

fn local(server: &Server) -> ModelEnvironment {
    let provider = Some(Secret::new(server.url()));
    ModelEnvironment {
        provider,
        model: Some("small".to_owned()),
        patience: LONG,
        ..ModelEnvironment::default()
    }
}

fn named(server: &Server, provider: &str) -> ModelEnvironment {
    ModelEnvironment {
        provider: Some(Secret::new(provider)),
        base_url: Some(Secret::new(server.url())),
        anthropic_key: Some(Secret::new("anthropic-key")),
        openai_key: Some(Secret::new("openai-key")),
        openrouter_key: Some(Secret::new("openrouter-key")),
        patience: LONG,
        ..ModelEnvironment::default()
    }
}

fn strict(model: ModelEnvironment) -> ModelEnvironment {
    ModelEnvironment { strict: Some("1".to_owned()), ..model }
}

fn office(model: ModelEnvironment) -> (TestOffice, Arc<Session>) {
    let office = TestOffice::with_model(model);
    let session = Arc::new(office.in_repository(&["src/auth/login.rs"]));
    (office, session)
}

fn clarify(office: &TestOffice, session: &Arc<Session>, arguments: Value) -> Value {
    office.value(session, "require_clarification", arguments)
}

fn failed(office: &TestOffice, session: &Arc<Session>, arguments: Value) -> Value {
    let told = show(&office.reply(session, "require_clarification", arguments));
    serde_json::from_str(told.strip_prefix("failed ").expect(&told)).unwrap()
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["questions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

fn sessions(office: &TestOffice) -> i64 {
    let count = |tx: &backoffice::db::ReadTx<'_>| {
        tx.row("SELECT count(*) FROM preflight_sessions", [], |row| row.get(0))
    };
    office.office.db.read(count).unwrap().unwrap()
}

/// Two questions: one of the catalogue, one of the model's own.
fn proposed() -> Value {
    json!({"questions": [
        {"id": "auth_library", "type": "single_choice", "question": "Which library?", "options": ["Evil", "Worse"],
         "rationale": "It limits the strategies."},
        {"id": "audit trail", "type": "single_choice", "question": "Who may see the audit trail?",
         "options": ["Managers", "Everyone"], "rationale": "Logins are personal data."},
    ]})
}

fn chat(arguments: &Value) -> Value {
    let call = json!({"type": "function", "function": {"name": "submit_clarification", "arguments": arguments.to_string()}});
    json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [call]}}]})
}

fn messages(arguments: &Value) -> Value {
    json!({"type": "message", "content": [{"type": "tool_use", "name": "submit_clarification", "input": arguments}]})
}

#[test]
fn every_provider_is_asked_in_its_own_way() {
    for (provider, answer, line, key) in [
        ("anthropic", messages(&proposed()), "post /v1/messages ", "x-api-key: anthropic-key"),
        ("openai", chat(&proposed()), "post /v1/chat/completions ", "authorization: Bearer openai-key"),
        (
            "openrouter",
            chat(&proposed()),
            "post /v1/chat/completions ",
            "authorization: Bearer openrouter-key",
        ),
    ] {
        let server = Server::start(vec![Act::ok(&answer)]);
        let (office, session) = office(named(&server, provider));
        let first = clarify(&office, &session, json!({"user_intention": INTENTION}));
        assert_eq!(first["warning"], Value::Null, "{first}");
        assert_eq!(ids(&first), ["auth_library", "auth_strategy", "x_audit_trail"], "{provider}");
        let [request] = &server.requests()[..] else { panic!("asked once") };
        assert!(request.head.starts_with(line) && request.head.contains(key), "{}", request.head);
        assert_eq!(request.head.contains("anthropic-version"), provider == "anthropic");
        assert!(request.json()["model"].is_string() && request.json()["tools"].is_array());
        assert!(!request.body.contains("-key"), "a key is a header and nothing else");
    }
}

#[test]
fn small_servers_answer_with_plain_json() {
    let text = format!("Here you are:\n```json\n{}\n```", proposed());
    let server = Server::start(vec![Act::ok(&json!({"choices": [{"message": {"content": text}}]}))]);
    let (office, session) = office(local(&server));
    let first = clarify(&office, &session, json!({"user_intention": INTENTION}));
    assert_eq!(ids(&first), ["auth_library", "auth_strategy", "x_audit_trail"]);
    let request = &server.requests()[0];
    assert!(!request.head.contains("authorization"), "{}", request.head);
    assert_eq!(request.json()["model"], "small");
}

/// The model proposes; the catalogue decides what its own questions are, and what they decide.
#[test]
fn a_session_with_extra_questions_survives_a_restart_and_ends_as_it_would_without_them() {
    let server = Server::start(vec![Act::ok(&chat(&proposed()))]);
    let (office, session) = office(local(&server));
    let first = clarify(&office, &session, json!({"user_intention": INTENTION}));
    let questions = first["questions"].as_array().unwrap();
    assert!(!questions[0].to_string().contains("Evil"), "a question of the catalogue keeps its options");
    assert_eq!(questions[0]["rationale"], "It limits the strategies.");
    assert_eq!(questions[2]["options"], json!(["Managers", "Everyone", "Other (specify)"]));
    assert_eq!(first["progress"], json!({"asked_so_far": 3, "answered": 0}));
    drop(session);
    let office = office.reopened(Mode::Full);
    let mut session = office.owner();
    session.stand_in(Some(&office.repository()), None).unwrap();
    let session = Arc::new(session);
    let again = |answers: Value| json!({"user_intention": "x", "session_id": first["session_id"], "answers": answers});
    let wrong = failed(&office, &session, again(json!({"x_audit_trail": "Nobody"})));
    assert_eq!(wrong["error"]["code"], "INVALID_ANSWER");
    assert_eq!(wrong["error"]["details"]["options"], json!(["Managers", "Everyone", "Other (specify)"]));
    let misspelt = failed(&office, &session, again(json!({"x_audit_trial": "Managers"})));
    assert!(
        misspelt["error"]["message"].as_str().unwrap().contains("did you mean `x_audit_trail`?"),
        "{misspelt}"
    );
    let other =
        json!({"auth_strategy": "OAuth", "auth_library": "Auth0", "x_audit_trail": "Other (specify)"});
    let second = clarify(&office, &session, again(other));
    assert_eq!(ids(&second), ["x_audit_trail__other"], "what is optional never takes the last question");
    assert_eq!(second["progress"], json!({"asked_so_far": 4, "answered": 3}));
    let last = clarify(&office, &session, again(json!({"x_audit_trail__other": "Auditors, PostgreSQL"})));
    assert_eq!(last["status"], "completed");
    assert_eq!(last["decision_reason"], "ADR: `authentication` concerns Authentication");
    let read = office.value(&session, "read_architecture", json!({}));
    assert_eq!(
        read["architecture"]["categories"],
        json!({"Authentication": {"Strategy": "OAuth", "Library": "Auth0"}}),
        "an extra question sets no field"
    );
    let docs = office.repository().join("docs");
    let task = fs::read_to_string(docs.join("CURRENT_TASK.md")).unwrap();
    assert!(task.contains("- Who may see the audit trail: Auditors, PostgreSQL"), "{task}");
    let adr = fs::read_dir(docs.join("adr")).unwrap().next().unwrap().unwrap().path();
    let adr = fs::read_to_string(adr).unwrap();
    assert!(adr.contains("- Who may see the audit trail = Auditors, PostgreSQL (agent)"), "{adr}");
    assert_eq!(server.requests().len(), 1, "the model is asked once");
}

#[test]
fn a_model_that_has_nothing_to_ask_is_no_failure() {
    let server = Server::start(vec![Act::ok(&chat(&json!({"questions": []})))]);
    let (office, session) = office(strict(local(&server)));
    let first = clarify(&office, &session, json!({"user_intention": INTENTION}));
    assert_eq!((ids(&first), first.get("warning")), (vec!["auth_strategy", "auth_library"], None));
}

/// Every way to misbehave: how often it is tried, and what is told.
#[test]
fn a_model_that_misbehaves_is_not_missed() {
    let huge = format!("{{\"choices\": \"{}\"}}", "x".repeat(2 << 20));
    let elsewhere = Server::start(vec![Act::ok(&chat(&proposed()))]);
    let location: &'static str = format!("location: {}/v1/chat/completions\r\n", elsewhere.url()).leak();
    let cases = [
        (Act::Silence, SHORT, 3, "LLM_TIMEOUT", "no answer in time"),
        (Act::Stall, SHORT, 3, "LLM_TIMEOUT", "no answer in time"),
        (Act::HangUp, LONG, 3, "LLM_PROVIDER_ERROR", "no connection to the provider"),
        (Act::Slam, LONG, 3, "LLM_PROVIDER_ERROR", "no connection to the provider"),
        (Act::status(429), LONG, 3, "LLM_RATE_LIMITED", "rate limit"),
        (Act::Say(429, "retry-after: 3600\r\n", String::new()), LONG, 1, "LLM_RATE_LIMITED", "rate limit"),
        (Act::status(500), LONG, 3, "LLM_PROVIDER_ERROR", "the provider answered with status 500"),
        (Act::status(400), LONG, 1, "LLM_PROVIDER_ERROR", "the provider answered with status 400"),
        (
            Act::status(404),
            LONG,
            1,
            "LLM_PROVIDER_ERROR",
            "the provider does not know the model or the path, status 404",
        ),
        (Act::status(401), LONG, 1, "LLM_PROVIDER_ERROR", "the provider refuses the key, status 401"),
        (Act::status(403), LONG, 1, "LLM_PROVIDER_ERROR", "the provider refuses the key, status 403"),
        (
            Act::Say(302, location, String::new()),
            LONG,
            1,
            "LLM_PROVIDER_ERROR",
            "the provider redirects, status 302",
        ),
        (
            Act::Say(307, location, String::new()),
            LONG,
            1,
            "LLM_PROVIDER_ERROR",
            "the provider redirects, status 307",
        ),
        (
            Act::Say(200, "", "not JSON".to_owned()),
            LONG,
            3,
            "LLM_INVALID_RESPONSE",
            "unusable answer: it is not JSON",
        ),
        (
            Act::ok(&json!({"choices": []})),
            LONG,
            3,
            "LLM_INVALID_RESPONSE",
            "unusable answer: it has another shape",
        ),
        (
            Act::ok(&messages(&proposed())),
            LONG,
            3,
            "LLM_INVALID_RESPONSE",
            "unusable answer: it has another shape",
        ),
        (Act::Say(200, "", huge), LONG, 3, "LLM_INVALID_RESPONSE", "unusable answer: it is too large"),
    ];
    for (act, patience, attempts, code, reason) in cases {
        let case = format!("{code} {reason}");
        let server = Server::start(vec![act.clone()]);
        let (forgiving, session) = office(ModelEnvironment { patience, ..local(&server) });
        let first = clarify(&forgiving, &session, json!({"user_intention": INTENTION}));
        assert_eq!(ids(&first), ["auth_strategy", "auth_library"], "{case}");
        let message = format!("LLM unavailable ({reason}), using deterministic mode");
        assert_eq!((&first["warning"], &first["message"]), (&json!("llm_fallback"), &json!(message)));
        assert_eq!((server.requests().len(), sessions(&forgiving)), (attempts, 1), "{case}");

        let server = Server::start(vec![act]);
        let (unforgiving, session) = office(strict(ModelEnvironment { patience, ..local(&server) }));
        let told = failed(&unforgiving, &session, json!({"user_intention": INTENTION}));
        assert_eq!((&told["status"], &told["error"]["code"]), (&json!("error"), &json!(code)), "{case}");
        assert_eq!(told["error"]["message"], format!("LLM unavailable ({reason})"));
        assert!(told["error"]["recovery_hint"].as_str().unwrap().contains("PREFLIGHTS_LLM"), "{told}");
        assert_eq!((server.requests().len(), sessions(&unforgiving)), (attempts, 0), "{case}");
    }
    assert_eq!(elsewhere.requests().len(), 0, "nothing is sent where nobody has said so");
}

#[test]
fn another_attempt_may_succeed() {
    for trouble in [
        Act::status(500),
        Act::Say(429, "retry-after: 0\r\n", String::new()),
        Act::HangUp,
        Act::Say(200, "", "{".to_owned()),
    ] {
        let server = Server::start(vec![trouble.clone(), trouble.clone(), Act::ok(&chat(&proposed()))]);
        let (office, session) = office(strict(local(&server)));
        let first = clarify(&office, &session, json!({"user_intention": INTENTION}));
        assert_eq!((ids(&first).len(), server.requests().len()), (3, 3), "{trouble:?}");
    }
}

/// Three attempts have their time each, and all of them have theirs.
#[test]
fn the_time_for_all_attempts_is_bounded_too() {
    let server = Server::start(vec![Act::Silence]);
    let patience = Patience { all: Duration::from_millis(450), ..SHORT };
    let (office, session) = office(ModelEnvironment { patience, ..local(&server) });
    let first = clarify(&office, &session, json!({"user_intention": INTENTION}));
    assert_eq!(first["warning"], "llm_fallback");
    assert!(server.requests().len() < 3, "a third attempt would begin after the end");
}

#[test]
fn nobody_at_the_other_end_is_a_failure_like_others() {
    let url = Server::start(vec![Act::Slam]).url();
    let provider = Some(Secret::new(url));
    let (office, session) =
        office(ModelEnvironment { provider, patience: LONG, ..ModelEnvironment::default() });
    let first = clarify(&office, &session, json!({"user_intention": INTENTION}));
    assert_eq!(first["message"], "LLM unavailable (no connection to the provider), using deterministic mode");
}

/// The encrypted way is there as well, and whoever does not speak it gets nothing.
#[test]
fn what_is_to_be_encrypted_is_never_sent_in_the_open() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let provider = Some(Secret::new(format!("https://127.0.0.1:{}", listener.local_addr().unwrap().port())));
    let url_key = Some(Secret::new("key-of-olivia"));
    let model = ModelEnvironment { provider, url_key, patience: LONG, ..ModelEnvironment::default() };
    let heard = std::thread::spawn(move || {
        let mut heard = Vec::new();
        for stream in listener.incoming().take(3) {
            let (mut stream, mut first) = (stream.unwrap(), [0; 512]);
            let length = stream.read(&mut first).unwrap();
            heard.push(first[..length].to_vec());
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        }
        heard
    });
    let (office, session) = office(model);
    let first = clarify(&office, &session, json!({"user_intention": INTENTION}));
    assert_eq!(first["message"], "LLM unavailable (no connection to the provider), using deterministic mode");
    for hello in heard.join().unwrap() {
        assert_eq!(hello[0], 22, "a TLS handshake, and no request");
    }
}

#[test]
fn what_needs_no_question_needs_no_model() {
    let server = Server::start(vec![Act::status(500)]);
    let (office, session) = office(strict(local(&server)));
    for intention in ["Fix typo in login button", "Add SAML login with Clerk"] {
        let done = clarify(&office, &session, json!({"user_intention": intention}));
        assert_eq!(done["status"], "completed", "{done}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_missing_key_and_a_wrong_provider_are_told_when_they_are_needed() {
    let server = Server::start(vec![Act::ok(&chat(&proposed()))]);
    let keyless = ModelEnvironment { openai_key: None, ..named(&server, "openai") };
    let (forgiving, session) = office(keyless.clone());
    let first = clarify(&forgiving, &session, json!({"user_intention": INTENTION}));
    assert_eq!(first["warning"], "llm_fallback");
    assert!(first["message"].as_str().unwrap().contains("PREFLIGHTS_OPENAI_API_KEY is not set"), "{first}");
    let (unforgiving, session) = office(strict(keyless));
    let told = failed(&unforgiving, &session, json!({"user_intention": INTENTION}));
    assert_eq!(told["error"]["code"], "LLM_CREDENTIALS_MISSING");
    assert_eq!((server.requests().len(), sessions(&unforgiving)), (0, 0));

    let (office, session) =
        office(ModelEnvironment { provider: Some(Secret::new("openia")), ..ModelEnvironment::default() });
    let told = failed(&office, &session, json!({"user_intention": INTENTION}));
    assert_eq!(told["error"]["code"], "CONFIG_ERROR");
    assert!(told["error"]["recovery_hint"].as_str().unwrap().starts_with("did you mean `openai`?"), "{told}");
    assert_eq!(office.value(&session, "read_architecture", json!({}))["status"], "success");
}

const PLANTED: [&str; 8] = [
    "sk-ant-api03-PLANTED0aaaaaaaaaaaa",
    "eyJhbGciOiJIUzI1NiJ9.UExBTlRFRDE.c2lnbmF0dXJl",
    "AKIAPLANTED2AAAAAAAA",
    "password=PLANTED3",
    "\"api_key\": \"PLANTED4 with blanks\"",
    "Bearer PLANTED5abc",
    "planted6@shop.example",
    "postgres://shop:PLANTED7@db/shop",
];

#[test]
fn only_the_redacted_summary_is_sent() {
    let server = Server::start(vec![Act::ok(&chat(&proposed()))]);
    let (office, session) = office(local(&server));
    let root = office.repository();
    for file in ["src/PLANTED8.rs", "planted9@shop.example/a.rs", ".env", "credentials.json", "dump.sql"] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), PLANTED.join("\n")).unwrap();
    }
    let arguments = json!({
        "user_intention": format!("Add authentication, not with {}", PLANTED.join(" ")),
        "optional_context": PLANTED.join("\n"),
        "answers": {"auth_strategy": "Other (specify)", "auth_strategy__other": PLANTED.join(" ")},
    });
    let first = clarify(&office, &session, arguments);
    assert_eq!(first.get("warning"), None, "{first}");
    let [request] = &server.requests()[..] else { panic!("asked once") };
    let sent = request.body.to_lowercase();
    for trace in ["planted", "uexbtlrfrd", "credentials.json", ".env", "dump", "login.rs"] {
        assert!(!sent.contains(trace), "{trace}: {sent}");
    }
    let summary: Value =
        serde_json::from_str(request.json()["messages"][1]["content"].as_str().unwrap()).unwrap();
    assert_eq!(summary["repository"]["extensions"], json!({"rs": 3}));
    assert!(summary["intention"].as_str().unwrap().starts_with("Add authentication, not with [redacted]"));
}

/// The environment of the process is enough, and neither the log nor the file keeps what is secret.
#[test]
fn the_program_takes_its_model_from_the_environment() {
    let server = Server::start(vec![Act::ok(&chat(&proposed()))]);
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".git")).unwrap();
    let run = |intention: &str, strict: &str| {
        let mut command = client::command(home.path());
        command.env("PREFLIGHTS_LLM_PROVIDER", "openai").env("PREFLIGHTS_LLM_BASE_URL", server.url());
        command.env("OPENAI_API_KEY", "key-of-olivia").env("PREFLIGHTS_LLM_STRICT", strict);
        command.env("PREFLIGHTS_LLM_MODEL", "own-model").env("BACKOFFICE_LOG", "trace");
        let arguments = json!({"user_intention": intention}).to_string();
        command.args(["call", "require_clarification", &arguments, "--json"]).output().unwrap()
    };
    let output = run("Add authentication, password=PLANTED", "1");
    let told = String::from_utf8(output.stdout).unwrap();
    let answer: Value = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"));
    assert_eq!(ids(&answer), ["auth_library", "auth_strategy", "x_audit_trail"]);
    let request = &server.requests()[0];
    assert!(request.head.contains("authorization: Bearer key-of-olivia"), "{}", request.head);
    assert_eq!(request.json()["model"], "own-model");
    assert!(!request.body.contains("PLANTED"));
    let logs = fs::read_dir(home.path().join("data/logs")).unwrap();
    let logs: String = logs.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert!(logs.contains("llm_answered"), "{logs}");
    for secret in ["key-of-olivia", "PLANTED", "audit trail"] {
        assert!(!logs.contains(secret), "{secret}: {logs}");
    }
    let refused = run("Add authentication", "perhaps");
    assert!(!refused.status.success());
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert!(complaint.contains("PREFLIGHTS_LLM_STRICT"), "{complaint}");
}
