//! An article as it is answered, and who sees which.

use schemars::JsonSchema;
use serde::Serialize;

use super::model;
use super::store::articles::{Article, Sight};
use crate::identity::{Caller, Role};

/// The roles that see what is not published, too.
const ALL_ARTICLES: &[Role] = &[Role::SupportRead, Role::SupportWrite, Role::Executive];

pub fn sight(caller: &Caller) -> Sight {
    if caller.has_any(ALL_ARTICLES) { Sight::All } else { Sight::Published }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ArticleView {
    article_id: String,
    title: String,
    /// Whole with get_knowledge_article; a search leaves it out
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    summary: String,
    category: Option<String>,
    tags: Vec<String>,
    author: Option<String>,
    status: String,
    view_count: i64,
    helpful_votes: i64,
    created_at: String,
    updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    _score: Option<f64>,
}

impl ArticleView {
    pub fn of(article: Article) -> Self {
        ArticleView {
            article_id: article.article_id,
            title: article.title,
            content: Some(article.content),
            summary: article.summary,
            category: article.category,
            tags: model::words(&article.tags),
            author: article.author,
            status: article.status,
            view_count: article.view_count,
            helpful_votes: article.helpful_votes,
            created_at: article.created_at.rfc3339(),
            updated_at: article.updated_at.rfc3339(),
            snippet: None,
            _score: None,
        }
    }

    /// The same, found by a search.
    pub fn found(self, snippet: String, rank: Option<f64>) -> Self {
        ArticleView { content: None, snippet: Some(snippet), _score: rank.map(model::score), ..self }
    }

    /// About how long it is as JSON.
    pub fn size(&self) -> usize {
        400 + self.title.len() + self.summary.len() + self.snippet.as_ref().map_or(0, String::len)
    }
}
