use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::families::preflight::documents::adr::{self, Change, Consequences, Provenance, Snapshot, Status};
use crate::families::preflight::documents::decide::{Decided, Decision};

fn uid(number: u32) -> Uid {
    Uid::parse(&format!("20260101T000000.000Z-{number:04X}")).unwrap()
}

/// Decides on what a branch knows, and goes through the document as a repository would.
fn decide(branch: &mut Vec<Adr>, number: u32, values: &[(&str, &str)]) {
    let values = values.iter().map(|(field, value)| Decided {
        category: "Database".to_owned(),
        field: (*field).to_owned(),
        value: (*value).to_owned(),
        provenance: Provenance::Person,
    });
    let decision = Decision { values: values.collect(), ..Decision::default() };
    let adr = fold(branch.iter()).decide(decision, uid(number)).unwrap();
    branch.push(adr::read(&adr::write(&adr), &adr.file_name()).unwrap());
}

/// The existing program knows only its latest decision, never a second branch.
fn without_merges(mut adr: Adr) -> Adr {
    adr.merges.clear();
    adr
}

fn merged(branches: &[&[Adr]]) -> Vec<Adr> {
    let all = branches.iter().flat_map(|branch| branch.iter());
    let by_name: BTreeMap<String, Adr> = all.map(|adr| (adr.file.clone(), adr.clone())).collect();
    by_name.into_values().collect()
}

fn value(state: &State, field: &str) -> String {
    state.value("database", field).map(|value| value.text.clone()).unwrap_or_default()
}

fn conflicts(state: &State) -> Vec<String> {
    let sides = |conflict: &Conflict| conflict.sides.iter().map(|side| side.text.clone()).collect::<Vec<_>>();
    state
        .conflicts
        .iter()
        .map(|conflict| format!("{}: {}", conflict.field, sides(conflict).join(", ")))
        .collect()
}

#[test]
fn a_merge_of_two_branches_loses_nothing() {
    let mut trunk = Vec::new();
    decide(&mut trunk, 1, &[("Type", "SQLite")]);
    let (mut left, mut right) = (trunk.clone(), trunk.clone());
    decide(&mut left, 2, &[("ORM", "diesel")]);
    decide(&mut left, 4, &[("Type", "PostgreSQL")]);
    decide(&mut right, 3, &[("Migrations", "by hand")]);
    decide(&mut right, 5, &[("Pool", "r2d2")]);
    let state = fold(&merged(&[&left, &right]));
    assert_eq!(state.conflicts, []);
    let values = ["Type", "ORM", "Migrations", "Pool"].map(|field| value(&state, field));
    assert_eq!(values, ["PostgreSQL", "diesel", "by hand", "r2d2"], "the last snapshot still says SQLite");
    assert_eq!(state.uid, Some(uid(5)));
    assert_eq!(state.ends(), [uid(4), uid(5)]);
}

#[test]
fn branches_that_disagree_are_a_conflict_until_somebody_decides_who_knows_both() {
    let mut trunk = Vec::new();
    decide(&mut trunk, 1, &[("Type", "SQLite")]);
    let (mut left, mut right) = (trunk.clone(), trunk.clone());
    decide(&mut left, 2, &[("Type", "MySQL")]);
    decide(&mut right, 3, &[("Type", "PostgreSQL")]);
    let mut both = merged(&[&left, &right]);
    let state = fold(&both);
    assert_eq!(conflicts(&state), ["Type: MySQL, PostgreSQL"]);
    assert_eq!(value(&state, "Type"), "PostgreSQL", "for the time being");

    // A decision about something else ends nothing.
    decide(&mut both, 4, &[("ORM", "none")]);
    assert_eq!(conflicts(&fold(&both)), ["Type: MySQL, PostgreSQL"]);
    // One more decision on a branch that knows only one side ends nothing either.
    let mut alone = right.clone();
    decide(&mut alone, 5, &[("Type", "Oracle")]);
    let more = merged(&[&both, &alone]);
    assert_eq!(conflicts(&fold(&more)), ["Type: MySQL, Oracle"]);
    // Whoever knows all ends it, also by naming what holds already.
    let mut ended = both.clone();
    decide(&mut ended, 6, &[("Type", "PostgreSQL")]);
    let state = fold(&ended);
    assert_eq!((conflicts(&state), value(&state, "Type")), (vec![], "PostgreSQL".to_owned()));
    // And it stays ended on other branches that are merged later with nothing new.
    assert_eq!(conflicts(&fold(&merged(&[&ended, &left]))), Vec::<String>::new());
    // But what nobody knew then is a new conflict.
    assert_eq!(conflicts(&fold(&merged(&[&ended, &more]))), ["Type: Oracle, PostgreSQL"]);
}

