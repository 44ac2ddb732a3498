//! The index of documents: it equals the disk, finds words, notices what must not change, and tells
//! who listens.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use backoffice::db::journal::{self, Batch, Content};
use backoffice::db::{Mode, WriteTx};
use backoffice::error::Result;
use backoffice::families::docs::review::{self, Case};
use backoffice::families::docs::store;
use backoffice::tool::session::Session;
use serde_json::{Value, json};

use crate::office::TestOffice;

struct Shop {
    office: TestOffice,
    session: Arc<Session>,
}

const LOGIN: &str = "docs/adr/20261118T051234.994Z-A470_login.md";

impl Shop {
    fn new(files: &[(&str, &str)]) -> Self {
        let office = TestOffice::new();
        let session = Arc::new(office.in_repository(&[]));
        let shop = Shop { office, session };
        for (path, text) in files {
            shop.write(path, text);
        }
        shop
    }

    fn root(&self) -> PathBuf {
        self.session.repository.clone().unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    fn look(&self) {
        self.office.office.look_around(&self.root(), "shop").unwrap();
    }

    fn search(&self, arguments: Value) -> Value {
        self.office.value(&self.session, "search_docs", arguments)
    }

    /// The paths that a query finds.
    fn found(&self, query: &str) -> Vec<String> {
        let answer = self.search(json!({"query": query}));
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["path"].as_str().unwrap().to_owned())
            .collect()
    }

    fn tampered(&self) -> Vec<String> {
        let root = self.root();
        let cases = self.office.office.db.read(|tx| review::cases(tx, &root)).unwrap();
        cases.into_iter().map(|case| case.row.path).collect()
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        self.office.value(&self.session, tool, arguments)
    }

    fn cases(&self) -> Vec<Case> {
        let root = self.root();
        self.office.office.db.read(|tx| review::cases(tx, &root)).unwrap()
    }

    fn revert(&self, case: &Case) -> Result<()> {
        let (db, root, now) = (&self.office.office.db, self.root(), self.office.clock.now());
        let batch = Arc::new(review::lay_out(&root, case)?);
        let (promised, case) = (Arc::clone(&batch), case.clone());
        db.write(move |tx| review::revert(tx, &root, &case, &promised, now))?;
        batch.keep(db)
    }

    fn adopt(&self, case: &Case) -> Result<()> {
        let (root, case, now) = (self.root(), case.clone(), self.office.clock.now());
        let adopt = move |tx: &WriteTx<'_>| review::adopt(tx, (&root, "shop"), &case, ("ann", "test"), now);
        self.office.office.db.write(adopt)
    }

    fn rows(&self) -> Vec<store::Indexed> {
        let root = self.root();
        self.office.office.db.read(|tx| store::all(tx, root.to_str().unwrap())).unwrap()
    }
}

#[test]
fn documents_are_found_by_their_words_whatever_happens_to_their_files() {
    let shop = Shop::new(&[
        (LOGIN, "# ADR: Login\n\nWe use **OAuth** with Clerk, because users asked for it.\n"),
        ("docs/CURRENT_TASK.md", "<!-- UID: 20261118T051235.000Z-A471 -->\n# Add the login page\n\nOAuth\n"),
        ("docs/archive/task/20261101T000000.000Z-0001_old.md", "# Old task\n\nRemove the café\n"),
        ("docs/artifacts/prds/PRD-006_v1.md", "# Payment\n\nInvoices\n"),
        ("docs/ARCHITECTURE_STATE.md", "# Architecture State\n\nOAuth\n"),
        ("docs/guide.md", "# Guide\n\nOAuth for people\n"),
        ("src/oauth.md", "# OAuth\n"),
    ]);
    let answer = shop.search(json!({"query": "oauth clerk"}));
    let hit = &answer["hits"][0];
    assert_eq!(hit["kind"], "adr");
    assert_eq!(hit["id"], "20261118T051234.994Z-A470");
    assert_eq!(hit["title"], "ADR: Login");
    assert_eq!(hit["resource_uri"], "mcp://resources/docs/adr/20261118T051234.994Z-A470_login.md");
    assert!(hit["snippet"].as_str().unwrap().contains("OAuth"), "{hit}");
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1);
    assert_eq!(shop.found("oauth"), ["docs/CURRENT_TASK.md", LOGIN], "neither the state nor other files");
    assert_eq!(shop.found("CAFE").len(), 1, "accents and capitals do not matter");
    assert_eq!(shop.found("invoic").len(), 1, "a beginning is enough");
    assert_eq!(shop.found("\"users asked for\""), [LOGIN]);
    assert!(shop.found("\"asked users for\"").is_empty());
    let tasks = shop.search(json!({"query": "oauth", "kinds": ["task", "artifact"]}));
    assert_eq!(tasks["hits"].as_array().unwrap().len(), 1);
    assert_eq!(tasks["hits"][0]["id"], "20261118T051235.000Z-A471");

    shop.write("docs/CURRENT_TASK.md", "# Another\n\nkeycloak\n");
    assert_eq!(shop.found("oauth"), [LOGIN]);
    assert_eq!(shop.found("keycloak"), ["docs/CURRENT_TASK.md"]);
    fs::rename(shop.root().join("docs"), shop.root().join("away")).unwrap();
    assert!(shop.found("oauth").is_empty());
    fs::rename(shop.root().join("away"), shop.root().join("docs")).unwrap();
    assert_eq!(shop.found("oauth"), [LOGIN]);
    assert!(shop.tampered().is_empty(), "what goes and comes back is what it was");
}

