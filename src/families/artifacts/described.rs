//! A document and its file name together: everything the index keeps of it.

use super::document::Document;
use super::kinds::{Kind, Kinds};
use super::metadata::{Metadata, first_id, version_in_name};
use crate::id::ArtifactId;

/// What a document is.
#[derive(Clone, Debug)]
pub struct Described {
    /// `PRD-006`; for research, which has no numbers, its name.
    pub artifact_id: String,
    pub kind: Kind,
    pub metadata: Metadata,
    /// From the file name where there is one; a label says less than the file it stands in.
    pub version: Option<i64>,
    /// The id in its file name, whatever the document says itself.
    pub named: Option<ArtifactId>,
    /// What a careful reader would ask about; none of it keeps the document from being indexed.
    pub remarks: Vec<String>,
}

/// Why a text is no document of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoArtifact {
    /// It says nowhere what it is.
    NoId,
    /// Its prefix belongs to no type.
    UnknownType,
}

impl Described {
    /// Looks at a document; `file_name` is known when it lies in a tree.
    pub fn of(document: &Document<'_>, file_name: Option<&str>, kinds: &Kinds) -> Result<Self, NoArtifact> {
        let metadata = Metadata::of(document);
        let named = file_name.and_then(id_in_name);
        let version = file_name.and_then(version_in_name).or(metadata.version);
        let stated = metadata.id.clone();
        // A file that is named like a document and has a Metadata block is one, though it forgot its id.
        let id = stated.clone().or_else(|| named.clone().filter(|_| !document.metadata.is_empty()));
        let mut remarks = Vec::new();
        let (artifact_id, kind) = match id {
            Some(id) => (id.to_string(), kinds.of_id(&id).ok_or(NoArtifact::UnknownType)?.clone()),
            None => research(document, file_name, kinds).ok_or(NoArtifact::NoId)?,
        };
        if let (Some(stated), Some(named)) = (&stated, &named)
            && stated != named
        {
            remarks.push(format!("its file is called {named}, its metadata say {stated}"));
        }
        if stated.is_none() && named.is_some() {
            remarks.push("its metadata do not state its ID; taken from the file name".to_owned());
        }
        if let (Some(label), Some(name)) = (metadata.version, file_name.and_then(version_in_name))
            && label != name
        {
            remarks.push(format!("its file is version {name}, its label says {label}"));
        }
        for odd in &metadata.odd_parents {
            remarks.push(format!("{odd} cannot be its parent"));
        }
        match &metadata.status {
            None => remarks.push("it has no status".to_owned()),
            Some(status) if !kind.allows(status) => {
                remarks.push(format!("`{status}` is no status of its type"));
            }
            Some(_) => {}
        }
        if metadata.title.is_none() {
            remarks.push("it has no title".to_owned());
        }
        Ok(Described { artifact_id, kind, metadata, version, named, remarks })
    }

    pub fn id(&self) -> Option<ArtifactId> {
        ArtifactId::parse(&self.artifact_id)
    }

    pub fn status(&self) -> &str {
        self.metadata.status.as_deref().unwrap_or("Unknown")
    }

    pub fn title(&self) -> &str {
        self.metadata.title.as_deref().unwrap_or(&self.artifact_id)
    }
}

/// `US-040_mcp_tool_v3.md` begins with its id.
pub fn id_in_name(name: &str) -> Option<ArtifactId> {
    let stem = name.strip_suffix(".md")?;
    let first = stem.split(['_', '.', ' ']).next()?;
    first_id(first).filter(|id| first.starts_with(&id.prefix))
}

/// Research is known by its title or its file: `# Shop Business Research`, `Shop_business_research.md`.
fn research(document: &Document<'_>, file_name: Option<&str>, kinds: &Kinds) -> Option<(String, Kind)> {
    let title = document.title().map(|title| title.text.as_str()).unwrap_or_default();
    let stem = file_name.and_then(|name| name.strip_suffix(".md")).map(|stem| {
        let version = file_name.and_then(version_in_name).map(|version| format!("_v{version}"));
        version.and_then(|version| stem.strip_suffix(version.as_str())).unwrap_or(stem)
    });
    let words = |text: &str| text.to_lowercase().replace(['_', '-'], " ");
    let is = |what: &str| words(title).contains(what) || stem.is_some_and(|stem| words(stem).ends_with(what));
    let name = ["business_research", "implementation_research"].into_iter().find(|name| is(&words(name)))?;
    // A document that only speaks of research has no Metadata block of its own.
    if document.metadata.is_empty() {
        return None;
    }
    let called = match stem {
        Some(stem) if stem.to_lowercase().contains(name) => stem.to_owned(),
        Some(stem) => format!("{stem}_{name}"),
        None => slug(title),
    };
    Some((called, kinds.named(name)?.clone()))
}

/// `Shop: Business Research` as the name of a file: `Shop_business_research`.
fn slug(title: &str) -> String {
    // ASCII only, so that positions stay those of the title.
    let lower = title.to_ascii_lowercase();
    let end = ["business research", "implementation research"].into_iter().find_map(|what| lower.find(what));
    let (product, what) = title.split_at(end.unwrap_or(0));
    let joined = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("_")
    };
    let what: String = what.split(':').next().unwrap_or(what).to_lowercase();
    let what = joined(&what).chars().take(60).collect::<String>();
    match joined(product).chars().take(60).collect::<String>() {
        product if product.is_empty() => what,
        product => format!("{product}_{what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str, name: &str) -> Result<Described, NoArtifact> {
        Described::of(&Document::read(text), (!name.is_empty()).then_some(name), &Kinds::built_in())
    }

    #[test]
    fn the_metadata_say_which_document_and_the_file_name_which_version() {
        let task = "# Implementation Task: T\n## Metadata\n- **Task ID:** TASK-034\n- **Status:** To Do\n- **Version:** v9\n";
        let found = described(task, "TASK-001_do_it_v2.md").unwrap();
        assert_eq!((found.artifact_id.as_str(), found.version), ("TASK-034", Some(2)));
        assert_eq!(found.kind.name, "task");
        assert_eq!(
            found.remarks,
            [
                "its file is called TASK-001, its metadata say TASK-034",
                "its file is version 2, its label says 9"
            ]
        );
        let silent = "# Spike: T\n## Metadata\n- **Status:** Planned\n";
        assert_eq!(described(silent, "SPIKE-001_v1.md").unwrap().artifact_id, "SPIKE-001");
        assert_eq!(described("# Notes\n", "US-001_v1.md").unwrap_err(), NoArtifact::NoId);
        assert_eq!(
            described("# X\n## Metadata\n- **ID:** ABC-001\n", "").unwrap_err(),
            NoArtifact::UnknownType
        );
    }

    #[test]
    fn research_is_known_by_its_title_or_its_file() {
        let text = "# Shop Server Business Research\n## Document Metadata\n- **Status:** Final\n- **Version:** 1.0\n";
        let found = described(text, "").unwrap();
        assert_eq!(
            (found.artifact_id.as_str(), found.kind.name.as_ref()),
            ("Shop_Server_business_research", "business_research")
        );
        assert_eq!((found.status(), found.version), ("Finalized", Some(1)));
        let found = described(text, "Shop_business_research_v2.md").unwrap();
        assert_eq!((found.artifact_id.as_str(), found.version), ("Shop_business_research", Some(2)));
        assert!(described("# About business research\n", "").is_err(), "it has no metadata of its own");
    }
}
