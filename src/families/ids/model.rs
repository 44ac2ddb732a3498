//! The rules of ids, without storage.

use crate::error::{Error, Result, nearest};
use crate::id::{ARTIFACT_TYPES, ArtifactId};

/// How long a reservation lives.
pub const RESERVATION_MINUTES: i64 = 15;

/// Types whose numbers are remembered one by one, because another document may claim the number it
/// bears itself: an epic's PRD has the epic's number.
pub const CLAIMED_BY_NUMBER: [&str; 1] = ["PRD"];

/// A type that a caller named, built in or added by the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedType {
    pub name: String,
    pub prefix: String,
}

/// Finds a type by its long name or its prefix, in any case. What the project has added is asked
/// for only if no built-in type has the name.
pub fn find_type(text: &str, added: impl FnOnce() -> Result<Vec<NamedType>>) -> Result<NamedType> {
    let wanted = text.trim();
    let fits =
        |name: &str, prefix: &str| name.eq_ignore_ascii_case(wanted) || prefix.eq_ignore_ascii_case(wanted);
    if let Some(known) = ARTIFACT_TYPES.iter().find(|known| fits(known.name, known.prefix)) {
        return Ok(NamedType { name: known.name.to_owned(), prefix: known.prefix.to_owned() });
    }
    let added = added()?;
    let found = added.iter().find(|known| fits(&known.name, &known.prefix));
    found.cloned().ok_or_else(|| unknown(text, &added))
}

fn unknown(text: &str, added: &[NamedType]) -> Error {
    let built_in = ARTIFACT_TYPES.iter().map(|known| (known.name, known.prefix));
    let all: Vec<(&str, &str)> =
        built_in.chain(added.iter().map(|known| (known.name.as_str(), known.prefix.as_str()))).collect();
    let valid: Vec<String> = all.iter().map(|(name, prefix)| format!("{name} ({prefix})")).collect();
    let error = Error::invalid(format!("Invalid artifact_type: {text}. Valid types: {}", valid.join(", ")))
        .detail("field", "artifact_type")
        .detail("received", text)
        .reason("unknown_type");
    match nearest(text.trim(), all.iter().flat_map(|(name, prefix)| [*name, *prefix])) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// The ids of a range, written out.
pub fn written(prefix: &str, first: i64, count: i64) -> Vec<String> {
    (first..first + count).map(|number| ArtifactId::new(prefix, number).to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Result<Vec<NamedType>> {
        Ok(Vec::new())
    }

    #[test]
    fn types_are_found_by_name_and_prefix_in_any_case() {
        for (text, prefix) in
            [("backlog_story", "US"), ("US", "US"), ("us", "US"), ("HLS", "HLS"), ("task", "TASK")]
        {
            assert_eq!(find_type(text, none).unwrap().prefix, prefix, "{text}");
        }
        let rfc = NamedType { name: "rfc".to_owned(), prefix: "RFC".to_owned() };
        assert_eq!(find_type("rfc", || Ok(vec![rfc.clone()])).unwrap(), rfc);
        let unknown = find_type("backlog_stories", none).unwrap_err();
        assert!(
            unknown
                .message()
                .starts_with("Invalid artifact_type: backlog_stories. Valid types: product_vision (VIS), ")
        );
        assert_eq!(unknown.hint_text(), Some("did you mean `backlog_story`?"));
        assert!(find_type("research", none).is_err(), "research has no numbers");
    }

    #[test]
    fn ranges_grow_past_three_digits() {
        assert_eq!(written("US", 998, 3), ["US-998", "US-999", "US-1000"]);
    }
}
