//! Decisions in real repositories: branches that are merged, restarts between turns, many processes at
//! once, folders with unlucky names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use backoffice::db::Mode;
use backoffice::families::preflight::documents::fold::fold;
use backoffice::families::preflight::documents::library::read_folder;
use backoffice::families::preflight::documents::{Uid, state_file, task};
use backoffice::tool::session::Session;
use serde_json::{Value, json};

use crate::client::{backoffice, command};
use crate::office::TestOffice;

const PROCESSES: usize = 8;

fn git(root: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=Olivia", "-c", "user.email=olivia@example.org", "-c", "commit.gpgsign=false"];
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(who).args(arguments).stdout(Stdio::null());
    assert!(git.status().unwrap().success(), "git {arguments:?}");
}

/// A real repository with one commit.
fn repository(root: &Path, files: &[&str]) {
    fs::create_dir_all(root).unwrap();
    git(root, &["init", "-q", "-b", "main"]);
    for file in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "text\n").unwrap();
    }
    git(root, &["commit", "-q", "--allow-empty", "-m", "start"]);
    commit(root, "files");
}

fn commit(root: &Path, message: &str) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "--no-verify", "--allow-empty", "-m", message]);
}

fn standing(office: &TestOffice, root: &Path) -> Arc<Session> {
    let mut session = office.owner();
    session.stand_in(Some(root), None).unwrap();
    Arc::new(session)
}

fn shop(files: &[&str]) -> (TestOffice, Arc<Session>) {
    let office = TestOffice::new();
    repository(&office.repository(), files);
    let session = standing(&office, &office.repository());
    (office, session)
}

fn clarify(office: &TestOffice, session: &Arc<Session>, arguments: Value) -> Value {
    office.value(session, "require_clarification", arguments)
}

/// One call that is to end the session.
fn completed(office: &TestOffice, session: &Arc<Session>, intention: &str) -> Value {
    let answer = clarify(office, session, json!({"user_intention": intention}));
    assert_eq!(answer["status"], "completed", "{answer}");
    answer
}