#[test]
fn pages_neither_repeat_nor_hide() {
    let texts: Vec<(String, String)> = (0..120)
        .map(|n| {
            (
                format!("docs/artifacts/prds/PRD-{n:03}_v1.md"),
                format!("# Number {n}\n\n{}\n", "shop ".repeat(n % 7 + 1)),
            )
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let shop = Shop::new(&texts);
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut arguments = json!({"query": "shop", "limit": 17});
        if let Some(cursor) = cursor.as_str() {
            arguments["cursor"] = cursor.into();
        }
        let page = shop.search(arguments);
        let paths = page["hits"].as_array().unwrap().iter();
        seen.extend(paths.map(|hit| hit["path"].as_str().unwrap().to_owned()));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen.len(), 120);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 120);
}

#[test]
fn hostile_queries_are_words() {
    let shop = Shop::new(&[(LOGIN, "# a\n")]);
    for query in
        ["a\" OR b", "NEAR(", "title:x", "*", "^a", "a AND", "-a", "\u{0}", "{a}", "💥", "a'; DROP TABLE"]
    {
        let reply = shop.office.reply(&shop.session, "search_docs", json!({"query": query}));
        let told = crate::office::show(&reply);
        assert!(!told.contains("-32603"), "{query}: {told}");
    }
}

#[test]
fn an_edited_decision_is_suspended_until_a_person_has_looked() {
    let shop = Shop::new(&[]);
    let done = shop.call(
        "require_clarification",
        json!({"user_intention": "Add OAuth login with Clerk and Google as provider"}),
    );
    let done = if done["status"] == "completed" {
        done
    } else {
        let answers: serde_json::Map<String, Value> = done["questions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|question| {
                let id = question["id"].as_str().unwrap().to_owned();
                let first = question["options"][0].clone();
                let value = if question["type"] == "multi_choice" { json!([first]) } else { first };
                (id, if value.is_null() { json!("x") } else { value })
            })
            .collect();
        shop.call(
            "require_clarification",
            json!({"user_intention": "Add OAuth login with Clerk and Google as provider",
                "session_id": done["session_id"], "answers": answers}),
        )
    };
    let adr = done["artifacts_created"][0]["path"].as_str().unwrap().to_owned();
    let taken = shop.text(&adr);
    assert!(shop.found("clerk").contains(&adr), "indexed with its completion");
    shop.write(&adr, &taken.replace("Clerk", "Nobody"));
    shop.look();
    assert_eq!(shop.tampered(), std::slice::from_ref(&adr));
    let read = shop.call("read_architecture", json!({}));
    assert_eq!(read["architecture"]["categories"]["Authentication"]["Library"], "Clerk", "as it was taken");
    assert_eq!(read["suspended"], json!([adr.rsplit('/').next().unwrap()]));

    shop.write(&adr, &taken);
    shop.look();
    assert!(shop.tampered().is_empty(), "brought back by hand");
    shop.write(&adr, &taken.replace("Clerk", "Nobody"));
    shop.look();
    let root = shop.root();
    let db = &shop.office.office.db;
    let cases = db.read(|tx| review::cases(tx, &root)).unwrap();
    shop.revert(&cases[0]).unwrap();
    shop.look();
    assert_eq!(shop.text(&adr), taken);
    assert!(shop.tampered().is_empty());

    shop.write(&adr, &taken.replace("Clerk", "Nobody"));
    shop.look();
    let case = db.read(|tx| review::cases(tx, &root)).unwrap().remove(0);
    let (now, place) = (shop.office.clock.now(), root.clone());
    db.write(move |tx| review::adopt(tx, (&place, "shop"), &case, ("ann", "test"), now)).unwrap();
    assert!(shop.tampered().is_empty());
    let read = shop.call("read_architecture", json!({}));
    assert_eq!(read["architecture"]["categories"]["Authentication"]["Library"], "Nobody", "{read}");
    shop.look();
    assert!(shop.tampered().is_empty());
}

