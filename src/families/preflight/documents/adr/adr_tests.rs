use proptest::prelude::*;

use super::*;
use crate::families::preflight::documents::decide::{Decided, Decision};
use crate::families::preflight::documents::fold::{State, fold};

const FIRST: &str = "20260301T080000.000Z-0A01";
const SECOND: &str = "20260302T080000.000Z-0B02";

fn uid(text: &str) -> Uid {
    Uid::parse(text).unwrap()
}

fn sets(adr: &Adr) -> Vec<String> {
    let was =
        |change: &Change| change.was.as_ref().map(|was| format!(" was {}", was.text)).unwrap_or_default();
    adr.changes
        .iter()
        .map(|change| format!("{}.{}={}{}", change.category, change.field, change.value, was(change)))
        .collect()
}

fn carries(adr: &Adr) -> Vec<String> {
    let all =
        adr.snapshot.iter().flat_map(|(category, fields)| fields.iter().map(move |field| (category, field)));
    all.map(|(category, (field, kept))| format!("{category}.{field}={}", kept.text)).collect()
}

/// As the existing program writes it.
fn programs() -> String {
    format!(
        "<!-- UID: {SECOND} -->\n<!-- Category: Infra -->\n<!-- Date: 2026-03-02 -->\n<!-- Previous: {FIRST} -->\n\n\
         # ADR: Infra: Hosting = Fly\n\n**Category:** Infra\n**Date:** 2026-03-02\n**Status:** Accepted\n\
         **Previous:** [{FIRST}](../{FIRST}.md)\n\n## Context\n\nWhere it runs.\n\n## Decision\n\nFly it is:\n\
         - Hosting: Fly\n\n## Rationale\n\nNear.\n\n## Alternatives Considered\n\n- None worth it\n\n\
         ## Consequences\n\n### Positive\n- Cheap\n\n### Negative\n_None_\n\n### Neutral\n_None_\n\n\
         ## Changes in This Version\n\n- Modified: Infra.Hosting = Fly (was: Own rack (ADR {FIRST}))\n\
         - Added: Infra.Caching = Redis\n\n## Architecture Snapshot\n\n### Backend\n\
         - **Language**: Rust (ADR {FIRST})\n\n### Infra\n- **Caching**: Redis (ADR {SECOND})\n\
         - **Hosting**: Fly (ADR {SECOND})\n\n"
    )
}

/// As its design document shows it.
fn designed() -> String {
    let frame = "━".repeat(49);
    format!(
        "# ADR-007: Sign in with links\n\n{frame}\nPART 1: ARCHITECTURE SNAPSHOT\n{frame}\n\n**Version:** 7\n\
         **UID:** {SECOND}\n**Date (UTC):** 2026-03-02\n**Previous UID:** {FIRST}\n\n## Changes in this version\n\n\
         - Magic links for everybody\n\n## CURRENT ARCHITECTURE STATE\n\n### Authentication\n\
         - Strategy: Magic Links (ADR-007)\n- Token Storage: Cookie (ADR-007)\n\n### Infra\n\
         - CI/CD: Buildkite (ADR-002)\n\n{frame}\nPART 2: DECISION DETAILS\n{frame}\n\n## Context\n\nPasswords leak.\n\n\
         ## Decision\n\nLinks.\n\n## Rationale\n\nSimple.\n\n## Alternatives Considered\n\n1. Passwords\n2. SAML\n\n\
         ## Consequences\n\nMail must work.\n"
    )
}

