//! Documents on the command line: what a real tree holds, what people see of it, what scripts get.

mod changing;
mod checking;
mod import;
mod looking;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

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
