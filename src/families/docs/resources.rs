//! The current task, the architecture's state and every decision as resources that clients read and
//! follow.

use std::path::Path;

use super::places::{ADRS, ARCHIVED_TASKS, CURRENT_TASK, Kind, STATE, URI, kind_of, uid_in};
use super::store::{self, Indexed};
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::families::ARCHITECTURE;
use crate::paths::existing_file_inside;
use crate::tool::ReadCx;
use crate::tool::offer::{Changes, Content, Link, Resources, Scope, Template};
use crate::tool::page::{Listing, Page};

const MARKDOWN: &str = "text/markdown";
const PAGE: i64 = 50;

pub static RESOURCES: Resources = Resources {
    templates: &[
        Template {
            uri: "mcp://resources/docs/adr/{uid}",
            name: "adr",
            title: "Decision",
            description: "An architecture decision by its UID or file name",
            mime_type: MARKDOWN,
        },
        Template {
            uri: "mcp://resources/docs/archive/task/{name}",
            name: "archived_task",
            title: "Archived task",
            description: "A task that was current once, by its file name",
            mime_type: MARKDOWN,
        },
    ],
    also_with: &["preflight"],
    follows_files: true,
    list,
    read,
    last_change: |tx, scope| {
        Ok(scope.root().map(|root| store::last_change(tx, root)).transpose()?.unwrap_or(0))
    },
    changes,
};

/// The task, the state and the decisions, in the order they came.
fn list(cx: &ReadCx<'_>, cursor: Option<&str>) -> Result<Page<Link>> {
    let root = cx.documents(&cx.session.project);
    let root = root.to_string_lossy();
    let listing = Listing::new(cx, &("docs", &root))?;
    let rows = store::page(cx.tx, &root, listing.key(cursor)?.unwrap_or(0), PAGE + 1)?;
    let page = listing.page(rows, PAGE as usize, |row| row.doc, |row| 300 + 2 * row.path.len());
    let links = page.rows.into_iter().filter_map(|row| {
        Some(Link {
            name: row.path.rsplit('/').next().unwrap_or(&row.path).to_owned(),
            uri: row.uri?,
            title: Some(row.title),
            mime_type: MARKDOWN,
            size: None,
        })
    });
    Ok(Page { rows: links.collect(), next_cursor: page.next_cursor })
}

fn read(cx: &ReadCx<'_>, uri: &str) -> Result<Content> {
    let unknown = || Error::not_found(format!("there is no resource `{uri}`"));
    let path = uri.strip_prefix(URI).map(|below| format!("docs/{below}")).ok_or_else(unknown)?;
    let root = cx.documents(&cx.session.project);
    let content = |text| Content { uri: uri.to_owned(), mime_type: MARKDOWN, text };
    match kind_of(&path) {
        // Folded anew: a file may be behind, or gone.
        Some(Kind::State) => ARCHITECTURE(cx.tx, &root).map(content),
        Some(Kind::Adr | Kind::Task) => text(&root, &named(&root, &path)).map(content).ok_or_else(unknown),
        Some(Kind::Artifact) | None => Err(unknown()),
    }
}

/// A decision may be asked for by its UID alone.
fn named(root: &Path, path: &str) -> String {
    let uid = path.strip_prefix(ADRS).filter(|name| !name.ends_with(".md"));
    let Some(uid) = uid else { return path.to_owned() };
    let listed = std::fs::read_dir(root.join(ADRS)).into_iter().flatten().flatten();
    let mut names = listed.filter_map(|entry| entry.file_name().into_string().ok());
    let name = names.find(|name| uid_in(name) == Some(uid));
    name.map_or_else(|| path.to_owned(), |name| format!("{ADRS}{name}"))
}

fn text(root: &Path, path: &str) -> Option<String> {
    let file = existing_file_inside(root, path).ok()?;
    std::fs::read(file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn changes(tx: &ReadTx<'_>, scope: &Scope, after: i64) -> Result<Changes> {
    let Some(root) = scope.root() else { return Ok(Changes { last: after, ..Changes::default() }) };
    let rows = store::change_after(tx, root, after)?;
    let last = rows.last().map_or(after, |(change, ..)| *change);
    let mut uris: Vec<String> = rows.iter().flat_map(|(.., row)| spellings(row)).collect();
    // The state is folded from the decisions, whatever its file says.
    if rows.iter().any(|(.., row)| row.kind == Kind::Adr) {
        uris.push(format!("{URI}{}", STATE.trim_start_matches("docs/")));
    }
    uris.sort();
    uris.dedup();
    let is_listed = |row: &Indexed| match row.kind {
        Kind::Adr | Kind::State => true,
        Kind::Task => row.path == CURRENT_TASK,
        Kind::Artifact => false,
    };
    let listed = rows.iter().any(|(_, brought, row)| *brought && is_listed(row));
    Ok(Changes { last, uris, listed })
}

/// Every name under which a client may follow a document.
fn spellings(row: &Indexed) -> Vec<String> {
    // An artifact's resource belongs to the artifacts, which tell of it themselves.
    if row.kind == Kind::Artifact {
        return Vec::new();
    }
    let by_uid = (row.kind == Kind::Adr && !row.id.is_empty()).then(|| format!("{URI}adr/{}", row.id));
    debug_assert!(row.path.starts_with("docs/"), "only artifacts are kept elsewhere than {ARCHIVED_TASKS}");
    row.uri.clone().into_iter().chain(by_uid).collect()
}
