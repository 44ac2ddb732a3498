//! What a family offers beside its tools: resources a client can read and subscribe to, and
//! prompts a person can pick.

use std::path::PathBuf;

use super::JsonObject;
use super::cx::ReadCx;
use super::page::Page;
use crate::db::ReadTx;
use crate::error::Result;

/// A resource as a list shows it, and as a result points to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub mime_type: &'static str,
    pub size: Option<u64>,
}

/// Resources by pattern; `{name}` is filled in by the client.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    pub uri: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub mime_type: &'static str,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub uri: String,
    pub mime_type: &'static str,
    pub text: String,
}

/// What has become of a project's resources since a change that was seen before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The newest change; asked for again, it gives none.
    pub last: i64,
    /// The resources whose content is another.
    pub uris: Vec<String>,
    /// Whether the list itself is another.
    pub listed: bool,
}

/// Whose resources are meant: a project's, and those of the folder its documents lie in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    pub project: String,
    pub documents: PathBuf,
}

impl Scope {
    /// The folder as it is stored.
    pub fn root(&self) -> Option<&str> {
        self.documents.to_str()
    }
}

/// The resources of a family, as a table of what can be asked.
#[derive(Debug)]
pub struct Resources {
    pub templates: &'static [Template],
    /// Other toolsets that bring these resources along.
    pub also_with: &'static [&'static str],
    /// Whether rows are brought in step with the files before they are listed or read, and while
    /// somebody listens.
    pub follows_files: bool,
    pub list: fn(&ReadCx<'_>, Option<&str>) -> Result<Page<Link>>,
    /// A resource that does not exist is an error of the kind `NotFound`.
    pub read: fn(&ReadCx<'_>, &str) -> Result<Content>,
    /// The change up to which everything is known already, for whoever begins to listen.
    pub last_change: fn(&ReadTx<'_>, &Scope) -> Result<i64>,
    /// What the resources have become after a change.
    pub changes: fn(&ReadTx<'_>, &Scope, i64) -> Result<Changes>,
}

/// A ready-made request.
#[derive(Clone, Copy, Debug)]
pub struct Prompt {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub arguments: &'static [PromptArgument],
    /// The tool without which the request makes no sense.
    pub needs: &'static str,
    pub get: fn(&ReadCx<'_>, &JsonObject) -> Result<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct PromptArgument {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
}

/// Completes an argument of a template or a prompt: its name, what is typed of it, what the others
/// are. The best first.
pub type Complete = fn(&ReadCx<'_>, &str, &str, &JsonObject) -> Result<Vec<String>>;
