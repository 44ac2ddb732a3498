//! Storing and approving by hand.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::Shop;

#[test]
fn approving_shows_everything_first_and_needs_a_yes() {
    let shop = Shop::new();
    shop.run(&["import", "."]);
    assert_snapshot!(shop.shown(&["approve", "PRD-006", "--preview"]), @"
    exit 0
    --- stdout
    PRD-006  Draft → Approved  docs/artifacts/prds/PRD-006_pay_v2.md

    PLACEHOLDER  BECOMES
    HLS-AAA      HLS-009
    HLS-BBB      HLS-010

    TASK FOR  GENERATOR      INPUTS
    HLS-009   hls-generator  PRD-006
    HLS-010   hls-generator  PRD-006

    --- a/PRD-006_v2.md
    +++ b/PRD-006_v2.md
    @@ -3,5 +3,5 @@
     ## Metadata
     - **PRD ID:** PRD-006
    -- **Status:** Draft (v2)
    +- **Status:** Approved
     - **Version:** 2.0 (split)
     - **Parent Epic:** EPIC-006
    @@ -9,6 +9,6 @@
     ## High-Level User Stories
     
    -### HLS-AAA: Pay later
    -After HLS-BBB.
    +### HLS-009: Pay later
    +After HLS-010.
     
    -### HLS-BBB: Pay twice
    +### HLS-010: Pay twice
    --- stderr
    warning: recommended input 'business_research' was not found
    warning: recommended input 'implementation_research' was not found

    2 parts, 2 tasks; the numbers are those that come next now
    ");
    assert_eq!(shop.run(&["approve", "PRD-006", "--json"]).code, 5, "nobody is asked in JSON");
    let asked = shop.run(&["approve", "PRD-006"]);
    assert_eq!(asked.code, 5);
    assert!(
        asked.stdout.contains("HLS-AAA")
            && asked
                .stderr
                .ends_with("error: nothing was changed\nhint: add --yes to go on without being asked\n"),
        "{}{}",
        asked.stdout,
        asked.stderr
    );
    assert_eq!(
        shop.run(&["list", "--status", "approved", "--type", "prd", "--json"]).json()["artifacts"],
        json!([])
    );
    assert_snapshot!(shop.shown(&["approve", "PRD-006", "--yes"]), @"
    exit 0
    --- stdout
    PRD-006  Approved  docs/artifacts/prds/PRD-006_pay_v2.md

    PLACEHOLDER  BECOMES
    HLS-AAA      HLS-009
    HLS-BBB      HLS-010
    --- stderr
    queued TASK-035, TASK-036; `backoffice tasks next` claims the first
    ");
    assert_snapshot!(shop.shown(&["approve", "PRD-006", "--yes"]), @"
    exit 5
    --- stdout
    --- stderr
    error: Artifact PRD-006 already approved (status: Approved)
    ");
    assert_snapshot!(shop.shown(&["history", "PRD-006"]), @"
    exit 0
    --- stdout
    WHEN  V  EVENT  BEFORE  BY  THROUGH  SHA-256  BEFORE
    <instant>  2  approved  Draft  olivia  <client>  65de4ddb4c4c
    <instant>  2  imported  -  olivia  <client>  65de4ddb4c4c
    <instant>  1  imported  -  olivia  <client>  326b34082b0b
    --- stderr
    `backoffice artifacts diff PRD-006` shows the newest change
    ");
    assert_snapshot!(shop.shown(&["diff", "PRD-006"]), @"
    exit 0
    --- stdout
    --- a/PRD-006.md
    +++ b/PRD-006.md
    @@ -3,5 +3,5 @@
     ## Metadata
     - **PRD ID:** PRD-006
    -- **Status:** Draft (v2)
    +- **Status:** Approved
     - **Version:** 2.0 (split)
     - **Parent Epic:** EPIC-006
    @@ -9,6 +9,6 @@
     ## High-Level User Stories
     
    -### HLS-AAA: Pay later
    -After HLS-BBB.
    +### HLS-009: Pay later
    +After HLS-010.
     
    -### HLS-BBB: Pay twice
    +### HLS-010: Pay twice
    --- stderr
    v2 before its last change → v2
    ");
    assert_snapshot!(shop.shown(&["diff", "PRD-006", "--from", "1"]), @"
    exit 0
    --- stdout
    --- a/PRD-006.md
    +++ b/PRD-006.md
    @@ -3,9 +3,12 @@
     ## Metadata
     - **PRD ID:** PRD-006
    -- **Status:** Draft (v1)
    -- **Version:** 1.0
    +- **Status:** Approved
    +- **Version:** 2.0 (split)
     - **Parent Epic:** EPIC-006
     
     ## High-Level User Stories
     
    -### HLS-AAA: Pay later
    +### HLS-009: Pay later
    +After HLS-010.
    +
    +### HLS-010: Pay twice
    --- stderr
    v1 → v2
    ");
    assert_snapshot!(shop.shown(&["diff", "PRD-006", "--to", "7"]), @"
    exit 3
    --- stdout
    --- stderr
    error: `PRD-006` has no version 7
    hint: there is 2, 1
    ");
    assert_snapshot!(shop.shown(&["diff", "VIS-001"]), @"
    exit 0
    --- stdout
    --- stderr
    VIS-001 has said nothing else yet
    ");
    let compared = shop.run(&["diff", "PRD-006", "--to", "2", "--json"]).json();
    assert_eq!((&compared["from"]["version"], &compared["to"]["version"]), (&json!(1), &json!(2)));
    assert_eq!(shop.run(&["history", "US-999"]).code, 3);
}

#[test]
fn files_are_stored_one_by_one_until_one_is_refused() {
    let shop = Shop::empty();
    let epic = |number: u32| {
        format!(
            "# Epic: Epic number {number}\n\n## Metadata\n- **Epic ID:** EPIC-00{number}\n- **Status:** Draft\n\n{}\n",
            "Why. ".repeat(30)
        )
    };
    shop.write("one.md", &epic(1));
    shop.write("bad.md", "# Nothing\n");
    shop.write("two.md", &epic(2));
    assert_snapshot!(shop.shown(&["store", "one.md", "bad.md", "two.md"]), @"
    exit 2
    --- stdout
    EPIC-001 v1  Draft  docs/artifacts/epics/EPIC-001_v1.md
    --- stderr
    error: bad.md: Missing required metadata fields: ID, Status; the document has fewer than 100 characters
    hint: a `## Metadata` block holds rows such as `- **PRD ID:** PRD-006` and `- **Status:** Draft`; the title is the first heading
    ");
    assert_eq!(
        shop.fed(&["artifacts", "store", "-"], Some(&epic(3))).stdout,
        "EPIC-003 v1  Draft  docs/artifacts/epics/EPIC-003_v1.md\n"
    );
    let listed = shop.run(&["list", "--json"]).json();
    assert_eq!(listed["artifacts"].as_array().unwrap().len(), 2, "what comes after a refusal is not stored");
    assert_snapshot!(shop.shown(&["store", "missing.md"]), @"
    exit 3
    --- stdout
    --- stderr
    error: missing.md: there is no such file
    ");
    assert_snapshot!(shop.shown(&["store", "docs"]), @"
    exit 2
    --- stdout
    --- stderr
    error: docs: it is a folder
    hint: `backoffice artifacts import` takes whole folders
    ");
    let told = shop.run(&["store", "bad.md", "--json"]);
    let told: Value = serde_json::from_str(&told.stderr).unwrap();
    assert_eq!((&told["error"]["file"], &told["error"]["kind"]), (&json!("bad.md"), &json!("invalid")));
}