/// An edit that left nothing to be read took the decision back.
#[test]
fn a_decision_holds_that_was_made_unreadable() {
    let shop = Shop::new(&[(LOGIN, "# Login\n\n## Architecture Snapshot\n### Database\n- Type: SQLite\n")]);
    shop.look();
    fs::write(shop.root().join(LOGIN), b"\xff\xfe").unwrap();
    shop.look();
    let read = shop.call("read_architecture", json!({}));
    assert_eq!(read["architecture"]["categories"]["Database"]["Type"], "SQLite", "{read}");
    assert_eq!(read["suspended"].as_array().unwrap().len(), 1);
}

/// What lies among the decisions and is none was suspended when it was edited.
#[test]
fn what_has_no_uid_may_be_edited() {
    let readme = ["docs/adr/README.md", "docs/adr/0001-by-hand.md", "docs/archive/task/README.md"];
    let shop = Shop::new(&[]);
    for text in ["# one\n", "# two, longer\n"] {
        readme.iter().for_each(|path| shop.write(path, text));
        shop.look();
        shop.look();
    }
    assert!(shop.tampered().is_empty(), "{:?}", shop.tampered());
    let named_inside = "docs/adr/by-hand.md";
    for text in ["# one\n", "# two\n"] {
        shop.write(named_inside, &format!("<!-- UID: 20261118T051234.994Z-A470 -->\n{text}"));
        shop.look();
    }
    assert_eq!(shop.tampered(), [named_inside]);
}

/// A task that two branches have archived with different texts was reported as tampered with,
/// although the tool had written it.
#[test]
fn a_task_that_is_archived_on_two_branches_is_no_tampering() {
    let shop = Shop::new(&[]);
    let begin = |what: &str| {
        shop.office.clock.advance(Duration::from_secs(60));
        shop.call("require_clarification", json!({"user_intention": what}));
        shop.look();
    };
    begin("Fix typo in login button");
    let under_way = shop.text("docs/CURRENT_TASK.md");
    begin("Fix typo in logout button");
    let archived = shop.rows().into_iter().find(|row| row.path.contains("archive")).unwrap();
    assert!(archived.recorded_sha256.is_some());
    // The other branch, where the first task is still under way.
    shop.remove(&archived.path);
    shop.write("docs/CURRENT_TASK.md", &format!("{under_way}\nA note.\n"));
    shop.look();
    begin("Fix typo in footer");
    assert!(shop.text(&archived.path).ends_with("A note.\n"));
    assert!(shop.tampered().is_empty());
    shop.write(&archived.path, &under_way);
    shop.look();
    assert_eq!(shop.tampered(), [archived.path], "it must keep what was written last");
}

#[test]
fn what_grew_too_large_is_no_document_any_more() {
    let shop = Shop::new(&[("docs/artifacts/PRD-001_v1.md", "# apple\n")]);
    assert_eq!(shop.found("apple").len(), 1);
    let file = fs::File::options().write(true).open(shop.root().join("docs/artifacts/PRD-001_v1.md"));
    file.unwrap().set_len((64 << 20) + 1).unwrap();
    assert!(shop.found("apple").is_empty());
}

/// A pipe in the place of the task kept the call waiting for ever.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_task() {
    let shop = Shop::new(&[(LOGIN, "# one\n")]);
    shop.look();
    let pipe = |path: &str| {
        let _ = fs::remove_file(shop.root().join(path));
        let made = std::process::Command::new("mkfifo").arg(shop.root().join(path)).status();
        assert!(made.unwrap().success());
    };
    pipe("docs/CURRENT_TASK.md");
    let intention = json!({"user_intention": "Fix typo in login button"});
    let reply = crate::office::show(&shop.office.reply(&shop.session, "require_clarification", intention));
    assert!(reply.contains("FILESYSTEM_ERROR"), "{reply}");
    shop.write(LOGIN, "# two\n");
    shop.look();
    let case = shop.cases().remove(0);
    pipe(LOGIN);
    assert!(shop.adopt(&case).is_err() && shop.revert(&case).is_err());
}

