//! Writes that wait for a person: what must be true before, when and after one decides.

use std::sync::Arc;
use std::time::Duration;

use backoffice::db::{audit, confirmations, people};
use backoffice::error::Kind;
use backoffice::tool::confirm::{self, Decided, Outcome, Proof, outcome_at};
use backoffice::tool::session::Session;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::office::{START, TestOffice};

const ALICE: &str = "alice.chen";
const FRANK: &str = "frank.davis";

/// An office in which Alice has asked that Frank be deleted.
struct Asked {
    test: TestOffice,
    alice: Arc<Session>,
    id: String,
}

fn asked() -> Asked {
    let test = TestOffice::new();
    let alice = Arc::new(test.pinned(ALICE));
    let id = ask(&test, &alice, json!({"employee_id": FRANK, "reason": "left"}));
    Asked { test, alice, id }
}

fn ask(test: &TestOffice, session: &Arc<Session>, arguments: Value) -> String {
    let answer = test.value(session, "delete_employee", arguments);
    assert_eq!(answer["status"], "pending_confirmation");
    answer["confirmationId"].as_str().unwrap().to_owned()
}

impl Asked {
    fn decide(&self, approved: bool) -> backoffice::error::Result<Decided> {
        self.decide_as(ALICE, approved)
    }

    fn decide_as(&self, login: &str, approved: bool) -> backoffice::error::Result<Decided> {
        confirm::decide(&self.test.office, &self.id, approved, Proof::by_terminal(login), "test-person")
    }

    fn state(&self) -> Value {
        self.test.value(&self.alice, "get_confirmation", json!({"confirmation_id": self.id}))
    }

    fn frank_is_active(&self) -> bool {
        let owner = Arc::new(self.test.owner());
        self.test.value(&owner, "get_employee", json!({"employee_id": FRANK}))["data"]["active"] == true
    }
}

#[test]
fn nothing_happens_until_a_person_agrees_and_then_it_happens_once() {
    let asked = asked();
    assert!(asked.frank_is_active());
    assert_eq!(asked.state()["state"], "pending");
    let decided = asked.decide(true).unwrap();
    assert!(decided.failure.is_none());
    assert!(!asked.frank_is_active());
    let state = asked.state();
    assert_eq!(
        (&state["state"], &state["result"]["message"]),
        (&json!("executed"), &json!("Employee Frank Davis has been deleted."))
    );
    for approved in [true, false] {
        let again = asked.decide(approved).unwrap_err();
        assert_eq!((again.kind(), again.message()), (Kind::Conflict, "it was decided before: executed"));
    }
}

#[test]
fn every_end_is_told_apart() {
    let declined = asked();
    declined.decide(false).unwrap();
    assert!(declined.frank_is_active());
    assert_eq!(declined.decide(true).unwrap_err().message(), "it was decided before: declined");
    let expired = asked();
    expired.test.clock.advance(Duration::from_secs(300));
    let late = expired.decide(true).unwrap_err();
    assert_eq!(late.details()["code"], "CONFIRMATION_EXPIRED");
    assert!(expired.frank_is_active());
    let unknown = confirm::decide(&expired.test.office, "nothing", true, Proof::by_terminal(ALICE), "t");
    assert_eq!(unknown.unwrap_err().details()["code"], "CONFIRMATION_NOT_FOUND");
    assert_eq!(
        (&declined.state()["state"], &expired.state()["state"]),
        (&json!("declined"), &json!("expired"))
    );
    let told = declined.test.call_as(
        declined.test.pinned(FRANK),
        "get_confirmation",
        json!({"confirmation_id": declined.id}),
    );
    assert!(told.contains("CONFIRMATION_NOT_FOUND"), "somebody else's is not there: {told}");
}

#[test]
fn a_stranger_consumes_nothing() {
    let asked = asked();
    for stranger in [FRANK, "olivia", "eve.thompson"] {
        let refused = asked.decide_as(stranger, true).unwrap_err();
        assert_eq!(refused.details()["code"], "USER_MISMATCH", "{stranger}");
    }
    assert_eq!(asked.state()["state"], "pending");
    asked.decide(true).unwrap();
    assert!(!asked.frank_is_active());
}

