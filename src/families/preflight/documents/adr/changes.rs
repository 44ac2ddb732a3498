//! What a decision itself sets, told apart from what its snapshot carries forward.

use super::read::mark;
use super::{Change, Kept, Mark, Snapshot, Told};
use crate::families::preflight::documents::names::key;
use crate::families::preflight::documents::prose::{entry, from_value, one_line};
use crate::families::preflight::documents::uid::Uid;

/// The list of changes first, then values marked as its own; without either, every value.
pub(super) fn changes(lines: &[&str], snapshot: &Snapshot, uid: &Uid, number: Option<u32>) -> Vec<Change> {
    let is_own = |kept: &Kept| match &kept.set_by {
        Some(Mark::Uid(by)) => by == uid,
        Some(Mark::Number(by)) => Some(*by) == number,
        None => false,
    };
    let mut changes: Vec<Change> = Vec::new();
    for change in lines.iter().filter_map(|line| listed(line, snapshot, &is_own)) {
        if !names(&changes, &change.category, &change.field) {
            changes.push(change);
        }
    }
    let listed = !changes.is_empty();
    let all = || {
        snapshot
            .iter()
            .flat_map(|(category, fields)| fields.iter().map(move |(field, kept)| (category, field, kept)))
    };
    for (category, field, kept) in all() {
        let told = if is_own(kept) { Told::Marked } else { Told::Assumed };
        let sets = told == Told::Marked || (kept.set_by.is_none() && !listed);
        if sets && !names(&changes, category, field) {
            let (category, field, value) = (category.clone(), field.clone(), kept.text.clone());
            changes.push(Change { category, field, value, was: None, told });
        }
    }
    changes
}

/// The value without ` (ADR …)`; another parenthesis is part of it.
pub(super) fn split_mark(value: &str) -> Kept {
    let marked = || {
        let (text, inside) = value.trim().strip_suffix(')')?.rsplit_once(" (ADR")?;
        Some((text, mark(inside.strip_prefix([' ', '-'])?)?))
    };
    match marked() {
        Some((text, mark)) => Kept { text: from_value(text), set_by: Some(mark) },
        None => Kept { text: from_value(value), set_by: None },
    }
}

fn names(changes: &[Change], category: &str, field: &str) -> bool {
    changes.iter().any(|change| key(&change.category) == key(category) && key(&change.field) == key(field))
}

/// `Added: Category.Field = value`, `Modified: Category.Field = value (was: old (ADR …))`. A value may hold
/// any of these signs itself; the snapshot knows where it ends.
fn listed(line: &str, snapshot: &Snapshot, is_own: &dyn Fn(&Kept) -> bool) -> Option<Change> {
    let (verb, rest) = entry(line)?.split_once(':')?;
    let is_new = match verb.trim_matches(['*', ' ']).to_lowercase().as_str() {
        "added" => true,
        "modified" | "changed" | "updated" => false,
        _ => return None,
    };
    let rest = one_line(rest.trim_start_matches('*'));
    let (category, field, told) = named(&rest, snapshot)?;
    let kept = snapshot.get(&category).and_then(|fields| fields.get(&field)).filter(|kept| is_own(kept));
    let after = |kept: &Kept| Some(told.strip_prefix(kept.text.as_str())?.to_owned());
    let (value, was) = match kept.and_then(|kept| Some((kept, after(kept)?))) {
        Some((kept, rest)) if rest.is_empty() => (kept.text.clone(), None),
        Some((kept, rest)) if rest.starts_with(" (was: ") => (kept.text.clone(), Some(rest)),
        _ => match told.find(" (was: ").filter(|_| !is_new) {
            Some(at) => (split_mark(&told[..at]).text, Some(told[at..].to_owned())),
            None => (split_mark(&told).text, None),
        },
    };
    let old = was.as_deref().and_then(|was| was.strip_prefix(" (was: ")?.strip_suffix(')')).map(split_mark);
    (!value.is_empty()).then_some(Change { category, field, value, was: old, told: Told::Listed })
}

/// The name before the equals sign: one of the snapshot's, or else up to the first full stop.
fn named(text: &str, snapshot: &Snapshot) -> Option<(String, String, String)> {
    let mut longest: Option<(&String, &String, &str)> = None;
    for (category, fields) in snapshot {
        let Some(rest) = text.strip_prefix(category.as_str()).and_then(|rest| rest.strip_prefix('.')) else {
            continue;
        };
        for field in fields.keys() {
            let value = rest.strip_prefix(field.as_str()).and_then(|rest| rest.strip_prefix(" = "));
            if let Some(value) =
                value.filter(|value| longest.is_none_or(|(.., known)| value.len() < known.len()))
            {
                longest = Some((category, field, value));
            }
        }
    }
    if let Some((category, field, value)) = longest {
        return Some((category.clone(), field.clone(), value.to_owned()));
    }
    let (name, value) = text.split_once(" = ")?;
    let (category, field) = name.trim_matches('`').split_once('.')?;
    let (category, field) = (one_line(category), one_line(field));
    (!category.is_empty() && !field.is_empty()).then(|| (category, field, value.to_owned()))
}
