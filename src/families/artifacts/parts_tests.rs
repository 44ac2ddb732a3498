use super::*;
use crate::families::artifacts::kinds::Kinds;
use crate::families::artifacts::renaming::apply;

/// The document as it reads once its parts count from 12, and what became of which placeholder.
fn approved(kind: &str, text: &str) -> Result<(String, Vec<String>)> {
    let document = Document::read(text);
    let children = Kinds::built_in().named(kind).unwrap().children.unwrap();
    let parts = Parts::of(&document, &children)?;
    let (ids, mapping) = parts.named(12);
    let shown = mapping.iter().map(|(from, to)| format!("{from} → {to}")).collect();
    Ok((apply(text, &parts.edits(&ids)?), shown))
}

#[test]
fn placeholders_become_ids_in_order_of_appearance_and_everywhere_but_in_code() {
    let text = "# PRD: T\n\nSee HLS-BBB.\n\n## High-Level User Stories\n\n### HLS-BBB: Second\n- HLS-AAA: comes later\n\n\
        ### HLS-AAA: First\nAfter HLS-BBB, not HLS-BBBB, XHLS-BBB or HLS-BBBs; (HLS-BBB), HLS-BBB_v1.md.\n\n\
        ```\n### HLS-BBB: code\n```\n\nLike `HLS-AAA`.\n\n## Risks\n- HLS-CCC: is defined nowhere\n";
    let (written, mapping) = approved("prd", text).unwrap();
    assert_eq!(mapping, ["HLS-BBB → HLS-012", "HLS-AAA → HLS-013"]);
    assert_eq!(
        written,
        "# PRD: T\n\nSee HLS-012.\n\n## High-Level User Stories\n\n### HLS-012: Second\n- HLS-013: comes later\n\n\
        ### HLS-013: First\nAfter HLS-012, not HLS-BBBB, XHLS-BBB or HLS-BBBs; (HLS-012), HLS-012_v1.md.\n\n\
        ```\n### HLS-BBB: code\n```\n\nLike `HLS-AAA`.\n\n## Risks\n- HLS-CCC: is defined nowhere\n"
    );
}

#[test]
fn numbered_items_without_ids_get_one() {
    let text = "# High-Level User Story: T\r\n## Decomposition into Backlog Stories\r\n\r\n1. **Search** (~5 SP)\r\n   - Brief: find\r\n\
        2. **US-AAA: Filter** (~3 SP)\r\n3. **US-040: Sort**\r\n4. Group\r\n\r\n### Decomposition Strategy\r\n1. **By screen**\r\n\r\n\
        ## Dependencies\r\n1. **Not a story**";
    let (written, mapping) = approved("hls", text).unwrap();
    assert_eq!(mapping, ["item 1 → US-012", "US-AAA → US-013", "item 2 → US-014"]);
    assert!(
        written.contains("1. **US-012: Search** (~5 SP)\r\n   - Brief: find\r\n2. **US-013: Filter**"),
        "{written}"
    );
    assert!(written.contains("3. **US-040: Sort**\r\n4. US-014: Group\r\n"), "{written}");
    assert!(written.contains("1. **By screen**") && written.ends_with("1. **Not a story**"), "{written}");
}

#[test]
fn wildcards_are_placeholders_only_where_they_are_defined() {
    let text = "# User Story: T\n## Implementation Tasks Evaluation\n**Decision:** Tasks Needed (TASK-XXX artifacts)\n\n\
        **Proposed Implementation Tasks:**\n- **TASK-XXX:** one (4h)\n- **TASK-YYY**: two, after TASK-XXX\n\n\
        ## Notes\nAny TASK-XXX or TASK-ZZZ.\n";
    let (written, mapping) = approved("backlog_story", text).unwrap();
    assert_eq!(mapping, ["TASK-XXX → TASK-012", "TASK-YYY → TASK-013"]);
    assert!(written.contains("- **TASK-012:** one (4h)\n- **TASK-013**: two, after TASK-012\n"), "{written}");
    assert!(written.ends_with("Any TASK-XXX or TASK-ZZZ.\n"), "{written}");
    let none = "# User Story: T\n## Implementation Tasks Evaluation\nNo Tasks Needed (TASK-XXX artifacts).\n";
    assert_eq!(approved("backlog_story", none).unwrap(), (none.to_owned(), vec![]));
}

#[test]
fn one_placeholder_may_stand_for_several_parts_unless_somebody_refers_to_it() {
    let text = "# T\n## Implementation Tasks\n1. **TASK-XXX: a**\n2. **TASK-XXX: b**\n\n## Notes\nTASK-XXX are tasks.\n";
    let (written, _) = approved("tech_spec", text).unwrap();
    assert!(written.contains("1. **TASK-012: a**\n2. **TASK-013: b**"), "{written}");
    assert!(written.contains("TASK-XXX are tasks."));
    let unclear = text.replace("b**\n", "b** after TASK-XXX\n");
    let error = approved("tech_spec", &unclear).unwrap_err();
    assert_eq!(error.message(), "TASK-XXX is defined 2 times, and line 4 does not say which one it means");
}

