//! Task or decision record: the rules in their order, each with its reason.

use super::answers::Provenance;
use super::catalogue::{DESCRIPTION, same};
use super::decide::Decided;
use super::hits::Hit;
use super::situation::Situation;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub adr: bool,
    /// Whether a record is due even if no field of the architecture changes.
    pub strong: bool,
    pub reason: String,
}

impl Verdict {
    fn strong(reason: String) -> Self {
        Verdict { adr: true, strong: true, reason }
    }

    fn adr(reason: String) -> Self {
        Verdict { adr: true, strong: false, reason }
    }

    fn task(reason: impl Into<String>) -> Self {
        Verdict { adr: false, strong: false, reason: reason.into() }
    }
}

/// Judges by what is decided: the text first, then what the decisions change.
pub fn judge(situation: &Situation<'_>, changes: &[Decided]) -> Verdict {
    if !situation.force_adr
        && let Some(conflict) = settled_conflict(situation)
    {
        return Verdict::strong(format!("ADR: it settles which decision on {conflict} holds"));
    }
    let verdict = from_text(situation);
    if verdict.adr {
        // A sentence about the work decides nothing that was open.
        let decides = changes.iter().any(|change| change.field != DESCRIPTION);
        if !decides && !verdict.strong {
            let on_record = |hit: &Hit| situation.decisions.keys().any(|name| same(name, hit.category));
            let but = match situation.hits().iter().any(on_record) {
                true => "everything it touches is decided already",
                false => "it decides nothing",
            };
            return Verdict::task(format!("task only: {}, but {but}", verdict.reason));
        }
        return Verdict { reason: format!("ADR: {}", verdict.reason), ..verdict };
    }
    if asks_nothing(situation) {
        return Verdict { reason: format!("task only: {}", verdict.reason), ..verdict };
    }
    // Nothing that nobody said calls for a record.
    let on_record = |change: &&Decided| {
        change.provenance != Provenance::Default
            && change.field != DESCRIPTION
            && situation.decisions.keys().any(|name| same(name, &change.category))
    };
    if let Some(change) = changes.iter().find(on_record) {
        return Verdict::adr(format!(
            "ADR: {} has decisions already, and this changes them",
            change.category
        ));
    }
    let by_somebody = |change: &&Decided| {
        matches!(change.provenance, Provenance::Person | Provenance::Agent) && change.field != DESCRIPTION
    };
    if let Some(Decided { category, field, .. }) = changes.iter().find(by_somebody) {
        return Verdict::adr(format!("ADR: the answers decide {category}.{field}, which was open"));
    }
    Verdict::task(format!("task only: {}", verdict.reason))
}

/// Judges by the text alone, and where it names no category by the one that was answered.
///
/// The order is part of the contract: what is demanded, what the request says about a record itself, what
/// needs none, the categories that call for one, how far the change reaches. [`judge`] adds what is on record.
pub fn from_text(situation: &Situation<'_>) -> Verdict {
    let signals = &situation.reading.signals;
    if situation.force_adr {
        return Verdict::strong("it was demanded (`force_adr`)".to_owned());
    }
    if signals.no_adr {
        return Verdict::task("the request wants no ADR");
    }
    if let Some(word) = &signals.wish {
        return Verdict::strong(format!("the request asks for it (`{word}`)"));
    }
    if let Some(signal) = &signals.non_trigger {
        return Verdict::task(signal.clone());
    }
    let catalogue = situation.reading.catalogue;
    let triggers = |category: &str| catalogue.category(category).is_some_and(|category| category.trigger);
    if let Some(hit) = situation.hits().iter().find(|hit| triggers(hit.category)) {
        let answered = situation.reading.hits.is_empty();
        let why = format!("`{}` concerns {}", hit.word, hit.category);
        return Verdict::adr(if answered { format!("it belongs to {}", hit.category) } else { why });
    }
    if let Some(word) = &signals.trigger {
        return Verdict::strong(format!("`{word}` concerns what everything is built on"));
    }
    if let Some(scope) = &signals.scope {
        return Verdict::strong(scope.clone());
    }
    match new_dependency(situation) {
        Some(value) => Verdict::adr(format!("{value} is a new dependency: nothing here shows it yet")),
        None => Verdict::task("nothing in it calls for a decision record"),
    }
}

/// Whether the request is so small that questions would only be in the way.
pub fn asks_nothing(situation: &Situation<'_>) -> bool {
    let signals = &situation.reading.signals;
    let small = signals.no_adr || (signals.wish.is_none() && signals.non_trigger.is_some());
    small && !situation.force_adr
}

/// Whether what is on record is open again.
pub fn decides_anew(situation: &Situation<'_>) -> bool {
    let signals = &situation.reading.signals;
    situation.force_adr || signals.wish.is_some() || signals.change
}

/// A value of the intention that neither a decision nor the repository shows.
fn new_dependency(situation: &Situation<'_>) -> Option<String> {
    let named = situation.reading.detected.iter().filter(|found| found.intended && found.dependency);
    named
        .filter(|found| {
            let shown =
                situation.hints.of(&found.question).iter().any(|hint| found.values.contains(&hint.value));
            let entry = situation.reading.catalogue.entry(&found.question);
            let decided = entry.and_then(|(category, entry)| situation.decided(category?, entry));
            !shown && !decided.is_some_and(|decided| found.values.iter().any(|value| same(value, decided)))
        })
        .map(super::reading::Detected::value)
        .next()
}

fn settled_conflict(situation: &Situation<'_>) -> Option<String> {
    let settled =
        situation.conflicts.iter().find(|conflict| situation.answers.values(&conflict.id()).is_some())?;
    Some(format!("{}.{}", settled.category, settled.field))
}
