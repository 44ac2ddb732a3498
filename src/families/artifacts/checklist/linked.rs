//! What a document refers to: the store as the checks ask it.

use super::super::metadata::first_id;
use crate::error::Result;
use crate::id::ArtifactId;

/// Another document, as a Metadata row names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    Artifact(ArtifactId),
    /// The name of a file, without its folders: research has no number.
    File(String),
}

impl Reference {
    /// The first document a value names: by its id, or by the path of a Markdown file.
    pub fn in_value(value: &str) -> Option<Self> {
        if let Some(id) = first_id(value) {
            return Some(Reference::Artifact(id));
        }
        let end = value.find(".md")? + ".md".len();
        let name = value[..end].rsplit(['/', '\\', '`', '(', '[', '"', ' ']).next()?;
        (name.len() > ".md".len()).then(|| Reference::File(name.to_owned()))
    }
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reference::Artifact(id) => id.fmt(f),
            Reference::File(name) => f.write_str(name),
        }
    }
}

/// The documents that are known beside the one being checked.
pub trait Linked {
    /// The status of a document, if it is kept.
    fn status(&self, reference: &Reference) -> Result<Option<String>>;

    /// The text of a document, if it is kept.
    fn text(&self, reference: &Reference) -> Result<Option<String>>;

    /// Whether any document with the prefix is kept; otherwise nothing can be said about its ids.
    fn keeps(&self, prefix: &str) -> Result<bool>;

    fn knows(&self, id: &ArtifactId) -> Result<bool>;
}

/// Nothing is known.
#[derive(Clone, Copy, Debug)]
pub struct NoStore;

impl Linked for NoStore {
    fn status(&self, _: &Reference) -> Result<Option<String>> {
        Ok(None)
    }

    fn text(&self, _: &Reference) -> Result<Option<String>> {
        Ok(None)
    }

    fn keeps(&self, _: &str) -> Result<bool> {
        Ok(false)
    }

    fn knows(&self, _: &ArtifactId) -> Result<bool> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_name_documents_by_id_or_by_path() {
        for (value, expected) in [
            ("EPIC-006 (title)", Some("EPIC-006")),
            ("`/artifacts/product_visions/VIS-001_x_v1.md`", Some("VIS-001")),
            ("`artifacts/research/shop_business_research.md`", Some("shop_business_research.md")),
            ("[Research](artifacts/research/shop.md)", Some("shop.md")),
            ("shop.md (final)", Some("shop.md")),
            ("N/A (none)", None),
            (".md", None),
        ] {
            assert_eq!(
                Reference::in_value(value).map(|found| found.to_string()).as_deref(),
                expected,
                "{value}"
            );
        }
    }
}