#[test]
fn what_the_existing_program_decides_after_a_merge_ends_a_conflict_only_if_it_shows_both() {
    let mut trunk = Vec::new();
    decide(&mut trunk, 1, &[("Type", "SQLite"), ("ORM", "a")]);
    let (mut left, mut right) = (trunk.clone(), trunk.clone());
    decide(&mut left, 2, &[("Type", "MySQL"), ("ORM", "b")]);
    decide(&mut right, 3, &[("Type", "PostgreSQL")]);
    let mut both = merged(&[&left, &right]);
    decide(&mut both, 4, &[("Type", "Oracle")]);
    let last = both.pop().map(without_merges).unwrap();
    // Its snapshot carries ORM from the left and says what it replaces on the right.
    both.push(last.clone());
    assert_eq!(conflicts(&fold(&both)), Vec::<String>::new());
    let mut blind = last;
    blind.snapshot.get_mut("Database").unwrap().remove("ORM");
    *both.last_mut().unwrap() = blind;
    assert_eq!(conflicts(&fold(&both)), ["Type: MySQL, Oracle"]);
}

#[test]
fn the_same_decision_on_two_branches_is_no_conflict() {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    decide(&mut left, 1, &[("Type", "SQLite")]);
    decide(&mut right, 2, &[("Type", "SQLite")]);
    assert_eq!(fold(&merged(&[&left, &right])).conflicts, []);
}

fn by_hand(number: u32, text: &str) -> Adr {
    adr::read(text, &format!("{}_x.md", uid(number))).unwrap()
}

#[test]
fn decisions_by_hand_count_like_others() {
    let first = by_hand(1, "## Snapshot\n### DB\n- type: SQLite\n### Edge\n- Cache TTL: 5 min");
    let was = by_hand(2, "## Changes\n- Modified: Database.Type = MySQL (was: SQLite)");
    let state = fold([&first, &was]);
    assert_eq!((conflicts(&state), value(&state, "Type")), (vec![], "MySQL".to_owned()));
    assert_eq!(state.value("EDGE", "cache ttl").unwrap().text, "5 min");
    assert_eq!(state.categories.keys().collect::<Vec<_>>(), ["Database", "Edge"]);
    // One that only repeats everything sets nothing; one that contradicts without a word is asked about.
    let repeats = by_hand(3, "## Snapshot\n### Database\n- Type: MySQL\n### edge\n- cache-ttl: 5 min");
    let state = fold([&first, &was, &repeats]);
    assert_eq!(state.value("Edge", "Cache TTL").unwrap().set_by, uid(1));
    assert_eq!(state.categories.len(), 2);
    let contradicts = by_hand(4, "## Snapshot\n### Edge\n- Cache TTL: never");
    assert_eq!(conflicts(&fold([&first, &was, &contradicts])), ["Cache TTL: 5 min, never"]);
}

fn with_status(number: u32, status: &str, rest: &str) -> Adr {
    by_hand(number, &format!("**Status:** {status}\n{rest}"))
}

#[test]
fn what_was_proposed_or_rejected_sets_nothing_and_loses_nothing() {
    let mut history = Vec::new();
    decide(&mut history, 1, &[("Type", "SQLite")]);
    for status in ["Rejected", "Proposed", "Draft", "Withdrawn"] {
        let mut all = history.clone();
        let rest = format!(
            "<!-- Previous: {0} -->\n## Changes\n- Modified: Database.Type = Oracle (was: SQLite (ADR {0}))\n\
             - Added: Database.ORM = none\n## Snapshot\n### Database\n- Type: Oracle\n- Pool: r2d2\n",
            uid(1)
        );
        all.push(with_status(2, status, &rest));
        let state = fold(&all);
        let values = ["Type", "ORM", "Pool"].map(|field| value(&state, field));
        assert_eq!((conflicts(&state), values), (vec![], ["SQLite", "", ""].map(str::to_owned)), "{status}");
        assert_eq!(state.uid, Some(uid(2)), "its UID is in use all the same");
        // Whoever knows it knows what it knew: no conflict with the first one.
        let after = format!("<!-- Previous: {} -->\n## Changes\n- Modified: Database.Type = MySQL\n", uid(2));
        all.push(by_hand(3, &after));
        let state = fold(&all);
        assert_eq!((conflicts(&state), value(&state, "Type")), (vec![], "MySQL".to_owned()), "{status}");
    }
}

#[test]
fn a_rejected_value_does_not_come_back_through_another_document() {
    let carries = |number: u32| {
        by_hand(
            number,
            &format!("## Snapshot\n### Database\n- **Type**: Oracle (ADR {})\n### Edge\n- TTL: 5", uid(5)),
        )
    };
    let rejected = with_status(5, "Rejected", "## Changes\n- Added: Database.Type = Oracle\n");
    for carrier in [3, 7] {
        let state = fold([&carries(carrier), &rejected]);
        assert_eq!(state.categories.keys().collect::<Vec<_>>(), ["Edge"], "carried by {carrier}");
    }
    assert_eq!(value(&fold([&carries(7)]), "Type"), "Oracle", "while nobody knows better");
}

