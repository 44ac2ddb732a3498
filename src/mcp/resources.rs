//! Resources: what families keep that a client can read by its address.

use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::error::{Error, Kind, Result};
use crate::tool::dispatch::Office;
use crate::tool::offer::{Link, Resources, Template};
use crate::tool::page::Page;
use crate::tool::session::Session;
use crate::tool::{Family, ReadCx};

/// Longer than any address here; what is longer is neither kept nor repeated.
const LONGEST_URI: usize = 2_048;

type Offer = (&'static Family, &'static Resources);

/// The families whose resources this connection has.
pub(super) fn offered<'a>(office: &Office, session: &'a Session) -> impl Iterator<Item = Offer> + 'a {
    let offers = office.families().iter().filter_map(|family| Some((*family, family.resources?)));
    offers.filter(|(family, resources)| {
        session.toolsets.has(family) || session.toolsets.has_any(resources.also_with)
    })
}

pub(super) fn is_offered(office: &Office, session: &Session) -> bool {
    offered(office, session).next().is_some()
}

/// One page. The families follow each other; a cursor says in which one to go on, and where in it.
pub(super) fn list(office: &Office, session: &Session, cursor: Option<&str>) -> Result<ListResourcesResult> {
    follow_files(office, session);
    let page = office.look(session, "resources/list", |cx| page(cx, office, cursor))?;
    let mut listed = ListResourcesResult::with_all_items(page.rows.into_iter().map(described).collect());
    listed.next_cursor = page.next_cursor;
    Ok(listed)
}

fn page(cx: &ReadCx<'_>, office: &Office, cursor: Option<&str>) -> Result<Page<Link>> {
    let mut left = offered(office, cx.session).peekable();
    let mut inner = None;
    if let Some(cursor) = cursor {
        let (family, rest) = cursor.split_once(':').ok_or_else(misfit)?;
        while left.next_if(|(next, _)| next.name != family).is_some() {}
        inner = Some(rest).filter(|rest| !rest.is_empty());
    }
    if left.peek().is_none() {
        return Err(misfit());
    }
    while let Some((family, resources)) = left.next() {
        let mut page = (resources.list)(cx, inner.take())?;
        page.next_cursor = match (page.next_cursor, left.peek()) {
            (Some(inner), _) => Some(format!("{}:{inner}", family.name)),
            // An empty page would be an errand for nothing.
            (None, Some(_)) if page.rows.is_empty() => continue,
            (None, Some((next, _))) => Some(format!("{}:", next.name)),
            (None, None) => None,
        };
        return Ok(page);
    }
    Ok(Page { rows: Vec::new(), next_cursor: None })
}

/// Whoever lists sees what there is, whether or not somebody has followed the files.
fn follow_files(office: &Office, session: &Session) {
    if offered(office, session).any(|(_, resources)| resources.follows_files) {
        office.follow_files(session);
    }
}

fn misfit() -> Error {
    Error::invalid("`cursor` does not belong to this listing")
        .hint("start again without a cursor")
        .detail("field", "cursor")
        .reason("invalid_cursor")
}

/// The content behind an address, from the first family that knows it.
pub(super) fn read(office: &Office, session: &Session, uri: &str) -> Result<ReadResourceResult> {
    check(uri)?;
    let absent = || Error::not_found(format!("there is no resource `{uri}`"));
    let content = office.look(session, "resources/read", |cx| {
        let mut told = None;
        for (_, resources) in offered(office, session) {
            match (resources.read)(cx, uri) {
                Err(error) if error.kind() == Kind::NotFound => told = told.or(Some(error)),
                read => return read,
            }
        }
        Err(told.unwrap_or_else(absent))
    });
    let content = content.map_err(|error| error.detail("uri", uri))?;
    let contents = ResourceContents::text(content.text, content.uri).with_mime_type(content.mime_type);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Whether a text can be an address at all.
pub(super) fn check(uri: &str) -> Result<()> {
    if uri.len() > LONGEST_URI {
        return Err(
            Error::invalid(format!("`uri` is longer than {LONGEST_URI} bytes")).detail("field", "uri")
        );
    }
    Ok(())
}

pub(super) fn templates(office: &Office, session: &Session) -> Vec<ResourceTemplate> {
    let templates = offered(office, session).flat_map(|(_, resources)| resources.templates);
    templates.map(described_template).collect()
}

fn described_template(template: &Template) -> ResourceTemplate {
    ResourceTemplate::new(template.uri, template.name)
        .with_title(template.title)
        .with_description(template.description)
        .with_mime_type(template.mime_type)
}

/// A resource as lists show it and as results point to it.
pub(super) fn described(link: Link) -> Resource {
    let mut resource = Resource::new(link.uri, link.name).with_mime_type(link.mime_type);
    resource.title = link.title;
    resource.size = link.size;
    resource
}
