//! The catalogue of questions: categories, their fields, words and questions, as data.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::error::{Error, Result};

const QUESTIONS: &str = include_str!("../../../../assets/preflight/questions.json");
/// The last option of every choice; never translated.
pub const OTHER: &str = "Other (specify)";
/// What the id of a choice is followed by to name its free text.
pub const COMPANION: &str = "__other";
/// Where a decision goes that fits no named field.
pub const DESCRIPTION: &str = "Description";
/// The category of everything that has no other.
pub const OTHER_CATEGORY: &str = "Other";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    pub categories: Vec<Category>,
    /// Asked when the intention names no category.
    pub generic: Vec<Entry>,
    /// About the task rather than the architecture; never decides a field.
    pub details: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    pub name: String,
    pub aliases: Vec<String>,
    /// Whether a request that names it calls for a decision record.
    #[serde(default)]
    pub trigger: bool,
    /// Whether its questions have little to do with each other, so that one does not raise the rest.
    #[serde(default)]
    pub independent: bool,
    pub fields: Vec<String>,
    #[serde(default)]
    pub any_field: bool,
    pub words: Vec<String>,
    /// What its folders and files are called.
    pub path_words: Vec<String>,
    pub questions: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    SingleChoice,
    MultiChoice,
    FreeText,
}

impl Type {
    pub fn parse(word: &str) -> Option<Self> {
        [Type::SingleChoice, Type::MultiChoice, Type::FreeText].into_iter().find(|kind| kind.word() == word)
    }

    pub fn word(self) -> &'static str {
        match self {
            Type::SingleChoice => "single_choice",
            Type::MultiChoice => "multi_choice",
            Type::FreeText => "free_text",
        }
    }
}

/// One question as it stands in the catalogue.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: Type,
    pub question: String,
    /// The field it decides; a question without one is a detail of the task.
    pub field: Option<String>,
    #[serde(default)]
    pub optional: bool,
    /// An intention with one of these is about this question in particular.
    #[serde(default)]
    pub words: Vec<String>,
    /// What folders and files are called that only this question is about.
    #[serde(default)]
    pub path_words: Vec<String>,
    #[serde(default)]
    pub options: Vec<Choice>,
    pub min_selections: Option<usize>,
    pub max_selections: Option<usize>,
    pub depends_on: Option<Condition>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Choice {
    Plain(String),
    /// Comes early where one of `with` is in use.
    With(Suited),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suited {
    pub value: String,
    pub with: Vec<String>,
}

impl Choice {
    pub fn value(&self) -> &str {
        match self {
            Choice::Plain(value) | Choice::With(Suited { value, .. }) => value,
        }
    }

    pub fn with(&self) -> &[String] {
        match self {
            Choice::Plain(_) => &[],
            Choice::With(suited) => &suited.with,
        }
    }
}

/// A question that is only asked when another one has one of these values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    pub question: String,
    pub values: Vec<String>,
}

impl Entry {
    /// The question's text as a name: without the question word and the question mark.
    pub fn label(&self) -> &str {
        let text = self.question.trim().trim_end_matches('?').trim();
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        if ["Which", "What", "Select", "Choose"].contains(&first) { rest.trim() } else { text }
    }

    pub fn is_choice(&self) -> bool {
        self.kind != Type::FreeText
    }

    pub fn companion(&self) -> String {
        format!("{}{COMPANION}", self.id)
    }
}

