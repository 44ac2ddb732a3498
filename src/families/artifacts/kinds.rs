//! The kinds of documents: what they are called, where they live, which statuses they pass through,
//! and what their approval brings forth.

use std::borrow::Cow;

use crate::db::ReadTx;
use crate::error::{Error, Result, nearest};
use crate::families::ids::store::added_types;
use crate::id::ArtifactId;

/// A kind of document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The long name, which is also the name of its checklist.
    pub name: Cow<'static, str>,
    /// Empty for research, which has no numbers.
    pub prefix: Cow<'static, str>,
    /// Plural, on disk and in URIs.
    pub folder: Cow<'static, str>,
    /// Other names people and older documents use.
    aliases: &'static [&'static str],
    /// The first one is where a document begins; nothing stands for anything.
    statuses: &'static [&'static str],
    pub children: Option<Children>,
}

/// What an approval brings forth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Children {
    pub prefix: &'static str,
    pub generator: &'static str,
    pub from: Decomposition,
}

/// Where the parts of a document are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decomposition {
    /// One part, with the document's own number.
    SameNumber,
    /// Parts are defined in the first of these sections that exists, as it is compared.
    Sections { names: &'static [&'static str], unnumbered: bool },
}

const fn children(
    prefix: &'static str,
    generator: &'static str,
    names: &'static [&'static str],
) -> Option<Children> {
    Some(Children { prefix, generator, from: Decomposition::Sections { names, unnumbered: false } })
}

const fn kind(
    name: &'static str,
    prefix: &'static str,
    folder: &'static str,
    aliases: &'static [&'static str],
    statuses: &'static [&'static str],
    children: Option<Children>,
) -> Kind {
    Kind {
        name: Cow::Borrowed(name),
        prefix: Cow::Borrowed(prefix),
        folder: Cow::Borrowed(folder),
        aliases,
        statuses,
        children,
    }
}

const EARLY: [&str; 7] = ["Draft", "In Review", "Approved", "Planned", "Active", "In Progress", "Completed"];
const DECIDED: [&str; 5] = ["Proposed", "Accepted", "Active", "Deprecated", "Superseded"];

/// Every kind that is built in, in the order of a project's life.
pub static BUILT_IN: [Kind; 13] = [
    kind("product_vision", "VIS", "product_visions", &["vision"], &EARLY, None),
    kind(
        "initiative",
        "INIT",
        "initiatives",
        &[],
        &["Draft", "In Review", "Approved", "Planned", "Active", "In Progress", "Completed", "Cancelled"],
        children("EPIC", "epic-generator", &["supporting epics"]),
    ),
    kind(
        "epic",
        "EPIC",
        "epics",
        &[],
        &EARLY,
        Some(Children { prefix: "PRD", generator: "prd-generator", from: Decomposition::SameNumber }),
    ),
    kind(
        "prd",
        "PRD",
        "prds",
        &[],
        &["Draft", "In Review", "Approved", "Ready", "In Progress", "Completed"],
        children("HLS", "hls-generator", &["high-level user stories", "high-level stories"]),
    ),
    kind(
        "hls",
        "HLS",
        "hls",
        &["high_level_story", "high_level_user_story"],
        &["Draft", "In Review", "Approved", "Ready", "In Progress", "Completed"],
        Some(Children {
            prefix: "US",
            generator: "backlog-story-generator",
            from: Decomposition::Sections {
                names: &["decomposition into backlog stories", "decomposition"],
                unnumbered: true,
            },
        }),
    ),
    kind("funcspec", "FS", "funcspecs", &[], &["Draft", "In Review", "Approved", "Ready"], None),
    kind(
        "backlog_story",
        "US",
        "backlog_stories",
        &["story", "user_story"],
        &["Backlog", "Ready", "In Progress", "In Review", "Done"],
        children(
            "TASK",
            "implementation-task-generator",
            &["proposed implementation tasks", "implementation tasks evaluation", "implementation tasks"],
        ),
    ),
    kind("spike", "SPIKE", "spikes", &[], &["Planned", "In Progress", "Completed"], None),
    kind("adr", "ADR", "adrs", &[], &DECIDED, None),
    kind(
        "tech_spec",
        "SPEC",
        "tech_specs",
        &["spec", "specs"],
        &DECIDED,
        children(
            "TASK",
            "implementation-task-generator",
            &["implementation tasks", "proposed implementation tasks", "implementation plan"],
        ),
    ),
    kind(
        "task",
        "TASK",
        "tasks",
        &["implementation_task"],
        &["To Do", "In Progress", "In Review", "Done"],
        None,
    ),
    kind("business_research", "", "research", &[], &["Draft", "In Review", "Finalized"], None),
    kind("implementation_research", "", "research", &[], &["Draft", "In Review", "Finalized"], None),
];

/// What both kinds of research are called where their difference does not matter.
pub const RESEARCH: &str = "research";

impl Kind {
    /// The name tools answer: research is one type to them.
    pub fn type_name(&self) -> &str {
        if self.is_research() { RESEARCH } else { &self.name }
    }

    pub fn is_research(&self) -> bool {
        self.folder == RESEARCH
    }

