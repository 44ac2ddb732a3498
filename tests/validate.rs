//! Checklists against documents: one good document of each type, and every way for a check to fail.

use std::fs;
use std::path::{Path, PathBuf};

use backoffice::clock::Timestamp;
use backoffice::error::{Kind, Result};
use backoffice::families::artifacts::checklist::{
    self, Checklist, Checklists, Linked, NoStore, Reference, Report, validate, version_of,
};
use backoffice::families::artifacts::document::Document;
use backoffice::id::ArtifactId;
use proptest::prelude::*;
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp(1_760_970_605_123);

fn artifacts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/artifacts")
}

fn document(kind: &str) -> String {
    fs::read_to_string(artifacts().join(format!("{kind}.md"))).unwrap()
}

/// A store in which the shop's documents are approved and its research is finished.
struct Shop;

impl Linked for Shop {
    fn status(&self, reference: &Reference) -> Result<Option<String>> {
        Ok(match reference {
            Reference::Artifact(id) => self.knows(id)?.then(|| "Approved".to_owned()),
            Reference::File(name) => name.starts_with("shop_").then(|| "Final".to_owned()),
        })
    }

    fn text(&self, reference: &Reference) -> Result<Option<String>> {
        Ok(match reference {
            Reference::File(name) => {
                fs::read_to_string(artifacts().join(name.trim_start_matches("shop_"))).ok()
            }
            Reference::Artifact(_) => None,
        })
    }

    fn keeps(&self, prefix: &str) -> Result<bool> {
        Ok(prefix != "TASK")
    }

    fn knows(&self, id: &ArtifactId) -> Result<bool> {
        let kept = ["VIS-001", "INIT-000", "INIT-001", "EPIC-006", "PRD-006", "HLS-012", "US-071"];
        let later = ["SPIKE-001", "ADR-004", "SPEC-002"];
        Ok(kept.iter().chain(&later).any(|known| **known == id.to_string()))
    }
}

fn checked(kind: &str, id: &str, text: &str, linked: &dyn Linked) -> Report {
    let checklist = Checklists::default().get(&format!("{kind}_validation_v1"), None, NOW).unwrap();
    let document = Document::read(text);
    validate(&document, id, version_of(&document, None), &checklist, linked).unwrap()
}

fn failures(report: &Report) -> Vec<String> {
    let failed = report.results.iter().filter(|outcome| outcome.passed == Some(false));
    failed.map(|outcome| format!("{}: {}", outcome.id, outcome.details)).collect()
}

const GOOD: [(&str, &str, &str, usize); 13] = [
    ("product_vision", "VIS-001", "13/13", 11),
    ("initiative", "INIT-001", "18/18", 7),
    ("epic", "EPIC-006", "24/24", 7),
    ("prd", "PRD-006", "24/24", 2),
    ("hls", "HLS-012", "19/19", 6),
    ("funcspec", "FS-004", "26/26", 4),
    ("backlog_story", "US-071", "31/31", 8),
    ("spike", "SPIKE-001", "8/8", 4),
    ("adr", "ADR-004", "7/7", 0),
    ("tech_spec", "SPEC-002", "9/9", 3),
    ("task", "TASK-034", "9/9", 3),
    ("business_research", "N/A", "12/12", 13),
    ("implementation_research", "N/A", "15/15", 11),
];

#[test]
fn a_good_document_of_each_type_passes_everything_that_applies() {
    for (kind, id, rate, agents) in GOOD {
        let report = checked(kind, id, &document(kind), &Shop);
        assert_eq!(failures(&report), Vec::<String>::new(), "{kind}");
        assert!(report.passed(), "{kind}");
        assert_eq!((report.automated_pass_rate().as_str(), report.agent_reviews()), (rate, agents), "{kind}");
        let crlf = document(kind).replace('\n', "\r\n");
        let report = checked(kind, id, &format!("\u{feff}{}", crlf.trim_end()), &Shop);
        assert_eq!(failures(&report), Vec::<String>::new(), "{kind} with other line ends");
    }
}

#[test]
fn without_a_store_nothing_is_held_against_a_document() {
    for (kind, id, _, _) in GOOD {
        let report = checked(kind, id, &document(kind), &NoStore);
        assert_eq!(failures(&report), Vec::<String>::new(), "{kind}");
        let unsaid = report.results.iter().filter(|outcome| outcome.details.is_empty());
        assert_eq!(unsaid.count(), 0, "{kind}: every result says something");
    }
}

#[test]
fn the_lists_have_the_criteria_they_promise() {
    let counts = |id| Checklists::default().get(id, None, NOW).unwrap().counts();
    assert_eq!(counts("prd_validation_v1"), (24, 2, 0));
    assert_eq!(counts("epic_validation_v1"), (24, 7, 0));
    assert_eq!(counts("backlog_story_validation_v1"), (31, 8, 1));
    assert_eq!(checklist::ids().count(), 13);
    for id in checklist::ids() {
        let json = checklist::text(id, None).unwrap();
        let parsed = Checklist::parse(&json).unwrap();
        assert_eq!(format!("{}_validation_v{}", parsed.artifact_type, parsed.version), id);
    }
}