/// Whoever follows files keeps what a process that died has promised, and does not look again and
/// again for what cannot be kept.
#[test]
fn a_promise_that_was_left_behind_is_kept_by_looking() {
    let shop = Shop::new(&[(LOGIN, "# one\n")]);
    shop.look();
    shop.write(LOGIN, "# two\n");
    shop.look();
    let (case, root, now) = (shop.cases().remove(0), shop.root(), shop.office.clock.now());
    let batch = review::lay_out(&root, &case).unwrap();
    let db = &shop.office.office.db;
    db.write(move |tx| {
        review::revert(tx, &root, &case, &batch, now)?;
        batch.promise(tx, "twice", now).unwrap_err();
        std::mem::forget(batch);
        Ok(())
    })
    .unwrap();
    let again = || shop.office.office.look_around(&shop.root(), "shop").unwrap();
    assert_eq!(again(), Some(Duration::from_secs(2)), "it is being kept, perhaps");
    assert_eq!(shop.text(LOGIN), "# two\n");
    assert!(shop.tampered().is_empty());
    shop.office.clock.advance(Duration::from_secs(5));
    assert_eq!(again(), None);
    assert_eq!(shop.text(LOGIN), "# one\n");
    assert!(shop.tampered().is_empty());
}

#[test]
fn promises_elsewhere_do_not_make_anybody_look_again() {
    let shop = Shop::new(&[(LOGIN, "# one\n")]);
    let elsewhere = shop.office.folder.path().join("elsewhere.md");
    let now = shop.office.clock.now();
    let batch = Batch::stage([Content::of(&elsewhere, b"x")]).unwrap();
    let db = &shop.office.office.db;
    db.write(move |tx| batch.promise(tx, "elsewhere", now)).unwrap();
    assert_eq!(shop.office.office.look_around(&shop.root(), "shop").unwrap(), None);
}

/// Every text is one of these words, so that what the index finds can be told from the disk.
const WORDS: [&str; 6] = ["apple", "banana", "cherry", "damson", "elder", "fig"];

/// Whatever happens to files, after a look the rows and the full-text index equal the disk.
#[test]
fn whatever_happens_to_files_the_index_equals_the_disk() {
    let paths: Vec<String> = (0..6)
        .map(|n| format!("docs/adr/20261118T051234.994Z-A47{n}_x.md"))
        .chain((0..3).map(|n| format!("docs/artifacts/prds/PRD-00{n}_v1.md")))
        .chain(["docs/archive/task/20261101T000000.000Z-0001_it's \"old\".md".to_owned()])
        .chain(["docs/CURRENT_TASK.md".to_owned()])
        .collect();
    for seed in 0..12 {
        let mut random = fastrand::Rng::with_seed(seed);
        let shop = Shop::new(&[]);
        let mut disk: BTreeMap<String, String> = BTreeMap::new();
        for step in 0..60 {
            let path = &paths[random.usize(..paths.len())];
            let text = format!("# {}\n\n{}\n", random.choice(WORDS).unwrap(), random.choice(WORDS).unwrap());
            match random.u8(..10) {
                0..5 => {
                    shop.write(path, &text);
                    disk.insert(path.clone(), text);
                }
                5 if disk.remove(path).is_some() => shop.remove(path),
                6 if disk.contains_key(path) => {
                    let to = &paths[random.usize(..paths.len())];
                    let text = disk.remove(path).unwrap();
                    fs::create_dir_all(shop.root().join(to).parent().unwrap()).unwrap();
                    fs::rename(shop.root().join(path), shop.root().join(to)).unwrap();
                    disk.insert(to.clone(), text);
                }
                7 => shop.cases().iter().take(1).for_each(|case| drop(shop.adopt(case))),
                8 => {
                    for case in shop.cases().iter().take(1) {
                        if shop.revert(case).is_ok() {
                            disk.insert(case.row.path.clone(), case.recorded.clone().unwrap());
                        }
                    }
                }
                _ => {}
            }
            if random.bool() {
                continue;
            }
            shop.look();
            equals(&shop, &disk, &format!("seed {seed}, step {step}"));
        }
    }
}