#[test]
fn what_was_superseded_gives_way_and_stays_only_where_nothing_took_its_place() {
    let sets = |number: u32, status: &str, values: &str| {
        with_status(number, status, &format!("## Changes\n{values}"))
    };
    for status in ["Superseded by ADR 3", "Deprecated"] {
        let old = sets(2, status, "- Added: Database.Type = MySQL\n- Added: Database.ORM = diesel\n");
        // Neither says that it knew the other; without the status this would be a conflict.
        for number in [1, 3] {
            let new = sets(number, "Accepted", "- Added: Database.Type = PostgreSQL\n");
            let state = fold([&old, &new]);
            assert_eq!((conflicts(&state), value(&state, "Type")), (vec![], "PostgreSQL".to_owned()));
            assert_eq!(value(&state, "ORM"), "diesel", "nobody has decided anything else");
            assert_eq!(state.why("Database", "Type").len(), 2, "the history keeps both");
        }
        let first = sets(1, "Accepted", "- Added: Database.Type = SQLite\n");
        let knew = format!("<!-- Previous: {} -->\n## Changes\n- Modified: Database.Type = MySQL\n", uid(1));
        let state = fold([&first, &with_status(2, status, &knew)]);
        assert_eq!(value(&state, "Type"), "MySQL", "what it replaced does not come back");
    }
}

#[test]
fn what_a_lost_document_decided_is_taken_from_those_that_carry_it() {
    let mut all = Vec::new();
    decide(&mut all, 1, &[("Type", "SQLite")]);
    decide(&mut all, 2, &[("ORM", "diesel")]);
    decide(&mut all, 3, &[("Pool", "r2d2")]);
    all.remove(0);
    let state = fold(&all);
    assert_eq!(value(&state, "Type"), "SQLite");
    assert_eq!(state.value("Database", "Type").unwrap().set_by, uid(1));
    assert_eq!(state.conflicts, []);
}

#[test]
fn who_knew_the_other_decided_later_whatever_the_uids_say() {
    // A clock that begins anew at each start gave the later decision the lower UID.
    let mut history = Vec::new();
    decide(&mut history, 9, &[("Type", "SQLite")]);
    let later = format!(
        "<!-- UID: {} -->\n<!-- Previous: {} -->\n## Changes in This Version\n- Modified: Database.Type = MySQL (was: SQLite \
         (ADR {}))\n## Architecture Snapshot\n### Database\n- **Type**: MySQL (ADR {})\n",
        uid(3),
        uid(9),
        uid(9),
        uid(3)
    );
    history.push(adr::read(&later, "x.md").unwrap());
    let state = fold(&history);
    assert_eq!((conflicts(&state), value(&state, "Type")), (vec![], "MySQL".to_owned()));
}

#[test]
fn two_documents_with_one_uid_are_two_decisions() {
    let text = |field: &str, value: &str| format!("## Changes\n- Added: Database.{field} = {value}\n");
    let named = |file: &str, text: &str| adr::read(text, &format!("{}_{file}.md", uid(1))).unwrap();
    let (a, b) = (named("a", &text("Type", "SQLite")), named("b", &text("ORM", "diesel")));
    let state = fold([&a, &b]);
    assert_eq!((value(&state, "Type"), value(&state, "ORM")), ("SQLite".to_owned(), "diesel".to_owned()));
    let c = named("c", &text("Type", "MySQL"));
    assert_eq!(conflicts(&fold([&a, &b, &c])), ["Type: SQLite, MySQL"]);
    let mut all = vec![a, b, c];
    decide(&mut all, 2, &[("Type", "MySQL")]);
    assert_eq!(fold(&all).conflicts, []);
}

#[test]
fn decisions_that_know_each_other_in_a_circle_lose_no_value() {
    let circle = |own: u32, other: u32, value: &str| {
        by_hand(
            own,
            &format!("<!-- Previous: {} -->\n## Changes\n- Added: Database.Type = {value}\n", uid(other)),
        )
    };
    let (a, b) = (circle(1, 2, "SQLite"), circle(2, 1, "MySQL"));
    let state = fold([&a, &b]);
    assert_eq!((conflicts(&state), value(&state, "Type")), (vec![], "MySQL".to_owned()));
}

