use schemars::JsonSchema;
use serde::Deserialize;

use super::articles::{self as shown_as, ArticleView};
use super::model::{BY_RELEVANCE, MOST_RANKED, NEWEST_FIRST};
use super::query::Query;
use super::store::Match;
use super::store::articles;
use crate::error::Result;
use crate::identity::Role;
use crate::tool::envelope::Listed;
use crate::tool::page::{Listing, Page, misfit};
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Finds articles by their words.
pub struct SearchKnowledgeBase;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// words, "phrases", -not, prefix*
    #[schemars(length(min = 1, max = 500))]
    query: String,
    #[schemars(length(min = 1, max = 100))]
    category: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
}

impl Tool for SearchKnowledgeBase {
    type Args = Args;
    type Output = Listed<ArticleView>;

    const NAME: &'static str = "search_knowledge_base";
    const TITLE: &'static str = "Search the knowledge base";
    const DESCRIPTION: &'static str =
        "Finds articles that hold all the words; get_knowledge_article reads one of them.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::Employee, Role::SupportRead, Role::SupportWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for SearchKnowledgeBase {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let expression = Query::parse(&args.query)?.within("title summary content");
        let sight = shown_as::sight(cx.caller());
        let ranked = articles::count(cx.tx, sight, &expression, MOST_RANKED + 1)? <= MOST_RANKED;
        let order = if ranked { BY_RELEVANCE } else { NEWEST_FIRST };
        let category = args.category.as_deref().map(str::trim);
        let listing = Listing::new(cx, &(&expression, category, order))?;
        let after = listing.key(args.cursor.as_deref())?;
        let limit = args.limit.unwrap_or(50);
        let found = match (ranked, after) {
            (false, after) => {
                let below = after.unwrap_or(i64::MAX);
                articles::newest(cx.tx, sight, &expression, category, below, limit + 1)?
            }
            (true, None) => articles::best(cx.tx, sight, &expression, category, None, limit + 1)?,
            (true, Some(seq)) => {
                let after = articles::rank(cx.tx, sight, &expression, seq)?.ok_or_else(misfit)?;
                articles::best(cx.tx, sight, &expression, category, Some(after), limit + 1)?
            }
        };
        let mut snippets = articles::snippets(cx.tx, &expression, &found)?;
        let shown = found.into_iter().filter_map(|found| {
            let snippet = snippets.remove(&found.seq).unwrap_or_default();
            shown(cx, found, snippet).transpose()
        });
        let shown: Vec<(i64, ArticleView)> = shown.collect::<Result<_>>()?;
        let page = listing.page(shown, limit as usize, |row| row.0, |row| row.1.size());
        let rows = page.rows.into_iter().map(|row| row.1).collect();
        let page = Page { rows, next_cursor: page.next_cursor };
        Ok(Listed::page(page, args.cursor.is_none(), "more words or category").in_order(order))
    }
}

fn shown(cx: &ReadCx<'_>, found: Match, snippet: String) -> Result<Option<(i64, ArticleView)>> {
    let Some(article) = articles::at(cx.tx, found.seq)? else { return Ok(None) };
    Ok(Some((found.seq, ArticleView::of(article).found(snippet, found.rank))))
}
