//! What to ask next: at most five questions in a session, the most telling ones first.

use super::catalogue::{Category, Entry};
use super::hits::Hit;
use super::proposed;
use super::question::Question;
use super::rules;
use super::situation::Situation;

/// Visible questions of a session, follow-ups included.
pub const MOST: usize = 5;

/// The next turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// New questions, never put before.
    pub questions: Vec<Question>,
    /// Put before, needed, and still without an answer.
    pub outstanding: Vec<Question>,
    /// What can no longer be asked, and what is taken instead.
    pub notes: Vec<String>,
}

impl Plan {
    /// Whether nothing needed is open any more.
    pub fn is_complete(&self) -> bool {
        self.questions.is_empty() && self.outstanding.is_empty()
    }
}

/// Something that is open.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub question: Question,
    pub category: Option<&'static Category>,
    /// Absent for conflicts and for what `Other` stands for.
    pub entry: Option<&'static Entry>,
    pub required: bool,
}

/// The questions of the next turn.
pub fn next_questions(situation: &Situation<'_>) -> Plan {
    let mut open = open(situation);
    open.sort_by_key(|open| proposed::rank(situation, open));
    let is_asked = |open: &Open| situation.asked.contains(&open.question.id);
    let (asked, new): (Vec<Open>, Vec<Open>) = open.into_iter().partition(is_asked);
    let outstanding: Vec<Question> =
        asked.into_iter().filter(|open| open.required).map(|open| open.question).collect();
    let free = MOST.saturating_sub(situation.asked.len());
    // The first turn keeps one question back, so that `Other` can still be followed up.
    let room = if situation.asked.is_empty() { free.min(MOST - 1) } else { free };
    let (required, optional): (Vec<Open>, Vec<Open>) = new.into_iter().partition(|open| open.required);
    let unasked: Vec<&str> = required.iter().skip(free).map(|open| open.question.id.as_str()).collect();
    let notes = used_up(&unasked).into_iter().collect();
    // What is optional comes along, but never takes the last question. It opens a turn of its own only at
    // the beginning, where a decision names something that leaves a question open.
    let spare = (MOST - 1).saturating_sub(situation.asked.len() + required.len());
    let begins = situation.asked.is_empty() && rules::from_text(situation).adr;
    let follows = |open: &Open| {
        let condition = open.entry.and_then(|entry| entry.depends_on.as_ref());
        condition.is_some_and(|condition| situation.reading.detected(&condition.question).is_some())
    };
    let optional =
        optional.into_iter().filter(|open| !required.is_empty() || (begins && follows(open))).take(spare);
    let mut questions: Vec<Question> = required.iter().map(|open| open.question.clone()).collect();
    questions.extend(optional.map(|open| open.question));
    questions.sort_by_key(|question| proposed::comes_last(&question.id));
    questions.truncate(room);
    Plan { questions, outstanding, notes }
}

/// One sentence, however many questions there is no room for.
fn used_up(unasked: &[&str]) -> Option<String> {
    let (named, more) = unasked.split_at(unasked.len().min(MOST));
    let first: Vec<String> = named.iter().map(|id| format!("`{id}`")).collect();
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    (!first.is_empty()).then(|| format!("five questions are used up; not asked: {}{more}", first.join(", ")))
}

/// How far a session has come: questions put, and how many of them are answered.
pub fn progress(situation: &Situation<'_>) -> (usize, usize) {
    let answered = situation.asked.iter().filter(|id| situation.answers.has(id)).count();
    (situation.asked.len(), answered)
}

/// Everything that is open, in the order in which it would be asked.
pub(super) fn open(situation: &Situation<'_>) -> Vec<Open> {
    let conflicts = situation.conflicts.iter().filter(|conflict| !situation.answers.has(&conflict.id()));
    let mut open: Vec<Open> = conflicts.map(|conflict| settled(Question::settle(conflict))).collect();
    open.extend(companions(situation));
    if rules::asks_nothing(situation) {
        return open;
    }
    for (rank, hit) in situation.hits().iter().enumerate() {
        let Some(category) = situation.reading.catalogue.category(hit.category) else { continue };
        open.extend(of_category(situation, category, hit, rank == 0));
    }
    open.extend(generic(situation, &open));
    open.extend(paths(situation));
    open.extend(proposed::open(situation));
    open
}

