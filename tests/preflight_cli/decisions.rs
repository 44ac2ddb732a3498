//! Decisions by hand: listed, read, searched, and asked for their reasons.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use super::Shop;

fn decided() -> Shop {
    let shop = Shop::new();
    shop.run(&["preflight", "Add OAuth login with Clerk", "--non-interactive"]);
    assert_eq!(shop.json(&["preflight", "answer"])["status"], "completed", "what is optional may stay open");
    shop.run(&["preflight", "Use PostgreSQL with Prisma for orders"]);
    let again =
        shop.json(&["preflight", "Decide anew on the authentication strategy and library", "--force-adr"]);
    assert_eq!(again["status"], "needs_clarification", "{again}");
    let last = shop.json(&["preflight", "answer", "auth_strategy=SAML", "auth_library=Auth0"]);
    assert_eq!(last["status"], "completed", "{last}");
    shop
}

#[test]
fn decisions_are_listed_and_say_why() {
    let shop = decided();
    assert_snapshot!(shop.shown(&["adr"], ""), @"
    exit 0
    --- stdout
    UID                        DATE        CATEGORY        TITLE                             STATUS
    <uid>  <day>  Authentication  Authentication: Strategy = OAuth  Superseded
    <uid>  <day>  Database        Database: Type = PostgreSQL       Accepted
    <uid>  <day>  Authentication  Authentication: Strategy = SAML   Accepted
    --- stderr
    ");
    assert_snapshot!(shop.shown(&["adr", "why", "Authentication.Strategy"], ""), @"
    exit 0
    --- stdout
    Authentication.Strategy = SAML
    DATE        ADR                        VALUE  BY        TITLE
    <day>  <uid>  OAuth  detected  Authentication: Strategy = OAuth
    <day>  <uid>  SAML   person    Authentication: Strategy = SAML
    --- stderr
    ");
    assert_snapshot!(shop.shown(&["adr", "why", "library"], ""), @"
    exit 0
    --- stdout
    Authentication.Library = Auth0
    DATE        ADR                        VALUE  BY        TITLE
    <day>  <uid>  Clerk  detected  Authentication: Strategy = OAuth
    <day>  <uid>  Auth0  person    Authentication: Strategy = SAML
    --- stderr
    ");
    assert_snapshot!(shop.shown(&["adr", "why", "stratgy"], ""), @"
    exit 3
    --- stdout
    --- stderr
    error: no decision has set `stratgy`
    hint: did you mean `Authentication.Strategy`? decided are Authentication.Library, Authentication.Strategy, Database.ORM, Database.Type
    ");
    assert_snapshot!(shop.shown(&["architecture", "--sources"], ""), @"
    exit 0
    --- stdout
    CATEGORY        FIELD     VALUE       SET BY
    Authentication  Library   Auth0       <uid>
    Authentication  Strategy  SAML        <uid>
    Database        ORM       Prisma      <uid>
    Database        Type      PostgreSQL  <uid>
    --- stderr
    `backoffice adr why CATEGORY.FIELD` shows how a value came about
    ");
    let told = shop.json(&["adr", "why", "auth.strategy"]);
    assert_eq!((&told["value"], &told["conflict"]), (&json!("SAML"), &json!(false)));
    let steps = told["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    assert_eq!((&steps[0]["value"], &steps[0]["provenance"]), (&json!("OAuth"), &json!("detected")));
    assert_eq!((&steps[1]["was"], &steps[1]["provenance"]), (&json!("OAuth"), &json!("person")));
    assert!(steps[1]["path"].as_str().unwrap().starts_with("docs/adr/2"));
}

#[test]
fn a_decision_is_found_by_its_uid_its_beginning_and_its_file() {
    let shop = decided();
    let listed = shop.json(&["adr", "list"]);
    let first = &listed["adrs"][0];
    let (uid, path) = (first["uid"].as_str().unwrap(), first["path"].as_str().unwrap());
    let whole = shop.read(path);
    for named in [uid, &uid[..24], path, path.rsplit('/').next().unwrap()] {
        assert_eq!(shop.run(&["adr", "show", named]).stdout, whole, "{named}");
    }
    let shown = shop.json(&["adr", "show", uid]);
    assert_eq!(shown["content"], whole.as_str());
    assert_eq!(
        shown["changes"][0],
        json!({"category": "Authentication", "field": "Strategy", "value": "OAuth", "was": null})
    );
    assert_eq!(shop.run(&["adr", "show", "2"]).code, 2, "the beginning of several");
    assert_eq!(shop.run(&["adr", "show", "../CURRENT_TASK.md"]).code, 3, "decisions only");
    assert_eq!(shop.run(&["adr", "show", ""]).code, 3);
}

#[test]
fn words_are_searched_in_whole_decisions() {
    let shop = decided();
    let found = shop.json(&["adr", "search", "POSTGRESQL", "orders"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["hits"][0]["title"], "ADR: Database: Type = PostgreSQL");
    assert_snapshot!(shop.shown(&["adr", "search", "clerk", "kafka"], ""), @"
    exit 0
    --- stdout
    --- stderr
    nothing was found
    ");
    assert_eq!(shop.run(&["adr", "search"]).code, 2);
    assert_eq!(shop.run(&["adr", "search", " "]).code, 2);
}

/// What two branches have decided without knowing of each other.
#[test]
fn conflicts_come_first_and_a_field_of_several_categories_has_to_be_named() {
    let shop = Shop::new();
    for (uid, value) in [("20260101T000000.000Z-AAAA", "MySQL"), ("20260102T000000.000Z-BBBB", "SQLite")] {
        shop.write(
            &format!("docs/adr/{uid}_database.md"),
            &format!("<!-- UID: {uid} -->\n# ADR: Database\n\n**Status:** Accepted\n\n## Changes in This Version\n\n- Added: Database.Type = {value}\n- Added: Frontend.Framework = Vue\n- Added: Backend.Framework = Axum\n"),
        );
    }
    shop.write("docs/adr/notes.md", "# Nothing\n");
    assert_snapshot!(shop.shown(&["architecture"], ""), @"
    exit 0
    --- stdout
    conflict  Database.Type
      MySQL  (ADR <uid>)
      SQLite  (ADR <uid>)

    CATEGORY  FIELD      VALUE
    Backend   Framework  Axum
    Database  Type       SQLite
    Frontend  Framework  Vue
    --- stderr
    the next `backoffice preflight` asks which of these values hold; until then, the last one does
    `backoffice adr why CATEGORY.FIELD` shows how a value came about
    ");
    assert_snapshot!(shop.shown(&["adr"], ""), @"
    exit 0
    --- stdout
    UID                        DATE        CATEGORY  TITLE     STATUS
    <uid>  <day>  Database  Database  Disputed
    <uid>  <day>  Database  Database  Disputed
    --- stderr
    note: docs/adr/notes.md: it has no UID, neither inside nor in its name
    ");
    assert_snapshot!(shop.shown(&["adr", "why", "framework"], ""), @"
    exit 2
    --- stdout
    --- stderr
    error: several categories have a field `framework`
    hint: say which: Backend.Framework, Frontend.Framework
    ");
    assert_snapshot!(shop.shown(&["adr", "why", "db.type"], ""), @"
    exit 0
    --- stdout
    Database.Type = SQLite
    DATE        ADR                        VALUE   BY  TITLE
    <day>  <uid>  MySQL   -   Database
    <day>  <uid>  SQLite  -   Database
    --- stderr
    decisions disagree: they did not know of each other; the next `backoffice preflight` asks which value holds
    ");
    assert_eq!(shop.json(&["architecture"])["conflicts"][0]["sides"].as_array().unwrap().len(), 2);
    assert_eq!(shop.json(&["adr", "list"])["problems"][0]["file"], "notes.md");
}

#[test]
fn what_a_document_says_cannot_repaint_the_screen() {
    let shop = Shop::new();
    let uid = "20260101T000000.000Z-AAAA";
    let evil = "red\u{1b}[31m \u{202e}forged";
    shop.write(
        &format!("docs/adr/{uid}_evil.md"),
        &format!("<!-- UID: {uid} -->\n# ADR: {evil}\n\n## Changes in This Version\n\n- Added: Database.Type = {evil}\n"),
    );
    shop.write("docs/adr/\u{202e}evil.md", "# Nothing\n");
    for command in [
        &["adr"][..],
        &["adr", "show", uid],
        &["adr", "search", "forged"],
        &["adr", "why", "type"],
        &["architecture"],
        &["preflight", "Decide anew on the database", "--force-adr", "--non-interactive"],
    ] {
        let ran = shop.run(command);
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.stderr);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!told.contains(['\u{1b}', '\u{202e}']), "{command:?}: {told}");
    }
}

#[test]
fn an_empty_repository_has_nothing_decided() {
    let shop = Shop::new();
    assert_snapshot!(shop.shown(&["adr", "list"], ""), @r#"
    exit 0
    --- stdout
    --- stderr
    there are no decisions yet; `backoffice preflight "INTENTION"` records the first one
    "#);
    assert_snapshot!(shop.shown(&["architecture"], ""), @r#"
    exit 0
    --- stdout
    --- stderr
    nothing is decided yet; `backoffice preflight "INTENTION"` records the first decision
    "#);
    assert_snapshot!(shop.shown(&["adr", "why", "Database.Type"], ""), @r#"
    exit 3
    --- stdout
    --- stderr
    error: nothing has set `Database.Type`
    hint: there are no decisions yet; `backoffice preflight "INTENTION"` records the first one
    "#);
    assert_eq!(shop.json(&["architecture"])["architecture"], json!({"uid": null, "categories": {}}));
}

#[test]
fn a_repository_is_registered_and_left_alone() {
    let shop = Shop::new();
    let before = fs::read_dir(shop.root()).unwrap().count();
    let shown = shop.shown(&["init"], "");
    assert_snapshot!(shown.replace(shop.root().canonicalize().unwrap().to_str().unwrap(), "SHOP"), @r#"
    exit 0
    --- stdout
    added: SHOP
    --- stderr
    next:
      backoffice preflight "INTENTION"   clarifies what you are about to build
      backoffice setup                   connects Claude Code, Claude Desktop, Cursor or VS Code
    nothing was written into the repository
    "#);
    assert_eq!(shop.json(&["init"])["added"], false);
    assert_eq!(shop.json(&["repo"])["repositories"][0]["project_id"], "shop");
    assert_eq!(fs::read_dir(shop.root()).unwrap().count(), before);
}

/// A linked worktree has a file where the repository has its `.git` folder.
#[test]
fn a_linked_worktree_has_sessions_and_documents_of_its_own() {
    let shop = Shop::new();
    fs::create_dir_all(shop.root().join(".git/worktrees/side")).unwrap();
    fs::write(shop.root().join(".git/worktrees/side/commondir"), "../..\n").unwrap();
    let side = shop.0.path().join("side");
    fs::create_dir_all(&side).unwrap();
    fs::write(side.join(".git"), format!("gitdir: {}\n", shop.root().join(".git/worktrees/side").display()))
        .unwrap();
    let ran = shop.fed_in(&side, &["preflight", "Add SAML login with Clerk"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(side.join("docs/AGENT_PROMPT.md").exists() && !shop.root().join("docs").exists());
    assert_eq!(shop.fed_in(&side, &["adr", "list"], "").stdout.lines().count(), 2);
    assert_eq!(shop.fed_in(&side, &["init", "--json"], "").json()["project_id"], "shop");
}
