//! CURRENT_TASK.md: what is to be done now, where, and how one will know that it is done.

use std::fmt::Write;

use super::names;
use super::outline::Outline;
use super::prose::{NONE, block, entry, from_block, list, one_line};
use super::uid::{self, Uid};
use crate::clock::Timestamp;

const LONGEST_TITLE: usize = 80;

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// None in a document that somebody wrote by hand.
    pub uid: Option<Uid>,
    /// RFC 3339, as it is written.
    pub created: String,
    pub related_adr: Option<Uid>,
    pub title: String,
    pub objective: String,
    pub context: String,
    pub allowlist: Vec<String>,
    pub forbidden: Vec<String>,
    pub constraints: Vec<String>,
    pub criteria: Vec<Criterion>,
}

/// Something that must be true at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    pub text: String,
    pub met: bool,
}

/// The document of a task.
pub fn write(task: &Task) -> String {
    let mut text = String::new();
    if let Some(uid) = &task.uid {
        let _ = writeln!(text, "<!-- UID: {uid} -->");
    }
    let _ = writeln!(text, "<!-- Created: {} -->", one_line(&task.created).replace("-->", ""));
    if let Some(adr) = &task.related_adr {
        let _ = writeln!(text, "<!-- Related ADR: {adr} -->");
    }
    let title = one_line(&task.title);
    let _ = writeln!(text, "\n# {}\n", if title.is_empty() { "Untitled" } else { &title });
    let criterion = |criterion: &Criterion| {
        let met = if criterion.met { 'x' } else { ' ' };
        format!("- [{met}] {}", one_line(&criterion.text))
    };
    let criteria = task.criteria.iter().filter(|criterion| !criterion.text.trim().is_empty()).map(criterion);
    let criteria: Vec<String> = criteria.collect();
    let sections = [
        ("Objective", block(&task.objective)),
        ("Context", block(&task.context)),
        ("Allowlist", paths(&task.allowlist)),
        ("Forbidden", paths(&task.forbidden)),
        ("Technical Constraints", list(&task.constraints, "")),
        ("Acceptance Criteria", if criteria.is_empty() { NONE.to_owned() } else { criteria.join("\n") }),
    ];
    let sections = sections.map(|(name, body)| format!("## {name}\n\n{body}\n"));
    text.push_str(&sections.join("\n"));
    text
}

/// Reads a task; whatever it lacks stays empty.
pub fn read(text: &str) -> Task {
    let outline = Outline::read(text);
    let body = |name: &str| outline.find(&[name]).map(|at| outline.body(at)).unwrap_or_default();
    let entries =
        |name: &str| body(name).into_iter().filter_map(entry).map(str::to_owned).collect::<Vec<_>>();
    let paths = |name: &str| entries(name).iter().map(|path| path.trim_matches('`').to_owned()).collect();
    let uid = outline.comment("UID").or_else(|| outline.label("UID"));
    Task {
        uid: uid.and_then(|text| Uid::parse(text.trim_matches('`'))),
        created: outline.comment("Created").map(one_line).unwrap_or_default(),
        related_adr: outline.comment("Related ADR").and_then(Uid::parse),
        title: outline.title().map(one_line).unwrap_or_default(),
        objective: from_block(&body("objective")),
        context: from_block(&body("context")),
        allowlist: paths("allowlist"),
        forbidden: paths("forbidden"),
        constraints: entries("technical constraints").iter().map(|text| one_line(text)).collect(),
        criteria: entries("acceptance criteria").iter().map(|text| criterion(&one_line(text))).collect(),
    }
}

/// The UID of a task and the name under which it is archived: its own UID, or for one that somebody wrote
/// by hand that of its last change. A name that is taken gets a number; an archived task is never replaced.
pub fn archive_name(text: &str, changed: Timestamp, taken: &dyn Fn(&str) -> bool) -> (Uid, String) {
    let task = read(text);
    let uid = task.uid.unwrap_or_else(|| Uid::at(changed, checksum(text)));
    let slug = uid::slug(&task.title);
    let numbered = (2..).map(|number: u32| format!("{uid}_{slug}_{number}.md"));
    let first = std::iter::once(format!("{uid}_{slug}.md"));
    let name = first.chain(numbered).find(|name| !taken(name));
    (uid.clone(), name.unwrap_or_else(|| format!("{uid}_{slug}.md")))
}

/// An intention as a title: a capital first, and not longer than a line.
pub fn title_of(intention: &str) -> String {
    let line = one_line(intention);
    let mut letters = line.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let title = format!("{first}{}", letters.as_str());
    if title.chars().count() <= LONGEST_TITLE {
        return title;
    }
    title.chars().take(LONGEST_TITLE - 3).chain("...".chars()).collect()
}

/// The sentence about what was decided: `Decision: Database - Type=PostgreSQL, ORM=Prisma`.
pub fn decision_line<'a>(category: &str, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let values = values.into_iter().map(|(field, value)| format!("{field}={}", one_line(value)));
    format!("Decision: {category} - {}", values.collect::<Vec<_>>().join(", "))
}

/// A decided value as something to keep to. What already is a sentence stays one.
pub fn constraint(category: &str, field: &str, value: &str) -> String {
    let (value, label) = (one_line(value), field.replace('_', " "));
    let label = if field == "CI_CD" { "CI/CD".to_owned() } else { label };
    let is_name = value.split(' ').count() <= 4 && !value.ends_with(['.', '!', '?']);
    let is_choice = names::known_field(category, field).is_some() && is_name;
    match value.to_lowercase().as_str() {
        "none" => format!("Use no {label} ({category})"),
        "custom" => format!("Write the {label} of {category} yourself"),
        lower if !is_choice || begins_with_verb(lower) => format!("{category}, {label}: {value}"),
        _ => format!("Use {value} for {category} {label}"),
    }
}

/// What is asked of a task when nobody said anything.
pub fn default_criterion(intention: &str) -> Criterion {
    let text = format!("Implementation of '{}' is complete and working", one_line(intention));
    Criterion { text, met: false }
}

fn begins_with_verb(lower: &str) -> bool {
    let verbs =
        ["use", "using", "add", "keep", "do", "don't", "avoid", "no", "not", "never", "prefer", "put", "run"];
    lower.split(' ').next().is_some_and(|first| verbs.contains(&first))
}

fn criterion(text: &str) -> Criterion {
    for (box_, met) in [("[ ]", false), ("[]", false), ("[x]", true), ("[X]", true)] {
        if let Some(rest) = text.strip_prefix(box_) {
            return Criterion { text: rest.trim().to_owned(), met };
        }
    }
    Criterion { text: text.to_owned(), met: false }
}

/// Paths keep their blanks; what could end one early is no part of a path anybody has.
fn paths(paths: &[String]) -> String {
    let plain = |path: &String| path.replace(|c: char| c == '`' || c.is_control(), "").trim().to_owned();
    let lines = paths.iter().map(plain).filter(|path| !path.is_empty()).map(|path| format!("- `{path}`"));
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() { NONE.to_owned() } else { lines.join("\n") }
}

/// Tells two hand-written tasks of one instant apart.
fn checksum(text: &str) -> u16 {
    text.bytes().fold(0x1505, |sum: u16, byte| sum.wrapping_mul(33) ^ u16::from(byte))
}

#[cfg(test)]
#[path = "task_tests.rs"]
mod tests;
