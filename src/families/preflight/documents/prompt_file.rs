//! AGENT_PROMPT.md: what a person hands to an agent to begin with.

use super::prose::{Fence, one_line};

const RULES: [&str; 5] = [
    "Do what the task says, and nothing beside it",
    "Take no architectural decision of your own; the recorded ones hold",
    "Change only files on the task's allowlist, never those it forbids",
    "Keep to its technical constraints and fulfil each acceptance criterion",
    "Where something is unclear or contradictory, stop and ask",
];

/// The document; `files` are those that exist, relative to the repository.
pub fn write(files: &[String]) -> String {
    let files: Vec<String> =
        files.iter().map(|file| format!("- {}", one_line(file).replace('`', ""))).collect();
    let read_first = if files.is_empty() {
        String::new()
    } else {
        format!("Read these files before anything else:\n{}\n\n", files.join("\n"))
    };
    let rules = RULES.map(|rule| format!("- {rule}")).join("\n");
    format!(
        "# Agent Prompt\n\nGive the text between the lines to a coding agent.\n\n---\n\n```\nYou are the coding agent of \
         this repository.\n\n{read_first}Rules:\n{rules}\n\nBegin with the task: read it, then carry it out one \
         step at a time.\n```\n\n---\n\n**How to use:** copy it into the agent's input, in the terminal or in the \
         chat of the editor, or tell the agent to read `docs/AGENT_PROMPT.md`.\n"
    )
}

/// The prompt of a document: what stands in its first block of code.
pub fn prompt(document: &str) -> Option<String> {
    let mut open: Option<Fence> = None;
    let mut lines = Vec::new();
    for line in document.lines() {
        match open {
            None => open = Fence::opened_by(line),
            Some(fence) if fence.is_closed_by(line) => return Some(lines.join("\n")),
            Some(_) => lines.push(line),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_names_the_files_that_exist_and_is_the_first_block() {
        let document = write(&["docs/CURRENT_TASK.md".to_owned(), "docs/adr/x`\n```.md".to_owned()]);
        let text = prompt(&document).unwrap();
        assert!(text.contains("\n- docs/CURRENT_TASK.md\n- docs/adr/x .md\n"), "{text}");
        assert!(!text.contains("ARCHITECTURE_STATE"));
        assert!(text.ends_with("one step at a time."), "{text}");
        assert_eq!(document.matches("```").count(), 2);
        assert!(!prompt(&write(&[])).unwrap().contains("Read these"));
        assert_eq!(prompt("no block"), None);
    }
}
