//! Documents on the command line: what a real tree holds, what people see of it, what scripts get.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::client::{Ran, command};

/// A repository `shop` with documents, and a data folder beside it.
struct Shop(tempfile::TempDir);

impl Shop {
    /// Nothing but the repository.
    fn empty() -> Self {
        let shop = Shop(tempfile::tempdir().unwrap());
        fs::create_dir_all(shop.root().join(".git")).unwrap();
        shop
    }

    /// A tree with everything that real ones hold.
    fn new() -> Self {
        let shop = Shop::empty();
        for (path, text) in TREE {
            shop.write(&format!("docs/artifacts/{path}"), text);
        }
        shop
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("shop")
    }

    fn file(&self, path: &str) -> PathBuf {
        self.root().join("docs/artifacts").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.fed(&[&["artifacts"], arguments].concat(), None)
    }

    /// Runs a command that reads standard input.
    fn fed(&self, arguments: &[&str], input: Option<&str>) -> Ran {
        let mut command = command(self.0.path());
        command.current_dir(self.root()).args(arguments);
        let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
        let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(input) = input {
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Both streams and the exit code, without what differs from run to run.
    fn shown(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert!(!ran.stdout.contains('\u{1b}'), "colour is for terminals: {}", ran.stdout);
        let text = format!("exit {}\n--- stdout\n{}--- stderr\n{}", ran.code, ran.stdout, ran.stderr);
        hide(&text.replace(self.0.path().canonicalize().unwrap().to_str().unwrap(), "HOME"))
    }

    /// What the files of the tree hold, to see that nobody touches them.
    fn bytes(&self) -> Vec<(String, Vec<u8>)> {
        let read = |(path, _): &(&str, &str)| ((*path).to_owned(), fs::read(self.file(path)).unwrap());
        TREE.iter().map(read).collect()
    }
}

/// Hides instants and the names of connections, which have different lengths.
fn hide(text: &str) -> String {
    let mut shown = String::new();
    for line in text.lines() {
        let client = line.split_whitespace().find(|word| word.starts_with("cli-") || *word == "THROUGH");
        let hidden = |word: &str| match word {
            instant if instant.len() == 24 && instant.ends_with('Z') => "<instant>".to_owned(),
            client if client.starts_with("cli-") => "<client>".to_owned(),
            word => word.to_owned(),
        };
        match client {
            Some(_) => shown.push_str(&line.split_whitespace().map(hidden).collect::<Vec<_>>().join("  ")),
            None => shown.push_str(line),
        }
        shown.push('\n');
    }
    shown
}

const TREE: [(&str, &str); 14] = [
    (
        "product_visions/VIS-001_Shop_v1.md",
        "# Product Vision: A shop for everybody\n\n## Metadata\n- **Vision ID:** VIS-001\n- **Version:** 2.0\n- **Status:** Approved\n",
    ),
    // The older labels, with a path in back quotes, and CRLF.
    (
        "epics/EPIC-001_older_v2.md",
        "# Epic: Older labels\r\n\r\n## Metadata\r\n- **Epic ID:** EPIC-001\r\n- **Status:** Draft\r\n- **Product Vision:** `/artifacts/product_visions/VIS-001_Shop_v1.md`\r\n- **Initiative:** INIT-001 - elsewhere\r\n",
    ),
    // The newer labels, a byte order mark, and no newline at the end.
    (
        "epics/EPIC-006_pay_v1.md",
        "\u{feff}# Epic: Pay online\n\n## Metadata\n- **Epic ID:** EPIC-006\n- **Status:** Approved\n- **Parent Product Vision:** VIS-001",
    ),
    (
        "prds/PRD-006_pay_v1.md",
        "# PRD: Pay online\n\n## Metadata\n- **PRD ID:** PRD-006\n- **Status:** Draft (v1)\n- **Version:** 1.0\n- **Parent Epic:** EPIC-006\n\n## High-Level User Stories\n\n### HLS-AAA: Pay later\n",
    ),
    (
        "prds/PRD-006_pay_v2.md",
        "# PRD: Pay online\n\n## Metadata\n- **PRD ID:** PRD-006\n- **Status:** Draft (v2)\n- **Version:** 2.0 (split)\n- **Parent Epic:** EPIC-006\n\n## High-Level User Stories\n\n### HLS-AAA: Pay later\nAfter HLS-BBB.\n\n### HLS-BBB: Pay twice\n",
    ),
    (
        "hls/HLS-008_card_v1.md",
        "# High-Level User Story: Pay by card\n\n## Metadata\n- **Story ID:** HLS-008\n- **Status:** Approved\n- **Parent Epic:** EPIC-006\n- **Parent PRD:** PRD-006\n",
    ),
    // The Metadata block stands behind a notice, in line 17.
    (
        "backlog_stories/US-042_limit_v3.md",
        "# User Story: Short form\n\n> **Deprecated**\n>\n> 5\n> 6\n> 7\n> 8\n> 9\n> 10\n> 11\n> 12\n> 13\n> 14\n\n---\n## Metadata\n- **Story ID:** US-042\n- **Title:** Limit what a card pays\n- **Status:** Deprecated (2025-10-20)\n- **Parent PRD:** PRD-006\n- **Parent High-Level Story:** HLS-008 (Pay by card)\n",
    ),
    (
        "backlog_stories/US-1000_far_v1.md",
        "# User Story: Far\n\n## Metadata\n- **Story ID:** US-1000\n- **Status:** Backlog\n- **Parent High-Level Story:** HLS-008\n",
    ),
    (
        "backlog_stories/US-050_lost_v1.md",
        "# User Story: Lost\n\n## Metadata\n- **Story ID:** US-050\n- **Status:** Backlog\n- **Parent High-Level Story:** HLS-099\n",
    ),
    (
        "tasks/TASK-001_do_v2.md",
        "# Implementation Task: Do it\n\n## Metadata\n- **Task ID:** TASK-034\n- **Status:** To Do\n- **Parent Story ID:** US-042: Limit\n",
    ),
    (
        "tasks/TASK-034_again_v2.md",
        "# Implementation Task: Do it again\n\n## Metadata\n- **Task ID:** TASK-034\n- **Status:** To Do\n- **Parent Story ID:** US-042\n",
    ),
    (
        "memos/MEMO-001_v1.md",
        "# Memo: Who knows\n\n## Metadata\n- **Memo ID:** MEMO-001\n- **Status:** Draft\n",
    ),
    ("technical_considerations.md", "# Technical considerations\n\nPRD-006 says so.\n"),
    ("prds/notes.md", "# Notes\n"),
];

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

#[test]
fn documents_are_listed_drawn_and_shown() {
    let shop = Shop::new();
    assert_snapshot!(shop.shown(&["tree"]), @"
    exit 0
    --- stdout
    --- stderr
    there are no documents yet; `backoffice artifacts import PATH` brings a folder of them
    ");
    shop.run(&["import", "."]);
    assert_snapshot!(shop.shown(&[]), @"
    exit 0
    --- stdout
    ID        TYPE            V  STATUS      TITLE                   PARENTS
    VIS-001   product_vision  1  Approved    A shop for everybody
    EPIC-001  epic            2  Draft       Older labels            INIT-001, VIS-001
    EPIC-006  epic            1  Approved    Pay online              VIS-001
    PRD-006   prd             2  Draft       Pay online              EPIC-006
    HLS-008   hls             1  Approved    Pay by card             PRD-006, EPIC-006
    US-042    backlog_story   3  Deprecated  Limit what a card pays  HLS-008, PRD-006
    US-050    backlog_story   1  Backlog     Lost                    HLS-099
    US-1000   backlog_story   1  Backlog     Far                     HLS-008
    TASK-034  task            2  To Do       Do it                   US-042
    --- stderr
    ");
    assert_snapshot!(shop.shown(&["list", "--type", "us", "--parent", "HLS-008"]), @"
    exit 0
    --- stdout
    ID       TYPE           V  STATUS      TITLE                   PARENTS
    US-042   backlog_story  3  Deprecated  Limit what a card pays  HLS-008, PRD-006
    US-1000  backlog_story  1  Backlog     Far                     HLS-008
    --- stderr
    ");
    assert_snapshot!(shop.shown(&["list", "--status", "Done"]), @"
    exit 0
    --- stdout
    --- stderr
    no document fits
    ");
    assert_snapshot!(shop.shown(&["tree"]), @"
    exit 0
    --- stdout
    VIS-001 v1  Approved  A shop for everybody
    ├─ EPIC-001 v2  Draft  Older labels
    └─ EPIC-006 v1  Approved  Pay online
       └─ PRD-006 v2  Draft  Pay online
          └─ HLS-008 v1  Approved  Pay by card
             ├─ US-042 v3  Deprecated  Limit what a card pays
             │  └─ TASK-034 v2  To Do  Do it
             └─ US-1000 v1  Backlog  Far

    Without a known parent
    └─ US-050 v1  Backlog  Lost (of HLS-099)
    --- stderr

    9 documents: product_vision 1, epic 2, prd 1, hls 1, backlog_story 3, task 1; 1 without a known parent
    ");
    assert_snapshot!(shop.shown(&["tree", "PRD-006"]), @"
    exit 0
    --- stdout
    PRD-006 v2  Draft  Pay online
    └─ HLS-008 v1  Approved  Pay by card
       ├─ US-042 v3  Deprecated  Limit what a card pays
       │  └─ TASK-034 v2  To Do  Do it
       └─ US-1000 v1  Backlog  Far
    --- stderr

    5 documents: prd 1, hls 1, backlog_story 2, task 1
    ");
    assert_snapshot!(shop.shown(&["tree", "PRD-007"]), @"
    exit 3
    --- stdout
    --- stderr
    error: there is no artifact `PRD-007`
    hint: `backoffice artifacts` lists what is there, `backoffice artifacts import PATH` brings more
    ");
    assert_snapshot!(shop.run(&["tree", "HLS-008", "--json"]).stdout, @r#"{"project_id":"shop","roots":[{"artifact_id":"HLS-008","type":"hls","title":"Pay by card","status":"Approved","version":1,"children":[{"artifact_id":"US-042","type":"backlog_story","title":"Limit what a card pays","status":"Deprecated","version":3,"children":[{"artifact_id":"TASK-034","type":"task","title":"Do it","status":"To Do","version":2,"children":[]}]},{"artifact_id":"US-1000","type":"backlog_story","title":"Far","status":"Backlog","version":1,"children":[]}]}],"orphans":[]}"#);
    assert_snapshot!(shop.shown(&["show", "PRD-006"]), @"
    exit 0
    --- stdout
    PRD-006 v2  Pay online
      type      prd
      status    Draft
      parents   EPIC-006
      file      docs/artifacts/prds/PRD-006_pay_v2.md
      resource  mcp://resources/artifacts/prds/PRD-006_v2.md
      size      224 bytes
      sha256    65de4ddb4c4cfa4567ffd4d9df22208780fbe52dd9bc35fa49939fd32dc2b991

    # PRD: Pay online

    ## Metadata
    - **PRD ID:** PRD-006
    - **Status:** Draft (v2)
    - **Version:** 2.0 (split)
    - **Parent Epic:** EPIC-006

    ## High-Level User Stories

    ### HLS-AAA: Pay later
    After HLS-BBB.

    ### HLS-BBB: Pay twice
    --- stderr
    ");
    assert_snapshot!(shop.shown(&["show", "EPIC-001", "--section", "metadata"]), @"
    exit 0
    --- stdout
    EPIC-001 v2  Older labels
      type      epic
      status    Draft
      parents   INIT-001, VIS-001
      file      docs/artifacts/epics/EPIC-001_older_v2.md
      resource  mcp://resources/artifacts/epics/EPIC-001_v2.md
      size      194 bytes
      sha256    a2878d8a5b0e4fc8ab07772417f2ba0ac78a15affa8546e07acece992c5f60a8

    ## Metadata
    - **Epic ID:** EPIC-001
    - **Status:** Draft
    - **Product Vision:** `/artifacts/product_visions/VIS-001_Shop_v1.md`
    - **Initiative:** INIT-001 - elsewhere
    --- stderr
    ");
    assert_snapshot!(shop.shown(&["show", "PRD-006", "--version", "3"]), @"
    exit 3
    --- stdout
    --- stderr
    error: Artifact PRD-006 has no version 3
    hint: there is 2, 1
    ");
}

#[test]
fn a_long_document_is_shown_to_its_end() {
    let shop = Shop::empty();
    let long: String = (0..9000).map(|n| format!("line {n} of a long document\n")).collect();
    let text = format!(
        "# Epic: Long\n\n## Metadata\n- **Epic ID:** EPIC-001\n- **Status:** Draft\n\n## All\n{long}"
    );
    shop.write("docs/artifacts/epics/EPIC-001_v1.md", &text);
    shop.run(&["import", "."]);
    assert!(shop.run(&["show", "EPIC-001"]).stdout.ends_with("line 8999 of a long document\n"));
    assert_eq!(shop.run(&["show", "EPIC-001", "--json"]).json()["content"], text);
}

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
    WHEN  V  EVENT  BEFORE  BY  THROUGH  SHA-256
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

#[test]
fn what_documents_say_cannot_repaint_the_screen() {
    let shop = Shop::empty();
    shop.write(
        "docs/artifacts/epics/EPIC-001_v1.md",
        "# Epic: red\u{1b}[31m \u{202e}evil\n\n## Metadata\n- **Epic ID:** EPIC-001\n- **Status:** Dra\u{7}ft\n\n\tcode \u{1b}[2J\n",
    );
    let shown = [
        &["import", "."][..],
        &["list"],
        &["tree"],
        &["show", "EPIC-001"],
        &["history", "EPIC-001"],
        &["validate", "docs"],
        &["verify"],
    ]
    .map(|arguments| {
        let ran = shop.run(arguments);
        ran.stdout + &ran.stderr
    });
    for text in &shown {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
    assert!(shown[3].contains("\tcode \u{fffd}[2J\n"), "tabs stay: {}", shown[3]);
}

#[test]
fn a_shell_completes_ids_types_and_statuses() {
    let shop = Shop::new();
    shop.run(&["import", "."]);
    let asked = |words: &[&str]| {
        let mut asked = command(shop.0.path());
        asked.current_dir(shop.root()).env("BACKOFFICE_COMPLETE", "fish");
        asked.args([&["--", "backoffice", "artifacts"], words].concat());
        String::from_utf8(asked.output().unwrap().stdout).unwrap()
    };
    assert_eq!(asked(&["show", "PRD"]), "PRD-006\tPay online\n");
    assert_eq!(asked(&["tree", "US-1"]), "US-1000\tFar\n");
    assert!(asked(&["list", "--type", "ba"]).starts_with("backlog_story"));
    assert!(asked(&["list", "--status", "App"]).starts_with("Approved"));
}

/// Every example of every command below `artifacts`, in a repository that has what they speak of.
#[test]
fn the_examples_of_the_help_work() {
    let shop = Shop::new();
    let draft = format!(
        "# Epic: Another epic\n\n## Metadata\n- **Epic ID:** EPIC-010\n- **Status:** Draft\n\n{}\n",
        "Why. ".repeat(30)
    );
    shop.write("draft.md", &draft);
    shop.write("other.md", &draft.replace("EPIC-010", "EPIC-011"));
    shop.run(&["import", "docs/artifacts"]);
    let help = shop.run(&["--help"]).stdout;
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> =
        listed.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        let help = shop.run(&[command, "--help"]).stdout;
        let examples: Vec<&str> =
            help.lines().filter_map(|line| line.trim().strip_prefix("backoffice artifacts ")).collect();
        assert!(!examples.is_empty(), "{command} has no example");
        for line in examples {
            let ran = shop.run(&line.split(' ').collect::<Vec<_>>());
            let fine = ran.code == 0 || (command == "validate" && ran.code <= 2);
            assert!(fine, "backoffice artifacts {line}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

/// A terminal is not needed for any of this, and a file that is written to is never cut to a width.
#[test]
fn a_pipe_gets_whole_titles() {
    let shop = Shop::empty();
    let title = "long ".repeat(60);
    shop.write(
        "docs/artifacts/epics/EPIC-001_v1.md",
        &format!("# Epic: {title}end\n\n## Metadata\n- **Epic ID:** EPIC-001\n- **Status:** Draft\n"),
    );
    shop.run(&["import", "."]);
    for arguments in [&["list"][..], &["tree"]] {
        assert!(shop.run(arguments).stdout.contains(&format!("{title}end")));
    }
    assert!(Path::new(&shop.file("epics/EPIC-001_v1.md")).exists());
}
