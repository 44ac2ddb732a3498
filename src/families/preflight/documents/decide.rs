//! From what was decided to the ADR that says so: its changes, its snapshot, its place in the history.

use super::adr::{Adr, Answer, Change, Consequences, Kept, Mark, Provenance, Snapshot, Status, Told};
use super::fold::State;
use super::names;
use super::prose::one_line;
use super::uid::Uid;

/// What was decided.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    pub category: String,
    pub context: String,
    pub rationale: String,
    pub alternatives: Vec<String>,
    pub consequences: Consequences,
    /// In the order in which they are to be named; the first one makes the title.
    pub values: Vec<Decided>,
    /// Answers that set no value, such as the reason for one.
    pub further_answers: Vec<Answer>,
}

/// A value that was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    pub category: String,
    pub field: String,
    pub value: String,
    pub provenance: Provenance,
}

impl State {
    /// The ADR of a decision, made with all of this state in view. A value that already holds is no
    /// change, unless naming it ends a conflict; without any change there is no ADR to write.
    pub fn decide(&self, decision: Decision, uid: Uid) -> Option<Adr> {
        let values: Vec<Decided> =
            decision.values.iter().filter_map(|decided| decided.spelled(self)).collect();
        let mut changes: Vec<Change> = Vec::new();
        for decided in &values {
            changes.retain(|known| (&known.category, &known.field) != (&decided.category, &decided.field));
            changes.extend(self.change(decided));
        }
        let first = changes.first()?;
        let category = names::category(&decision.category);
        let category = if category.is_empty() { first.category.clone() } else { category };
        let title = format!("{}: {} = {}", first.category, first.field, first.value);
        let previous = self.uid.clone();
        let others = self.ends().into_iter().filter(|end| Some(end) != previous.as_ref());
        let answers = values.iter().map(Decided::answer).chain(decision.further_answers).collect();
        Some(Adr {
            number: None,
            category,
            date: uid.time().day(),
            status: Status::Accepted,
            merges: others.map(Mark::Uid).collect(),
            previous,
            title,
            context: decision.context,
            decision: sentences(&values),
            rationale: decision.rationale,
            alternatives: decision.alternatives,
            consequences: decision.consequences,
            snapshot: self.snapshot_with(&changes, &uid),
            changes,
            answers,
            file: String::new(),
            uid,
        })
    }

    /// The whole architecture with the decision that set each value.
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for (category, fields) in &self.categories {
            let kept = |(field, value): (&String, &super::fold::Value)| {
                (field.clone(), Kept::new(value.text.clone(), Some(value.set_by.clone())))
            };
            snapshot.insert(category.clone(), fields.iter().map(kept).collect());
        }
        snapshot
    }

    fn snapshot_with(&self, changes: &[Change], uid: &Uid) -> Snapshot {
        let mut snapshot = self.snapshot();
        for change in changes {
            let fields = snapshot.entry(change.category.clone()).or_default();
            fields.insert(change.field.clone(), Kept::new(change.value.clone(), Some(uid.clone())));
        }
        snapshot
    }

    fn change(&self, decided: &Decided) -> Option<Change> {
        let Decided { category, field, value, .. } = decided;
        let held = self.value(category, field);
        let disputed =
            self.conflicts.iter().any(|known| known.category == *category && known.field == *field);
        if held.is_some_and(|held| held.text == *value) && !disputed {
            return None;
        }
        let was = held.map(|held| Kept::new(held.text.clone(), Some(held.set_by.clone())));
        let (category, field, value) = (category.clone(), field.clone(), value.clone());
        Some(Change { category, field, value, was, told: Told::Listed })
    }
}

impl Decided {
    /// As it will stand in the document; a value of nothing but blanks is none.
    fn spelled(&self, state: &State) -> Option<Self> {
        let (category, field) =
            (names::writable_category(&self.category), names::writable_field(&self.field));
        let (category, field) = state.spelling(&category, &field);
        let value = one_line(&self.value);
        (!value.is_empty()).then_some(Decided { category, field, value, provenance: self.provenance })
    }

    fn answer(&self) -> Answer {
        let about = format!("{}.{}", self.category, self.field);
        Answer { about, value: self.value.clone(), provenance: self.provenance }
    }
}

fn sentences(values: &[Decided]) -> String {
    let line = |decided: &Decided| format!("- {}.{}: {}", decided.category, decided.field, decided.value);
    let lines: Vec<String> = values.iter().map(line).collect();
    format!("It is decided:\n\n{}", lines.join("\n"))
}