#[test]
fn every_known_form_is_read_and_its_own_changes_are_told_from_what_it_carries() {
    let by_hand = "# Why Postgres\r\n\r\nWe talked.\r\n\r\n## Architecture Snapshot\r\n\r\n### Database\r\n\r\n* Type: PostgreSQL\r\n* Read replicas / failover: 2 (ADR compliant)\r\n  in one region\r\n  - note: not a field\r\n### Edge network\r\n* **Provider:** http://edge: 8080";
    let cases = [
        (
            programs(),
            "x.md",
            vec!["Infra.Hosting=Fly was Own rack", "Infra.Caching=Redis"],
            vec!["Backend.Language=Rust", "Infra.Caching=Redis", "Infra.Hosting=Fly"],
        ),
        (
            designed(),
            "x.md",
            vec!["Authentication.Strategy=Magic Links", "Authentication.Token Storage=Cookie"],
            vec![
                "Authentication.Strategy=Magic Links",
                "Authentication.Token Storage=Cookie",
                "Infra.CI/CD=Buildkite",
            ],
        ),
        (
            format!("\u{feff}{by_hand}"),
            "20260302T080000.000Z-0B02_why.md",
            vec![
                "Database.Read replicas / failover=2 (ADR compliant) in one region",
                "Database.Type=PostgreSQL",
                "Edge network.Provider=http://edge: 8080",
            ],
            vec![
                "Database.Read replicas / failover=2 (ADR compliant) in one region",
                "Database.Type=PostgreSQL",
                "Edge network.Provider=http://edge: 8080",
            ],
        ),
    ];
    for (text, file, expected_changes, expected_snapshot) in cases {
        for text in [text.clone(), text.replace("\r\n", "\n").replace('\n', "\r\n")] {
            let adr = read(&text, file).unwrap();
            assert_eq!(adr.uid, uid(SECOND), "{text}");
            assert_eq!(adr.date, "2026-03-02");
            assert_eq!(sets(&adr), expected_changes, "{text}");
            assert_eq!(carries(&adr), expected_snapshot, "{text}");
        }
    }
}

#[test]
fn the_details_are_read_too() {
    let program = read(&programs(), "x.md").unwrap();
    assert_eq!(program.title, "Infra: Hosting = Fly");
    assert_eq!(program.previous, Some(uid(FIRST)));
    assert_eq!(program.decision, "Fly it is:\n- Hosting: Fly");
    assert_eq!(program.alternatives, ["None worth it"]);
    let consequences = Consequences { positive: vec!["Cheap".to_owned()], ..Consequences::default() };
    assert_eq!(program.consequences, consequences);
    let design = read(&designed(), "x.md").unwrap();
    assert_eq!((design.number, design.title.as_str()), (Some(7), "Sign in with links"));
    assert_eq!(design.previous, Some(uid(FIRST)));
    assert_eq!(design.context, "Passwords leak.");
    assert_eq!(design.alternatives, ["Passwords", "SAML"]);
    assert_eq!(design.consequences.neutral, ["Mail must work."]);
}

#[test]
fn a_document_without_any_uid_is_a_problem_and_not_a_guess() {
    assert_eq!(read("# Use a database\n", "0001-use-a-database.md"), Err(Problem::NoUid));
    assert_eq!(read("", ""), Err(Problem::NoUid));
}