#[test]
fn epics_are_listed_in_a_table_too() {
    let text = "# Initiative: T\n## Scope & Approach\n### Supporting Epics\n| # | Epic | Title |\n|---|---|---|\n\
        | 1 | EPIC-AAA | One |\n| 2 | **EPIC-BBBB** | Two |\n| 3 | EPIC-000 | Base |\n";
    let (written, mapping) = approved("initiative", text).unwrap();
    assert_eq!(mapping, ["EPIC-AAA → EPIC-012", "EPIC-BBBB → EPIC-013"]);
    assert!(
        written.contains("| 1 | EPIC-012 | One |\n| 2 | **EPIC-013** | Two |\n| 3 | EPIC-000 | Base |"),
        "{written}"
    );
}

#[test]
fn more_than_a_hundred_parts_are_refused() {
    let many: String = (0..101).map(|n| format!("{}. **Story {n}**\n", n + 1)).collect();
    let text = format!("# T\n## Decomposition into Backlog Stories\n{many}");
    assert_eq!(approved("hls", &text).unwrap_err().details()["reason"], "too_many_parts");
}

#[test]
fn definitions_come_in_many_dresses() {
    let in_hls = |items: &str| {
        let text = format!("# T\n## Decomposition into Backlog Stories\n{items}");
        approved("hls", &text).unwrap().0.split_once("Stories\n").unwrap().1.to_owned()
    };
    for (items, expected) in [
        ("1. **US-AAA** (~3 SP): One\n", "1. **US-012** (~3 SP): One\n"),
        ("1. **US-AAA** One\n", "1. **US-012** One\n"),
        ("1. US-AAA One\n", "1. US-012 One\n"),
        ("1. **[US-AAA] One**\n", "1. **[US-012] One**\n"),
        ("1. **`US-AAA`: One**\n", "1. **`US-012`: One**\n"),
        ("1. **One** (US-AAA)\n", "1. **One** (US-012)\n"),
        ("- [ ] **US-AAA:** One\n", "- [ ] **US-012:** One\n"),
        ("1. **One**\n   1. a step\n   2. another\n", "1. **US-012: One**\n   1. a step\n   2. another\n"),
        ("### Story 1: One\n\n### Story 2: Two\n", "### US-012: Story 1: One\n\n### US-013: Story 2: Two\n"),
        ("- **Backlog Story 1:** One\n", "- **US-012: Backlog Story 1:** One\n"),
        ("- US-AAA depends on much\n", "- US-AAA depends on much\n"),
        ("<!--\n- US-AAA: example\n-->\n", "<!--\n- US-AAA: example\n-->\n"),
    ] {
        assert_eq!(in_hls(items), expected, "{items}");
    }
    let in_prd = |headings: &str| {
        let text = format!("# T\n## High-Level User Stories\n\n{headings}");
        approved("prd", &text).unwrap().0.split_once("Stories\n\n").unwrap().1.to_owned()
    };
    for (headings, expected) in [
        ("### 6.1 HLS-AAA: One\n", "### 6.1 HLS-012: One\n"),
        ("### HLS-AAA One\n", "### HLS-012 One\n"),
        ("### [HLS-AAA] One\n", "### [HLS-012] One\n"),
        ("### HLS-AAA: One\n\n- HLS-BBB: Two\n", "### HLS-012: One\n\n- HLS-013: Two\n"),
        ("### HLS-AAA: One\nHLS-AAA-1 stays\n", "### HLS-012: One\nHLS-AAA-1 stays\n"),
    ] {
        assert_eq!(in_prd(headings), expected, "{headings}");
    }
}

#[test]
fn what_is_left_undefined_is_told() {
    let text = "# T\n## High-Level User Stories\n\n### HLS-AAA: One\nBefore HLS-BBB.\n";
    let document = Document::read(text);
    let children = Kinds::built_in().named("prd").unwrap().children.unwrap();
    assert_eq!(
        Parts::of(&document, &children).unwrap().remarks,
        ["HLS-BBB (line 5) is defined nowhere and stays as it is"]
    );
    let document = Document::read("# T\n## High-Level User Stories\n\nSome words.\n");
    assert_eq!(
        Parts::of(&document, &children).unwrap().remarks,
        ["no part was found in `High-Level User Stories`"]
    );
}

#[test]
fn a_story_that_needs_no_tasks_gets_none() {
    let text = "# User Story: T\n## Implementation Tasks Evaluation\n**Decision:** Tasks Not Needed (small)\n\n- **TASK-AAA:** an example\n";
    assert_eq!(approved("backlog_story", text).unwrap().1, Vec::<String>::new());
}

/// The boilerplate stands in the very section and means no task of the list.
#[test]
fn six_tasks_under_one_wildcard_and_the_boilerplate_beside_them() {
    let tasks = "- **TASK-XXX:** one\n- **TASK-XXX:** two\n";
    let text = format!(
        "# T\n## Implementation Tasks Evaluation\nTasks are separate documents (TASK-XXX artifacts).\n\n{tasks}"
    );
    let (written, mapping) = approved("backlog_story", &text).unwrap();
    assert_eq!(mapping, ["TASK-XXX → TASK-012", "TASK-XXX → TASK-013"]);
    assert!(written.contains("(TASK-XXX artifacts)"), "{written}");
}
