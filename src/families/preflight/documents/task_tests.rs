use proptest::prelude::*;

use super::*;

fn text(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

fn task() -> Task {
    Task {
        uid: Uid::parse("20260301T080000.000Z-0A02"),
        created: "2026-03-01T08:00:00.000Z".to_owned(),
        related_adr: Uid::parse("20260301T080000.000Z-0A01"),
        title: title_of("choose where orders live"),
        objective: format!(
            "choose where orders live\n\n{}",
            decision_line("Database", [("Type", "PostgreSQL"), ("ORM", "None")])
        ),
        context: "# They are lost".to_owned(),
        allowlist: text(&["src/db/"]),
        forbidden: Vec::new(),
        constraints: vec![
            constraint("Database", "Type", "PostgreSQL"),
            constraint("Database", "ORM", "None"),
        ],
        criteria: vec![default_criterion("choose where orders live")],
    }
}

#[test]
fn a_task_is_written_in_the_known_form() {
    insta::assert_snapshot!(write(&task()), @r"
    <!-- UID: 20260301T080000.000Z-0A02 -->
    <!-- Created: 2026-03-01T08:00:00.000Z -->
    <!-- Related ADR: 20260301T080000.000Z-0A01 -->

    # Choose where orders live

    ## Objective

    choose where orders live

    Decision: Database - Type=PostgreSQL, ORM=None

    ## Context

    \# They are lost

    ## Allowlist

    - `src/db/`

    ## Forbidden

    _None_

    ## Technical Constraints

    - Use PostgreSQL for Database Type
    - Use no ORM (Database)

    ## Acceptance Criteria

    - [ ] Implementation of 'choose where orders live' is complete and working
    ");
    assert_eq!(read(&write(&task())), task());
}

#[test]
fn the_existing_program_reads_our_task() {
    let written = write(&task());
    let found = |pattern: &str| {
        regex::Regex::new(pattern).unwrap().captures(&written).map(|found| found[1].to_owned())
    };
    assert_eq!(found(r"<!-- UID: (\S+) -->").as_deref(), Some("20260301T080000.000Z-0A02"));
    assert_eq!(found(r"<!-- Related ADR: (\S+) -->").as_deref(), Some("20260301T080000.000Z-0A01"));
    assert_eq!(found(r"(?m)^# (.+)$").as_deref(), Some("Choose where orders live"));
}

#[test]
fn a_hand_written_task_is_read_as_far_as_it_goes() {
    let by_hand = "# Tidy up\r\n\r\n## Objective\r\nLess of it.\r\n\r\n## Allowlist\r\n* src/\r\n* `docs/*.md`\r\n\r\n## Acceptance criteria\r\n- [x] one\r\n- [ ] two\r\n- three";
    let task = read(by_hand);
    assert_eq!((task.uid, task.title.as_str(), task.objective.as_str()), (None, "Tidy up", "Less of it."));
    assert_eq!(task.allowlist, text(&["src/", "docs/*.md"]));
    let met: Vec<(&str, bool)> = task.criteria.iter().map(|known| (known.text.as_str(), known.met)).collect();
    assert_eq!(met, [("one", true), ("two", false), ("three", false)]);
}

#[test]
fn an_archived_task_has_its_own_uid_or_that_of_its_last_change_and_replaces_nothing() {
    let changed = Timestamp(1_760_970_605_123);
    let free = |_: &str| false;
    let (uid, name) = archive_name(&write(&task()), changed, &free);
    assert_eq!(uid.as_str(), "20260301T080000.000Z-0A02");
    assert_eq!(name, "20260301T080000.000Z-0A02_choose_where_orders_live.md");
    let taken = |name: &str| name.ends_with("live.md") || name.ends_with("_2.md");
    assert_eq!(
        archive_name(&write(&task()), changed, &taken).1,
        "20260301T080000.000Z-0A02_choose_where_orders_live_3.md"
    );
    for by_hand in ["# Tidy up\n", "<!-- UID: nonsense -->\n# Tidy up", "<!-- UID: None -->\n# Tidy up"] {
        let (uid, name) = archive_name(by_hand, changed, &free);
        assert!(name.starts_with("20251020T143005.123Z-") && name.ends_with("_tidy_up.md"), "{name}");
        assert_eq!(Uid::leading(&name), Some(uid.clone()));
        assert_eq!(archive_name(by_hand, changed, &free).0, uid, "the same file has the same UID");
    }
    assert!(archive_name("", changed, &free).1.ends_with("_untitled.md"));
}

#[test]
fn constraints_read_like_sentences() {
    let cases = [
        ("Database", "Type", "PostgreSQL", "Use PostgreSQL for Database Type"),
        ("Infra", "CI_CD", "GitHub Actions", "Use GitHub Actions for Infra CI/CD"),
        ("Database", "ORM", "None", "Use no ORM (Database)"),
        ("Authentication", "Library", "custom", "Write the Library of Authentication yourself"),
        ("Other", "Description", "Use a queue", "Other, Description: Use a queue"),
        ("Database", "Type", "use  what is\nthere", "Database, Type: use what is there"),
        (
            "Backend",
            "Validation",
            "At the border, never inside it",
            "Backend, Validation: At the border, never inside it",
        ),
    ];
    for (category, field, value, expected) in cases {
        assert_eq!(constraint(category, field, value), expected);
    }
}

#[test]
fn titles_are_short() {
    assert_eq!(title_of("éclair\n for  all"), "Éclair for all");
    let long = title_of(&"ü".repeat(81));
    assert_eq!((long.chars().count(), long.ends_with("...")), (80, true));
    assert_eq!(title_of(&"a".repeat(80)).len(), 80);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        title in any::<String>(),
        objective in "([a-z#`~ ]|## Context\n|\n|```\n){0,30}",
        lines in prop::collection::vec("[a-z`*# -]{0,12}", 0..4),
    ) {
        let first = Task {
            title, objective,
            allowlist: lines.clone(),
            constraints: lines.clone(),
            criteria: lines.iter().map(|text| Criterion { text: text.clone(), met: true }).collect(),
            ..task()
        };
        let written = write(&first);
        let found = read(&written);
        prop_assert_eq!(&found.context, &task().context);
        prop_assert_eq!(&found.uid, &task().uid);
        prop_assert_eq!(write(&found), written);
    }

    #[test]
    fn any_text_is_archived_without_panic(text in any::<String>()) {
        let (uid, name) = archive_name(&text, Timestamp(0), &|_| false);
        prop_assert_eq!(Uid::leading(&name), Some(uid));
        prop_assert!(!name.contains(['/', '\\']));
    }
}
