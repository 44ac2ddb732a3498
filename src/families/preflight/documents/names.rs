//! How categories and fields are spelled. Known ones have the schema's spelling, others their own.

use super::prose::one_line;

/// The categories and their fields (schema `v1`). `Messaging` and `Other` take any field.
pub const SCHEMA: [(&str, &[&str]); 7] = [
    ("Frontend", &["Framework", "Routing", "Styling", "UI_Library", "State_Management"]),
    ("Backend", &["Language", "Framework", "API_Style", "Validation"]),
    ("Database", &["Type", "ORM", "Migrations"]),
    ("Authentication", &["Strategy", "Library", "Token_Storage"]),
    ("Infra", &["Hosting", "CI_CD", "Observability", "Caching"]),
    ("Messaging", &[]),
    ("Other", &[]),
];

const ALIASES: [(&str, &str); 4] =
    [("infrastructure", "Infra"), ("auth", "Authentication"), ("db", "Database"), ("ui", "Frontend")];

/// The schema's spelling of a category, or none if it is not of the schema.
pub fn known_category(name: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| same(alias, name)).map(|(_, category)| *category);
    alias.or_else(|| SCHEMA.iter().map(|(category, _)| *category).find(|known| same(known, name)))
}

/// The schema's spelling of a field of a known category.
pub fn known_field(category: &str, name: &str) -> Option<&'static str> {
    let category = known_category(category)?;
    let (_, fields) = SCHEMA.iter().find(|(known, _)| *known == category)?;
    fields.iter().copied().find(|known| same(known, name))
}

/// A category as the schema spells it, else as it is written.
pub fn category(name: &str) -> String {
    known_category(name).map_or_else(|| one_line(name), str::to_owned)
}

/// A field as the schema spells it, else as it is written.
pub fn field(category: &str, name: &str) -> String {
    known_field(category, name).map_or_else(|| one_line(name), str::to_owned)
}

/// What two spellings of one name have in common: `CI/CD` is `ci_cd`, `State Management` has its line.
pub fn key(name: &str) -> String {
    letters(name).collect()
}

fn same(one: &str, other: &str) -> bool {
    letters(one).eq(letters(other))
}

/// The letters of a key. Names are compared a hundred times in each document: nothing is allocated.
fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
    let words = name.split_whitespace().enumerate();
    let joined = words.flat_map(|(at, word)| (at > 0).then_some('_').into_iter().chain(word.chars()));
    joined.flat_map(char::to_lowercase).map(|c| if matches!(c, '-' | '/') { '_' } else { c })
}

/// Whether the existing program can read a name: its patterns know only word characters.
pub fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A category's name without what would end it in a document.
pub fn writable_category(name: &str) -> String {
    writable(&name.replace('.', " "), "Other")
}

/// A field's name without what would end it in a document.
pub fn writable_field(name: &str) -> String {
    writable(name, "Description")
}

fn writable(name: &str, otherwise: &str) -> String {
    let ends_names = |c: char| matches!(c, '*' | ':' | '=' | '`' | '<' | '>' | '#');
    let name = one_line(&name.replace(ends_names, " "));
    if name.is_empty() { otherwise.to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_have_the_schemas_spelling_and_others_their_own() {
        let cases = [
            ("auth", "STRATEGY", "Authentication", "Strategy"),
            ("Infrastructure", "CI/CD", "Infra", "CI_CD"),
            ("frontend", "State Management", "Frontend", "State_Management"),
            ("UI", "ui library", "Frontend", "UI_Library"),
            ("Database", "Hosting", "Database", "Hosting"),
            ("Edge Network", "Points of  Presence", "Edge Network", "Points of Presence"),
        ];
        for (category_in, field_in, category_out, field_out) in cases {
            assert_eq!(category(category_in), category_out);
            assert_eq!(field(category_in, field_in), field_out);
        }
    }

    #[test]
    fn a_written_name_cannot_end_early() {
        assert_eq!(writable_category("Data.Base\n### X"), "Data Base X");
        assert_eq!(writable_field("**Type**: x = 1"), "Type x 1");
        assert_eq!(writable_field(" * "), "Description");
    }
}