    /// Whether a document of this kind may have a status; what the project has added may have any.
    pub fn allows(&self, status: &str) -> bool {
        self.statuses.is_empty()
            || self.is_first(status)
            || self.statuses.contains(&status)
            || status == APPROVED
    }

    /// The statuses, for whoever chose another one.
    pub fn statuses(&self) -> impl Iterator<Item = &'static str> {
        let draft = (!self.statuses.contains(&DRAFT)).then_some(DRAFT);
        draft.into_iter().chain(self.statuses.iter().copied())
    }

    /// Whether a status is where a document of this kind begins: it can be approved then.
    pub fn is_first(&self, status: &str) -> bool {
        status == DRAFT || self.statuses.first() == Some(&status)
    }

    fn is_called(&self, name: &str) -> bool {
        // Research has no prefix, and nothing is not its name.
        !name.is_empty() && self.names(name)
    }

    fn names(&self, name: &str) -> bool {
        [&self.name, &self.prefix, &self.folder].into_iter().any(|known| known.eq_ignore_ascii_case(name))
            || self.aliases.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

pub const DRAFT: &str = "Draft";
pub const APPROVED: &str = "Approved";
pub const FINALIZED: &str = "Finalized";

/// The checklist of a document: both kinds of research are one type, but not one list.
pub fn checklist_of(type_name: &str, artifact_id: &str) -> String {
    let name = match type_name {
        RESEARCH if artifact_id.to_lowercase().contains("implementation_research") => {
            "implementation_research"
        }
        RESEARCH => "business_research",
        other => other,
    };
    format!("{name}_validation_v1")
}

/// The kinds a project has: those built in and those it has added.
#[derive(Clone, Debug)]
pub struct Kinds {
    added: Vec<Kind>,
}

impl Kinds {
    pub fn of(tx: &ReadTx<'_>, project: &str) -> Result<Self> {
        let added = added_types(tx, project)?.into_iter().map(|added| Kind {
            folder: Cow::Owned(plural(&added.name)),
            name: Cow::Owned(added.name),
            prefix: Cow::Owned(added.prefix),
            aliases: &[],
            statuses: &[],
            children: None,
        });
        Ok(Kinds { added: added.collect() })
    }

    /// Only what is built in.
    pub fn built_in() -> Self {
        Kinds { added: Vec::new() }
    }

    fn all(&self) -> impl Iterator<Item = &Kind> {
        BUILT_IN.iter().chain(&self.added)
    }

    /// The type comes from the prefix, never from a label: stories of two types share one.
    pub fn of_id(&self, id: &ArtifactId) -> Option<&Kind> {
        self.all().find(|kind| kind.prefix == id.prefix.as_str())
    }

    pub fn named(&self, name: &str) -> Option<&Kind> {
        self.all().find(|kind| kind.name == name)
    }

    /// The kinds a text may mean: long name, prefix, plural or short name. Research is two of them.
    pub fn called(&self, text: &str) -> Result<Vec<&Kind>> {
        let wanted = text.trim();
        let found: Vec<&Kind> = self.all().filter(|kind| kind.is_called(wanted)).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let names: Vec<&str> = self.all().map(|kind| kind.name.as_ref()).collect();
        let error = Error::invalid(format!("there is no artifact type `{text}`"))
            .detail("field", "type")
            .detail("received", text)
            .reason("unknown_type");
        Err(match nearest(wanted, names.iter().copied()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("the types are {}", names.join(", "))),
        })
    }

    /// The prefixes, for whoever used another one.
    pub fn prefixes(&self) -> Vec<&str> {
        self.all().map(|kind| kind.prefix.as_ref()).filter(|prefix| !prefix.is_empty()).collect()
    }
}

fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if name.ends_with('s') => name.to_owned(),
        _ => format!("{name}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_any_of_its_names() {
        let kinds = Kinds::built_in();
        for (text, name) in [
            ("us", "backlog_story"),
            ("story", "backlog_story"),
            ("epics", "epic"),
            ("SPEC", "tech_spec"),
            ("prd", "prd"),
        ] {
            assert_eq!(kinds.called(text).unwrap()[0].name, name, "{text}");
        }
        assert_eq!(kinds.called("research").unwrap().len(), 2);
        assert_eq!(kinds.called("epci").unwrap_err().hint_text(), Some("did you mean `epic`?"));
        assert!(kinds.called("").is_err());
    }

    #[test]
    fn every_kind_begins_somewhere_and_can_be_approved() {
        for kind in &BUILT_IN {
            assert!(kind.is_first(DRAFT) && kind.allows(DRAFT) && kind.allows(APPROVED), "{}", kind.name);
            assert!(!kind.is_first(APPROVED), "{}", kind.name);
        }
        let first = |name: &str| Kinds::built_in().named(name).unwrap().statuses[0];
        assert_eq!(
            ["backlog_story", "task", "spike", "adr"].map(first),
            ["Backlog", "To Do", "Planned", "Proposed"]
        );
        assert!(!BUILT_IN[3].allows("Backlog"));
    }

    #[test]
    fn added_types_get_a_folder_of_their_own() {
        assert_eq!(["memo", "story", "essay", "notes"].map(plural), ["memos", "stories", "essays", "notes"]);
    }
}
