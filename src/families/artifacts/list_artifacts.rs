use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::Document;
use super::integrity::{self, Integrity};
use super::kinds::{BUILT_IN, Kind, Kinds};
use super::layout::{self, Layout};
use super::metadata::{Metadata, plain_status};
use super::read_artifact::text_of;
use super::store::{self, Artifact, Filter};
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::id::ArtifactId;
use crate::tool::page::Listing;
use crate::tool::{Access, ReadCx, ReadTool, Tool};

/// Lists the documents of a project by type, status and parent.
pub struct ListArtifacts;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Long name or prefix: prd, US
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 64))]
    kind: Option<String>,
    /// Such as Draft or Approved
    #[schemars(length(min = 1, max = 64))]
    status: Option<String>,
    /// Any of its parents, such as EPIC-006
    #[schemars(length(min = 1, max = 32))]
    parent: Option<String>,
    /// Default: the repository's project
    #[schemars(length(min = 1, max = 100))]
    project_id: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    #[schemars(length(max = 200))]
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    artifacts: Vec<Listed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A document as a list shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    artifact_id: String,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    status: String,
    parent_ids: Vec<String>,
    version: i64,
    resource_uri: String,
    /// Whether an approved document has been changed since
    tampered: bool,
    #[serde(skip)]
    #[schemars(skip)]
    seq: i64,
}

impl Tool for ListArtifacts {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "list_artifacts";
    const TITLE: &'static str = "List artifacts";
    const DESCRIPTION: &'static str = "Lists the latest version of a project's documents; type, status and \
        parent combine. Pass next_cursor back as cursor to go on.";
    const ACCESS: Access = Access::Everyone;
}

impl ReadTool for ListArtifacts {
    const TOUCHES_FILES: bool = true;

    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let project = cx.session.project_or(args.project_id.as_deref())?;
        let wanted = Wanted::new(
            cx.tx,
            project,
            args.kind.as_deref(),
            args.status.as_deref(),
            args.parent.as_deref(),
        )?;
        let listing = Listing::new(cx, &(project, &wanted.kind, &wanted.status, &wanted.parent))?;
        let limit = args.limit.unwrap_or(50);
        let filter = wanted.filter(project, listing.key(args.cursor.as_deref())?.unwrap_or(0), limit + 1);
        let layout = Layout::seen_by(cx, project);
        let rows = store::page(cx.tx, &filter)?.into_iter().map(|row| listed(cx.tx, &layout, row));
        let rows: Vec<Listed> = rows.collect::<Result<_>>()?;
        let size = |row: &Listed| 220 + row.title.len() * 2 + row.parent_ids.len() * 12;
        let page = listing.page(rows, usize::try_from(limit).unwrap_or(50), |row| row.seq, size);
        Ok(Output { artifacts: page.rows, next_cursor: page.next_cursor })
    }
}

/// The filters of a listing, in the words of the index.
#[derive(Debug)]
pub struct Wanted {
    pub kind: Option<String>,
    pub status: Option<String>,
    pub parent: Option<String>,
}

impl Wanted {
    pub fn new(
        tx: &ReadTx<'_>,
        project: &str,
        kind: Option<&str>,
        status: Option<&str>,
        parent: Option<&str>,
    ) -> Result<Self> {
        let kinds = Kinds::of(tx, project)?;
        let named =
            |text| kinds.called(text).map(|found| found.first().map(|kind| kind.type_name().to_owned()));
        let kind = kind.map(named).transpose()?.flatten();
        let parent = parent.map(|text| match ArtifactId::parse(text.trim()) {
            Some(id) => Ok(id.to_string()),
            None => Err(Error::invalid(format!("`parent` is \"{text}\", expected an ID such as EPIC-006"))
                .detail("field", "parent")),
        });
        Ok(Wanted { kind, status: status.map(status_as_stored), parent: parent.transpose()? })
    }

    pub fn filter<'a>(&'a self, project: &'a str, after: i64, limit: i64) -> Filter<'a> {
        Filter {
            project,
            kind: self.kind.as_deref(),
            status: self.status.as_deref(),
            parent: self.parent.as_deref(),
            after,
            limit,
        }
    }
}

/// A status in the spelling of its type: `approved` and `Draft (v2)` are Approved and Draft.
fn status_as_stored(text: &str) -> String {
    let plain = plain_status(text);
    let known = BUILT_IN.iter().flat_map(Kind::statuses).find(|known| known.eq_ignore_ascii_case(&plain));
    known.map_or(plain, str::to_owned)
}

fn listed(tx: &ReadTx<'_>, layout: &Layout, mut row: Artifact) -> Result<Listed> {
    let integrity = integrity::glance(tx, layout, &row)?;
    if integrity == Integrity::Edited
        && let Ok(text) = text_of(layout, &row)
    {
        // A draft that somebody has edited says itself what it is.
        let said = Metadata::of(&Document::read(&text));
        row.title = said.title.unwrap_or(row.title);
        row.status = said.status.unwrap_or(row.status);
    }
    Ok(Listed {
        parent_ids: store::parents(tx, row.seq)?,
        resource_uri: layout::uri_of(&row),
        artifact_id: row.artifact_id,
        kind: row.kind,
        title: row.title,
        status: row.status,
        version: row.version,
        tampered: integrity == Integrity::Tampered,
        seq: row.seq,
    })
}