impl Catalogue {
    /// The compiled-in catalogue, read once.
    pub fn get() -> Result<&'static Self> {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        if let Some(catalogue) = CATALOGUE.get() {
            return Ok(catalogue);
        }
        let catalogue: Catalogue = serde_json::from_str(QUESTIONS)
            .map_err(|error| Error::internal("the built-in question catalogue is broken").because(error))?;
        Ok(CATALOGUE.get_or_init(|| catalogue))
    }

    /// The category of this name or alias, in any case.
    pub fn category(&self, name: &str) -> Option<&Category> {
        let same = |known: &str| same(known, name);
        self.categories
            .iter()
            .find(|category| same(&category.name) || category.aliases.iter().any(|alias| same(alias)))
    }

    /// The schema's spelling of a field; `Description` belongs to every category, any name to Other.
    pub fn field(&self, category: &str, name: &str) -> Option<String> {
        let category = self.category(category)?;
        let known = category.fields.iter().map(String::as_str).chain([DESCRIPTION]);
        let found = known.into_iter().find(|known| same(known, name)).map(str::to_owned);
        found.or_else(|| category.any_field.then(|| field_name(name)))
    }

    /// Every question with its category; generic ones and details have none.
    pub fn entries(&self) -> impl Iterator<Item = (Option<&Category>, &Entry)> {
        let own = self
            .categories
            .iter()
            .flat_map(|category| category.questions.iter().map(move |entry| (Some(category), entry)));
        own.chain(self.generic.iter().chain(&self.details).map(|entry| (None, entry)))
    }

    pub fn entry(&self, id: &str) -> Option<(Option<&Category>, &Entry)> {
        self.entries().find(|(_, entry)| entry.id == id)
    }

    /// Every id that an answer may carry.
    pub fn ids(&self) -> BTreeSet<String> {
        let companions =
            self.entries().filter(|(_, entry)| entry.is_choice()).map(|(_, entry)| entry.companion());
        self.entries().map(|(_, entry)| entry.id.clone()).chain(companions).collect()
    }
}

/// Whether two names are the same in any case.
pub fn same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// A field name that every reader of the documents understands: letters, digits, underscores.
pub fn field_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join("_").chars().take(60).collect();
    if name.is_empty() { DESCRIPTION.to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_holds_together() {
        let catalogue = Catalogue::get().unwrap();
        let names: Vec<&str> = catalogue.categories.iter().map(|category| category.name.as_str()).collect();
        assert_eq!(
            names,
            ["Frontend", "Backend", "Database", "Authentication", "Infra", "Messaging", "Other"]
        );
        let mut seen = BTreeSet::new();
        for (category, entry) in catalogue.entries() {
            assert!(seen.insert(&entry.id), "`{}` is there twice", entry.id);
            assert!(entry.question.ends_with('?'), "{}", entry.id);
            assert!(!crate::families::preflight::clarify::proposed::is_extra(&entry.id), "{}", entry.id);
            assert_eq!(entry.is_choice(), !entry.options.is_empty(), "{}", entry.id);
            assert!(entry.options.iter().all(|option| option.value() != OTHER), "{}", entry.id);
            if let (Some(category), Some(field)) = (category, &entry.field) {
                assert!(category.fields.contains(field), "{}: no field {field}", entry.id);
            }
            if let Some(condition) = &entry.depends_on {
                assert!(entry.optional, "{}: a follow-up must not hold up the answer", entry.id);
                assert!(catalogue.entry(&condition.question).is_some_and(|(_, parent)| !parent.optional));
            }
        }
        for category in catalogue.categories.iter().filter(|category| !category.any_field) {
            let decided = |field| category.questions.iter().any(|entry| entry.field.as_ref() == Some(field));
            assert!(category.fields.iter().all(decided), "{}: a field without a question", category.name);
            assert!(category.questions.iter().any(|entry| !entry.optional), "{}", category.name);
        }
    }

    #[test]
    fn names_are_found_in_any_case_and_by_alias() {
        let catalogue = Catalogue::get().unwrap();
        assert_eq!(catalogue.category("auth").unwrap().name, "Authentication");
        assert_eq!(catalogue.category("INFRASTRUCTURE").unwrap().name, "Infra");
        assert_eq!(catalogue.field("db", "orm").as_deref(), Some("ORM"));
        assert_eq!(catalogue.field("Database", "description").as_deref(), Some("Description"));
        assert_eq!(catalogue.field("Database", "Colour"), None);
        assert_eq!(catalogue.field("Other", "Full text/search").as_deref(), Some("Full_text_search"));
        assert_eq!(catalogue.entry("auth_strategy").unwrap().1.label(), "authentication strategy");
    }
}