#[test]
fn what_has_changed_since_the_card_is_not_done() {
    let asked = asked();
    let change = |sql: &'static str| {
        asked.test.office.db.write(move |tx| tx.execute(sql, []).map(drop)).unwrap();
    };
    change("UPDATE employees SET location = 'Elsewhere' WHERE login = 'frank.davis'");
    let decided = asked.decide(true).unwrap();
    let failure = decided.failure.unwrap();
    assert_eq!(
        (failure.kind(), failure.message()),
        (Kind::Conflict, "the data has changed since the card was made")
    );
    assert!(asked.frank_is_active());
    let state = asked.state();
    assert_eq!(
        (&state["state"], &state["reason"]),
        (&json!("failed"), &json!("the data has changed since the card was made"))
    );
    assert_eq!(asked.decide(true).unwrap_err().message(), "it was decided before: failed");
}

#[test]
fn what_has_become_impossible_says_why() {
    let asked = asked();
    asked.test.office.db.write(|tx| {
        tx.execute("UPDATE employees SET manager = (SELECT seq FROM employees WHERE login = 'frank.davis') WHERE login = 'marcus.johnson'", []).map(drop)
    }).unwrap();
    let failure = asked.decide(true).unwrap().failure.unwrap();
    assert_eq!(failure.details()["code"], "EMPLOYEE_HAS_REPORTS");
    let state = asked.state();
    assert_eq!(state["result"]["code"], "EMPLOYEE_HAS_REPORTS");
    let again = ask_again(&asked);
    assert!(again.contains("EMPLOYEE_HAS_REPORTS"), "and it cannot be asked for either: {again}");
    assert!(asked.frank_is_active());
}

fn ask_again(asked: &Asked) -> String {
    asked.test.call_as(asked.test.pinned(ALICE), "delete_employee", json!({"employee_id": FRANK}))
}

/// The person is asked as they are when they decide, not as they were when the agent asked.
#[test]
fn a_role_that_was_taken_away_meanwhile_counts() {
    let asked = asked();
    asked.test.office.db.write(|tx| people::revoke(tx, ALICE, "hr-write").map(drop)).unwrap();
    let failure = asked.decide(true).unwrap().failure.unwrap();
    assert_eq!(failure.message(), "`alice.chen` may no longer do this");
    assert!(asked.frank_is_active());
}

#[test]
fn the_same_wish_is_one_confirmation_and_another_is_another() {
    let asked = asked();
    assert_eq!(ask(&asked.test, &asked.alice, json!({"employee_id": FRANK, "reason": "left"})), asked.id);
    let other = ask(&asked.test, &asked.alice, json!({"employee_id": FRANK}));
    assert_ne!(other, asked.id);
    asked.decide(true).unwrap();
    // The other one was about a row that is no longer as it was.
    let failure =
        confirm::decide(&asked.test.office, &other, true, Proof::by_terminal(ALICE), "t").unwrap().failure;
    assert_eq!(failure.unwrap().details()["code"], "EMPLOYEE_NOT_FOUND");
}

