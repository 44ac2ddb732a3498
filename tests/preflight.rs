//! Clarification from the first question to the decision, over restarts and side by side.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use backoffice::db::Mode;
use backoffice::tool::session::Session;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::office::{TestOffice, show};

fn shop() -> (TestOffice, Arc<Session>) {
    let office = TestOffice::new();
    let session = Arc::new(office.in_repository(&["src/auth/login.rs"]));
    (office, session)
}

fn standing(office: &TestOffice) -> Arc<Session> {
    let mut session = office.owner();
    session.stand_in(Some(&office.repository()), None).unwrap();
    Arc::new(session)
}

fn clarify(office: &TestOffice, session: &Arc<Session>, arguments: Value) -> Value {
    office.value(session, "require_clarification", arguments)
}

fn failed(office: &TestOffice, session: &Arc<Session>, arguments: Value) -> Value {
    let told = show(&office.reply(session, "require_clarification", arguments));
    serde_json::from_str(told.strip_prefix("failed ").expect(&told)).unwrap()
}

fn documents(office: &TestOffice, folder: &str) -> Vec<PathBuf> {
    let listed = fs::read_dir(office.repository().join("docs").join(folder)).into_iter().flatten();
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

const BOTH: &str = r#"{"auth_strategy": "OAuth", "auth_library": "Auth0"}"#;

fn both() -> Value {
    serde_json::from_str(BOTH).unwrap()
}

#[test]
fn two_turns_with_a_restart_between_them() {
    let (office, session) = shop();
    let first = clarify(&office, &session, json!({"user_intention": "Add authentication"}));
    assert_eq!(first["status"], "needs_clarification");
    let ids: Vec<&str> =
        first["questions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["auth_strategy", "auth_library"]);
    assert_eq!(first["progress"], json!({"asked_so_far": 2, "answered": 0}));
    drop(session);
    let office = office.reopened(Mode::Full);
    let session = standing(&office);
    let arguments =
        json!({"user_intention": "ignored", "session_id": first["session_id"], "answers": both()});
    let last = clarify(&office, &session, arguments.clone());
    let kinds: Vec<&str> = last["artifacts_created"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert_eq!((last["status"].as_str(), kinds), (Some("completed"), vec!["adr", "task", "projection"]));
    let adr = fs::read_to_string(&documents(&office, "adr")[0]).unwrap();
    assert!(adr.contains("Authentication.Library = Auth0 (agent)"), "who said it is told: {adr}");
    let read = office.value(&session, "read_architecture", json!({}));
    assert_eq!(
        read["architecture"]["categories"],
        json!({"Authentication": {"Strategy": "OAuth", "Library": "Auth0"}})
    );
    let again = failed(&office, &session, arguments);
    assert_eq!(again["error"]["details"]["reason"], "session_completed");
}

#[test]
fn unknown_expired_and_wrong_are_told_apart_and_change_nothing() {
    let (office, session) = shop();
    let first = clarify(&office, &session, json!({"user_intention": "Add authentication"}));
    let id = &first["session_id"];
    let wrong = failed(
        &office,
        &session,
        json!({"user_intention": "x", "session_id": id, "answers": {"auth_strategy": "Magic"}}),
    );
    assert_eq!((&wrong["status"], &wrong["error"]["code"]), (&json!("error"), &json!("INVALID_ANSWER")));
    assert_eq!(wrong["error"]["details"]["question"], "auth_strategy");
    let unknown = failed(&office, &session, json!({"user_intention": "x", "session_id": "nobody"}));
    assert_eq!(unknown["error"]["code"], "SESSION_NOT_FOUND");
    office.clock.advance(Duration::from_secs(29 * 60));
    clarify(
        &office,
        &session,
        json!({"user_intention": "x", "session_id": id, "answers": {"auth_strategy": "OAuth"}}),
    );
    office.clock.advance(Duration::from_secs(29 * 60));
    clarify(&office, &session, json!({"user_intention": "x", "session_id": id}));
    office.clock.advance(Duration::from_secs(30 * 60));
    let expired =
        failed(&office, &session, json!({"user_intention": "x", "session_id": id, "answers": both()}));
    assert_eq!(expired["error"]["code"], "SESSION_EXPIRED", "thirty minutes after the last turn");
    let nowhere = failed(&office, &Arc::new(office.owner()), json!({"user_intention": "Add authentication"}));
    assert_eq!(nowhere["error"]["code"], "REPO_NOT_FOUND");
    let empty = failed(&office, &session, json!({"user_intention": "  "}));
    assert_eq!(empty["error"]["code"], "VALIDATION_FAILED");
    assert!(!office.repository().join("docs").exists(), "nothing was written");
}

#[test]
fn a_fix_is_one_step_and_a_task_and_what_is_named_is_not_asked() {
    let (office, session) = shop();
    let fix = clarify(&office, &session, json!({"user_intention": "Fix typo in login button"}));
    assert_snapshot!(fix["decision_reason"].as_str().unwrap(), @"task only: it is a fix (`fix`)");
    assert_eq!((fix["status"].as_str(), documents(&office, "adr").len()), (Some("completed"), 0));
    let named = clarify(&office, &session, json!({"user_intention": "Add OAuth login with Clerk"}));
    assert_eq!(named["questions"].as_array().map(Vec::len), Some(1), "what it names is not asked: {named}");
    assert_eq!(
        (&named["questions"][0]["id"], &named["questions"][0]["optional"]),
        (&json!("oauth_providers"), &json!(true))
    );
    let done = clarify(&office, &session, json!({"user_intention": "x", "session_id": named["session_id"]}));
    assert_eq!(done["status"], "completed", "what is optional may stay open: {done}");
    let read = office.value(&session, "read_architecture", json!({}));
    assert_eq!(
        read["architecture"]["categories"]["Authentication"],
        json!({"Strategy": "OAuth", "Library": "Clerk"})
    );
    let archived: Vec<PathBuf> = documents(&office, "archive/task");
    assert!(archived[0].to_str().unwrap().ends_with("_fix_typo_in_login_button.md"), "{archived:?}");
    let forced = json!({"user_intention": "Fix typo in login button", "preferences": {"force_adr": true}});
    assert_ne!(
        clarify(&office, &session, forced)["decision_reason"],
        fix["decision_reason"],
        "a wish is a wish"
    );
}

/// A build without a client does without the model, and says so.
#[cfg(not(feature = "model"))]
#[test]
fn a_build_without_model_support_says_so() {
    use backoffice::config::model::{ModelEnvironment, Secret};
    let provider = Some(Secret::new("http://127.0.0.1:9"));
    let office = TestOffice::with_model(ModelEnvironment { provider, ..ModelEnvironment::default() });
    let session = Arc::new(office.in_repository(&[]));
    let first = clarify(&office, &session, json!({"user_intention": "Add authentication"}));
    assert_eq!(
        first["message"],
        "LLM unavailable (this build has no model support), using deterministic mode"
    );
}

/// The projection is made from the decisions, never the other way round.
#[test]
fn deleting_the_projection_loses_nothing() {
    let (office, session) = shop();
    clarify(&office, &session, json!({"user_intention": "Add SAML login with Clerk"}));
    fs::remove_file(office.repository().join("docs/ARCHITECTURE_STATE.md")).unwrap();
    // A task alone brings it back as well.
    let fix = clarify(&office, &session, json!({"user_intention": "Fix typo in login button"}));
    let made = fix["artifacts_created"].as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap());
    assert_eq!(made.collect::<Vec<_>>(), ["task", "projection"]);
    fs::remove_file(office.repository().join("docs/ARCHITECTURE_STATE.md")).unwrap();
    clarify(&office, &session, json!({"user_intention": "Use PostgreSQL with Prisma for orders"}));
    let read = office.value(&session, "read_architecture", json!({}));
    let categories: Vec<&String> = read["architecture"]["categories"].as_object().unwrap().keys().collect();
    assert_eq!(categories, ["Authentication", "Database"]);
    let state = fs::read_to_string(office.repository().join("docs/ARCHITECTURE_STATE.md")).unwrap();
    assert!(state.contains("### Authentication") && state.contains("### Database"), "{state}");
}

#[test]
fn sessions_that_end_at_the_same_moment_all_end() {
    let (office, session) = shop();
    let intentions = [
        "Use PostgreSQL with Prisma",
        "Add SAML login with Clerk",
        "Deploy to Vercel with GitHub Actions",
        "Fix typo in footer",
    ];
    std::thread::scope(|scope| {
        for intention in intentions {
            let (office, session) = (&office, &session);
            scope.spawn(move || {
                let first = clarify(office, session, json!({"user_intention": intention}));
                if first["status"] == "needs_clarification" {
                    let questions = first["questions"].as_array().unwrap().iter();
                    let answers: Value = questions.map(|one| (one["id"].as_str().unwrap().to_owned(), one["options"][0].clone())).collect();
                    clarify(office, session, json!({"user_intention": intention, "session_id": first["session_id"], "answers": answers}));
                }
            });
        }
    });
    let uids: Vec<String> = documents(&office, "adr")
        .iter()
        .chain(&documents(&office, "archive/task"))
        .map(|file| file.file_name().unwrap().to_str().unwrap()[..25].to_owned())
        .collect();
    assert_eq!(uids.iter().collect::<BTreeSet<_>>().len(), uids.len(), "a UID was given twice: {uids:?}");
    assert_eq!(documents(&office, "archive/task").len(), 3, "every task but the last is archived");
    let read = office.value(&session, "read_architecture", json!({}));
    let categories = read["architecture"]["categories"].as_object().unwrap();
    assert!(categories.contains_key("Authentication") && categories.contains_key("Database"), "{read}");
    assert!(read["conflicts"].is_null(), "{read}");
}

#[cfg(unix)]
#[test]
fn documents_are_not_written_through_a_link() {
    let (office, session) = shop();
    let outside = office.folder.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, office.repository().join("docs")).unwrap();
    let told = failed(&office, &session, json!({"user_intention": "Fix typo in login button"}));
    assert_eq!(told["error"]["code"], "FILESYSTEM_ERROR");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}
