//! Taking a tree into the index.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use super::Shop;
use crate::client::command;

#[test]
fn an_import_takes_a_real_tree_as_it_is() {
    let shop = Shop::new();
    let before = shop.bytes();
    assert_snapshot!(shop.shown(&["import", "docs/artifacts", "--dry-run"]), @"
    exit 0
    --- stdout
    TYPE            DOCUMENTS  VERSIONS  NEW  CHANGED  UNCHANGED  REFUSED
    product_vision  1          1         1    0        0          0
    epic            2          2         2    0        0          0
    prd             1          2         2    0        0          0
    hls             1          1         1    0        0          0
    backlog_story   3          3         3    0        0          0
    task            1          1         1    0        0          0

    backlog_stories/US-042_limit_v3.md: `Deprecated` is no status of its type
    memos/MEMO-001_v1.md: its ID has a prefix of no known type
    product_visions/VIS-001_Shop_v1.md: its file is version 1, its label says 2
    tasks/TASK-001_do_v2.md: its file is called TASK-001, its metadata say TASK-034
    tasks/TASK-034_again_v2.md: TASK-034 v2 is in tasks/TASK-001_do_v2.md already
    --- stderr
    5 problems, 2 other Markdown files, sequences raised: EPIC 6, HLS 8, PRD 6, TASK 34, US 1000, VIS 1
    nothing was written; without --dry-run it is
    ");
    assert_snapshot!(shop.shown(&["list"]), @"
    exit 0
    --- stdout
    --- stderr
    there are no documents yet; `backoffice artifacts import PATH` brings a folder of them
    ");
    assert_eq!(shop.run(&["import", ".", "--read-only"]).code, 2);
    let imported = shop.run(&["import", ".", "--json"]).json();
    assert_eq!(
        imported["counters"],
        json!({"EPIC": 6, "HLS": 8, "PRD": 6, "TASK": 34, "US": 1000, "VIS": 1})
    );
    assert_eq!((&imported["others"], &imported["project_id"]), (&json!(2), &json!("shop")));
    let crlf = imported["documents"].as_array().unwrap().iter().find(|row| row["artifact_id"] == "EPIC-001");
    assert_snapshot!(crlf.unwrap(), @r#"{"artifact_id":"EPIC-001","type":"epic","version":2,"status":"Draft","title":"Older labels","parent_ids":["INIT-001","VIS-001"],"path":"epics/EPIC-001_older_v2.md","outcome":"new"}"#);
    assert_snapshot!(shop.shown(&["import", "docs/artifacts/prds"]), @"
    exit 0
    --- stdout
    TYPE  DOCUMENTS  VERSIONS  NEW  CHANGED  UNCHANGED  REFUSED
    prd   1          2         0    0        2          0
    --- stderr
    0 problems, 1 other Markdown file, no sequence raised
    ");
    assert_eq!(shop.bytes(), before, "nothing is rewritten");
    let log = shop.fed(&["log", "--tool", "artifacts import", "--json"], None).stdout;
    assert!(log.lines().count() >= 2, "{log}");
}

#[test]
fn an_import_sees_what_has_changed_and_refuses_other_bytes_of_what_is_approved() {
    let shop = Shop::new();
    shop.run(&["import", "docs/artifacts"]);
    let edit = |path: &str| {
        let text = fs::read_to_string(shop.file(path)).unwrap();
        fs::write(shop.file(path), format!("{text}\nmore\n")).unwrap();
    };
    edit("prds/PRD-006_pay_v2.md");
    edit("hls/HLS-008_card_v1.md");
    let file = shop.file("prds/PRD-006_pay_v2.md");
    let one = shop.run(&["import", file.to_str().unwrap(), "--json"]).json();
    assert_eq!(one["documents"][0]["path"], "prds/PRD-006_pay_v2.md", "one file, in its place");
    assert_eq!(one["documents"][0]["outcome"], "changed");
    let all = shop.run(&["import", ".", "--json"]).json();
    let of = |id: &str| {
        all["documents"].as_array().unwrap().iter().find(|row| row["artifact_id"] == id).unwrap()["outcome"]
            .clone()
    };
    assert_eq!((of("HLS-008"), of("VIS-001")), (json!("refused"), json!("unchanged")));
    let why = all["problems"].as_array().unwrap().iter().find(|row| row["path"] == "hls/HLS-008_card_v1.md");
    assert_eq!(why.unwrap()["problem"], "HLS-008 v1 is approved, and these are other bytes");
    assert_snapshot!(shop.shown(&["import", "nowhere"]), @"
    exit 3
    --- stdout
    --- stderr
    error: there is no file or folder `nowhere`
    hint: name a folder of documents, such as docs/artifacts
    ");
}

#[test]
fn a_tree_from_elsewhere_keeps_its_own_base() {
    let shop = Shop::new();
    let elsewhere = shop.0.path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("epics")).unwrap();
    fs::rename(shop.file("epics/EPIC-006_pay_v1.md"), elsewhere.join("epics/EPIC-006_pay_v1.md")).unwrap();
    let imported = shop.run(&["import", "../elsewhere", "--json"]).json();
    assert_eq!(imported["documents"][0]["path"], "epics/EPIC-006_pay_v1.md");
    let shown = shop.run(&["show", "EPIC-006", "--json"]).json();
    assert!(shown["metadata"]["path"].as_str().unwrap().ends_with("elsewhere/epics/EPIC-006_pay_v1.md"));
    let from_outside = command(shop.0.path()).args(["artifacts", "import", "shop"]).output().unwrap();
    let told = String::from_utf8(from_outside.stderr).unwrap();
    assert!(
        told.contains("imported for the project `default`; add `--repo ") && told.contains("`shop`"),
        "{told}"
    );
}