#[test]
fn an_epic_without_risks_says_so() {
    let text = document("epic").replace("## Dependencies & Risks", "## Other");
    let report = checked("epic", "EPIC-006", &text, &Shop);
    assert_eq!(failures(&report), ["CQ-02: Missing sections: Risks"]);
    assert_eq!(report.automated_pass_rate(), "23/24");
}

#[test]
fn a_prd_is_reported_criterion_by_criterion() {
    let report = checked("prd", "PRD-006", &document("prd"), &Shop);
    let lines: Vec<String> = report
        .results
        .iter()
        .map(|each| {
            let line = each.line.map_or(String::new(), |line| format!(" :{line}"));
            format!("{} {:?} {}{line}", each.id, each.passed, each.details)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    CQ-01 Some(true) Found 8/8 required sections :20
    CQ-05 Some(true) Found "NFR-01: The payment page answers within 300 ms for 95 of 100 requests" in "Requirements" :39
    CQ-06 Some(true) Found "Dependencies: payment provider, address service (Implementation Research §2.3)" in the document :97
    CQ-07 Some(true) Found "Goal | Metric | Baseline | Target | Measured by |" in "Goals & Success Metrics" :25
    CQ-10 Some(true) Found "Risk | Likelihood | Impact | Mitigation |" in "Risks & Mitigations" :101
    CQ-12 None Needs an agent's review
    CQ-13 None Needs an agent's review
    UT-01 Some(true) Parent Epic is EPIC-006 :9
    UT-02 Some(true) EPIC-006 is Approved :9
    UT-03 Some(true) Found 1/1 required sections :15
    UT-04 Some(true) Informed By Business Research is `artifacts/research/shop_business_research.md` :10
    UT-05 Some(true) shop_business_research.md is Finalized :10
    UT-06 Some(true) shop_implementation_research.md is Finalized :11
    UT-07 Some(true) Found 2 valid § references :18
    UT-08 Some(true) Found 1 valid references :9
    CC-01 Some(true) Status is Draft :8
    CC-02 Some(true) ID format valid: PRD-006 :4
    CC-03 Some(true) No placeholder fields remaining
    CC-04 Some(true) Found 3 unique IDs :34
    HLS-02 Some(true) Found 3 subsections in "High-Level User Stories", expected 3 to 8 :44
    HLS-03 Some(true) Found 3 subsections in "High-Level User Stories", expected 3 to 8 :44
    HLS-04 Some(true) All 3 subsections, for example: Found "As a buyer in a hurry" in "HLS-AAA: Pay as a guest" :45
    HLS-08 Some(true) All 3 subsections, for example: Found 2 matches in "HLS-AAA: Pay as a guest", expected at least 2 :57
    HLS-10 Some(true) All 3 subsections, for example: Found 3 matches in "HLS-AAA: Pay as a guest", expected 3 to 8 :61
    HLS-13 Some(true) Found 3 unique IDs, in order :44
    OQ-01 Some(true) Version 1: questions are exploratory, markers are enforced from version 2 on
    "#);
}

#[test]
fn a_first_version_is_not_held_to_markers_and_a_later_one_is() {
    let second = document("prd").replace("**Version:** 1.0", "**Version:** 2.0");
    assert_eq!(
        failures(&checked("prd", "PRD-006", &second, &Shop)),
        ["OQ-01: Missing sections: Decisions Made; Question without an allowed marker (line 113): \
          Receipts: are printed receipts still needed in stores?; allowed are REQUIRES EXECUTIVE DECISION, \
          REQUIRES ORGANIZATIONAL ALIGNMENT, REQUIRES PM + TECH LEAD"]
    );
    let first = document("epic").replace("Draft (v2)", "Draft");
    let report = checked("epic", "EPIC-006", &first, &Shop);
    assert_eq!(report.automated_pass_rate(), "19/19");
    let skipped = report.results.iter().find(|outcome| outcome.id == "OQ-04").unwrap();
    assert_eq!(skipped.passed, None);
    assert_eq!(skipped.details, "Not applicable: it is for version 2 and later, this is version 1");
}

#[test]
fn versions_come_from_the_name_then_the_label_then_the_status() {
    let with = |rows: &str| format!("# T\n## Metadata\n{rows}\n");
    for (rows, named, expected) in [
        ("- **Version:** v2.0\n- **Status:** Draft (v3)", Some(4), 4),
        ("- **Version:** v2.0\n- **Status:** Draft (v3)", None, 2),
        ("- **Status:** Draft (v3)", None, 3),
        ("- **Status:** Deprecated (2025-10-20)", None, 1),
        ("", None, 1),
    ] {
        let text = with(rows);
        assert_eq!(version_of(&Document::read(&text), named), expected, "{rows}");
    }
}

/// Runs one automated criterion over a document of the id PRD-006.
fn run(check: Value, text: &str) -> (Option<bool>, String, Option<usize>) {
    let mut criterion =
        json!({"id": "X-1", "category": "c", "description": "d", "validation_type": "automated"});
    criterion.as_object_mut().unwrap().extend(check.as_object().unwrap().clone());
    let list = json!({"artifact_type": "prd", "version": 1, "criteria": [criterion]});
    let checklist = Checklist::parse(&list.to_string()).unwrap();
    let document = Document::read(text);
    let report = validate(&document, "PRD-006", version_of(&document, None), &checklist, &Shop).unwrap();
    let outcome = report.results.into_iter().next().unwrap();
    (outcome.passed, outcome.details, outcome.line)
}

#[track_caller]
fn check(check: Value, cases: &[(&str, Option<bool>, &str, Option<usize>)]) {
    for (text, passed, details, line) in cases {
        assert_eq!(run(check.clone(), text), (*passed, (*details).to_owned(), *line), "{text}");
    }
}

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

#[test]
fn sections_can_be_missing_or_empty() {
    check(
        json!({"check_type": "template_sections", "required_sections": ["Risks | Dependencies & Risks", "Scope"]}),
        &[
            (
                "# T\n## 3. Dependencies & Risks (v2)\na\n## Scope\nb",
                YES,
                "Found 2/2 required sections",
                Some(2),
            ),
            ("# T\n## Scope\nb", NO, "Missing sections: Risks", None),
            ("# T\n## Risks\n---\n<!-- a -->\n### Sub\n\n## Scope\nb", NO, "Empty sections: Risks", Some(2)),
            ("# T\n```\n## Risks\na\n## Scope\nb\n```", NO, "Missing sections: Risks, Scope", None),
        ],
    );
}

#[test]
fn ids_and_statuses_can_be_wrong() {
    check(
        json!({"check_type": "id_format", "pattern": "^PRD-\\d{3,}$"}),
        &[
            ("## Metadata\n- **PRD ID:** PRD-006", YES, "ID format valid: PRD-006", Some(2)),
            (
                "## Metadata\n- **PRD ID:** PRD-007",
                NO,
                "The document states the ID PRD-007, expected PRD-006",
                Some(2),
            ),
            ("# PRD", NO, "The document does not state its ID, expected PRD-006", None),
        ],
    );
    check(
        json!({"check_type": "id_format", "pattern": "^EPIC-\\d{3,}$"}),
        &[("## Metadata\n- **PRD ID:** PRD-006", NO, "ID format not valid: PRD-006", None)],
    );
    check(
        json!({"check_type": "status_enum", "allowed_statuses": ["Draft", "Ready"]}),
        &[
            ("## Metadata\n- **Status:** Draft (v2)", YES, "Status is Draft", Some(2)),
            ("## Metadata\n- **Status:** Approved", YES, "Status is Approved", Some(2)),
            (
                "## Metadata\n- **Status:** Odd",
                NO,
                "Status is Odd, expected one of Draft, Ready, Approved",
                Some(2),
            ),
            ("## Metadata\n", NO, "The Metadata block has no Status", None),
        ],
    );
    check(
        json!({"check_type": "metadata_field", "fields": ["Parent Epic", "Epic"], "pattern": "EPIC-\\d{3}"}),
        &[
            ("## Metadata\n- **Parent Epic:** EPIC-006", YES, "Parent Epic is EPIC-006", Some(2)),
            ("## Metadata\n- **Parent Epic:** N/A\n- **Epic:** EPIC-006", YES, "Epic is EPIC-006", Some(3)),
            (
                "## Metadata\n- **Parent Epic:** N/A (none)",
                NO,
                "Metadata field Parent Epic is not filled: N/A (none)",
                Some(2),
            ),
            (
                "## Metadata\n- **Parent Epic:**\n",
                NO,
                "Metadata field Parent Epic is not filled: nothing",
                Some(2),
            ),
            (
                "## Metadata\n- **Epic:** six",
                NO,
                "Epic is six, which does not have the expected form",
                Some(2),
            ),
            ("## Metadata\n", NO, "Missing metadata field: Parent Epic or Epic", None),
        ],
    );
}

#[test]
fn placeholders_are_named_and_ids_to_come_wait_for_the_approval() {
    check(
        json!({"check_type": "no_placeholders"}),
        &[
            ("- [ ] a [EPIC-006: t] [x](y)", YES, "No placeholder fields remaining", None),
            ("a\n[TBD]\n[Name]", NO, "Found 2 placeholders: [TBD] (line 2), [Name] (line 3)", Some(2)),
            (
                "## Metadata\n- **Status:** Draft\n### HLS-AAA: t",
                YES,
                "No placeholder fields remaining",
                None,
            ),
            (
                "## Metadata\n- **Status:** In Review\n### HLS-AAA: t",
                YES,
                "No placeholder fields remaining",
                None,
            ),
            (
                "## Metadata\n- **Status:** Approved\n### HLS-AAA: t\n`HLS-BBB` TASK-XXX",
                NO,
                "Found 1 placeholders: HLS-AAA (line 3)",
                Some(3),
            ),
            (
                "## Metadata\n- **Status:** Approved\n- **HLS-XXX:** t\nlike HLS-YYY",
                NO,
                "Found 1 placeholders: HLS-XXX (line 3)",
                Some(3),
            ),
            (
                "## Metadata\n- **Status:** Approved\n### HLS-012: t\n1. **US-AAA:** t\n- **TASK-XXX:** t",
                YES,
                "No placeholder fields remaining",
                None,
            ),
        ],
    );
    // The approval of another type leaves the parts of its future children open.
    for (kind, id, parts) in [
        ("funcspec", "FS-004", "1. **US-AAA:** t\n"),
        ("epic", "EPIC-006", "### PRD-AAA: t\n- HLS-AAA: t\n"),
        ("product_vision", "VIS-001", "- EPIC-AAA: t\n"),
    ] {
        let mut text = document(kind).replace("- **Status:** Draft", "- **Status:** Approved");
        text.push_str(&format!("\n## Further Notes\n{parts}"));
        assert_eq!(failures(&checked(kind, id, &text, &Shop)), Vec::<String>::new(), "{kind}");
    }
    let many: String = (0..12).map(|number| format!("[Name {number}] ")).collect();
    let (_, details, _) = run(json!({"check_type": "no_placeholders"}), &many);
    assert!(
        details.starts_with("Found 12 placeholders: [Name 0] (line 1), ")
            && details.ends_with("[Name 9] (line 1), …")
    );
}

#[test]
fn references_can_be_missing_malformed_or_unknown() {
    check(
        json!({"check_type": "references_valid", "reference_types": ["EPIC", "FR"]}),
        &[
            ("See EPIC-006 and FR-1, EPIC-006", YES, "Found 2 valid references", Some(1)),
            (
                "a\nSee EPIC-099, EPIC-006 and EPIC-100",
                YES,
                "Found 3 valid references; not in the store: EPIC-099, EPIC-100",
                Some(2),
            ),
            (
                "EPIC-006\nEPIC-6, `EPIC-7` and EPIC-12, EPIC-6",
                NO,
                "Malformed references: EPIC-6 (line 2), EPIC-12 (line 2)",
                Some(2),
            ),
            ("FR-12 FR-01 PRD-6", YES, "Found 2 valid references", Some(1)),
            ("`EPIC-006` PRD-006 EPIC-AAA", NO, "No references found, expected EPIC, FR", None),
            ("## Metadata\n- **Parent:** `x/EPIC-006_v1.md`", YES, "Found 1 valid references", Some(2)),
        ],
    );
    check(
        json!({"check_type": "references_valid", "reference_types": ["TASK"], "min": 2}),
        &[
            ("TASK-001 TASK-001", NO, "Found 1 references, expected at least 2", Some(1)),
            ("TASK-001 TASK-999", YES, "Found 2 valid references", Some(1)),
        ],
    );
}

/// What is still to come may be referred to, whatever the store keeps already.
#[test]
fn a_future_document_is_no_unknown_reference() {
    for (kind, id, future) in [
        ("initiative", "INIT-001", "INIT-002"),
        ("tech_spec", "SPEC-002", "ADR-009"),
        ("task", "TASK-034", "US-073"),
        ("hls", "HLS-012", "PRD-099"),
    ] {
        let text = format!("{}\nBlocks {future}.\n", document(kind));
        let stored = checked(kind, id, &text, &Shop);
        assert_eq!(failures(&stored), Vec::<String>::new(), "{kind}");
        let told = format!("; not in the store: {future}");
        assert!(stored.results.iter().any(|outcome| outcome.details.ends_with(&told)), "{kind}");
    }
    let many: String = (100..120).map(|number| format!("EPIC-{number} ")).collect();
    let (_, details, _) = run(json!({"check_type": "references_valid", "reference_types": ["EPIC"]}), &many);
    assert!(details.ends_with(", EPIC-109"), "{details}");
}

#[test]
fn the_section_of_a_prd_can_be_named_by_its_label() {
    for (line, passed) in [
        ("- **PRD Section:** §5.1 Guest checkout", YES),
        ("See PRD §5.1", YES),
        ("§5.1 of PRD-006", YES),
        ("As §5.1 says", NO),
    ] {
        let bare = document("hls").replace("Business Research §3.1 shows the loss.", "");
        let report = checked("hls", "HLS-012", &format!("{bare}\n{line}\n"), &Shop);
        let found = report.results.iter().find(|outcome| outcome.id == "UT-02").unwrap();
        assert_eq!(found.passed, passed, "{line}: {}", found.details);
    }
}

#[test]
fn a_requirement_that_is_told_again_is_not_defined_twice() {
    let trace = "### Traceability\n| FR | Story |\n|---|---|\n| FR-01 | US-001 |\n";
    let covers = "\n| Requirement | Covered by |\n|---|---|\n| FR-01 | US-001 |\n| FR-02 | US-001 |\n";
    let mention = "- **FR-01:** is measured weekly\n";
    let heading = "### FR-04: t\na\n### FR-04: u\nb\n";
    let row = "| FR-02 | Another one | Must |\n";
    for (added, behind, expected) in [
        (trace, "### Non-Functional", None),
        (covers, "\n### Non-Functional", None),
        (mention, "\n## High-Level", None),
        (heading, "### Non-Functional", Some("CC-04: Duplicate ID: FR-04 (lines 38 and 40)")),
        (row, "\n### Non-Functional", Some("CC-04: Duplicate ID: FR-02 (lines 35 and 37)")),
    ] {
        let text = document("prd").replacen(behind, &format!("{added}{behind}"), 1);
        let report = checked("prd", "PRD-006", &text, &Shop);
        assert_eq!(failures(&report), Vec::from_iter(expected), "{added}");
        let ids = report.results.iter().find(|outcome| outcome.id == "CC-04").unwrap();
        assert!(expected.is_some() || ids.details == "Found 3 unique IDs", "{added}: {}", ids.details);
    }
}

#[test]
fn linked_documents_can_disagree() {
    check(
        json!({"check_type": "linked_status", "fields": ["Parent Epic"], "allowed_statuses": ["Approved"]}),
        &[
            ("## Metadata\n- **Parent Epic:** EPIC-006 (t)", YES, "EPIC-006 is Approved", Some(2)),
            (
                "## Metadata\n- **Parent Epic:** shop_a.md",
                NO,
                "shop_a.md is Finalized, expected Approved",
                Some(2),
            ),
            (
                "## Metadata\n- **Parent Epic:** the best",
                NO,
                "Parent Epic names no document by ID or path",
                Some(2),
            ),
            (
                "## Metadata\n- **Parent Epic:** EPIC-099",
                None,
                "Not applicable: EPIC-099 is not in the store",
                Some(2),
            ),
            ("## Metadata\n", None, "Not applicable: Parent Epic names no document", None),
        ],
    );
    let research = "## Metadata\n- **R:** `a/shop_business_research.md`\n";
    check(
        json!({"check_type": "section_refs", "fields": ["R"]}),
        &[
            (&format!("{research}\nas §3.1 and §2 say"), YES, "Found 2 valid § references", Some(4)),
            (
                &format!("{research}\n§3.1, §9.9 and §8"),
                NO,
                "Not found in shop_business_research.md: §9.9 (line 4), §8 (line 4)",
                Some(4),
            ),
            (&format!("{research}\n`§9`"), YES, "No § references to check in the document", None),
            (
                "## Metadata\n- **R:** other.md\n§9",
                None,
                "Not applicable: other.md is not in the store",
                None,
            ),
            ("§9", None, "Not applicable: R names no document", None),
        ],
    );
}

#[test]
fn patterns_counts_and_definitions_can_fail() {
    check(
        json!({"check_type": "pattern_present", "section": "Scope", "pattern": "(?i)in scope"}),
        &[
            ("## Scope\n\nIn scope: a", YES, "Found \"In scope: a\" in \"Scope\"", Some(3)),
            ("## Scope\na\n## Other\nin scope", NO, "Nothing found in \"Scope\"", Some(1)),
            ("in scope", NO, "Missing section: Scope", None),
        ],
    );
    check(
        json!({"check_type": "pattern_present", "pattern": "CUSTOMIZE", "absent": true}),
        &[
            ("a `CUSTOMIZE`", YES, "Nothing of the kind in the document", None),
            ("a\nCUSTOMIZE", NO, "Found \"CUSTOMIZE\" in the document", Some(2)),
        ],
    );
    check(
        json!({"check_type": "pattern_present", "pattern": "\\[\\^\\d\\]", "min": 2}),
        &[("a[^1]", NO, "Found 1 in the document, expected at least 2", Some(1))],
    );
    let count =
        |what: &str| json!({"check_type": "count_range", "section": "S", "count": what, "min": 2, "max": 3});
    check(
        count("subsections"),
        &[
            (
                "## S\n### a\n#### x\n### b\n## T\n### c",
                YES,
                "Found 2 subsections in \"S\", expected 2 to 3",
                Some(2),
            ),
            ("## S\n### a", NO, "Found 1 subsections in \"S\", expected 2 to 3", Some(2)),
        ],
    );
    check(
        count("list_items"),
        &[("## S\n- a\n  - x\n  - y", NO, "Found 1 list items in \"S\", expected 2 to 3", Some(2))],
    );
    let table = "## S\n| a |\n|---|\n| 1 |\n| 2 |\n| 3 |\n| 4 |";
    check(count("table_rows"), &[(table, NO, "Found 4 table rows in \"S\", expected 2 to 3", Some(4))]);
    check(
        json!({"check_type": "count_range", "count": "matches", "pattern": "x", "per_heading": "^H", "max": 1}),
        &[
            (
                "## H1\nx\n## H2\nx",
                YES,
                "All 2 subsections, for example: Found 1 matches in \"H1\", expected at most 1",
                Some(2),
            ),
            ("## H1\nx\n## H2\nx x", NO, "Found 2 matches in \"H2\", expected at most 1", Some(4)),
            ("## G\n", NO, "No subsection of the expected kind in the document", None),
        ],
    );
    check(
        json!({"check_type": "unique_ids", "pattern": "(?m)^- (F-\\w+)", "sequential": true}),
        &[
            ("- F-1\n- F-2", YES, "Found 2 unique IDs, in order", Some(1)),
            ("- F-1\n- F-2\n- F-1", NO, "Duplicate ID: F-1 (lines 1 and 3)", Some(3)),
            ("- F-1\n- F-3", NO, "Not sequential: F-3 (line 2) follows F-1", Some(2)),
            ("- F-AAA\n- F-BBB", YES, "Found 2 unique IDs, in order", Some(1)),
            ("- F-AAA\n- F-CCC", NO, "Not sequential: F-CCC (line 2) follows F-AAA", Some(2)),
            ("none", NO, "No IDs found in the document", None),
        ],
    );
    check(json!({"check_type": "spelling"}), &[("a", NO, "Unknown check type: spelling", None)]);
}

#[test]
fn markers_can_be_missing_incomplete_or_replaced_by_free_text() {
    let with = |body: &str| format!("## Metadata\n- **Version:** 2\n## Open Questions\n{body}\n");
    let case = |rules: Value, body: &str| {
        let mut rules = rules;
        rules["check_type"] = json!("marker_validation");
        run(rules, &with(body))
    };
    let allowed = json!({"allowed_markers": ["[REQUIRES SPIKE]"]});
    assert_eq!(
        case(allowed.clone(), "1. a? [REQUIRES SPIKE]"),
        (YES, "1 open question with an allowed marker".to_owned(), None)
    );
    for body in ["1. a?", "1. a? [REQUIRES ADR]"] {
        let expected = "Question without an allowed marker (line 4): a?; allowed are REQUIRES SPIKE";
        assert_eq!(case(allowed.clone(), body), (NO, expected.to_owned(), Some(4)), "{body}");
    }
    let own = json!({"allowed_markers": ["REQUIRES SPIKE"], "error_message_templates": {"missing_marker": "{line}/{question}/{allowed}"}});
    assert_eq!(case(own, "1. a?").1, "4/a?/REQUIRES SPIKE");
    let fields = json!({"marker_sub_fields": {"[BLOCKED BY]": ["Dependency", "Workaround Available"]}});
    assert_eq!(
        case(
            fields.clone(),
            "1. a? [BLOCKED BY US-001]\n   - **Dependency:** US-001\n   - **Workaround Available:**"
        )
        .1,
        "[BLOCKED BY] (line 4) lacks Workaround Available: a?"
    );
    let full = "1. a? [BLOCKED BY]\n   - **Dependency:** US-001\n   - **Workaround Available:** N/A";
    assert_eq!(case(fields.clone(), full), (YES, "1 marked question with all sub-fields".to_owned(), None));
    assert_eq!(case(fields, "1. a?").1, "No question carries [BLOCKED BY]");
    let time = json!({"special_validations": [{"marker": "REQUIRES SPIKE", "field": "Time Box", "valid_values": ["1 day", "2 days"]}]});
    assert_eq!(case(time.clone(), "1. a? [REQUIRES SPIKE]\n   - **Time Box:** 2 days").0, YES);
    assert_eq!(
        case(time, "1. a? [REQUIRES SPIKE]\n   - **Time Box:** a week").1,
        "[REQUIRES SPIKE] (line 4): Time Box is \"a week\", expected one of 1 day, 2 days"
    );
    let free = json!({"prohibited_patterns": ["(?i)action required:"]});
    assert_eq!(
        case(free.clone(), "Action Required: ask").1,
        "Free text instead of a marker (line 4): Action Required:"
    );
    assert_eq!(case(free, "> ⚠️ never write\n> Action Required: ask").0, YES);
    let sections = json!({"required_sections": ["Decisions Made"]});
    assert_eq!(case(sections.clone(), "none").1, "Missing sections: Decisions Made");
    let decided = json!({"decision_fields": ["Decision", "Decided By"]});
    assert_eq!(case(decided.clone(), "a").1, "Missing sections: Decisions Made");
    let entry = "a\n## Decisions Made\n**Q1: a?**\n- **Decision:** b";
    assert_eq!(case(decided.clone(), entry).1, "Decision (line 6) lacks Decided By: Q1: a?");
    assert_eq!(case(decided.clone(), "a\n## Decisions Made\nsome text").1, "No decision entries found");
    assert_eq!(case(decided, "a\n## Decisions Made\nNo decisions yet.").0, YES);
    assert_eq!(case(json!({}), "a").1, "Version 2: markers are enforced");
}

#[test]
fn conditions_decide_whether_a_criterion_applies() {
    for (condition, text, why) in [
        (json!({"id": "^INIT-"}), "a", "it is not for PRD-006"),
        (json!({"section": "Risks"}), "a", "there is no section Risks"),
        (
            json!({"field": "Related ADR"}),
            "## Metadata\n- **Related ADR:** N/A (none)",
            "Related ADR is not filled",
        ),
        (json!({"pattern": "§"}), "a", "nothing in the document calls for it"),
    ] {
        let rule = json!({"check_type": "pattern_present", "pattern": "zzz", "only_if": condition});
        assert_eq!(run(rule, text), (None, format!("Not applicable: {why}"), None));
    }
    let rule =
        json!({"check_type": "pattern_present", "pattern": "zzz", "only_if": {"pattern": "a", "id": "^PRD"}});
    assert_eq!(run(rule, "a").0, NO);
    let rule = json!({"check_type": "pattern_present", "pattern": "zzz", "applies_to": "v1"});
    assert_eq!(run(rule.clone(), "a").0, NO);
    let second = run(rule, "## Metadata\n- **Version:** 2");
    assert_eq!(second.1, "Not applicable: it is for version 1, this is version 2");
}

fn refusal(criteria: &str) -> String {
    let json = format!("{{\n\"artifact_type\": \"prd\",\n\"version\": 1,\n\"criteria\": [\n{criteria}\n]}}");
    Checklist::parse(&json).unwrap_err()
}

#[test]
fn a_bad_checklist_is_refused_with_its_line() {
    let one = |rest: &str| {
        refusal(&format!("{{\"id\": \"A\", \"category\": \"c\", \"description\": \"d\",\n{rest}}}"))
    };
    for (rest, expected) in [
        (
            "\"validation_type\": \"automated\"",
            "line 5: criterion `A`: an automated criterion needs a `check_type`",
        ),
        (
            "\"validation_type\": \"agent\", \"check_type\": \"no_placeholders\"",
            "line 5: criterion `A`: `check_type` is for automated criteria only",
        ),
        (
            "\"validation_type\": \"manual\", \"pattern\": \"x\"",
            "line 5: criterion `A`: `pattern` is for automated criteria only",
        ),
        (
            "\"validation_type\": \"automated\", \"check_type\": \"id_format\"",
            "line 5: criterion `A`: `pattern` is missing",
        ),
        (
            "\"validation_type\": \"automated\", \"check_type\": \"id_format\", \"pattern\": \"(\"",
            "line 5: criterion `A`: the pattern `(` cannot be used: unclosed group",
        ),
        (
            "\"validation_type\": \"automated\", \"check_type\": \"status_enum\", \"allowed_statuses\": [\"Draft\"], \"max\": 1",
            "line 5: criterion `A`: `status_enum` does not use `max`",
        ),
        (
            "\"validation_type\": \"automated\", \"check_type\": \"count_range\", \"count\": \"list_items\"",
            "line 5: criterion `A`: `min` and `max` are both missing",
        ),
        (
            "\"validation_type\": \"automated\", \"check_type\": \"unique_ids\", \"pattern\": \"x\"",
            "line 5: criterion `A`: `pattern` needs a group around the id",
        ),
        (
            "\"validation_type\": \"automated\", \"check_type\": \"template_sections\", \"required_sections\": []",
            "line 5: criterion `A`: `required_sections` is missing or empty",
        ),
        (
            "\"validation_type\": \"automated\", \"check_type\": \"marker_validation\", \"error_message_templates\": {\"x\": \"y\"}",
            "line 5: criterion `A`: there is no message `x`",
        ),
        ("\"validation_type\": \"agent\", \"only_if\": {}", "line 5: criterion `A`: `only_if` says nothing"),
    ] {
        assert_eq!(one(rest), expected);
    }
    let unknown = one("\"validation_type\": \"agent\", \"colour\": 1");
    assert!(unknown.starts_with("line 6: unknown field `colour`"), "{unknown}");
    let kind = one("\"validation_type\": \"robot\"");
    assert!(kind.starts_with("line 6: unknown variant `robot`"), "{kind}");
    let entry =
        "{\"id\": \"A\", \"category\": \"c\", \"description\": \"d\", \"validation_type\": \"agent\"}";
    assert_eq!(
        refusal(&format!("{entry},\n{entry}")),
        "line 6: criterion `A`: its id is empty or there twice"
    );
    assert_eq!(refusal(""), "line 1: there are no criteria");
    assert_eq!(Checklist::parse("{").unwrap_err(), "line 1: EOF while parsing an object");
}

#[test]
fn a_repository_brings_its_own_checklist_and_changes_are_seen_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let list = |extra: &str| {
        let entry =
            "{\"id\": \"A\", \"category\": \"c\", \"description\": \"d\", \"validation_type\": \"agent\"}";
        format!("{{\"artifact_type\": \"prd\", \"version\": 1, \"criteria\": [{entry}{extra}]}}")
    };
    let checklists = Checklists::default();
    let get = |now: i64| checklists.get("prd_validation_v1", Some(root), Timestamp(now));
    assert_eq!(get(0).unwrap().counts(), (24, 2, 0), "the built-in one");
    fs::create_dir_all(root.join("docs/checklists")).unwrap();
    let file = root.join("docs/checklists/prd_validation_v1.json");
    fs::write(&file, list("")).unwrap();
    assert_eq!(get(0).unwrap().counts(), (0, 1, 0));
    assert!(std::sync::Arc::ptr_eq(&get(0).unwrap(), &get(299_999).unwrap()), "remembered for five minutes");
    assert!(!std::sync::Arc::ptr_eq(&get(0).unwrap(), &get(300_000).unwrap()), "and then read again");
    fs::write(
        &file,
        list(
            ", {\"id\": \"B\", \"category\": \"c\", \"description\": \"d\", \"validation_type\": \"manual\"}",
        ),
    )
    .unwrap();
    assert_eq!(get(300_001).unwrap().counts(), (0, 1, 1), "a change is seen at once");
    assert!(checklist::text("prd_validation_v1", Some(root)).unwrap().contains("\"B\""));
    fs::write(&file, "{\n\"artifact_type\": 5}").unwrap();
    let refused = get(300_002).unwrap_err();
    assert_eq!(refused.kind(), Kind::Conflict);
    assert!(
        refused
            .message()
            .starts_with("the checklist `docs/checklists/prd_validation_v1.json` cannot be used, line 2: "),
        "{}",
        refused.message()
    );
    fs::write(&file, list("").replace("\"prd\"", "\"epic\"")).unwrap();
    assert!(
        get(300_003)
            .unwrap_err()
            .message()
            .ends_with("line 1: artifact_type and version say `epic_validation_v1`")
    );
    fs::remove_file(&file).unwrap();
    assert_eq!(get(300_004).unwrap().counts(), (24, 2, 0), "the built-in one again");
    #[cfg(unix)]
    {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("list.json"), list("")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("list.json"), &file).unwrap();
        assert!(get(300_005).unwrap_err().message().ends_with("leads out of the repository"));
    }
}

