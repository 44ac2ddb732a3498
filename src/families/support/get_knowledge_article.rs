use schemars::JsonSchema;
use serde::Deserialize;

use super::articles::{ArticleView, sight};
use super::store::articles;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::tool::envelope::Success;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Reads an article.
pub struct GetKnowledgeArticle;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Such as KB-001
    #[schemars(length(min = 1, max = 100))]
    article_id: String,
}

impl Tool for GetKnowledgeArticle {
    type Args = Args;
    type Output = Success<ArticleView>;

    const NAME: &'static str = "get_knowledge_article";
    const TITLE: &'static str = "Get a knowledge article";
    const DESCRIPTION: &'static str = "Reads an article of the knowledge base.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::Employee, Role::SupportRead, Role::SupportWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetKnowledgeArticle {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let found = articles::find(cx.tx, sight(cx.caller()), args.article_id.trim())?;
        let article = found.ok_or_else(|| {
            Error::not_found("Article not found. Verify the article ID is correct.")
                .hint("Use search_knowledge_base to find article IDs such as KB-001")
                .detail("code", "ARTICLE_NOT_FOUND")
        })?;
        Ok(Success::of(ArticleView::of(article)))
    }
}