fn equals(shop: &Shop, disk: &BTreeMap<String, String>, at: &str) {
    let rows = shop.rows();
    let rows = rows.iter().filter(|row| row.present && !row.path.ends_with("STATE.md"));
    let indexed: BTreeMap<&str, &str> =
        rows.clone().map(|row| (row.path.as_str(), row.sha256.as_str())).collect();
    let hashes: BTreeMap<&str, String> =
        disk.iter().map(|(path, text)| (path.as_str(), journal::hash(text.as_bytes()))).collect();
    let held: BTreeMap<&str, &str> = hashes.iter().map(|(path, hash)| (*path, hash.as_str())).collect();
    assert_eq!(indexed, held, "{at}");
    for row in rows {
        let breaks = row.recorded_sha256.as_ref().is_some_and(|kept| *kept != row.sha256);
        assert_eq!(breaks, row.tampered_at.is_some(), "{at}: {row:?}");
    }
    assert!(shop.cases().iter().all(|case| case.recorded.is_some()), "{at}: what was recorded is known");
    let check = "INSERT INTO documents_text (documents_text) VALUES ('integrity-check')";
    shop.office.office.db.write(move |tx| tx.execute(check, [])).expect(at);
    for word in WORDS {
        let mut found = shop.found(word);
        found.sort();
        let expected: Vec<&String> =
            disk.iter().filter(|(_, text)| text.contains(word)).map(|(path, _)| path).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{at}: {word}");
    }
}

#[test]
fn a_rename_does_not_hide_an_edit() {
    let shop = Shop::new(&[(LOGIN, "# Login\n")]);
    shop.look();
    shop.remove(LOGIN);
    let renamed = "docs/adr/20261118T051234.994Z-A470_sign_in.md";
    shop.write(renamed, "# Login\n");
    shop.look();
    assert!(shop.tampered().is_empty(), "only renamed");
    shop.remove(renamed);
    shop.write(LOGIN, "# Login, but otherwise\n");
    shop.look();
    assert_eq!(shop.tampered(), [LOGIN]);
}

#[test]
fn a_change_that_comes_too_late_is_not_adopted_or_reverted() {
    let shop = Shop::new(&[(LOGIN, "# one\n")]);
    shop.look();
    shop.write(LOGIN, "# two\n");
    shop.look();
    let root = shop.root();
    let db = &shop.office.office.db;
    let case = db.read(|tx| review::cases(tx, &root)).unwrap().remove(0);
    shop.write(LOGIN, "# three\n");
    assert!(shop.revert(&case).is_err());
    assert_eq!(shop.text(LOGIN), "# three\n");
    let (now, place) = (shop.office.clock.now(), root.clone());
    assert!(db.write(move |tx| review::adopt(tx, (&place, "shop"), &case, ("ann", "test"), now)).is_err());
    shop.look();
    assert_eq!(shop.tampered(), [LOGIN]);
}

#[test]
fn a_projection_that_is_gone_comes_back() {
    let shop = Shop::new(&[(LOGIN, "## Architecture Snapshot\n### Database\n- Type: SQLite\n")]);
    shop.look();
    let written = shop.text("docs/ARCHITECTURE_STATE.md");
    assert!(written.contains("- **Type**: SQLite"), "{written}");
    shop.remove("docs/ARCHITECTURE_STATE.md");
    shop.write(".git/index.lock", "");
    shop.look();
    assert!(!shop.root().join("docs/ARCHITECTURE_STATE.md").exists(), "not while git is at work");
    shop.remove(".git/index.lock");
    shop.look();
    assert_eq!(shop.text("docs/ARCHITECTURE_STATE.md"), written);
    shop.write("docs/ARCHITECTURE_STATE.md", "by hand");
    shop.look();
    assert_eq!(shop.text("docs/ARCHITECTURE_STATE.md"), "by hand", "only what is gone");
}

#[test]
fn a_connection_that_cannot_write_searches_what_was_indexed() {
    let shop = Shop::new(&[(LOGIN, "# Login\n\noauth\n")]);
    assert_eq!(shop.found("oauth"), [LOGIN]);
    let Shop { office, session } = shop;
    let shop = Shop { office: office.reopened(Mode::AuditOnly), session };
    assert_eq!(shop.found("oauth"), [LOGIN]);
}

#[test]
fn links_lead_nowhere() {
    let shop = Shop::new(&[("secret.md", "# Secret\n\npassword\n"), (LOGIN, "# Login\n")]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(shop.root().join("secret.md"), shop.root().join("docs/adr/20261118T051234.995Z-A471_x.md"))
            .unwrap();
        symlink(shop.root(), shop.root().join("docs/artifacts")).unwrap();
    }
    assert!(shop.found("password").is_empty());
}

