//! Several processes on one file: races, kill -9, answers that outlive their server.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::client::{Client, backoffice};

const PROCESSES: usize = 8;
const EACH: usize = 150;

/// Eight servers hand out numbers at once; every third one is killed half-way and replaced.
#[test]
fn no_number_is_given_twice_whoever_is_killed() {
    let home = tempfile::tempdir().unwrap();
    backoffice(home.path(), &["status"]);
    let given = Mutex::new(Vec::new());
    let killed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let (home, given, killed) = (home.path(), &given, &killed);
            scope.spawn(move || {
                let mut client = Client::start(home, &["--project", "shop"]);
                let mut own = Vec::new();
                for turn in 0..EACH {
                    if process % 3 == 0 && turn == EACH / 2 {
                        // Two are under way when it dies; whether they were committed nobody knows.
                        client.ask("tools/call", json!({"name": "get_next_available_id", "arguments": {"artifact_type": "US"}}));
                        client.ask("tools/call", json!({"name": "reserve_id_range", "arguments": {"artifact_type": "US", "count": 5}}));
                        client.kill();
                        killed.fetch_add(1, Ordering::Relaxed);
                        client = Client::start(home, &["--project", "shop"]);
                    }
                    let answer = client.value("get_next_available_id", json!({"artifact_type": "US"}));
                    own.push(answer["next_id"].as_str().unwrap().to_owned());
                }
                given.lock().unwrap().extend(own);
            });
        }
    });
    let given = given.into_inner().unwrap();
    assert_eq!(given.len(), PROCESSES * EACH, "every call was answered");
    assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), given.len(), "no number twice");
    assert_eq!(killed.into_inner(), 3);
    let checked = backoffice(home.path(), &["doctor"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn what_was_answered_is_there_after_a_kill() {
    let home = tempfile::tempdir().unwrap();
    for turn in 1..=5 {
        let mut client = Client::start(home.path(), &[]);
        client.value("add_task", json!({"user_id": "ann", "title": format!("task {turn}")}));
        client.kill();
        let mut next = Client::start(home.path(), &[]);
        let listed = next.value("list_tasks", json!({"user_id": "ann"}));
        assert_eq!(listed["tasks"].as_array().unwrap().len(), turn);
    }
}

#[test]
fn a_task_is_claimed_by_one_process_only() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("data/projects/shop/research.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "# Research\n").unwrap();
    let input = json!({
        "name": "business_research", "classification": "recommended", "resource_path": "research.md",
        "mcp_resource_uri": "mcp://resources/research.md", "status": "Finalized",
    });
    let tasks: Vec<_> = (1..=60)
        .map(|number| json!({"artifact_id": format!("R-{number:03}"), "generator": "business-research-generator", "inputs": [input]}))
        .collect();
    Client::start(home.path(), &[]).value("add_task", json!({"project_id": "shop", "tasks": tasks}));
    let claimed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = Client::start(home.path(), &["--project", "shop"]);
                while let Some(id) = client.value("get_next_task", json!({}))["task"]["task_id"].as_str() {
                    claimed.lock().unwrap().push(id.to_owned());
                }
            });
        }
    });
    let claimed = claimed.into_inner().unwrap();
    assert_eq!((claimed.len(), claimed.iter().collect::<BTreeSet<_>>().len()), (60, 60));
}

#[test]
fn many_processes_may_create_the_file_at_once() {
    let home = tempfile::tempdir().unwrap();
    let codes: Vec<(i32, String)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let ran = backoffice(home.path(), &["--project", "shop", "ids", "next", "US"]);
                    (ran.code, format!("{}{}", ran.stdout, ran.stderr))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(codes.iter().all(|(code, _)| *code == 0), "{codes:?}");
    assert_eq!(codes.iter().map(|(_, text)| text).collect::<BTreeSet<_>>().len(), 8, "{codes:?}");
}
