//! Approvals under fire: the process dies at every step, or is killed among many; all of an approval
//! is there afterwards or nothing of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backoffice::db::journal;
use backoffice::tool::session::Session;
use serde_json::{Value, json};

use crate::artifacts::{THREE, approve, epic, prd, store};
use crate::client::{Client, Ran, backoffice, command};
use crate::office::TestOffice;

/// A home with a repository in it, whose epics are approved and whose PRDs are drafts.
struct Shop {
    home: tempfile::TempDir,
}

impl Shop {
    fn with_drafts(numbers: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("shop/.git")).unwrap();
        let shop = Shop { home };
        for number in numbers {
            shop.value("store_artifact", json!({"artifact_content": epic(number)}));
            shop.value("approve_artifact", json!({"artifact_id": format!("EPIC-{number}")}));
            shop.value("store_artifact", json!({"artifact_content": prd(number, THREE)}));
        }
        shop
    }

    fn repository(&self) -> PathBuf {
        self.home.path().join("shop")
    }

    fn call(&self, tool: &str, arguments: Value) -> Ran {
        let repository = self.repository();
        let arguments = arguments.to_string();
        backoffice(self.home.path(), &["--repo", repository.to_str().unwrap(), "call", tool, &arguments])
    }

    fn value(&self, tool: &str, arguments: Value) -> Value {
        let ran = self.call(tool, arguments);
        assert_eq!(ran.code, 0, "{tool}: {}", ran.stderr);
        ran.json()
    }

    /// Calls in a process that dies at a point.
    fn die(&self, at: &str, tool: &str, arguments: Value) {
        let mut command = command(self.home.path());
        command.env("BACKOFFICE_DIES_AT", at).arg("--repo").arg(self.repository());
        let ended = command.args(["call", tool, &arguments.to_string()]).output().unwrap();
        assert!(!ended.status.success() && ended.status.code().is_none(), "it did not die at {at}");
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.repository().join("docs/artifacts").join(name)).unwrap()
    }

    /// Whether a PRD is approved; whatever it is, everything must agree on it.
    fn is_approved(&self, number: &str) -> bool {
        let id = format!("PRD-{number}");
        let listed = self.value("list_artifacts", json!({"type": "prd", "parent": format!("EPIC-{number}")}));
        let row = &listed["artifacts"][0];
        let approved = row["status"] == "Approved";
        let text = self.file(&format!("prds/{id}_v1.md"));
        assert_eq!(text.contains("- **Status:** Approved\n"), approved, "{text}");
        assert_eq!(text.contains("HLS-AAA"), !approved, "{text}");
        assert_eq!(row["tampered"], false, "{row}");
        let side: Value = serde_json::from_str(&self.file(&format!("prds/{id}_v1_metadata.json"))).unwrap();
        assert_eq!(
            (side["status"] == "Approved", &side["sha256"]),
            (approved, &json!(journal::hash(text.as_bytes())))
        );
        let tasks = self.value("list_tasks", json!({"project_id": "shop", "depends_on": id}));
        let tasks = tasks["tasks"].as_array().unwrap();
        assert_eq!(tasks.len(), if approved { 3 } else { 0 });
        let stated: BTreeSet<&str> = tasks.iter().map(|task| task["artifact_id"].as_str().unwrap()).collect();
        assert!(stated.iter().all(|story| text.contains(&format!("### {story}: "))), "{stated:?} in {text}");
        approved
    }

    fn confirmed(&self) -> BTreeSet<String> {
        let listed = self.value("list_reservations", json!({"state": "confirmed"}));
        let all = listed["reservations"].as_array().unwrap().iter();
        all.flat_map(|row| {
            row["reserved_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned())
        })
        .collect()
    }
}

