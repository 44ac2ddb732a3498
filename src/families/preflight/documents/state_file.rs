//! ARCHITECTURE_STATE.md: the folded state for people and for the existing program. A projection: it is
//! written, and never read.

use std::fmt::Write;

use super::adr::snapshot_blocks;
use super::fold::{State, Value};

/// The document of a state.
pub fn write(state: &State) -> String {
    let mut text = String::new();
    let uid = state.uid.as_ref().map_or("None", |uid| uid.as_str());
    let _ = writeln!(text, "<!-- UID: {uid} -->\n<!-- Schema: v1 -->\n\n# Architecture State\n");
    let _ = writeln!(text, "Made from all decisions in `docs/adr/`; edits here are overwritten.\n");
    if !state.conflicts.is_empty() {
        text.push_str("## Conflicts\n\n");
        text.push_str("Decided differently on branches that did not know of each other; decide again:\n\n");
        for conflict in &state.conflicts {
            let side = |side: &Value| format!("{} (ADR {})", side.text, side.set_by);
            let sides: Vec<String> = conflict.sides.iter().map(side).collect();
            let _ = writeln!(text, "- {}.{}: {}", conflict.category, conflict.field, sides.join(" or "));
        }
        text.push('\n');
    }
    text.push_str("## Categories\n\n");
    text.push_str(&snapshot_blocks(&state.snapshot()));
    text
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;
    use crate::families::preflight::documents::{adr, fold::fold};

    #[test]
    fn the_existing_program_reads_every_value_whose_name_it_can_read() {
        let text = "## Architecture Snapshot\n### infrastructure\n- CI/CD: GitHub Actions\n- Blue / green: yes\n- Hosting: own\n\n### Edge Network\n- Provider: a\n";
        let adr = adr::read(text, "20260101T000000.000Z-0001_a.md").unwrap();
        let written = write(&fold([&adr]));
        insta::assert_snapshot!(written, @r#"
        <!-- UID: 20260101T000000.000Z-0001 -->
        <!-- Schema: v1 -->

        # Architecture State

        Made from all decisions in `docs/adr/`; edits here are overwritten.

        ## Categories

        ### Edge Network
        - **Provider**: a (ADR 20260101T000000.000Z-0001)

        ### Infra
        - **CI_CD**: GitHub Actions (ADR 20260101T000000.000Z-0001)
        - **Hosting**: own (ADR 20260101T000000.000Z-0001)
        - **Blue / green**: yes (ADR 20260101T000000.000Z-0001)
        "#);
        let blocks = Regex::new(r"(?m)^### (\w+)\n((?:- \*\*\w+\*\*: .+\n?)+)").unwrap();
        let found: Vec<(&str, usize)> = blocks
            .captures_iter(&written)
            .map(|block| (block.get(1).unwrap().as_str(), block[2].lines().count()))
            .collect();
        assert_eq!(found, [("Infra", 2)]);
    }

    #[test]
    fn a_state_without_decisions_has_no_uid() {
        assert!(write(&State::default()).starts_with("<!-- UID: None -->\n<!-- Schema: v1 -->\n"));
    }
}
