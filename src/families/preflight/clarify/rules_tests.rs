//! Task or record: every rule by itself, and which of two goes first.

use serde_json::json;

use super::intentions_tests::{Session, ids};
use super::{Kind, decide::Outcome};

fn outcome(intention: &str) -> Outcome {
    Session::of(intention).outcome()
}

#[test]
fn every_rule_by_itself() {
    let cases = [
        // Somebody asks for a record, or for none.
        ("Write an ADR about retries", "ADR: the request asks for it (`adr`)"),
        ("Think about our approach to retries", "ADR: the request asks for it (`approach`)"),
        ("Explain the architecture of the importer", "ADR: the request asks for it (`architecture`)"),
        ("Cache the list in Redis, no ADR please", "task only: the request wants no ADR"),
        // Nothing is decided.
        ("Fix the crash on start", "task only: it is a fix (`fix`)"),
        ("Correct a typo on the start page", "task only: it is a typo (`typo`)"),
        ("Refactor the importer", "task only: it is a refactoring (`refactor`)"),
        ("A config change for the importer", "task only: it is a change of configuration (`config change`)"),
        (
            "Enable GitHub as OAuth provider",
            "task only: it is a further OAuth provider, which is configuration (`oauth provider`)",
        ),
        // Categories.
        ("Let people sign in", "ADR: `sign in` concerns Authentication"),
        ("Add persistence", "ADR: `persistence` concerns Database"),
        ("Add caching", "ADR: `caching` concerns Infra"),
        ("Set up deployment", "ADR: `deployment` concerns Infra"),
        ("Add a message queue", "ADR: `message queue` concerns Messaging"),
        ("Choose a runtime", "ADR: `runtime` concerns what everything is built on"),
        // Scope.
        ("Change 10 files of the importer", "ADR: 10 files are touched"),
        ("Change 9 files of the importer", "task only: nothing in it calls for a decision record"),
        ("Add a new dependency for PDFs", "ADR: it is a new dependency (`new dependency`)"),
        ("Migrate the importer", "ADR: it is a migration (`migrate`)"),
        ("A cross-cutting change of the wording", "task only: it is a typo (`wording`)"),
        ("A cross-cutting change of the logs", "ADR: it is a cross-cutting change (`cross cutting`)"),
    ];
    for (intention, reason) in cases {
        let outcome = outcome(intention);
        assert_eq!(outcome.reason, reason, "{intention}");
        assert_eq!(matches!(outcome.kind, Kind::Adr { .. }), reason.starts_with("ADR"), "{intention}");
    }
}

/// Each line breaks a tie between one rule and a later one.
#[test]
fn the_order_of_the_rules() {
    let forced = |intention: &str| {
        let mut session = Session::of(intention);
        session.force_adr = true;
        session.outcome().reason
    };
    let demanded = "ADR: it was demanded (`force_adr`)";
    assert_eq!(forced("Add a table, no ADR"), demanded);
    assert_eq!(forced("Write an ADR about retries"), demanded);
    assert_eq!(forced("Fix typo in login button"), demanded);
    let cases = [
        ("Write down our strategy, but no ADR", "task only: the request wants no ADR"),
        ("Fix our caching strategy", "ADR: the request asks for it (`strategy`)"),
        ("Fix the login", "task only: it is a fix (`fix`)"),
        ("Refactor the database layer in 40 files", "task only: it is a refactoring (`refactor`)"),
        ("Fix the migration", "task only: it is a fix (`fix`)"),
        ("Migrate the database", "ADR: `database` concerns Database"),
        ("Add a login to 25 files", "ADR: `login` concerns Authentication"),
    ];
    for (intention, reason) in cases {
        assert_eq!(outcome(intention).reason, reason, "{intention}");
    }
}

#[test]
fn what_is_on_record_counts_last() {
    let on_record = |intention: &str| Session::of(intention).decided("Frontend", "Framework", "Vue");
    let answered = |intention: &str| {
        let mut session = on_record(intention);
        session.answer(&json!({ "styling": "Sass" })).unwrap();
        session.outcome().reason
    };
    assert_eq!(
        answered("Add an avatar component"),
        "ADR: Frontend has decisions already, and this changes them"
    );
    assert_eq!(answered("Fix the avatar component"), "task only: it is a fix (`fix`)");
    assert_eq!(answered("Add an avatar component in 30 files"), "ADR: 30 files are touched");
    let nothing_new = on_record("Add an avatar component").outcome();
    assert_eq!(nothing_new.kind, Kind::TaskOnly, "nobody changed anything: {}", nothing_new.reason);
}

#[test]
fn a_context_may_ask_for_a_record_but_not_for_one_about_a_fix() {
    let signals = |intention: &str| {
        super::Reading::of(intention, Some("Our approach is in the architecture notes")).unwrap().signals
    };
    assert_eq!(signals("Add retries to the importer").wish.as_deref(), Some("approach"));
    assert_eq!(signals("Fix typo in login button").wish, None);
    assert_eq!(signals("Fix our strategy").wish.as_deref(), Some("strategy"));
}

/// A record that exists is worked from, not asked for.
#[test]
fn a_number_after_adr_points_to_a_record() {
    for intention in [
        "Show the avatars as ADR 7 says",
        "Show the avatars (ADR-007)",
        "Show the avatars, ADR 20261118T051234.994Z-A470",
    ] {
        assert_eq!(
            outcome(intention).reason,
            "task only: nothing in it calls for a decision record",
            "{intention}"
        );
    }
    assert_eq!(outcome("Replace ADR 7 by a new ADR").reason, "ADR: the request asks for it (`adr`)");
    let mut fix = Session::of("Fix the avatars as ADR-7 says");
    assert_eq!(ids(&fix.ask().questions), [""; 0]);
}
