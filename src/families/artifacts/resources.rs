//! Documents, lists of them and checklists as resources that clients read and follow.

use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::kinds::Kinds;
use super::layout::{self, Layout};
use super::list_artifacts::Wanted;
use super::read_artifact::text_of;
use super::store::{self, Artifact, Filter};
use super::{checklist, query};
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::tool::ReadCx;
use crate::tool::offer::{Changes, Content, Link, Resources, Scope, Template};
use crate::tool::page::{Listing, Page};

const CHECKLISTS: &str = "mcp://resources/validation/";
/// Lists of documents by filter; both spellings are in use.
const LISTS: [&str; 2] = ["mcp://resources/artifacts/metadata", "mcp://resources/artifacts"];
const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
const PAGE: i64 = 50;

pub static RESOURCES: Resources = Resources {
    templates: &[
        Template {
            uri: "mcp://resources/artifacts/{type}/{id}",
            name: "artifact",
            title: "Artifact",
            description: "A document by type (prd) and ID (PRD-006, PRD-006_v2, 006); the latest version unless named",
            mime_type: MARKDOWN,
        },
        Template {
            uri: "mcp://resources/validation/{checklist}",
            name: "checklist",
            title: "Checklist",
            description: "What a type of document is validated against, such as prd_validation_v1",
            mime_type: JSON,
        },
        Template {
            uri: "mcp://resources/artifacts{?type,status,parent}",
            name: "artifacts",
            title: "Artifacts by filter",
            description: "Metadata of the documents that fit all filters",
            mime_type: JSON,
        },
    ],
    also_with: &[],
    follows_files: false,
    list,
    read,
    last_change: |tx, _| store::last_change(tx),
    changes,
};

/// The checklists, then the documents in the order they came.
fn list(cx: &ReadCx<'_>, cursor: Option<&str>) -> Result<Page<Link>> {
    let project = &cx.session.project;
    let listing = Listing::new(cx, &("artifacts", project))?;
    let after = listing.key(cursor)?;
    let all = Wanted { kind: None, status: None, parent: None };
    let rows = store::page(cx.tx, &all.filter(project, after.unwrap_or(0), PAGE + 1))?;
    let page = listing.page(rows, PAGE as usize, |row| row.seq, |row| 200 + row.title.len());
    let checklists = checklist::ids().filter(|_| after.is_none()).map(|id| Link {
        uri: format!("{CHECKLISTS}{id}"),
        name: id.to_owned(),
        title: None,
        mime_type: JSON,
        size: None,
    });
    let documents = page.rows.iter().map(|row| Link {
        uri: layout::uri_of(row),
        name: format!("{} v{}", row.artifact_id, row.version),
        title: Some(row.title.clone()),
        mime_type: MARKDOWN,
        size: u64::try_from(row.size_bytes).ok(),
    });
    Ok(Page { rows: checklists.chain(documents).collect(), next_cursor: page.next_cursor })
}

fn read(cx: &ReadCx<'_>, uri: &str) -> Result<Content> {
    let content = |mime_type, text| Content { uri: uri.to_owned(), mime_type, text };
    if let Some(id) = uri.strip_prefix(CHECKLISTS) {
        return checklist::text(id, cx.session.repository.as_deref()).map(|text| content(JSON, text));
    }
    let (address, asked) = uri.split_once('?').unwrap_or((uri, ""));
    if LISTS.contains(&address) {
        return filtered(cx, address, asked).map(|text| content(JSON, text));
    }
    let project = &cx.session.project;
    let unknown = || Error::not_found(format!("there is no resource `{uri}`")).detail("uri", uri);
    let asked = layout::parse_uri(uri, &Kinds::of(cx.tx, project)?)?.ok_or_else(unknown)?;
    let row = store::find(cx.tx, project, &asked.artifact_id, asked.version)?.ok_or_else(unknown)?;
    text_of(&Layout::seen_by(cx, project), &row).map(|text| content(MARKDOWN, text))
}

/// What the index knows of a document, as the resource of a list shows it.
#[derive(Serialize)]
struct Record {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    status: String,
    parent_id: Option<String>,
    parent_ids: Vec<String>,
    created_at: String,
    updated_at: String,
    file_path: String,
    version: i64,
    resource_uri: String,
}

fn filtered(cx: &ReadCx<'_>, address: &str, asked: &str) -> Result<String> {
    let project = &cx.session.project;
    let asked = query::parse(asked, &["type", "status", "parent", "cursor"])?;
    let value = |name: &str| asked.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let wanted = Wanted::new(cx.tx, project, value("type"), value("status"), value("parent"))?;
    let listing = Listing::new(cx, &("artifacts?", project, &wanted.kind, &wanted.status, &wanted.parent))?;
    let filter: Filter<'_> = wanted.filter(project, listing.key(value("cursor"))?.unwrap_or(0), PAGE + 1);
    let page =
        listing.page(store::page(cx.tx, &filter)?, PAGE as usize, |row| row.seq, |row| 400 + row.title.len());
    let layout = Layout::seen_by(cx, project);
    let records: Vec<Record> =
        page.rows.into_iter().map(|row| record(cx.tx, &layout, row)).collect::<Result<_>>()?;
    let mut answer = json!({ "artifacts": records, "returned": records.len() });
    if let Some(cursor) = page.next_cursor {
        let filters = ["type", "status", "parent"].into_iter();
        let filters = filters.filter_map(|name| Some(format!("{name}={}&", query::encode(value(name)?))));
        answer["next"] = format!("{address}?{}cursor={cursor}", filters.collect::<String>()).into();
    }
    Ok(answer.to_string())
}

fn record(tx: &ReadTx<'_>, layout: &Layout, row: Artifact) -> Result<Record> {
    let parent_ids = store::parents(tx, row.seq)?;
    Ok(Record {
        parent_id: parent_ids.first().cloned(),
        parent_ids,
        created_at: row.created_at.rfc3339(),
        updated_at: row.updated_at.rfc3339(),
        file_path: layout
            .shown(&layout.locate(&row).unwrap_or_else(|_| Path::new(&row.base).join(&row.path))),
        resource_uri: layout::uri_of(&row),
        id: row.artifact_id,
        kind: row.kind,
        title: row.title,
        status: row.status,
        version: row.version,
    })
}

fn changes(tx: &ReadTx<'_>, scope: &Scope, after: i64) -> Result<Changes> {
    let rows = store::change_after(tx, &scope.project, after)?;
    let last = rows.last().map_or(after, |(change, ..)| *change);
    let listed = rows.iter().any(|(_, is_new, _)| *is_new);
    let uris = rows.iter().flat_map(|(.., row)| spellings(row)).collect();
    Ok(Changes { last, uris, listed })
}

/// Every name under which a client may follow a document.
fn spellings(row: &Artifact) -> Vec<String> {
    let exact = layout::uri_of(row);
    let folder =
        exact.strip_prefix(layout::URI).and_then(|below| below.split('/').next()).unwrap_or_default();
    let number = row.artifact_id.rsplit('-').next().unwrap_or_default();
    let latest = [folder, &row.kind].into_iter().flat_map(|folder| {
        [row.artifact_id.as_str(), number].map(|name| format!("{}{folder}/{name}", layout::URI))
    });
    let versioned = format!("{}{}/{}_v{}.md", layout::URI, row.kind, row.artifact_id, row.version);
    let mut all: Vec<String> = std::iter::once(exact.clone()).chain(latest).chain([versioned]).collect();
    all.sort();
    all.dedup();
    all
}
