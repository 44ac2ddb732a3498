//! What people and shells see of documents.

use insta::assert_snapshot;

use super::Shop;
use crate::client::command;

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
}