#[test]
fn rows_of_another_root_are_not_seen() {
    let shop = Shop::new(&[(LOGIN, "# Login\n\noauth\n")]);
    shop.look();
    let rows = shop.office.office.db.read(|tx| store::all(tx, "/elsewhere")).unwrap();
    assert!(rows.is_empty());
    let outside = Arc::new(shop.office.owner());
    let answer = shop.office.value(&outside, "search_docs", json!({"query": "oauth"}));
    assert_eq!(answer["hits"], json!([]));
}

/// Waits until something holds; a watcher has its own pace.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("{what} did not come about");
}

mod followed {
    use backoffice::tool::follow::Follower;

    use super::*;

    fn indexed(shop: &Shop) -> Vec<String> {
        let root = shop.root();
        let rows = shop.office.office.db.read(|tx| store::all(tx, root.to_str().unwrap())).unwrap();
        let mut paths: Vec<String> = rows.into_iter().filter(|row| row.present).map(|row| row.path).collect();
        paths.sort();
        paths
    }

    fn adr(number: usize) -> String {
        format!("docs/adr/20261118T051234.994Z-{number:04X}_x.md")
    }

    #[test]
    fn files_that_come_change_move_and_go_are_followed() {
        let shop = Shop::new(&[]);
        let follower = Follower::new(Arc::clone(&shop.office.office));
        let following = follower.follow(&shop.root(), "shop").unwrap();
        shop.write(&adr(1), "# One\n\napple\n");
        eventually("a folder that was not there", || indexed(&shop).contains(&adr(1)));
        shop.write("docs/artifacts/deep/er/PRD-001_v1.md", "# Deep\n\nbanana\n");
        eventually("a folder below it", || indexed(&shop).len() == 3);
        shop.write(&adr(1), "# One\n\ncherry\n");
        eventually("an edit", || shop.tampered() == [adr(1)]);
        fs::rename(shop.root().join("docs"), shop.root().join("away")).unwrap();
        eventually("a folder that goes", || indexed(&shop).is_empty());
        fs::rename(shop.root().join("away"), shop.root().join("docs")).unwrap();
        eventually("a folder that comes back", || indexed(&shop).len() == 3);
        shop.remove("docs/ARCHITECTURE_STATE.md");
        eventually("a projection that was removed", || {
            shop.root().join("docs/ARCHITECTURE_STATE.md").exists()
        });
        let elsewhere = shop.office.folder.path().join("elsewhere");
        fs::rename(shop.root(), &elsewhere).unwrap();
        eventually("a repository that goes", || indexed(&shop).is_empty());
        fs::rename(&elsewhere, shop.root()).unwrap();
        eventually("a repository that comes back", || indexed(&shop).len() == 3);
        shop.write(&adr(2), "# Two\n");
        eventually("and is followed again", || indexed(&shop).contains(&adr(2)));
        drop(following);
        drop(follower);
        assert_eq!(Arc::strong_count(&shop.office.office), 1, "whoever opened the office closes it");
    }

    #[test]
    fn a_mass_of_files_is_one_look_and_the_index_equals_the_disk() {
        let shop = Shop::new(&[]);
        let follower = Follower::new(Arc::clone(&shop.office.office));
        let _following = follower.follow(&shop.root(), "shop").unwrap();
        let every: Vec<String> = (0..2_000).map(adr).collect();
        for path in &every {
            shop.write(path, &format!("# {path}\n\nleft\n"));
        }
        eventually("all of them", || indexed(&shop).len() >= 2_000);
        // Another branch: half of them gone, others new, others changed.
        for path in &every[..1_000] {
            shop.remove(path);
        }
        for number in 3_000..3_500 {
            shop.write(&adr(number), "# new\n\nright\n");
        }
        let wanted = || {
            let mut paths: Vec<String> = every[1_000..].to_vec();
            paths.extend((3_000..3_500).map(adr));
            paths.push("docs/ARCHITECTURE_STATE.md".to_owned());
            paths.sort();
            paths
        };
        eventually("the index equals the disk", || {
            let mut found = indexed(&shop);
            if !found.contains(&"docs/ARCHITECTURE_STATE.md".to_owned()) {
                found.push("docs/ARCHITECTURE_STATE.md".to_owned());
                found.sort();
            }
            found == wanted()
        });
        assert_eq!(shop.search(json!({"query": "right", "limit": 50}))["hits"].as_array().unwrap().len(), 50);
    }
}
