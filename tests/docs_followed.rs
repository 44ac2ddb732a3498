//! Documents as resources, over the real binary: changes of files are told in both eras, with a
//! daemon and without one, and what was edited waits for a person.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::artifacts::epic;
use crate::client::{Client, Ran, backoffice, modern_meta};

const ADR: &str = "docs/adr/20261118T051234.994Z-A470_login.md";
const TASK: &str = "mcp://resources/docs/CURRENT_TASK.md";
const STATE: &str = "mcp://resources/docs/ARCHITECTURE_STATE.md";
const DECIDED: &str = "# ADR: Login\n\n## Architecture Snapshot\n### Authentication\n- Strategy: OAuth\n";

struct Shop(tempfile::TempDir);

impl Shop {
    fn new() -> Self {
        let shop = Shop(tempfile::tempdir().unwrap());
        fs::create_dir_all(shop.root().join(".git")).unwrap();
        shop
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("shop")
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        // Written some time ago, so that nobody waits for it to come to rest.
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + fastrand::u64(..1_000_000));
        fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let root = self.root();
        backoffice(self.0.path(), &[&["--repo", root.to_str().unwrap()], arguments].concat())
    }

    fn legacy(&self) -> Client {
        Client::start(self.0.path(), &["--repo", self.root().to_str().unwrap()])
    }

    fn modern(&self, uris: &[&str]) -> Client {
        let mut client = Client::start_silent(self.0.path(), &["--repo", self.root().to_str().unwrap()]);
        client.modern("server/discover", json!({}));
        let notifications = json!({"resourcesListChanged": true, "resourceSubscriptions": uris});
        client.ask("subscriptions/listen", json!({"notifications": notifications, "_meta": modern_meta()}));
        wait_for(&mut client, "notifications/subscriptions/acknowledged");
        client
    }

    /// What the audit trail says of tools with a name.
    fn logged(&self, tool: &str) -> usize {
        let log = self.run(&["log", "--json", "-n", "200"]);
        log.stdout.matches(tool).count()
    }
}

fn wait_for(client: &mut Client, method: &str) -> Value {
    loop {
        let message = client.message().expect("the server has ended");
        if message["method"] == method {
            return message;
        }
    }
}

fn wait_for_update(client: &mut Client, uri: &str) {
    while wait_for(client, "notifications/resources/updated")["params"]["uri"] != uri {}
}

