//! Questions on paper, and questions answered by lines of input.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use super::Shop;

#[test]
fn what_the_intention_names_reaches_the_decision() {
    let shop = Shop::new();
    assert_snapshot!(shop.shown(&["preflight", "Add OAuth login with Clerk", "--non-interactive"], ""), @"
    exit 0
    --- stdout
    session  <session>
    detected  authentication strategy: OAuth
    detected  authentication library: Clerk

    oauth_providers  Which OAuth providers?  (multi_choice, optional)
      - Google  (recommended: it is the usual choice)
      - GitHub
      - Microsoft
      - Apple
      - Facebook
      - Other (specify)
    --- stderr
    answer with `backoffice preflight answer oauth_providers=…`
    or leave it open with `backoffice preflight answer`
    for `Other (specify)`, put the text into the id with `__other` at its end
    or `backoffice preflight resume` asks them one by one
    ");
    assert_eq!(shop.run(&["preflight", "answer", "oauth_providers=Google,GitHub"]).code, 0);
    let adr = &shop.adrs()[0];
    assert!(adr.contains("- Added: Authentication.Library = Clerk"), "{adr}");
    assert!(adr.contains("Google, GitHub (person)"), "{adr}");
    let prompt = shop.read("docs/AGENT_PROMPT.md");
    for file in ["docs/ARCHITECTURE_STATE.md", "docs/CURRENT_TASK.md", "docs/adr/2"] {
        assert!(prompt.contains(file), "{file} in {prompt}");
    }
}

#[test]
fn questions_are_printed_and_answered_by_id() {
    let shop = Shop::new();
    assert_snapshot!(shop.shown(&["preflight", "Add authentication", "--non-interactive"], ""), @"
    exit 0
    --- stdout
    session  <session>

    auth_strategy  Which authentication strategy?  (single_choice)
      - OAuth  (recommended: it is the usual choice)
      - Email/Password
      - Magic Links
      - SAML
      - Other (specify)

    auth_library  Which authentication library?  (single_choice)
      - NextAuth.js  (recommended: it is the usual choice)
      - Auth0
      - Clerk
      - Passport.js
      - Authlib
      - django-allauth
      - Devise
      - Spring Security
      - Custom
      - Other (specify)
    --- stderr
    answer with `backoffice preflight answer auth_strategy=… auth_library=…`
    for `Other (specify)`, put the text into the id with `__other` at its end
    or `backoffice preflight resume` asks them one by one
    ");
    assert_snapshot!(shop.shown(&["preflight", "answer", "auth_strategy=Magic"], ""), @"
    exit 2
    --- stdout
    --- stderr
    error: `Magic` is not one of the options; for anything else choose `Other (specify)` and put it into `auth_strategy__other`
    hint: the question is `auth_strategy`: OAuth, Email/Password, Magic Links, SAML, Other (specify)
    ");
    assert_snapshot!(shop.shown(&["preflight", "answer", "auth_strategy=oauth"], ""), @"
    exit 0
    --- stdout
    session  <session>

    auth_library  Which authentication library?  (single_choice)
      - NextAuth.js  (recommended: it is the usual choice)
      - Auth0
      - Clerk
      - Passport.js
      - Authlib
      - django-allauth
      - Devise
      - Spring Security
      - Custom
      - Other (specify)
    --- stderr
    answer with `backoffice preflight answer auth_library=…`
    for `Other (specify)`, put the text into the id with `__other` at its end
    or `backoffice preflight resume` asks them one by one
    ");
    assert_snapshot!(shop.shown(&["preflight", "answer", "auth_library=Other"], ""), @"
    exit 0
    --- stdout
    session  <session>

    auth_library__other  Please specify the authentication library:  (free_text)

    oauth_providers  Which OAuth providers?  (multi_choice, optional)
      - Google  (recommended: it is the usual choice)
      - GitHub
      - Microsoft
      - Apple
      - Facebook
      - Other (specify)
    --- stderr
    answer with `backoffice preflight answer auth_library__other=…`
    for `Other (specify)`, put the text into the id with `__other` at its end
    or `backoffice preflight resume` asks them one by one
    ");
    let last = ["preflight", "answer", "auth_library__other=Our own, with = and, commas"];
    assert_snapshot!(shop.shown(&last, ""), @"
    exit 0
    --- stdout
    adr         docs/adr/<uid>_authentication_strategy__oauth.md
    task        docs/CURRENT_TASK.md
    projection  docs/ARCHITECTURE_STATE.md
    prompt      docs/AGENT_PROMPT.md
    --- stderr
    Decision documented and task created for: Add authentication
    reason: ADR: `authentication` concerns Authentication
    ");
    let adr = &shop.adrs()[0];
    assert!(adr.contains("Authentication.Library = Our own, with = and, commas (person)"), "{adr}");
}

#[test]
fn commas_and_repeated_ids_make_lists_where_several_are_asked_for() {
    let shop = Shop::new();
    let first = shop.json(&["preflight", "Add login", "--force-adr"]);
    assert_eq!(first["status"], "needs_clarification", "JSON asks nobody");
    let given = ["preflight", "answer", "auth_strategy=OAuth"];
    assert_eq!(shop.json(&given)["questions"][0]["id"], "auth_library");
    let last = shop.json(&[
        "preflight",
        "answer",
        "oauth_providers=Google, GitHub",
        "oauth_providers=Microsoft",
        "--answers-json",
        r#"{"auth_library": "Auth0"}"#,
    ]);
    assert_eq!(last["status"], "completed");
    assert_eq!(last["session_id"], first["session_id"]);
    let kinds: Vec<&str> = last["artifacts_created"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["adr", "task", "projection"]);
    assert_eq!(last["agent_prompt"]["path"], "docs/AGENT_PROMPT.md");
    assert!(last["agent_prompt"]["text"].as_str().unwrap().starts_with("You are the coding agent"), "{last}");
    let (adr, task) = (&shop.adrs()[0], shop.read("docs/CURRENT_TASK.md"));
    assert!(format!("{adr}{task}").contains("Google, GitHub, Microsoft"), "{adr}{task}");
}

#[test]
fn answers_come_from_files_and_each_question_is_answered_once() {
    let shop = Shop::new();
    shop.run(&["preflight", "Add authentication", "--non-interactive"]);
    for (arguments, code, told) in [
        (&["auth_strategy"][..], 2, "is no answer"),
        (&[], 2, "nothing to answer with"),
        (&["--answers-json", "[]"], 2, "no JSON object"),
        (&["--answers-file", "missing.json"], 3, "there is no file"),
        (&["auth_strategy=OAuth", "--answers-json", r#"{"auth_strategy": "SAML"}"#], 2, "answered twice"),
        (&["auth_strategy=OAuth", "auth_strategy=SAML"], 2, "takes one value, not a list"),
        (&["colour=red"], 2, "there is no such question"),
        (&["auth_strategy=OAuth", "--session", "nobody"], 3, "no session `nobody`"),
    ] {
        let ran = shop.run(&[&["preflight", "answer"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(told), "{arguments:?}: {}", ran.stderr);
    }
    let answered = shop.json(&["preflight", "status"])["sessions"][0]["questions"].clone();
    assert!(answered.as_array().unwrap().iter().all(|one| one["answered"] == false), "{answered}");
    shop.write("answers.json", r#"{"auth_strategy": "SAML"}"#);
    shop.run(&["preflight", "answer", "--answers-file", "answers.json"]);
    let last = shop.fed(&["preflight", "answer", "--answers-file", "-"], r#"{"auth_library": "Auth0"}"#);
    assert_eq!(last.code, 0, "{}", last.stderr);
    assert!(shop.adrs()[0].contains("Authentication.Strategy = SAML (person)"));
}

#[test]
fn lines_answer_by_number_or_text_and_wrong_ones_are_asked_again() {
    let shop = Shop::new();
    let input = "9\nsmoke signals\n\n5\n\nCarrier pigeons\nclerk\n";
    assert_snapshot!(shop.shown(&["preflight", "Add authentication"], input), @"
    exit 0
    --- stdout
    adr         docs/adr/<uid>_authentication_strategy__carrier_pigeons.md
    task        docs/CURRENT_TASK.md
    projection  docs/ARCHITECTURE_STATE.md
    prompt      docs/AGENT_PROMPT.md
    --- stderr
    answer with a number or the text, one line each; Ctrl-C leaves, `backoffice preflight resume` goes on

    Which authentication strategy?
       1  OAuth  (recommended: it is the usual choice)
       2  Email/Password
       3  Magic Links
       4  SAML
       5  Other (specify)
    > 9
      there is no option 9; they are 1 to 5
    > smoke signals
      `smoke signals` is not one of the options; choose `Other (specify)` to name something else

    Which authentication strategy?
       1  OAuth  (recommended: it is the usual choice)
       2  Email/Password
       3  Magic Links
       4  SAML
       5  Other (specify)
    > 
      it needs an answer
    > 5

    Please specify the authentication strategy:
    > 
      it needs an answer
    > Carrier pigeons

    Which authentication library?
       1  NextAuth.js  (recommended: it is the usual choice)
       2  Auth0
       3  Clerk
       4  Passport.js
       5  Authlib
       6  django-allauth
       7  Devise
       8  Spring Security
       9  Custom
      10  Other (specify)
    > clerk
    Decision documented and task created for: Add authentication
    reason: ADR: `authentication` concerns Authentication
    ");
    let adr = &shop.adrs()[0];
    assert!(adr.contains("Authentication.Strategy = Carrier pigeons (person)"), "{adr}");
    assert!(adr.contains("Authentication.Library = Clerk (person)"), "{adr}");
}

#[test]
fn what_is_recommended_comes_first_with_its_reason_and_optional_questions_can_be_skipped() {
    let shop = Shop::new();
    shop.write("package.json", r#"{"dependencies": {"@clerk/nextjs": "5"}}"#);
    let ran = shop.fed(&["preflight", "Add OAuth login", "--force-adr"], "1\n\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains(" 1  Clerk  (recommended: `package.json` shows it)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("an empty line skips it"), "{}", ran.stderr);
}

#[test]
fn an_intention_may_be_called_like_a_subcommand_and_flags_may_come_first() {
    let shop = Shop::new();
    let begun = shop.run(&["preflight", "--non-interactive", "--json", "--", "status"]).json();
    assert_eq!(begun["status"], "needs_clarification");
    let told = shop.run(&["preflight", "--json", "status"]).json();
    assert_eq!(told["sessions"][0]["intention"], "status");
    assert_eq!(told["sessions"].as_array().unwrap().len(), 1);
    for wrong in
        [&["preflight", "Add", "status"][..], &["preflight"], &["preflight", "--context", "x", "status"]]
    {
        assert_eq!(shop.run(wrong).code, 2, "{wrong:?}");
    }
    assert_eq!(shop.run(&["preflight", "  "]).code, 2);
}

#[test]
fn the_prompt_is_written_by_this_command_line_only() {
    let shop = Shop::new();
    let intention = json!({"user_intention": "Add SAML login with Clerk"}).to_string();
    shop.run(&["call", "require_clarification", &intention]);
    assert_eq!(shop.adrs().len(), 1);
    let mut server = command_in(&shop);
    let told = server
        .call("require_clarification", json!({"user_intention": "Use PostgreSQL with Prisma for orders"}));
    assert_eq!(told["result"]["structuredContent"]["status"], "completed", "{told}");
    assert!(!shop.root().join("docs/AGENT_PROMPT.md").exists());
    let fixed = shop.json(&["preflight", "Fix typo in footer"]);
    assert_eq!(fixed["agent_prompt"]["path"], "docs/AGENT_PROMPT.md");
    let left: Vec<_> = fs::read_dir(shop.root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn command_in(shop: &Shop) -> crate::client::Client {
    let mut command = crate::client::command(shop.0.path());
    command.current_dir(shop.root());
    let mut server = crate::client::Client::spawn(command, &[]);
    server.initialize("2025-11-25");
    server
}

#[cfg(unix)]
#[test]
fn the_prompt_does_not_follow_a_link_out_of_the_repository() {
    use std::os::unix::fs::symlink;
    let shop = Shop::new();
    let outside = shop.0.path().join("outside.md");
    fs::write(&outside, "mine").unwrap();
    fs::create_dir_all(shop.root().join("docs")).unwrap();
    let prompt = shop.root().join("docs/AGENT_PROMPT.md");
    for target in [outside.clone(), shop.0.path().join("nowhere.md")] {
        symlink(&target, &prompt).unwrap();
        let ran = shop.run(&["preflight", "Fix typo in footer"]);
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        assert!(
            ran.stdout.contains("docs/CURRENT_TASK.md") && ran.stderr.contains("leads out"),
            "{}",
            ran.stderr
        );
        fs::remove_file(&prompt).unwrap();
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
    assert!(!shop.0.path().join("nowhere.md").exists());
    shop.write("docs/prompts/agent.md", "old");
    symlink("prompts/agent.md", &prompt).unwrap();
    assert_eq!(shop.run(&["preflight", "Fix typo in footer"]).code, 0);
    assert!(shop.read("docs/prompts/agent.md").starts_with("# Agent Prompt"), "a link inside is followed");
}

#[test]
fn without_a_repository_it_says_what_to_do() {
    let shop = Shop::new();
    for command in
        [&["preflight", "Add login"][..], &["adr"], &["architecture"], &["init"], &["preflight", "status"]]
    {
        let ran = shop.fed_in(shop.0.path(), command, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{command:?}");
        assert!(ran.stderr.contains("--repo FOLDER") && ran.stderr.contains("git init"), "{}", ran.stderr);
        let told = shop.fed_in(shop.0.path(), &[command, &["--json"]].concat(), "").stderr;
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["error"]["code"], "REPO_NOT_FOUND");
    }
    assert_eq!(shop.fed_in(shop.0.path(), &["--repo", "shop", "preflight", "status"], "").code, 0);
}

/// Every example of a subcommand's help is run, in a repository that has what they speak of.
#[test]
fn the_examples_of_the_help_work() {
    let uid = "20261118T051234.994Z-A470";
    let decision = format!(
        "<!-- UID: {uid} -->\n# ADR: OAuth with Clerk\n\n## Changes in This Version\n\n- Added: Authentication.Strategy = OAuth\n"
    );
    let mut tried = 0;
    for command in [
        ["preflight", "answer"],
        ["preflight", "status"],
        ["preflight", "resume"],
        ["preflight", "reset"],
        ["adr", "list"],
        ["adr", "show"],
        ["adr", "search"],
        ["adr", "why"],
    ] {
        let help = Shop::new().run(&[&command[..], &["--help"]].concat()).stdout;
        let examples = help.lines().skip_while(|line| *line != "Examples:");
        for line in examples.filter_map(|line| line.trim().strip_prefix("backoffice ")) {
            let shop = Shop::new();
            shop.run(&["preflight", "Add authentication", "--non-interactive"]);
            shop.write(&format!("docs/adr/{uid}_oauth.md"), &decision);
            let words = crate::cli::split(line);
            let ran = shop.fed(&words.iter().map(String::as_str).collect::<Vec<_>>(), "1\n1\n1\n");
            assert_eq!(ran.code, 0, "backoffice {line}: {}{}", ran.stdout, ran.stderr);
            tried += 1;
        }
    }
    assert!(tried >= 15, "{tried} examples");
}
