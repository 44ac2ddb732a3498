//! Makes proposals out of what a model has answered: what is usable is mended, the rest is dropped.

use serde_json::Value;

use super::super::clarify::catalogue::{Catalogue, OTHER, Type, same};
use super::super::clarify::proposed::{Listed, PREFIX, Proposal};

/// More than two questions at once are a form, not a conversation.
pub const MOST: usize = 2;
/// Further drafts are not even looked at.
const MOST_DRAFTS: usize = 20;
const LONGEST_QUESTION: usize = 240;
const LONGEST_RATIONALE: usize = 240;
const LONGEST_OPTION: usize = 80;
const LONGEST_ID: usize = 40;
const MOST_OPTIONS: usize = 8;
/// What models write when they have nothing to say.
const PLACEHOLDERS: [&str; 11] = [
    "tbd",
    "todo",
    "unknown",
    "na",
    "n a",
    "to be defined",
    "to be determined",
    "to be decided",
    "placeholder",
    "undefined",
    "null",
];

/// The usable proposals: at most two, of them at most `room` extra ones. A question of the catalogue
/// is taken where it is open, and dropped where it is not: it is answered, decided or does not apply.
pub fn proposals(answered: &[Value], catalogue: &Catalogue, open: &[Listed], room: usize) -> Vec<Proposal> {
    let mut usable: Vec<Proposal> = Vec::new();
    for draft in answered.iter().take(MOST_DRAFTS) {
        let Some(proposal) = proposal(draft, catalogue, open) else { continue };
        let is_new =
            usable.iter().all(|known| known.id != proposal.id && !alike(&known.question, &proposal.question));
        let extra = |proposal: &Proposal| proposal.id.starts_with(PREFIX);
        let has_room = !extra(&proposal) || usable.iter().filter(|known| extra(known)).count() < room;
        if is_new && has_room {
            usable.push(proposal);
        }
        if usable.len() == MOST {
            break;
        }
    }
    usable
}

fn proposal(draft: &Value, catalogue: &Catalogue, open: &[Listed]) -> Option<Proposal> {
    let question = line(draft.get("question").or_else(|| draft.get("text"))?, LONGEST_QUESTION)?;
    let id = draft.get("id").and_then(Value::as_str).map(slug).filter(|id| !id.is_empty());
    let id = id.or_else(|| Some(slug(&question)).filter(|id| !id.is_empty()))?;
    let options = options(draft.get("options"));
    let kind = match draft.get("type").and_then(Value::as_str).and_then(Type::parse) {
        _ if options.len() < 2 => Type::FreeText,
        Some(kind) => kind,
        None => Type::SingleChoice,
    };
    let options = if kind == Type::FreeText { Vec::new() } else { options };
    let rationale = draft.get("rationale").and_then(|why| line(why, LONGEST_RATIONALE));
    let optional = draft.get("optional").and_then(Value::as_bool).unwrap_or(false);
    let meant = |known: &str, asked: &str| slug(known) == id || alike(asked, &question);
    if let Some(listed) = open.iter().find(|listed| meant(&listed.id, &listed.question)) {
        let (id, question) = (listed.id.clone(), listed.question.clone());
        return Some(Proposal { id, kind, question, options: Vec::new(), optional, rationale });
    }
    if catalogue.entries().any(|(_, entry)| meant(&entry.id, &entry.question)) {
        return None;
    }
    let id = format!("{PREFIX}{}", id.strip_prefix(PREFIX).unwrap_or(&id));
    Some(Proposal { id, kind, question, options, optional, rationale })
}

/// Distinct options without those that say nothing; every choice gets its own `Other`.
fn options(given: Option<&Value>) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for option in given.and_then(Value::as_array).into_iter().flatten() {
        let Some(option) = line(option, LONGEST_OPTION) else { continue };
        let other = same(&option, OTHER) || words(&option).first().is_some_and(|word| word == "other");
        if !other && !options.iter().any(|known| same(known, &option)) {
            options.push(option);
        }
    }
    options.truncate(MOST_OPTIONS);
    options
}