#[test]
fn changes_of_files_are_told_in_both_eras_without_a_daemon() {
    let shop = Shop::new();
    shop.write(ADR, DECIDED);
    let mut legacy = shop.legacy();
    legacy.request("resources/subscribe", json!({"uri": TASK}));
    legacy.request("resources/subscribe", json!({"uri": STATE}));
    let mut modern = shop.modern(&[TASK, STATE]);
    shop.write("docs/CURRENT_TASK.md", "<!-- UID: 20261118T051235.000Z-A471 -->\n# A task\n");
    for client in [&mut legacy, &mut modern] {
        wait_for(client, "notifications/resources/list_changed");
        wait_for_update(client, TASK);
    }
    let second = "docs/adr/20261118T061234.994Z-A472_more.md";
    shop.write(second, "## Architecture Snapshot\n### Database\n- Type: SQLite\n");
    for client in [&mut legacy, &mut modern] {
        // A decision changes the state.
        wait_for_update(client, STATE);
    }
    let read = legacy.request("resources/read", json!({"uri": STATE}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("- **Type**: SQLite") && text.contains("- **Strategy**: OAuth"), "{text}");
}

#[test]
fn the_task_the_state_and_every_decision_are_listed_and_read() {
    let shop = Shop::new();
    shop.write(ADR, DECIDED);
    shop.write("docs/CURRENT_TASK.md", "<!-- UID: 20261118T051235.000Z-A471 -->\n# A task\n");
    shop.write("docs/archive/task/20261101T000000.000Z-0001_old.md", "# Old\n");
    let toolsets = ["--repo", shop.root().to_str().unwrap(), "--toolsets", "preflight"].map(str::to_owned);
    let toolsets: Vec<&str> = toolsets.iter().map(String::as_str).collect();
    let mut client = Client::start(shop.0.path(), &toolsets);
    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    let mut uris: Vec<&str> =
        listed.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    uris.sort_unstable();
    // The state is folded when it is asked for, and its file may come a moment later.
    uris.retain(|uri| *uri != STATE);
    assert_eq!(uris, [TASK, "mcp://resources/docs/adr/20261118T051234.994Z-A470_login.md"]);
    let mut read = |uri: &str| client.request("resources/read", json!({"uri": uri}));
    for (uri, begins) in [
        (TASK, "<!-- UID"),
        (STATE, "<!-- UID: 20261118T051234.994Z-A470"),
        ("mcp://resources/docs/adr/20261118T051234.994Z-A470", "# ADR: Login"),
        ("mcp://resources/docs/adr/20261118T051234.994Z-A470_login.md", "# ADR: Login"),
        ("mcp://resources/docs/archive/task/20261101T000000.000Z-0001_old.md", "# Old"),
    ] {
        let answer = read(uri);
        let text = answer["result"]["contents"][0]["text"].as_str().unwrap_or_default();
        assert!(text.starts_with(begins), "{uri}: {answer}");
    }
    for hostile in
        ["adr/../../../etc/passwd", "adr/..%2f..%2fx", "../secret.md", "guide.md", "adr/", "adr/nobody"]
    {
        let answer = read(&format!("mcp://resources/docs/{hostile}"));
        assert!(answer["error"].is_object(), "{hostile}: {answer}");
    }
}

#[cfg(unix)]
#[test]
fn a_daemon_notices_what_happens_in_registered_repositories() {
    let shop = Shop::new();
    shop.write(ADR, DECIDED);
    assert_eq!(shop.run(&["daemon", "--background"]).code, 0);
    assert_eq!(shop.run(&["repo", "add", shop.root().to_str().unwrap()]).code, 0);
    let eventually = |what: &str, holds: &dyn Fn() -> bool| {
        let came = (0..400).any(|_| {
            std::thread::sleep(Duration::from_millis(25));
            holds()
        });
        assert!(came, "{what} did not come about");
    };
    eventually("the projection", &|| shop.root().join("docs/ARCHITECTURE_STATE.md").exists());
    shop.write(ADR, &DECIDED.replace("OAuth", "SAML"));
    eventually("the edit in the log", &|| shop.logged("document_tampered") == 1);
    let reviewed = shop.run(&["repo", "review", "--json"]).json();
    assert_eq!(reviewed["documents"][0]["path"], ADR);
    assert_eq!(reviewed["documents"][0]["can_revert"], true);
    let told = shop.run(&["repo", "review", ADR, "--revert", "--yes"]);
    assert_eq!((told.code, shop.text(ADR).as_str()), (0, DECIDED), "{}", told.stderr);
    assert!(
        told.stdout.contains("-- Strategy: OAuth") && told.stdout.contains("+- Strategy: SAML"),
        "{}",
        told.stdout
    );
    assert_eq!(shop.run(&["repo", "review"]).stdout, "every document is as it must be\n");
    assert_eq!(shop.run(&["daemon", "stop"]).code, 0);
}

#[test]
fn an_approved_artifact_that_was_edited_counts_again_once_a_person_adopts_it() {
    let shop = Shop::new();
    let mut client = shop.legacy();
    client.value("store_artifact", json!({"artifact_content": epic("006")}));
    let done = client.value("approve_artifact", json!({"artifact_id": "EPIC-006"}));
    let path = done["artifact_path"].as_str().unwrap().to_owned();
    client.value("search_docs", json!({"query": "epic"}));
    let text = format!("{}\nOne line more.\n", shop.text(&path));
    shop.write(&path, &text);
    client.value("search_docs", json!({"query": "epic"}));
    let listed = client.value("list_artifacts", json!({}));
    assert_eq!(listed["artifacts"][0]["tampered"], true);
    let refused = shop.run(&["repo", "review", "EPIC-006", "--adopt"]);
    assert_eq!(refused.code, 5, "nobody was there to be asked: {}", refused.stderr);
    let adopted = shop.run(&["repo", "review", "EPIC-006", "--adopt", "--yes", "--json"]).json();
    assert_eq!(adopted["documents"][0]["verdict"], "adopted");
    let listed = client.value("list_artifacts", json!({}));
    assert_eq!(listed["artifacts"][0]["tampered"], false, "{listed}");
    let read = client.value("read_artifact", json!({"artifact_id": "EPIC-006"}));
    assert_eq!(read["metadata"]["approved_through"], "repo review");
    assert!(shop.run(&["artifacts", "verify"]).code == 0);
}

#[test]
fn people_search_too() {
    let shop = Shop::new();
    shop.write(ADR, DECIDED);
    let found = shop.run(&["search", "oauth"]);
    assert_eq!(found.code, 0);
    assert!(found.stdout.starts_with(&format!("ADR: Login  {ADR}\n    ")), "{}", found.stdout);
    assert_eq!(shop.run(&["search", "oauth", "--kind", "task", "--json"]).json()["hits"], json!([]));
    assert_eq!(shop.run(&["search", "--", "-"]).code, 2);
}
