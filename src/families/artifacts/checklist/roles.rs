//! Who does something: a role in brackets is an answer, the name of a field is not.

/// The last word of a role of two words or more.
const NOUNS: [&str; 36] = [
    "lead",
    "leads",
    "manager",
    "managers",
    "master",
    "owner",
    "owners",
    "engineer",
    "engineers",
    "developer",
    "developers",
    "architect",
    "architects",
    "designer",
    "designers",
    "researcher",
    "scientist",
    "director",
    "officer",
    "team",
    "teams",
    "analyst",
    "analysts",
    "tester",
    "testers",
    "administrator",
    "sponsor",
    "stakeholder",
    "stakeholders",
    "committee",
    "specialist",
    "consultant",
    "coach",
    "writer",
    "maintainer",
    "reviewer",
];

/// Roles of one word.
const SHORT: [&str; 22] = [
    "Unassigned",
    "CTO",
    "CEO",
    "CFO",
    "CPO",
    "CIO",
    "CISO",
    "COO",
    "PM",
    "PO",
    "QA",
    "BA",
    "EM",
    "TL",
    "SM",
    "UX",
    "UI",
    "SRE",
    "DBA",
    "DevOps",
    "VP",
    "SVP",
];

/// What stands before the field that somebody heads: `VP of Engineering`.
const TITLES: [&str; 6] = ["VP", "SVP", "EVP", "Head", "Director", "Chief"];

/// Names of fields that stand beside roles in templates.
const FIELDS: [&str; 6] = ["Name", "Date", "Role", "Owner", "Team", "Title"];

/// Whether a text names one role or several: `Tech Lead + PM`, `VP of Engineering`.
pub(super) fn is_role(text: &str) -> bool {
    let joined = text.replace(" and ", "+").replace(" or ", "+");
    let parts: Vec<&str> = joined.split(['+', '/', '&', ',']).map(str::trim).collect();
    let named = parts.iter().filter(|part| is_one(part)).count();
    // `Product/Engineering Lead`: the second one says what the first is.
    let lent = |part: &str| is_capital(part) && !part.contains(' ') && !FIELDS.contains(&part);
    let last = parts.last().is_some_and(|part| part.contains(' ') && is_one(part));
    (1..=5).contains(&parts.len())
        && (named == parts.len() || (last && parts.iter().all(|part| is_one(part) || lent(part))))
}

/// A role, perhaps with a number behind it.
fn is_one(part: &str) -> bool {
    let part = part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '#').trim_end();
    if SHORT.contains(&part) {
        return true;
    }
    let words: Vec<&str> = part.split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let small = |word: &str| matches!(word, "of" | "for" | "the");
    let shape = (2..=5).contains(&words.len())
        && words.iter().all(|word| is_capital(word) || small(word))
        && !matches!(*first, "Name" | "Date" | "Role");
    let headed = TITLES.contains(first) && !FIELDS.contains(last) && is_capital(last);
    let called = NOUNS.contains(&last.to_lowercase().as_str()) && words.iter().all(|word| !small(word));
    shape && (headed || called)
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}