#[test]
fn an_agent_cannot_bury_a_person_in_cards() {
    let asked = asked();
    for number in 1..50 {
        ask(&asked.test, &asked.alice, json!({"employee_id": FRANK, "reason": format!("{number}")}));
    }
    let refused = ask_again(&asked);
    assert_snapshot!(refused, @r#"failed {"status":"error","code":"OPERATION_FAILED","message":"50 writes wait for a person already","suggestedAction":"wait until some of them are decided or have expired (5 minutes)"}"#);
    asked.test.clock.advance(Duration::from_secs(301));
    ask(&asked.test, &asked.alice, json!({"employee_id": FRANK}));
}

#[test]
fn a_restart_in_between_loses_nothing() {
    let Asked { test, alice, id } = asked();
    drop(alice);
    let test = test.reopened(backoffice::db::Mode::Full);
    let alice = Arc::new(test.pinned(ALICE));
    let asked = Asked { test, alice, id };
    assert_eq!(asked.state()["state"], "pending");
    asked.decide(true).unwrap();
    assert!(!asked.frank_is_active());
}

/// A clock that is set back gives nobody more than five minutes.
#[test]
fn a_clock_that_jumps_gives_nobody_more_time() {
    let asked = asked();
    let found = asked.test.office.db.read(|tx| confirmations::find(tx, &asked.id)).unwrap().unwrap();
    let at = |seconds: i64| outcome_at(&found, backoffice::clock::Timestamp(START.0 + seconds * 1000));
    for (seconds, outcome) in [
        (0, Outcome::Pending),
        (299, Outcome::Pending),
        (300, Outcome::Expired),
        (-30, Outcome::Pending),
        (-3_600, Outcome::Expired),
        (86_400, Outcome::Expired),
    ] {
        assert_eq!(at(seconds), outcome, "{seconds}");
    }
}

#[test]
fn a_receipt_says_who_when_how_and_about_what_with_ids_only() {
    let asked = asked();
    asked.decide(true).unwrap();
    let trail = asked.test.office.db.read(|tx| audit::newest(tx, &deletions(), 1)).unwrap();
    let [entry] = trail.as_slice() else { panic!("{trail:?}") };
    assert_eq!(
        (entry.caller.as_str(), entry.client.as_str(), entry.tool.as_str(), entry.outcome.as_str(), entry.at),
        (ALICE, "test-person", "delete_employee", "ok", START)
    );
    let receipt: Value = serde_json::from_str(entry.receipt.as_deref().unwrap()).unwrap();
    assert_eq!(receipt["confirmation_id"], asked.id);
    assert_eq!((&receipt["verdict"], &receipt["how"]), (&json!("executed"), &json!("terminal")));
    assert!(backoffice::id::is_uuid(receipt["target"]["employee_id"].as_str().unwrap()));
    assert!(!entry.receipt.as_ref().unwrap().contains("Frank"), "no names");
}

#[test]
fn the_next_reply_of_the_connection_carries_the_verdict_once() {
    let asked = asked();
    let office = &asked.test.office;
    assert!(confirm::verdicts(office, &asked.alice).is_empty(), "nothing is decided");
    asked.decide(false).unwrap();
    let [verdict] = confirm::verdicts(office, &asked.alice).try_into().unwrap();
    assert!(verdict.text.contains("a person declined it"), "{}", verdict.text);
    assert_eq!(
        (&verdict.value["confirmationId"], &verdict.value["state"]),
        (&json!(asked.id), &json!("declined"))
    );
    assert!(confirm::verdicts(office, &asked.alice).is_empty(), "it was told");
    let other = Arc::new(asked.test.pinned(ALICE));
    assert!(confirm::verdicts(office, &other).is_empty(), "another connection has not asked");
}

/// Reads leave lines in the trail as well, whenever the writer comes to them.
fn deletions() -> audit::Filter {
    audit::Filter { tool: Some("delete_employee".to_owned()), ..audit::Filter::default() }
}

fn pin(asked: &Asked, login: &str, pin: &str) -> backoffice::error::Result<Proof> {
    Proof::by_pin(&asked.test.office, login, pin, "terminal")
}

#[test]
fn once_a_pin_is_set_it_is_needed_everywhere() {
    let asked = asked();
    let office = &asked.test.office;
    confirm::choose_pin(office, Proof::by_terminal("olivia"), "2468").unwrap();
    for proof in [Proof::by_terminal(ALICE), Proof::by_form(ALICE)] {
        let refused = confirm::decide(office, &asked.id, true, proof, "t").unwrap_err();
        assert_eq!(refused.details()["reason"], "pin_needed");
    }
    assert_eq!(pin(&asked, ALICE, "1357").unwrap_err().details()["reason"], "pin_wrong");
    assert_eq!(asked.state()["state"], "pending");
    // The owner's PIN speaks for everybody who has none of their own.
    confirm::decide(office, &asked.id, true, pin(&asked, ALICE, "2468").unwrap(), "t").unwrap();
    assert!(!asked.frank_is_active());
    let trail = office.db.read(|tx| audit::newest(tx, &deletions(), 1)).unwrap();
    assert!(trail[0].receipt.as_ref().unwrap().contains(r#""how":"terminal, PIN""#));
}

#[test]
fn a_person_may_have_a_pin_of_their_own_and_nobody_else_sets_it() {
    let asked = asked();
    let office = &asked.test.office;
    confirm::choose_pin(office, Proof::by_terminal("olivia"), "2468").unwrap();
    let stolen = confirm::choose_pin(office, Proof::by_terminal(ALICE), "0000").unwrap_err();
    assert_eq!(stolen.details()["reason"], "pin_needed", "an agent at a terminal gets no further");
    confirm::choose_pin(office, pin(&asked, ALICE, "2468").unwrap(), "9753").unwrap();
    assert!(pin(&asked, ALICE, "2468").is_err() && pin(&asked, "olivia", "9753").is_err());
    confirm::decide(office, &asked.id, true, pin(&asked, ALICE, "9753").unwrap(), "t").unwrap();
    confirm::drop_pin(office, pin(&asked, ALICE, "9753").unwrap()).unwrap();
    assert!(pin(&asked, ALICE, "2468").is_ok(), "the owner's counts again");
    for bad in ["123", " 1234", &"x".repeat(65)] {
        assert!(confirm::choose_pin(office, pin(&asked, "olivia", "2468").unwrap(), bad).is_err(), "{bad}");
    }
}

/// Nobody gets rid of a PIN by taking its person out of the directory and bringing them back.
#[test]
fn a_pin_outlives_the_entry_in_the_directory() {
    let asked = asked();
    let office = &asked.test.office;
    let early = confirm::choose_pin(office, Proof::by_terminal(ALICE), "9753").unwrap_err();
    assert_eq!(early.message(), "the owner of the file has no PIN yet");
    confirm::choose_pin(office, Proof::by_terminal("olivia"), "2468").unwrap();
    confirm::choose_pin(office, pin(&asked, ALICE, "2468").unwrap(), "9753").unwrap();
    let stays = confirm::drop_pin(office, pin(&asked, "olivia", "2468").unwrap()).unwrap_err();
    assert_eq!(stays.message(), "other people have PINs of their own");
    office
        .db
        .write(|tx| {
            let alice = people::all(tx)?.into_iter().find(|person| person.login == ALICE);
            people::remove(tx, ALICE)?;
            people::put(tx, &alice.unwrap())
        })
        .unwrap();
    let refused = confirm::decide(office, &asked.id, true, Proof::by_terminal(ALICE), "t").unwrap_err();
    assert_eq!(refused.details()["reason"], "pin_needed");
    assert!(pin(&asked, ALICE, "2468").is_err() && pin(&asked, ALICE, "9753").is_ok());
    let trail = office.db.read(|tx| audit::newest(tx, &audit::Filter::default(), 10)).unwrap();
    let of = |what: &str| trail.iter().filter(|entry| entry.tool == what).count();
    assert_eq!((of("pin set"), of("pin check")), (2, 1), "{trail:?}");
}

/// Whoever has left neither asks nor agrees any more.
#[test]
fn a_deleted_employee_can_do_nothing() {
    let asked = asked();
    asked.decide(true).unwrap();
    let told = asked.test.call_as(asked.test.pinned(FRANK), "search_tickets", json!({"query": "login"}));
    assert!(told.contains("INSUFFICIENT_PERMISSIONS") && told.contains("holds no role"), "{told}");
}

#[test]
fn guessing_costs_more_and_more_time_and_a_right_one_ends_that() {
    let asked = asked();
    confirm::choose_pin(&asked.test.office, Proof::by_terminal("olivia"), "2468").unwrap();
    let reason = |guess: &str| match pin(&asked, ALICE, guess) {
        Ok(_) => "right".to_owned(),
        Err(error) => error.details()["reason"].as_str().unwrap().to_owned(),
    };
    assert_eq!([reason("0"), reason("1"), reason("2")], ["pin_wrong"; 3]);
    assert_eq!(reason("2468"), "pin_closed", "not even the right one");
    asked.test.clock.advance(Duration::from_secs(5));
    assert_eq!(reason("3"), "pin_wrong");
    asked.test.clock.advance(Duration::from_secs(9));
    assert_eq!(reason("2468"), "pin_closed");
    asked.test.clock.advance(Duration::from_secs(1));
    assert_eq!(
        (reason("2468"), reason("4"), reason("5")),
        ("right".into(), "pin_wrong".into(), "pin_wrong".into())
    );
}

#[test]
fn no_tool_can_decide() {
    let asked = asked();
    let owner = Arc::new(asked.test.owner());
    for family in backoffice::families::ALL {
        for tool in family.tools {
            let arguments = json!({"confirmation_id": asked.id, "confirmationId": asked.id, "approved": true, "approve": true});
            asked.test.reply(&owner, tool.name, arguments);
            asked.test.reply(&asked.alice, tool.name, json!({"confirmation_id": asked.id}));
        }
    }
    assert_eq!(asked.state()["state"], "pending");
    assert!(asked.frank_is_active());
}
