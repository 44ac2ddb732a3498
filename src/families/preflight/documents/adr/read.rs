//! Reads a decision in any of its forms: ours, the existing program's, the design document's, a person's.

use std::borrow::Cow;

use super::changes::{changes, split_mark};
use super::{Adr, Answer, Consequences, Kept, Mark, Problem, Provenance, Snapshot, Status};
use crate::families::preflight::documents::outline::Outline;
use crate::families::preflight::documents::prose::{
    NONE, entry, from_block, from_list, from_value, one_line,
};
use crate::families::preflight::documents::uid::Uid;

const SNAPSHOT: [&str; 5] =
    ["architecture snapshot", "current architecture state", "architecture state", "snapshot", "categories"];
const CHANGES: [&str; 2] = ["changes in this version", "changes"];
const CONTEXT: [&str; 2] = ["context", "context and problem statement"];
const DECISION: [&str; 2] = ["decision", "decision outcome"];
const ALTERNATIVES: [&str; 3] = ["alternatives considered", "alternatives", "considered options"];

/// Reads a document; the file's name stands in for a UID that it does not hold.
pub fn read(text: &str, file_name: &str) -> Result<Adr, Problem> {
    let outline = Outline::read(text);
    let said = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| outline.comment(key))
            .or_else(|| keys.iter().find_map(|key| outline.label(key)))
    };
    let uid = said(&["UID"]).and_then(uid_in).or_else(|| Uid::leading(file_name)).ok_or(Problem::NoUid)?;
    let (number, title) = titled(outline.title().unwrap_or_default());
    let previous = said(&["Previous", "Previous UID"]).unwrap_or_default();
    let merges =
        outline.comment("Merges").unwrap_or_default().split(',').filter_map(|text| mark(text.trim()));
    let previous_number = mark(previous.trim()).filter(|mark| matches!(mark, Mark::Number(_)));
    let snapshot = snapshot(&outline);
    let lines = |names: &[&str]| outline.find(names).map(|at| outline.body(at)).unwrap_or_default();
    let changes = changes(&lines(&CHANGES), &snapshot, &uid, number);
    let day = uid.time().day();
    Ok(Adr {
        category: said(&["Category"])
            .map(one_line)
            .or_else(|| Some(changes.first()?.category.clone()))
            .unwrap_or_default(),
        date: said(&["Date", "Date (UTC)"]).map_or(day, one_line),
        status: Status::of(&outline),
        previous: uid_in(previous).filter(|previous| *previous != uid),
        merges: merges.chain(previous_number).collect(),
        title,
        context: from_block(&lines(&CONTEXT)),
        decision: from_block(&lines(&DECISION)),
        rationale: from_block(&lines(&["rationale"])),
        alternatives: from_list(&lines(&ALTERNATIVES)),
        consequences: consequences(&outline),
        answers: lines(&["answers"]).iter().filter_map(|line| answer(line)).collect(),
        changes,
        snapshot,
        file: file_name.to_owned(),
        uid,
        number,
    })
}

/// `ADR: Title` and `ADR-003: Title`; other titles stay whole.
fn titled(heading: &str) -> (Option<u32>, String) {
    let whole = one_line(heading);
    let Some(rest) = whole.strip_prefix("ADR") else { return (None, whole) };
    if let Some(title) = rest.strip_prefix(':') {
        return (None, title.trim_start().to_owned());
    }
    let numbered = rest.strip_prefix(['-', ' ']).and_then(|rest| rest.split_once(':'));
    match numbered.and_then(|(number, title)| Some((number.trim().parse().ok()?, title))) {
        Some((number, title)) => (Some(number), title.trim().to_owned()),
        None => (None, whole),
    }
}

/// A UID that may stand in a link or in code.
fn uid_in(text: &str) -> Option<Uid> {
    let bare = |c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-');
    text.split(bare).find_map(Uid::parse)
}

/// `20261118T051234.994Z-A470` or `ADR-003`.
pub(super) fn mark(text: &str) -> Option<Mark> {
    if let Some(uid) = Uid::parse(text) {
        return Some(Mark::Uid(uid));
    }
    let digits = text.strip_prefix("ADR-").unwrap_or(text);
    let counts = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| counts).map(Mark::Number)
}

fn snapshot(outline: &Outline<'_>) -> Snapshot {
    let mut snapshot = Snapshot::new();
    let part_one = outline.sections.iter().position(|section| section.name.starts_with("part 1:"));
    // A title may well be one of these words; its sections are no categories.
    let named = outline.find_below_title(&SNAPSHOT);
    let Some(at) = named.or(part_one) else { return snapshot };
    let sets_values = |name: &str| !CHANGES.contains(&name);
    for section in outline.below(at).filter(|section| sets_values(&section.name)) {
        let fields = fields(&section.lines);
        if !fields.is_empty() && !section.title.is_empty() {
            snapshot.entry(one_line(section.title)).or_default().extend(fields);
        }
    }
    snapshot
}

/// The values of a category. Entries inside others and lines that only go on belong to what is above them.
fn fields(lines: &[&str]) -> Vec<(String, Kept)> {
    let mut found: Vec<(String, Cow<'_, str>)> = Vec::new();
    let mut margin = None;
    let mut open = false;
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        match entry(line).filter(|_| indent <= *margin.get_or_insert(indent)) {
            Some(text) => {
                let field = field(text);
                open = field.is_some();
                found.extend(field);
            }
            None if line.trim().is_empty() => open = false,
            None if open && indent > 0 && entry(line).is_none() => {
                if let Some((_, value)) = found.last_mut() {
                    *value = Cow::Owned(format!("{value} {}", line.trim()));
                }
            }
            None => {}
        }
    }
    found.into_iter().map(|(name, value)| (name, split_mark(&value))).collect()
}

/// `**Field**: value`, `**Field:** value`, `Field: value`, `Field = value`.
fn field(text: &str) -> Option<(String, Cow<'_, str>)> {
    let (name, value) = match text.strip_prefix("**") {
        Some(rest) => {
            let (name, value) = rest.split_once("**")?;
            (name.trim_end().trim_end_matches(':'), value.trim_start().trim_start_matches([':', '=']))
        }
        None => {
            let colon = text.find(": ").map(|at| (at, 2));
            let (at, width) = colon.into_iter().chain(text.find(" = ").map(|at| (at, 3))).min()?;
            (&text[..at], &text[at + width..])
        }
    };
    let (name, value) = (one_line(name.trim_matches('`')), value.trim());
    (!name.is_empty() && !value.is_empty()).then_some((name, Cow::Borrowed(value)))
}

fn consequences(outline: &Outline<'_>) -> Consequences {
    let mut told = Consequences::default();
    let Some(at) = outline.find(&["consequences"]) else { return told };
    told.neutral = from_list(&outline.sections[at].lines);
    for section in outline.below(at) {
        let items = from_list(&section.lines);
        match section.name.as_str() {
            "positive" => told.positive.extend(items),
            "negative" => told.negative.extend(items),
            _ => told.neutral.extend(items),
        }
    }
    told
}

/// `- About = value (provenance)`
fn answer(line: &str) -> Option<Answer> {
    let (about, rest) = entry(line)?.split_once(" = ")?;
    let (value, word) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let about = if about == NONE { String::new() } else { one_line(about) };
    Some(Answer { about, value: from_value(value), provenance: Provenance::parse(word)? })
}