#[test]
fn only_the_snapshot_holds_categories() {
    let frame = "━".repeat(49);
    let cases = [
        ("# Snapshot\n## Context\n- Type: a\n", vec![]),
        ("# x\n## Decision\n### Database\n- Type: a\n", vec![]),
        (
            "## Snapshot\n### Database\n- Type: a\n## Notes\n### Infra\n- Hosting: b\n",
            vec!["Database.Type=a"],
        ),
        ("## Snapshot\n```\n### Infra\n- Hosting: b\n```\n### Database\n- Type: a", vec!["Database.Type=a"]),
        (
            "## Snapshot\n### Database\n- Type: a\n### database\n- ORM: b",
            vec!["Database.Type=a", "database.ORM=b"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(carries(&read(text, FIRST).unwrap()), expected, "{text}");
    }
    let framed = format!(
        "{frame}\nPART 1: X\n{frame}\n### Infra\n- Hosting: b\n{frame}\nPART 2: Y\n{frame}\n### Other\n- a: b"
    );
    assert_eq!(carries(&read(&framed, FIRST).unwrap()), ["Infra.Hosting=b"]);
}

#[test]
fn a_value_may_hold_every_sign_of_the_format() {
    let text = format!(
        "## Changes in This Version\n- Modified: Other.a = b = x = y (was: z) (was: o (was: p) (ADR {FIRST}))\n\
         - **Changed:** Other.plain = v (was: w)\n\
         ## Architecture Snapshot\n### Other\n- **a = b**: x = y (was: z) (ADR {SECOND})\n"
    );
    let adr = read(&text, &format!("{SECOND}_a.md")).unwrap();
    assert_eq!(sets(&adr), ["Other.a = b=x = y (was: z) was o (was: p)", "Other.plain=v was w"]);
    assert_eq!(adr.changes[0].was.as_ref().unwrap().set_by, Some(Mark::Uid(uid(FIRST))));
}

fn decided(category: &str, field: &str, value: &str) -> Decided {
    let names = (category.to_owned(), field.to_owned(), value.to_owned());
    Decided { category: names.0, field: names.1, value: names.2, provenance: Provenance::Person }
}

fn decide(state: &State, uid_text: &str, values: Vec<Decided>) -> Adr {
    let decision = Decision {
        context: "Orders are lost.".to_owned(),
        rationale: "## We know it\nwell".to_owned(),
        alternatives: vec!["MySQL".to_owned()],
        values,
        ..Decision::default()
    };
    state.decide(decision, uid(uid_text)).unwrap()
}

#[test]
fn a_decision_is_written_for_both_kinds_of_readers() {
    let first = decide(&State::default(), FIRST, vec![decided("db", "type", "SQLite")]);
    let mut values =
        vec![decided("Database", "Type", "PostgreSQL"), decided("Infrastructure", "CI/CD", "own")];
    values[1].provenance = Provenance::Detected;
    let second = decide(&fold([&first]), SECOND, values);
    insta::assert_snapshot!(write(&second), @r#"
    <!-- UID: 20260302T080000.000Z-0B02 -->
    <!-- Category: Database -->
    <!-- Date: 2026-03-02 -->
    <!-- Previous: 20260301T080000.000Z-0A01 -->

    # ADR: Database: Type = PostgreSQL

    ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
    PART 1: ARCHITECTURE SNAPSHOT
    ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━

    **UID:** 20260302T080000.000Z-0B02
    **Category:** Database
    **Date (UTC):** 2026-03-02
    **Status:** Accepted
    **Previous UID:** 20260301T080000.000Z-0A01

    ## Changes in This Version

    - Modified: Database.Type = PostgreSQL (was: SQLite (ADR 20260301T080000.000Z-0A01))
    - Added: Infra.CI_CD = own

    ## Architecture Snapshot

    ### Database
    - **Type**: PostgreSQL (ADR 20260302T080000.000Z-0B02)

    ### Infra
    - **CI_CD**: own (ADR 20260302T080000.000Z-0B02)

    ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
    PART 2: DECISION DETAILS
    ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━

    ## Context

    Orders are lost.

    ## Decision

    It is decided:

    - Database.Type: PostgreSQL
    - Infra.CI_CD: own

    ## Answers

    - Database.Type = PostgreSQL (person)
    - Infra.CI_CD = own (detected)

    ## Rationale

    \## We know it
    well

    ## Alternatives Considered

    - MySQL

    ## Consequences

    ### Positive
    _None_

    ### Negative
    _None_

    ### Neutral
    _None_
    "#);
    assert_eq!(second.file_name(), format!("{SECOND}_database_type__postgresql.md"));
    let program = regex::Regex::new(r"(?m)^### (\w+)\n((?:- \*\*\w+\*\*: .+\n?)+)").unwrap();
    let written = write(&second);
    let seen: Vec<&str> =
        program.captures_iter(&written).map(|found| found.get(1).unwrap().as_str()).collect();
    assert_eq!(seen, ["Database", "Infra"]);
}

#[test]
fn what_was_is_never_marked_twice() {
    let first = decide(&State::default(), FIRST, vec![decided("Database", "Type", "SQLite")]);
    let second = decide(&fold([&first]), SECOND, vec![decided("Database", "Type", "MySQL")]);
    let first = read(&write(&first), &first.file_name()).unwrap();
    let second = read(&write(&second), &second.file_name()).unwrap();
    let third = "20260303T080000.000Z-0C03";
    let third = write(&decide(&fold([&first, &second]), third, vec![decided("Database", "Type", "Oracle")]));
    assert!(
        third.contains(&format!("- Modified: Database.Type = Oracle (was: MySQL (ADR {SECOND}))\n")),
        "{third}"
    );
}

#[test]
fn a_decision_that_changes_nothing_is_none() {
    let first = decide(&State::default(), FIRST, vec![decided("Database", "Type", "SQLite")]);
    let same = Decision { values: vec![decided("DB", "type", " SQLite ")], ..Decision::default() };
    assert_eq!(fold([&first]).decide(same, uid(SECOND)), None);
    let blank = Decision { values: vec![decided("DB", "ORM", " \n")], ..Decision::default() };
    assert_eq!(fold([&first]).decide(blank, uid(SECOND)), None);
}

fn prose() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 ,.:;*_=()/`#~-]{0,20}",
        Just("\n".to_owned()),
        Just("\n## Architecture Snapshot\n### Database\n- **Type**: planted\n".to_owned()),
        Just("━━━━\nPART 2: x\n━━━━\n".to_owned()),
        Just("```\n".to_owned()),
        Just("<!-- UID: 20200101T000000.000Z-0000 -->".to_owned()),
        Just(format!(" (ADR {FIRST})")),
        Just(" (was: x)".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

prop_compose! {
    fn some_decision()(
        names in prop::collection::vec((prose(), prose(), prose(), 0usize..4), 1..5),
        texts in prop::array::uniform4(prose()),
        lists in prop::collection::vec(prose(), 0..4),
    ) -> Decision {
        let values = names.into_iter().map(|(category, field, value, provenance)| {
            Decided { category, field, value, provenance: Provenance::ALL[provenance] }
        });
        let [category, context, rationale, about] = texts;
        let further = Answer { about, value: context.clone(), provenance: Provenance::Agent };
        Decision {
            category, context, rationale,
            alternatives: lists.clone(),
            consequences: Consequences { positive: lists.clone(), negative: lists, neutral: Vec::new() },
            values: values.collect(),
            further_answers: vec![further],
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read_and_text_never_becomes_structure(one in some_decision(), two in some_decision()) {
        let mut state = State::default();
        for (decision, at) in [(one, FIRST), (two, SECOND)] {
            let Some(made) = state.decide(decision, uid(at)) else { continue };
            let written = write(&made);
            let found = read(&written, &made.file_name()).unwrap();
            prop_assert_eq!(sets(&found), sets(&made), "{}", written);
            prop_assert_eq!(&found.snapshot, &made.snapshot, "{}", &written);
            prop_assert_eq!(&found.changes, &made.changes);
            prop_assert_eq!((&found.uid, &found.previous), (&made.uid, &made.previous));
            prop_assert_eq!(found.answers.len(), made.answers.len(), "{}", &written);
            // Texts have one normal form, and it stays.
            prop_assert_eq!(write(&found), written);
            let mut both = state.clone();
            both.apply(&found).unwrap();
            state.apply(&Adr { file: found.file.clone(), ..made }).unwrap();
            prop_assert_eq!(&both, &state);
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in prose(), file in any::<String>()) {
        let _ = read(&text, &file);
        let _ = read(&format!("## Changes\n- {text}\n## Snapshot\n### {text}\n- {text}"), &format!("{FIRST}{file}"));
    }
}
