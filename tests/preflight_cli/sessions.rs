//! Sessions that are left, looked at, taken up again and dropped.

use insta::assert_snapshot;
use serde_json::json;

use super::Shop;

#[test]
fn a_session_that_was_left_goes_on_with_its_answers() {
    let shop = Shop::new();
    assert_snapshot!(shop.shown(&["preflight", "Add authentication"], "2\n"), @"
    exit 5
    --- stdout
    --- stderr
    answer with a number or the text, one line each; Ctrl-C leaves, `backoffice preflight resume` goes on

    Which authentication strategy?
       1  OAuth  (recommended: it is the usual choice)
       2  Email/Password
       3  Magic Links
       4  SAML
       5  Other (specify)
    > 2

    Which authentication library?
       1  NextAuth.js  (recommended: it is the usual choice)
       2  Auth0
       3  Clerk
       4  Passport.js
       5  Authlib
       6  django-allauth
       7  Devise
       8  Spring Security
       9  Custom
      10  Other (specify)
    > 
    error: the input ended before the last question; the session `<session>` stays open until <instant>, answers kept: 1
    hint: `backoffice preflight resume` goes on, `backoffice preflight answer ID=VALUE` answers one question
    ");
    assert_snapshot!(shop.shown(&["preflight", "status"], ""), @"
    exit 0
    --- stdout
    Add authentication
      session   <session>
      state     open until <instant>
      answered  auth_strategy = Email/Password (person)
      open      auth_library  Which authentication library?
    --- stderr
    `backoffice preflight resume` goes on with the newest, `backoffice preflight reset` drops them
    ");
    assert_snapshot!(shop.shown(&["preflight", "resume"], "Auth0\n"), @"
    exit 0
    --- stdout
    adr         docs/adr/<uid>_authentication_strategy__emailpassword.md
    task        docs/CURRENT_TASK.md
    projection  docs/ARCHITECTURE_STATE.md
    prompt      docs/AGENT_PROMPT.md
    --- stderr
    resuming: Add authentication
    answered  auth_strategy = Email/Password (person)
    answer with a number or the text, one line each; Ctrl-C leaves, `backoffice preflight resume` goes on

    Which authentication library?
       1  NextAuth.js  (recommended: it is the usual choice)
       2  Auth0
       3  Clerk
       4  Passport.js
       5  Authlib
       6  django-allauth
       7  Devise
       8  Spring Security
       9  Custom
      10  Other (specify)
    > Auth0
    Decision documented and task created for: Add authentication
    reason: ADR: `authentication` concerns Authentication
    ");
    let adr = &shop.adrs()[0];
    assert!(adr.contains("Authentication.Strategy = Email/Password (person)"), "{adr}");
    assert!(adr.contains("Authentication.Library = Auth0 (person)"), "{adr}");
    assert_snapshot!(shop.shown(&["preflight", "status"], ""), @r#"
    exit 0
    --- stdout
    --- stderr
    no session is open in this repository; `backoffice preflight "INTENTION"` begins one
    "#);
    assert_snapshot!(shop.shown(&["preflight", "resume"], ""), @r#"
    exit 3
    --- stdout
    --- stderr
    error: there is no open session in this repository
    hint: `backoffice preflight "INTENTION"` begins one
    "#);
}

#[test]
fn the_last_needed_answer_waits_for_what_may_be_left_out() {
    let shop = Shop::new();
    let left = shop.fed(&["preflight", "Choose a database and its ORM"], "Prisma\nPostgreSQL\n");
    assert_eq!(left.code, 5, "{}", left.stderr);
    assert!(left.stderr.contains("answers kept: 1, to be given again: db_type"), "{}", left.stderr);
    assert!(shop.adrs().is_empty(), "nothing is decided before the last question");
    let resumed = shop.fed(&["preflight", "resume"], "PostgreSQL\nSQL files\n");
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert!(resumed.stderr.contains("answered  db_orm = Prisma (person)"), "{}", resumed.stderr);
    assert!(shop.adrs()[0].contains("Database.Migrations = SQL files (person)"), "{}", shop.adrs()[0]);
}

#[test]
fn an_expired_session_is_begun_anew_with_its_answers() {
    let shop = Shop::new();
    let begun = shop.json(&["preflight", "Add authentication", "--context", "for the shop"]);
    let old = begun["session_id"].as_str().unwrap();
    shop.run(&["preflight", "answer", "auth_strategy=Other", "auth_strategy__other=Badges"]);
    shop.an_hour_later();
    let told = shop.json(&["preflight", "status"]);
    assert_eq!(told["sessions"][0]["status"], "expired");
    assert!(shop.run(&["preflight", "status"]).stdout.contains("state     expired at "));
    let late = shop.run(&["preflight", "answer", "auth_library=Auth0", "--json"]);
    let late_told: serde_json::Value = serde_json::from_str(&late.stderr).unwrap();
    assert_eq!((late.code, &late_told["error"]["code"]), (5, &json!("SESSION_EXPIRED")));
    let second = shop.json(&["preflight", "resume"]);
    assert_eq!(
        (&second["replaces"], &second["answers"]["auth_strategy__other"]),
        (&json!(old), &json!(["Badges"]))
    );
    shop.an_hour_later();
    assert_snapshot!(shop.shown(&["preflight", "resume", "--non-interactive"], ""), @"
    exit 0
    --- stdout
    session  <session>

    auth_library  Which authentication library?  (single_choice)
      - NextAuth.js  (recommended: it is the usual choice)
      - Auth0
      - Clerk
      - Passport.js
      - Authlib
      - django-allauth
      - Devise
      - Spring Security
      - Custom
      - Other (specify)
    --- stderr
    the session `<session>` has expired; it goes on as `<session>`
    resuming: Add authentication
    answered  auth_strategy = Badges (person)
    answer with `backoffice preflight answer auth_library=…`
    for `Other (specify)`, put the text into the id with `__other` at its end
    or `backoffice preflight resume` asks them one by one
    ");
    assert_eq!(
        shop.run(&["preflight", "resume", "--session", old]).code,
        3,
        "the new one has taken its place"
    );
    let sessions = shop.json(&["preflight", "status"])["sessions"].clone();
    assert_eq!(sessions.as_array().unwrap().len(), 1);
    assert_eq!(
        (&sessions[0]["intention"], &sessions[0]["context"], &sessions[0]["status"]),
        (&json!("Add authentication"), &json!("for the shop"), &json!("open"))
    );
    shop.run(&["preflight", "answer", "auth_library=Auth0"]);
    assert!(shop.adrs()[0].contains("Authentication.Strategy = Badges (person)"), "{}", shop.adrs()[0]);
}

/// Whoever answered stays who answered, also when somebody else begins the session anew.
#[test]
fn an_agents_answers_stay_an_agents() {
    let shop = Shop::new();
    let mut command = crate::client::command(shop.0.path());
    command.current_dir(shop.root());
    let mut server = crate::client::Client::spawn(command, &[]);
    server.initialize("2025-11-25");
    let answers = json!({"user_intention": "Add authentication", "answers": {"auth_strategy": "SAML"}});
    server.value("require_clarification", answers);
    shop.an_hour_later();
    let ran = shop.fed(&["preflight", "resume"], "Auth0\n");
    assert!(ran.stderr.contains("answered  auth_strategy = SAML (agent)"), "{}", ran.stderr);
    let adr = &shop.adrs()[0];
    assert!(adr.contains("Strategy = SAML (agent)") && adr.contains("Library = Auth0 (person)"), "{adr}");
}

#[test]
fn an_answer_that_no_longer_fits_is_asked_again() {
    let shop = Shop::new();
    let begun = shop.json(&["preflight", "Add authentication"]);
    shop.run(&["preflight", "answer", "auth_strategy=OAuth"]);
    shop.an_hour_later();
    spoil_answers(&shop);
    let resumed = shop.run(&["preflight", "resume", "--non-interactive"]);
    assert!(resumed.stderr.contains("answers that no longer fit: auth_strategy"), "{}", resumed.stderr);
    assert!(resumed.stdout.contains("auth_strategy  Which"), "{}", resumed.stdout);
    assert!(!resumed.stdout.contains(begun["session_id"].as_str().unwrap()));
}

/// As if a later release had taken an option away.
#[expect(clippy::disallowed_methods, reason = "stands for an older release that wrote the row")]
fn spoil_answers(shop: &Shop) {
    let connection = rusqlite::Connection::open(shop.data()).unwrap();
    let answers = r#"[["auth_strategy", "person", ["Carrier pigeons"]]]"#;
    connection.execute("UPDATE preflight_sessions SET answers = ?1", [answers]).unwrap();
}

#[test]
fn sessions_are_dropped_only_on_purpose_and_only_here() {
    let shop = Shop::new();
    let (first, second) =
        (shop.json(&["preflight", "Add authentication"]), shop.json(&["preflight", "Add caching"]));
    let ids = [&first, &second].map(|turn| turn["session_id"].as_str().unwrap().to_owned());
    std::fs::create_dir_all(shop.0.path().join("other/.git")).unwrap();
    let other = shop.0.path().join("other");
    assert_eq!(shop.fed_in(&other, &["preflight", "reset", "--force"], "").stdout, "no session was open\n");
    let foreign = shop.fed_in(&other, &["preflight", "reset", "--force", "--session", &ids[0]], "");
    assert_eq!(foreign.code, 3, "{}", foreign.stderr);
    assert_snapshot!(shop.shown(&["preflight", "reset"], "y\n"), @"
    exit 5
    --- stdout
    --- stderr
    error: nothing was changed
    hint: add --force to drop them without being asked
    ");
    assert_eq!(shop.run(&["preflight", "reset", "--json"]).code, 5);
    let dropped = shop.json(&["preflight", "reset", "--force", "--session", &ids[0]]);
    assert_eq!(dropped, json!({"status": "reset", "sessions": [ids[0]]}));
    let gone = json!({"user_intention": "x", "session_id": ids[0]}).to_string();
    let gone = shop.run(&["call", "require_clarification", &gone, "--json"]);
    assert!(gone.code == 3 && gone.stderr.contains("SESSION_NOT_FOUND"), "{}", gone.stderr);
    assert_eq!(shop.run(&["preflight", "reset", "--force"]).stdout, format!("dropped  {}\n", ids[1]));
    assert_eq!(shop.json(&["preflight", "status"]), json!({"sessions": []}));
}

#[test]
fn a_completed_session_is_neither_resumed_nor_dropped() {
    let shop = Shop::new();
    let done = shop.json(&["preflight", "Fix typo in footer"]);
    let id = done["session_id"].as_str().unwrap();
    for command in ["resume", "reset"] {
        let ran = shop.run(&["preflight", command, "--session", id]);
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        assert!(ran.stderr.contains("is completed"), "{}", ran.stderr);
    }
}