#[test]
fn checklists_are_found_by_their_ids_only() {
    let get = |id: &str| Checklists::default().get(id, None, NOW);
    assert_eq!(get("implementation_task_validation_v1").unwrap().artifact_type, "task");
    for id in ["prd_validation_v2", "../prd_validation_v1", "prd", "rfc_validation_v1", "_validation_v"] {
        assert_eq!(get(id).unwrap_err().kind(), Kind::NotFound, "{id}");
    }
    assert_eq!(get("prd_validation_v2").unwrap_err().hint_text(), Some("did you mean `prd_validation_v1`?"));
}

/// Texts that would take for ever where time grew with the square of them.
#[test]
fn hostile_texts_are_survived() {
    let parts = ["[", "§1 ", "[REQUIRES SPIKE] ", "`EPIC-001` ", "# a\n", "- **A:** b\n", "a\n", "TASK-XXX "];
    let denied = ["\nno [REQUIRES SPIKE]", "`[REQUIRES SPIKE]` ", "~~", "no open ", "| TASK-001 |\n"];
    for part in parts.into_iter().chain(denied) {
        let head = "## Metadata\n- **Status:** Ready\n- **Version:** 2\n## Open Questions\n1. ";
        checked("backlog_story", "US-071", &format!("{head}{}", part.repeat(16_000)), &NoStore);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_text_gets_the_same_report_twice(
        text in "(\\PC{0,8}|\n|\r\n|#{1,4} |## Metadata\n|## Open Questions\n|## Decisions Made\n|- \\*\\*Status:\\*\\* |1\\. |```|\\[|\\]|§[0-9.]{1,3}|EPIC-006|HLS-AAA|\\| a |\u{feff}|\t|> |\\[REQUIRES SPIKE\\]){0,80}",
    ) {
        for (kind, id, _, _) in GOOD {
            let later = format!("## Metadata\n- **Version:** 2\n{text}");
            for text in [&text, &later] {
                prop_assert_eq!(checked(kind, id, text, &Shop), checked(kind, id, text, &Shop));
            }
        }
    }

    /// A good document with something dropped into it anywhere is still read.
    #[test]
    fn a_damaged_document_is_survived(at in 0.0..1.0f64, dropped in "\\PC{0,5}|\n#|\\[|```|\\*\\*", chosen in 0..GOOD.len()) {
        let (kind, id, _, _) = GOOD[chosen];
        let mut text = document(kind);
        let mut place = (at * text.len() as f64) as usize;
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        text.insert_str(place, &dropped);
        prop_assert_eq!(checked(kind, id, &text, &Shop), checked(kind, id, &text, &Shop));
    }
}
