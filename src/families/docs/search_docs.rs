use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::places::Kind;
use super::store::{self, Hit};
use crate::error::{Error, Result};
use crate::tool::offer::Link;
use crate::tool::page::Listing;
use crate::tool::{Access, ReadCx, ReadTool, Tool};

/// Finds documents by their words.
#[derive(Debug)]
pub struct SearchDocs;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Words or beginnings of words that must all occur; "quoted words" in this order
    #[schemars(length(min = 1, max = 500))]
    query: String,
    /// Default: all
    #[schemars(length(min = 1, max = 3))]
    kinds: Option<Vec<Wanted>>,
    /// Default: 50
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    Adr,
    Task,
    Artifact,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The best first
    hits: Vec<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Shown {
    kind: String,
    /// UID or artifact ID
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    title: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_uri: Option<String>,
    snippet: String,
    score: f64,
}

impl Tool for SearchDocs {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "search_docs";
    const TITLE: &'static str = "Search documents";
    const DESCRIPTION: &'static str =
        "Finds decisions (ADRs), tasks and artifacts of the repository by their words.";
    const ACCESS: Access = Access::Everyone;

    fn links(output: &Output) -> Vec<Link> {
        let found = output.hits.iter().filter_map(|hit| {
            Some(Link {
                uri: hit.resource_uri.clone()?,
                name: hit.path.rsplit('/').next().unwrap_or(&hit.path).to_owned(),
                title: Some(hit.title.clone()),
                mime_type: "text/markdown",
                size: None,
            })
        });
        // A pointer each for the best; all of them are in the answer.
        found.take(5).collect()
    }
}

impl ReadTool for SearchDocs {
    const FOLLOWS_FILES: bool = true;

    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let query = expression(&args.query)?;
        let root = cx.documents(&cx.session.project);
        let root = root.to_string_lossy();
        let kinds: Vec<Kind> = match &args.kinds {
            Some(kinds) => kinds.iter().map(|kind| (*kind).into()).collect(),
            None => Kind::SEARCHED.to_vec(),
        };
        let listing = Listing::new(cx, &(&root, &query, &args.kinds))?;
        let after = listing.key(args.cursor.as_deref())?.map(unpacked);
        let limit = args.limit.unwrap_or(50);
        let hits = store::search(cx.tx, &root, &query, &kinds, after, limit + 1)?;
        let size = |hit: &Hit| 200 + hit.snippet.len() + hit.title.len() + 2 * hit.path.len();
        let page = listing.page(hits, usize::try_from(limit).unwrap_or(50), packed, size);
        Ok(Output { hits: page.rows.into_iter().map(shown).collect(), next_cursor: page.next_cursor })
    }
}

impl From<Wanted> for Kind {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Adr => Kind::Adr,
            Wanted::Task => Kind::Task,
            Wanted::Artifact => Kind::Artifact,
        }
    }
}

fn shown(hit: Hit) -> Shown {
    // Four digits, and no minus sign on nothing: a score says which is better, not how much.
    let score = (hit.rank.min(0) as f64 / -100.0).round() / 10_000.0;
    Shown {
        kind: hit.kind,
        id: hit.id,
        title: hit.title,
        path: hit.path,
        resource_uri: hit.uri,
        snippet: hit.snippet.split_whitespace().collect::<Vec<_>>().join(" "),
        score,
    }
}

/// Rank and row in one number, so that a page goes on after both.
fn packed(hit: &Hit) -> i64 {
    let rank = hit.rank.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    (rank << 32) | (hit.doc & 0xffff_ffff)
}

fn unpacked(key: i64) -> (i64, i64) {
    (key >> 32, key & 0xffff_ffff)
}

/// The query in the index's own language: every word is quoted, so that nobody needs to know it.
fn expression(query: &str) -> Result<String> {
    let mut terms = Vec::new();
    for (position, part) in query.split('"').enumerate() {
        let quoted = position % 2 == 1;
        let words: Vec<&str> = if quoted { vec![part] } else { part.split_whitespace().collect() };
        let spoken = words.into_iter().filter(|word| word.chars().any(char::is_alphanumeric));
        terms.extend(spoken.map(|word| if quoted { format!("\"{word}\"") } else { format!("\"{word}\"*") }));
    }
    if terms.is_empty() {
        return Err(Error::invalid("`query` has no word to look for")
            .detail("field", "query")
            .reason("invalid_argument")
            .hint("name at least one word"));
    }
    Ok(terms.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_is_words() {
        assert_eq!(expression("oauth clerk").unwrap(), r#""oauth"* "clerk"*"#);
        assert_eq!(expression(r#"the "single sign" on"#).unwrap(), r#""the"* "single sign" "on"*"#);
        assert_eq!(expression("a OR b* NEAR(c)").unwrap(), r#""a"* "OR"* "b*"* "NEAR(c)"*"#);
        assert_eq!(expression("\"unclosed").unwrap(), "\"unclosed\"");
        for nothing in ["", "  ", "\"\"", "* -"] {
            assert!(expression(nothing).is_err(), "{nothing}");
        }
    }

    #[test]
    fn a_key_is_a_rank_and_a_row() {
        for (rank, doc) in [(-1_234_567, 42), (0, 1), (-1, 0xffff_ffff)] {
            let hit = Hit {
                doc,
                rank,
                kind: String::new(),
                id: String::new(),
                title: String::new(),
                path: String::new(),
                uri: None,
                snippet: String::new(),
            };
            assert_eq!(unpacked(packed(&hit)), (rank, doc));
        }
    }
}