#[test]
fn killed_at_any_step_of_an_approval_all_of_it_is_there_or_nothing() {
    let before = ["checked", "reserved", "staged", "rows", "tasks", "promised"];
    let after = ["committed", "renamed", "kept"];
    let steps = before.iter().map(|at| (at, false)).chain(after.iter().map(|at| (at, true)));
    for (at, done) in steps {
        let shop = Shop::with_drafts(&["006"]);
        shop.die(at, "approve_artifact", json!({"artifact_id": "PRD-006"}));
        assert_eq!(shop.is_approved("006"), done, "at {at}");
        assert_eq!(shop.confirmed().len(), if done { 3 } else { 0 }, "at {at}");
        if !done {
            let answer = shop.value("approve_artifact", json!({"artifact_id": "PRD-006"}));
            assert_eq!(answer["tasks_created"], 3, "at {at}");
            assert!(shop.is_approved("006"));
        }
    }
}

#[test]
fn killed_at_any_step_of_a_store_the_old_document_is_there_or_the_new_one() {
    for (at, done) in [("staged", false), ("committed", true), ("renamed", true), ("kept", true)] {
        let shop = Shop::with_drafts(&["006"]);
        let changed = prd("006", THREE).replace("FR-01", "FR-01, FR-02");
        shop.die(at, "store_artifact", json!({"artifact_content": changed}));
        assert!(!shop.is_approved("006"));
        assert_eq!(shop.file("prds/PRD-006_v1.md").contains("FR-02"), done, "at {at}");
        assert_eq!(shop.value("store_artifact", json!({"artifact_content": changed}))["success"], true);
        assert!(shop.file("prds/PRD-006_v1.md").contains("FR-02"));
    }
}

#[test]
fn killed_among_many_approvals_none_is_half_done() {
    let numbers = ["001", "002", "003", "004", "005", "006"];
    for answered in 0..4 {
        let shop = Shop::with_drafts(&numbers);
        let repository = shop.repository();
        let mut client = Client::start(shop.home.path(), &["--repo", repository.to_str().unwrap()]);
        for number in numbers {
            let arguments = json!({"artifact_id": format!("PRD-{number}")});
            client.ask("tools/call", json!({"name": "approve_artifact", "arguments": arguments}));
        }
        for _ in 0..answered {
            client.message().unwrap();
        }
        client.kill();
        let done = numbers.iter().filter(|number| shop.is_approved(number)).count();
        assert!(done >= answered, "what was answered is done: {done} of {answered}");
        assert_eq!(shop.confirmed().len(), done * 3);
    }
}

#[test]
fn fifty_approvals_at_once_in_five_projects() {
    let office = Arc::new(TestOffice::new());
    let projects: Vec<Arc<Session>> = (0..5)
        .map(|n| {
            let root = office.folder.path().join(format!("shop-{n}"));
            fs::create_dir_all(root.join(".git")).unwrap();
            let mut session = office.owner();
            session.stand_in(Some(&root), None).unwrap();
            Arc::new(session)
        })
        .collect();
    for session in &projects {
        for number in (1..=10).map(|n| format!("{n:03}")) {
            store(&office, session, &epic(&number));
            approve(&office, session, &format!("EPIC-{number}"));
            store(&office, session, &prd(&number, THREE));
        }
    }
    let answers: Vec<(usize, Value)> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..50)
            .map(|n| {
                let (office, session) = (&office, &projects[n % 5]);
                scope.spawn(move || (n % 5, approve(office, session, &format!("PRD-{:03}", n / 5 + 1))))
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    for (n, session) in projects.iter().enumerate() {
        let mine = answers.iter().filter(|(project, _)| *project == n).map(|(_, answer)| answer);
        let ids: Vec<&str> = mine
            .flat_map(|answer| answer["sub_artifacts_detected"].as_array().unwrap())
            .map(|id| id.as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), 30);
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 30, "an id was given twice: {ids:?}");
        let project = &session.project;
        let lacking =
            office.value(session, "list_tasks", json!({"project_id": project, "missing_mandatory": true}));
        assert_eq!(lacking["count"], 0);
        let tasks = office.value(session, "list_tasks", json!({"project_id": project, "status": "pending"}));
        assert_eq!(tasks["count"], 40, "ten PRDs and thirty stories");
    }
    assert_eq!(leftovers(office.folder.path()), Vec::<PathBuf>::new());
}

/// Temporary files that somebody has left behind.
fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => leftovers(&path),
            false if path.extension().is_some_and(|extension| extension == "tmp") => vec![path],
            false => Vec::new(),
        })
        .collect()
}