/// What is open in a category; what the intention speaks of in particular comes first.
fn of_category(
    situation: &Situation<'_>,
    category: &'static Category,
    hit: &Hit,
    primary: bool,
) -> Vec<Open> {
    let value_only = hit.focus.is_empty() && primary && !category.independent;
    let general = hit.general || value_only;
    let mut found = Vec::new();
    for entry in &category.questions {
        let focused = hit.focus.contains(&entry.id.as_str()) || situation.reading.gives_up(&entry.id);
        let required = focused || (general && !entry.optional);
        // Follow-ups come along anywhere, further choices only where a record is due anyway.
        let along = general && primary && (category.trigger || entry.depends_on.is_some());
        if (required || along) && is_open(situation, category, entry, primary) {
            let question = Question { optional: !required, ..Question::of(situation, Some(category), entry) };
            let open = Open { question, category: Some(category), entry: Some(entry), required };
            found.push((focused, open));
        }
    }
    found.sort_by_key(|(focused, _)| !focused);
    found.into_iter().map(|(_, open)| open).collect()
}

fn settled(question: Question) -> Open {
    Open { question, category: None, entry: None, required: true }
}

/// What `Other` stands for, where nobody has said it yet.
fn companions(situation: &Situation<'_>) -> Vec<Open> {
    let entries = situation.reading.catalogue.entries().filter(|(_, entry)| situation.lacks_text(entry));
    let mut open: Vec<Open> = entries.map(|(_, entry)| settled(Question::companion(entry))).collect();
    for conflict in situation.conflicts {
        let id = conflict.id();
        if situation.answers.has(&id) && situation.answers.values(&id).is_none() {
            let id = format!("{id}{}", super::catalogue::COMPANION);
            let kind = super::catalogue::Type::FreeText;
            open.push(settled(Question {
                id,
                kind,
                options: Vec::new(),
                recommended: None,
                ..Question::settle(conflict)
            }));
        }
    }
    open
}

fn is_open(situation: &Situation<'_>, category: &Category, entry: &Entry, primary: bool) -> bool {
    if situation.answers.has(&entry.id) || situation.value(entry).is_some() || !situation.applies(entry) {
        return false;
    }
    // What is decided is only asked again where somebody wants it decided anew; what the
    // repository shows is only asked where the request is about it.
    if let Some(value) = situation.decided(category, entry) {
        let given_up = situation.reading.gives_up(&entry.id) && situation.reading.refuses(&entry.id, value);
        return given_up || primary && rules::decides_anew(situation);
    }
    situation.hints.of(&entry.id).is_empty() || (primary && rules::from_text(situation).adr)
}

/// The path for what names no category, or whose category leaves nothing to decide.
fn generic(situation: &Situation<'_>, open: &[Open]) -> Vec<Open> {
    let nowhere = situation.reading.hits.is_empty();
    let catalogue = situation.reading.catalogue;
    let any_decided = catalogue.entries().any(|(category, entry)| {
        category.is_some() && entry.field.is_some() && situation.value(entry).is_some()
    });
    let nothing_to_record = open.is_empty() && !any_decided && rules::from_text(situation).strong;
    let wanted = |entry: &&Entry| if entry.field.is_some() { nowhere || nothing_to_record } else { nowhere };
    let unanswered = |entry: &&Entry| !situation.answers.has(&entry.id);
    let skip = nowhere && any_decided;
    let entries = catalogue.generic.iter().filter(|_| !skip).filter(wanted).filter(unanswered);
    let open = entries.map(|entry| Open {
        question: Question::of(situation, None, entry),
        category: None,
        entry: Some(entry),
        required: true,
    });
    open.collect()
}

fn paths(situation: &Situation<'_>) -> Option<Open> {
    let entry = situation.reading.catalogue.details.first()?;
    let wanted = situation.ask_for_paths && !situation.answers.has(&entry.id);
    wanted.then(|| Open {
        question: Question::of(situation, None, entry),
        category: None,
        entry: Some(entry),
        required: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_room_for_is_told_in_one_sentence() {
        assert_eq!(used_up(&[]), None);
        assert_eq!(used_up(&["a"]).unwrap(), "five questions are used up; not asked: `a`");
        let many = used_up(&["a"; 100]).unwrap();
        assert!(many.ends_with("`a`, `a`, `a`, `a`, `a` and 95 more"), "{many}");
    }
}