/// A text as one line of bounded length; none where it says nothing.
fn line(value: &Value, longest: usize) -> Option<String> {
    let words: Vec<&str> = value.as_str()?.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let line: String = line.chars().take(longest).collect();
    let line = line.trim().to_owned();
    let said = self::words(&line).join(" ");
    (!said.is_empty() && !PLACEHOLDERS.contains(&said.as_str())).then_some(line)
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn alike(one: &str, other: &str) -> bool {
    words(one) == words(other)
}

/// Small letters, digits and single underscores.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    slug[..slug.len().min(LONGEST_ID)].trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn mended(answered: &Value, room: usize) -> Vec<Proposal> {
        let open = [Listed { id: "auth_strategy".into(), question: "Which authentication strategy?".into() }];
        proposals(answered.as_array().unwrap(), Catalogue::get().unwrap(), &open, room)
    }

    #[test]
    fn a_question_of_the_catalogue_is_named_not_repeated() {
        for draft in [
            json!({"id": "auth_strategy", "question": "How do people log in?", "rationale": "It decides the rest."}),
            json!({"id": "Auth-Strategy", "question": "x y"}),
            json!({"id": "strategy", "question": "which Authentication strategy"}),
        ] {
            let proposed = mended(&json!([draft]), 0);
            assert_eq!((proposed[0].id.as_str(), proposed[0].options.len()), ("auth_strategy", 0));
        }
        let closed = json!([{"id": "db_type", "question": "Which database type?", "options": ["a", "b"]}]);
        assert!(mended(&closed, 2).is_empty(), "what is not open is not asked by another name");
    }

    #[test]
    fn what_is_usable_is_mended() {
        let proposed = mended(
            &json!([
                {"id": "Audit Trail!!", "type": "single_choice", "question": " Who may\nsee the audit trail? ",
                 "options": ["Managers", "managers", "TBD", "Other (specify)", "Everyone", 7]},
                {"question": "How long are records kept?", "type": "multi_choice", "options": ["n/a", "A year"], "optional": true},
            ]),
            2,
        );
        let [audit, kept] = proposed.as_slice() else { panic!("{proposed:?}") };
        assert_eq!(
            (audit.id.as_str(), audit.question.as_str()),
            ("x_audit_trail", "Who may see the audit trail?")
        );
        assert_eq!(
            (audit.kind, audit.options.as_slice()),
            (Type::SingleChoice, &["Managers".to_owned(), "Everyone".into()][..])
        );
        assert_eq!(
            (kept.id.as_str(), kept.kind, kept.optional),
            ("x_how_long_are_records_kept", Type::FreeText, true)
        );
        assert!(kept.options.is_empty());
    }

    #[test]
    fn what_is_not_usable_is_dropped_and_the_room_is_kept() {
        let useless =
            json!([7, {"id": "a"}, {"question": "TBD"}, {"question": ""}, {"question": "???"}, null]);
        assert!(mended(&useless, 2).is_empty());
        let many: Vec<Value> = (0..9).map(|n| json!({"question": format!("Question number {n}?")})).collect();
        assert_eq!(mended(&json!(many), 5).len(), MOST);
        assert_eq!(mended(&json!(many), 1).len(), 1);
        let twice = json!([{"id": "a", "question": "Same?"}, {"id": "a", "question": "Other words"}, {"id": "b", "question": "same"}]);
        assert_eq!(mended(&twice, 2).len(), 1);
        let long = mended(&json!([{"id": "é".repeat(99), "question": "é".repeat(999) + " a"}]), 2);
        assert!(long.is_empty(), "an id needs a letter that everybody can type");
        let long = mended(&json!([{"id": "a".repeat(99), "question": "é ".repeat(999)}]), 2);
        assert!(long[0].id.len() <= LONGEST_ID + 2 && long[0].question.chars().count() <= LONGEST_QUESTION);
    }

    proptest! {
        #[test]
        fn nothing_that_a_model_says_breaks_the_rules(
            drafts in prop::collection::vec(("\\PC{0,60}", "\\PC{0,300}", prop::collection::vec("\\PC{0,100}", 0..12), "\\PC{0,20}"), 0..6),
            room in 0_usize..4,
        ) {
            let answered: Vec<Value> = drafts.into_iter()
                .map(|(id, question, options, kind)| json!({"id": id, "question": question, "options": options, "type": kind}))
                .collect();
            let proposed = mended(&Value::Array(answered), room);
            prop_assert!(proposed.len() <= MOST.min(room + 1));
            for one in proposed {
                prop_assert!(one.id == "auth_strategy" || one.id.starts_with(PREFIX));
                prop_assert!(one.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
                prop_assert!(!one.id.contains("__") && !one.question.contains('\n'));
                prop_assert_eq!(one.kind == Type::FreeText || !one.id.starts_with(PREFIX), one.options.is_empty());
                prop_assert!(one.options.len() <= MOST_OPTIONS);
            }
        }
    }
}
