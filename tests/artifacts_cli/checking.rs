//! What is found out: other bytes than approved, and documents that fail their checklists.

use std::fs;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::Shop;

#[test]
fn what_was_approved_and_changed_is_found() {
    let shop = Shop::new();
    shop.run(&["import", "."]);
    assert_snapshot!(shop.shown(&["verify"]), @"
    exit 0
    --- stdout
    3 approved documents, all as approved
    --- stderr
    ");
    let abandoned = shop.file("prds/.PRD-006_pay_v2.md.00ff00ff00ff00ff.tmp");
    let fresh = shop.file("prds/.PRD-006_pay_v2.md.00ff00ff00ff00fe.tmp");
    let foreign = shop.file("prds/.PRD-006_pay_v2.md.swp");
    for file in [&abandoned, &fresh, &foreign] {
        fs::write(file, "half").unwrap();
    }
    for file in [&abandoned, &foreign] {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_760_000_000);
        fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
    }
    fs::remove_file(shop.file("product_visions/VIS-001_Shop_v1.md")).unwrap();
    fs::write(shop.file("hls/HLS-008_card_v1.md"), "something else\n").unwrap();
    assert_snapshot!(shop.shown(&["verify"]), @"
    exit 5
    --- stdout
    ID       V  FOUND     APPROVED BY  FILE
    VIS-001  1  missing   olivia       docs/artifacts/product_visions/VIS-001_Shop_v1.md
    HLS-008  1  tampered  olivia       docs/artifacts/hls/HLS-008_card_v1.md
    --- stderr
    1 abandoned temporary file removed
    error: 2 of 3 approved documents not as approved
    hint: put the approved bytes back from your version control; a wanted change belongs into a new version, with its own approval
    ");
    assert_eq!([&abandoned, &fresh, &foreign].map(|file| file.exists()), [false, true, true]);
    let told = shop.run(&["verify", "--json"]);
    assert_eq!((told.code, told.json()["findings"].as_array().unwrap().len()), (5, 2));
    assert!(shop.run(&["list"]).stdout.contains("Approved, tampered"));
    let doctor = shop.fed(&["doctor"], None);
    assert_eq!(doctor.code, 5);
    assert!(
        doctor.stdout.contains("artifacts    2 of 3 approved documents not as approved"),
        "{}",
        doctor.stdout
    );
    assert_eq!(shop.fed(&["status", "--json"], None).json()["documents"], 9);
}

#[test]
fn validation_ends_with_a_code_that_scripts_understand() {
    let shop = Shop::new();
    let failed = shop.run(&["validate", "docs/artifacts"]);
    assert_eq!(failed.code, 2, "a prefix of no type cannot be checked: {}{}", failed.stdout, failed.stderr);
    fs::remove_dir_all(shop.file("memos")).unwrap();
    let failed = shop.run(&["validate", "docs/artifacts"]);
    assert_eq!(failed.code, 1, "{}{}", failed.stdout, failed.stderr);
    assert!(!failed.stderr.contains("error"), "{}", failed.stderr);
    assert!(failed.stdout.contains("FAIL  docs/artifacts/tasks/TASK-001_do_v2.md"), "{}", failed.stdout);
    assert!(failed.stderr.starts_with("11 documents: 0 passed, 11 failed; "), "{}", failed.stderr);
    let told = shop.run(&["validate", "docs/artifacts", "--json"]);
    let told = (told.code, told.json());
    let renamed = told.1.as_array().unwrap().iter().find(|row| row["artifact_id"] == "TASK-001").unwrap();
    assert_eq!((told.0, &renamed["passed"]), (1, &json!(false)));
    assert!(renamed["results"].as_array().unwrap().iter().all(|result| result["id"].is_string()));
    assert_eq!(
        told.1[0]["path"], "docs/artifacts/backlog_stories/US-042_limit_v3.md",
        "in the order of the files"
    );
    assert_snapshot!(shop.shown(&["validate", "docs/artifacts/prds/notes.md"]), @"
    exit 2
    --- stdout
    ERR   docs/artifacts/prds/notes.md: it says nowhere which document it is
    --- stderr
    error: 1 file could not be checked
    ");
    assert_eq!(shop.run(&["validate", "nowhere"]).code, 2);
    fs::write(shop.file("prds/notes.md"), [0xff, 0xfe]).unwrap();
    assert_eq!(shop.run(&["validate", "docs/artifacts/prds/notes.md"]).code, 2);
}

#[test]
fn a_document_that_fulfils_its_checklist_passes() {
    let shop = Shop::empty();
    // A checklist of the repository's own, so that this test is about the command.
    let criterion = |id: &str, sections: Value| {
        json!({
            "id": id, "category": "content", "description": "It has what it needs",
            "validation_type": "automated", "check_type": "template_sections", "required_sections": sections,
        })
    };
    let judged = json!({
        "id": "CQ-02", "category": "content", "description": "It is good", "validation_type": "agent",
    });
    let checklist = |sections: Value| {
        let criteria = [criterion("CQ-01", sections), judged.clone()];
        json!({"artifact_type": "epic", "version": 1, "criteria": criteria}).to_string()
    };
    shop.write("docs/checklists/epic_validation_v1.json", &checklist(json!(["Metadata"])));
    shop.write(
        "EPIC-001_v1.md",
        "# Epic: Good\n\n## Metadata\n- **Epic ID:** EPIC-001\n- **Status:** Draft\n",
    );
    assert_snapshot!(shop.shown(&["validate", "EPIC-001_v1.md", "--all"]), @"
    exit 0
    --- stdout
    pass  EPIC-001_v1.md  EPIC-001 v1  1/1
          ✓ CQ-01  It has what it needs
            line 3: Found 1/1 required sections
    --- stderr
    1 document: 1 passed, 0 failed; 1 criterion left to an agent, 0 to a person; 0 other Markdown files
    ");
    shop.write("docs/checklists/epic_validation_v1.json", &checklist(json!(["Metadata", "Risks"])));
    assert_snapshot!(shop.shown(&["validate", "."]), @"
    exit 1
    --- stdout
    FAIL  EPIC-001_v1.md  EPIC-001 v1  0/1
          ✗ CQ-01  It has what it needs
            Missing sections: Risks
    --- stderr
    1 document: 0 passed, 1 failed; 1 criterion left to an agent, 0 to a person; 0 other Markdown files
    ");
    shop.write("docs/checklists/epic_validation_v1.json", "{}");
    assert_snapshot!(shop.shown(&["validate", "."]), @"
    exit 5
    --- stdout
    --- stderr
    error: the checklist `docs/checklists/epic_validation_v1.json` cannot be used, line 1: missing field `artifact_type`
    hint: correct the file, or remove it to use the built-in checklist
    ");
}