#[test]
fn why_tells_the_chain_of_decisions() {
    let mut all = Vec::new();
    decide(&mut all, 1, &[("Type", "SQLite")]);
    decide(&mut all, 2, &[("ORM", "diesel")]);
    decide(&mut all, 3, &[("Type", "MySQL")]);
    let step = |number, old: Option<&str>, new: &str| Step {
        uid: uid(number),
        old: old.map(str::to_owned),
        new: new.to_owned(),
    };
    let state = fold(&all);
    assert_eq!(state.why("db", "TYPE"), [step(1, None, "SQLite"), step(3, Some("SQLite"), "MySQL")]);
    assert_eq!(state.why("Database", "Nothing"), []);
}

#[test]
fn an_earlier_decision_must_be_folded_anew() {
    let mut all = Vec::new();
    decide(&mut all, 1, &[("Type", "SQLite")]);
    decide(&mut all, 2, &[("Type", "MySQL")]);
    let mut state = fold(&all[1..]);
    assert_eq!(state.apply(&all[0]), Err(OutOfOrder));
}

#[test]
fn a_thousand_decisions_fold() {
    let mut state = State::default();
    let mut all = Vec::new();
    for number in 1..=1000 {
        let decided = Decided {
            category: ["Database", "Infra", "Backend"][number as usize % 3].to_owned(),
            field: format!("Field {}", number % 40),
            value: format!("value {number}"),
            provenance: Provenance::Agent,
        };
        let decision = Decision { values: vec![decided], ..Decision::default() };
        let adr = state.decide(decision, uid(number)).unwrap();
        state.apply(&adr).unwrap();
        all.push(adr);
    }
    assert_eq!(state.conflicts, []);
    assert_eq!(fold(&all), state);
    assert_eq!(state.ends(), [uid(1000)]);
    assert_eq!(state.why("Infra", "Field 1").len(), 9);
}

const STATUSES: [Status; 7] = {
    use Status::{Accepted, Deprecated, Proposed, Rejected, Superseded};
    [Accepted, Rejected, Accepted, Superseded, Accepted, Proposed, Deprecated]
};

/// Decisions as the worst of repositories could hold them: referring to each other at random.
fn tangle() -> impl Strategy<Value = Vec<Adr>> {
    let one =
        (1u32..12, prop::option::of(1u32..12), prop::option::of(1u32..12), 0usize..3, 0u32..4, any::<bool>());
    prop::collection::vec(one, 1..14).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(at, (own, previous, carried, field, value, lists))| {
            let field = ["Type", "ORM", "Pool"][field].to_owned();
            let mut snapshot = Snapshot::new();
            if let Some(by) = carried {
                let kept = Kept::new(format!("value {by}"), Some(uid(by)));
                snapshot.entry("Database".to_owned()).or_default().insert("Carried".to_owned(), kept);
            }
            let told = if lists { Told::Listed } else { Told::Assumed };
            let change =
                Change { category: "Database".to_owned(), field, value: value.to_string(), was: None, told };
            Adr {
                uid: uid(own),
                number: None,
                category: String::new(),
                date: String::new(),
                status: STATUSES[(own as usize + at) % STATUSES.len()],
                previous: previous.map(uid),
                merges: Vec::new(),
                title: String::new(),
                context: String::new(),
                decision: String::new(),
                rationale: String::new(),
                alternatives: Vec::new(),
                consequences: Consequences::default(),
                changes: vec![change],
                snapshot,
                answers: Vec::new(),
                file: format!("{at:02}"),
            }
        });
        made.collect()
    })
}

proptest! {
    #[test]
    fn every_field_ever_set_has_a_value_that_somebody_gave_it(mut adrs in tangle()) {
        let state = fold(&adrs);
        for change in adrs.iter().flat_map(|adr| &adr.changes) {
            let held = state.value(&change.category, &change.field).map(|value| value.text.clone());
            let in_force = adrs.iter().filter(|adr| adr.status.decides()).flat_map(|adr| &adr.changes);
            let given: BTreeSet<String> =
                in_force.filter(|other| other.field == change.field).map(|other| other.value.clone()).collect();
            prop_assert_eq!(held.is_none(), given.is_empty());
            prop_assert!(held.as_ref().is_none_or(|held| given.contains(held)), "{:?}", held);
        }
        // The order in which files are found does not matter.
        adrs.reverse();
        prop_assert_eq!(&fold(&adrs), &state);
        // A decision made on top ends every conflict that it names.
        let values = state.conflicts.iter().map(|conflict| Decided {
            category: conflict.category.clone(),
            field: conflict.field.clone(),
            value: conflict.sides[0].text.clone(),
            provenance: Provenance::Person,
        });
        let decision = Decision { values: values.collect(), ..Decision::default() };
        if let Some(mut last) = state.decide(decision, uid(100)) {
            last.file = last.file_name();
            let mut after = state.clone();
            after.apply(&last).unwrap();
            prop_assert_eq!(&after.conflicts, &Vec::new());
            prop_assert_eq!(after.ends(), vec![uid(100)]);
        }
    }
}