fn names(folder: &Path) -> Vec<String> {
    let listed = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

fn current_task(root: &Path) -> task::Task {
    task::read(&fs::read_to_string(root.join("docs/CURRENT_TASK.md")).unwrap())
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["questions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

/// The projection is what all decisions together say, and nothing of them is missing.
fn assert_projection_is_the_fold(root: &Path) {
    let library = read_folder(&root.join("docs"));
    let state = fold(library.adrs.iter().map(AsRef::as_ref));
    let written = fs::read_to_string(root.join("docs/ARCHITECTURE_STATE.md")).unwrap();
    assert_eq!(written, state_file::write(&state));
}

#[test]
fn branches_that_decide_differently_are_merged_asked_about_and_settled() {
    let (office, session) = shop(&["src/db/orders.rs"]);
    let root = office.repository();
    completed(&office, &session, "Use SQLite with Diesel for orders");
    commit(&root, "trunk");
    git(&root, &["checkout", "-q", "-b", "left"]);
    completed(&office, &session, "Switch to MySQL with Diesel for orders");
    commit(&root, "left");
    git(&root, &["checkout", "-q", "main"]);
    git(&root, &["checkout", "-q", "-b", "right"]);
    completed(&office, &session, "Switch to PostgreSQL with Diesel for orders");
    commit(&root, "right");
    // The task and the projection are the only files that both have changed: any side will do.
    git(&root, &["merge", "-q", "-X", "theirs", "--no-edit", "left"]);
    let before = contents(&root.join("docs/adr"));
    assert_eq!(before.len(), 3, "no decision was lost in the merge");

    let read = office.value(&session, "read_architecture", json!({}));
    assert_eq!(read["conflicts"][0]["field"], "Type");
    let sides: Vec<&str> = read["conflicts"][0]["sides"]
        .as_array()
        .unwrap()
        .iter()
        .map(|side| side["value"].as_str().unwrap())
        .collect();
    assert_eq!(sides, ["MySQL", "PostgreSQL"]);

    let first = clarify(&office, &session, json!({"user_intention": "Fix typo in the order list"}));
    assert_eq!(ids(&first), ["conflict__database__type"]);
    assert_eq!(first["questions"][0]["options"], json!(["PostgreSQL", "MySQL", "Other (specify)"]));
    let answers = json!({"conflict__database__type": "MySQL"});
    let arguments = json!({"user_intention": "x", "session_id": first["session_id"], "answers": answers});
    let last = clarify(&office, &session, arguments);
    assert_eq!(last["decision_reason"], "ADR: it settles which decision on Database.Type holds");

    let read = office.value(&session, "read_architecture", json!({}));
    assert!(read["conflicts"].is_null(), "{read}");
    assert_eq!(read["architecture"]["categories"]["Database"], json!({"Type": "MySQL", "ORM": "Diesel"}));
    let after = contents(&root.join("docs/adr"));
    assert_eq!(after.len(), 4);
    assert!(before.iter().all(|(name, bytes)| after.get(name) == Some(bytes)), "decisions do not change");
    assert_projection_is_the_fold(&root);
    completed(&office, &session, "Fix typo in the order list");
}

#[test]
fn a_long_session_survives_a_restart_between_any_two_turns() {
    let (office, _) = shop(&["src/main.rs"]);
    let root = office.repository();
    let office = office.reopened(Mode::Full);
    let start = json!({"user_intention": "Make the reports better", "optional_context": "Nobody reads them"});
    let first = clarify(&office, &standing(&office, &root), start);
    assert_eq!(ids(&first), ["category", "description"]);
    let turns = [
        (
            json!({"category": "Backend"}),
            vec!["description", "backend_language", "backend_framework", "api_style"],
            5,
            1,
        ),
        (json!({"backend_language": "Go"}), vec!["backend_framework", "api_style"], 5, 2),
        (json!({"backend_framework": "gin"}), vec!["api_style"], 5, 3),
        (json!({}), vec!["api_style"], 5, 3),
        (json!({"description": "Send them by mail"}), vec!["api_style"], 5, 4),
    ];
    let mut office = office;
    for (answers, open, asked, answered) in turns {
        office = office.reopened(Mode::Full);
        let arguments =
            json!({"user_intention": "other words", "session_id": first["session_id"], "answers": answers});
        let turn = clarify(&office, &standing(&office, &root), arguments);
        assert_eq!(ids(&turn), open, "{answers}");
        assert_eq!(turn["progress"], json!({"asked_so_far": asked, "answered": answered}), "{answers}");
        assert!(!root.join("docs").exists(), "nothing is written before the end");
    }
    let office = office.reopened(Mode::Full);
    let session = standing(&office, &root);
    let arguments =
        json!({"user_intention": "x", "session_id": first["session_id"], "answers": {"api_style": "gRPC"}});
    assert_eq!(clarify(&office, &session, arguments)["status"], "completed");
    let read = office.value(&session, "read_architecture", json!({}));
    let decided = json!({"Backend": {"Language": "Go", "Framework": "Gin", "API_Style": "gRPC"}});
    assert_eq!(read["architecture"]["categories"], decided);
    let task = current_task(&root);
    assert_eq!(task.title, "Make the reports better");
    assert!(task.constraints.contains(&"Send them by mail".to_owned()), "{:?}", task.constraints);
}

/// A colleague's clock is years ahead, or ours behind.
#[test]
fn a_uid_is_after_those_of_every_branch() {
    let (office, session) = shop(&["src/main.rs"]);
    let root = office.repository();
    git(&root, &["checkout", "-q", "-b", "ahead"]);
    let far = "20310101T000000.000Z-00FF";
    let text = format!("<!-- UID: {far} -->\n# ADR: x\n## Changes\n- Added: Database.Type = MySQL\n");
    fs::create_dir_all(root.join("docs/adr")).unwrap();
    fs::write(root.join(format!("docs/adr/{far}_x.md")), text).unwrap();
    commit(&root, "ahead");
    git(&root, &["checkout", "-q", "main"]);
    assert!(!root.join("docs").exists());
    completed(&office, &session, "Use PostgreSQL with Prisma for orders");
    let made = names(&root.join("docs/adr"));
    let uid = Uid::leading(&made[0]).unwrap();
    assert!(uid > Uid::parse(far).unwrap(), "{uid}");
    assert!(current_task(&root).uid.unwrap() > uid);
    commit(&root, "main");
    git(&root, &["merge", "-q", "--no-edit", "ahead"]);
    assert_eq!(names(&root.join("docs/adr")).len(), 2);
    let read = office.value(&session, "read_architecture", json!({}));
    assert_eq!(read["architecture"]["uid"], uid.as_str());
}

/// Eight agents, eight processes, one repository.
#[test]
fn sessions_of_many_processes_that_end_at_once_all_end() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("shop");
    repository(&root, &["src/main.rs"]);
    backoffice(home.path(), &["status"]);
    let intentions: [&str; PROCESSES] = [
        "Use PostgreSQL with Prisma",
        "Add SAML login with Clerk",
        "Deploy to Vercel with GitHub Actions",
        "Fix typo in footer",
        "Send events through Kafka, exactly-once delivery",
        "Set up the frontend with Next.js and Tailwind",
        "Fix the crash on start",
        "Refactor the importer",
    ];
    let children: Vec<_> = intentions
        .iter()
        .map(|intention| {
            let arguments = json!({"user_intention": intention}).to_string();
            let mut child = command(home.path());
            child.current_dir(&root).args(["call", "require_clarification", &arguments, "--json"]);
            child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for (child, intention) in children.into_iter().zip(intentions) {
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let answer: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{intention}: {told}"));
        assert_eq!(answer["status"], "completed", "{intention}: {answer}");
    }
    let archived: Vec<PathBuf> = names(&root.join("docs/archive/task"))
        .iter()
        .map(|name| root.join("docs/archive/task").join(name))
        .collect();
    let mut tasks: Vec<task::Task> =
        archived.iter().map(|file| task::read(&fs::read_to_string(file).unwrap())).collect();
    tasks.push(current_task(&root));
    let titles: BTreeSet<&str> = tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(
        (tasks.len(), titles),
        (PROCESSES, intentions.into_iter().collect()),
        "every task exactly once"
    );
    // In the order in which they replaced each other, each with its decision just before it.
    let adrs: BTreeSet<Uid> =
        names(&root.join("docs/adr")).iter().map(|name| Uid::leading(name).unwrap()).collect();
    assert_eq!(adrs.len(), 5, "every decision is there");
    let uids: Vec<Uid> =
        tasks.iter().flat_map(|task| task.related_adr.iter().chain(&task.uid)).cloned().collect();
    assert!(uids.windows(2).all(|pair| pair[0] < pair[1]), "{uids:?}");
    assert_eq!(tasks.iter().filter_map(|task| task.related_adr.clone()).collect::<BTreeSet<_>>(), adrs);
    assert_projection_is_the_fold(&root);
    let library = read_folder(&root.join("docs"));
    let state = fold(library.adrs.iter().map(AsRef::as_ref));
    assert_eq!(state.conflicts, [], "each knew those before it");
    assert_eq!(state.categories.len(), 5);
}

#[test]
fn what_is_ignored_is_not_allowed_and_unlucky_folders_are_seen() {
    let office = TestOffice::new();
    let root = office.folder.path().join("build/node_modules/dist/shop");
    repository(&root, &["src/auth/login.ts", "auth_cache/token.bin", ".gitignore"]);
    fs::write(root.join(".gitignore"), "auth_cache/\n").unwrap();
    git(&root, &["rm", "-q", "-r", "--cached", "auth_cache"]);
    let session = standing(&office, &root);
    completed(&office, &session, "Add SAML login with Clerk");
    assert_eq!(current_task(&root).allowlist, ["src/auth/"]);
    // Now the decision's own file has `auth` in its name.
    completed(&office, &session, "Use SAML login with Auth0");
    assert_eq!(current_task(&root).allowlist, ["src/auth/"]);
    let answer = clarify(
        &office,
        &session,
        json!({"user_intention": "Fix typo in the manual", "answers": {"allowlist_paths": "docs/, docs/adr/"}}),
    );
    assert!(answer["notes"].to_string().contains("`docs/adr/` is never part of a task"), "{answer}");
    let task = current_task(&root);
    assert_eq!(task.allowlist, ["docs/"]);
    for own in [
        "docs/adr/",
        "docs/archive/",
        "docs/CURRENT_TASK.md",
        "docs/ARCHITECTURE_STATE.md",
        "docs/AGENT_PROMPT.md",
    ] {
        assert!(task.forbidden.contains(&own.to_owned()), "{own}");
    }
}

#[test]
fn an_empty_repository_has_to_begin_somewhere() {
    let office = TestOffice::new();
    let root = office.repository();
    fs::create_dir_all(&root).unwrap();
    git(&root, &["init", "-q"]);
    let session = standing(&office, &root);
    let read = office.value(&session, "read_architecture", json!({}));
    assert_eq!(read["architecture"], json!({"uid": null, "categories": {}}));
    completed(&office, &session, "Add SAML login with Clerk");
    assert_eq!(current_task(&root).allowlist, ["src/"]);
    fs::remove_file(root.join("docs/ARCHITECTURE_STATE.md")).unwrap();
    completed(&office, &session, "Use PostgreSQL with Prisma for orders");
    assert_projection_is_the_fold(&root);
    let adr = fs::read_to_string(root.join("docs/adr").join(&names(&root.join("docs/adr"))[1])).unwrap();
    assert!(adr.contains("- **Library**: Clerk (ADR "), "the snapshot carries it forward: {adr}");
}

/// Without git the documents of the folder have to do, and the log says so.
#[test]
fn without_git_a_session_ends_all_the_same() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("shop");
    repository(&root, &["src/auth/login.rs"]);
    let mut child = command(home.path());
    child.current_dir(&root).env("PATH", home.path().join("nothing"));
    child.args([
        "call",
        "require_clarification",
        r#"{"user_intention": "Add SAML login with Clerk"}"#,
        "--json",
    ]);
    let output = child.stdin(Stdio::null()).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["status"], "completed", "{answer}");
    assert_eq!(current_task(&root).allowlist, ["src/auth/"]);
    let logs = home.path().join("data/logs");
    let told =
        names(&logs).iter().map(|name| fs::read_to_string(logs.join(name)).unwrap()).collect::<String>();
    assert!(told.contains("branches_not_read"), "{told}");
}

/// The decision, the archived task, the new task and the projection are one.
#[cfg(unix)]
#[test]
fn killed_at_any_step_of_a_completion_all_of_its_documents_are_there_or_none() {
    for (at, happens) in [("staged", false), ("committed", true), ("renamed", true), ("kept", true)] {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("shop");
        repository(&root, &["src/main.rs"]);
        let call = |intention: &str| json!({"user_intention": intention}).to_string();
        let repo = root.to_str().unwrap();
        let first = backoffice(
            home.path(),
            &["--repo", repo, "call", "require_clarification", &call("Fix typo in footer")],
        );
        assert_eq!(first.json()["status"], "completed");
        let mut dying = command(home.path());
        dying.env("BACKOFFICE_DIES_AT", at).args(["--repo", repo, "call", "require_clarification"]);
        let ended = dying.arg(call("Add SAML login with Clerk")).output().unwrap();
        assert!(ended.status.code().is_none(), "it did not die at {at}");
        let read = backoffice(home.path(), &["--repo", repo, "call", "read_architecture", "{}"]).json();
        let decided = read["architecture"]["categories"]["Authentication"]["Strategy"] == "SAML";
        let there = [
            decided,
            names(&root.join("docs/adr")).iter().any(|name| name.ends_with(".md")),
            names(&root.join("docs/archive/task")).iter().any(|name| name.ends_with(".md")),
            root.join("docs/ARCHITECTURE_STATE.md").exists(),
            current_task(&root).title == "Add SAML login with Clerk",
        ];
        assert_eq!(there, [happens; 5], "killed at {at}");
        let reviewed = backoffice(home.path(), &["--repo", repo, "repo", "review", "--json"]).json();
        assert_eq!(reviewed["documents"], json!([]), "no alarm after {at}");
    }
}
