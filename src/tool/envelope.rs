//! The answers of the business families: a status, the data, and how much more there is.

use schemars::JsonSchema;
use serde::Serialize;

use super::page::Page;

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Success,
    PendingConfirmation,
}

/// An answer with data.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Success<T> {
    pub status: Status,
    pub data: T,
}

impl<T> Success<T> {
    pub fn of(data: T) -> Self {
        Success { status: Status::Success, data }
    }
}

/// An answer with a page of rows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed<T> {
    pub status: Status,
    pub data: Vec<T>,
    pub metadata: Metadata,
}

/// How much of a listing an answer holds. Three fields say the same again under their older names.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    has_more: bool,
    returned_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_estimate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_count: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// The order of the rows, where it is not always the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'static str>,
}

impl<T> Listed<T> {
    /// A page as an answer. `narrower` names what would make the listing shorter; `begins` says that
    /// this is its first page, so that what there is can be counted.
    pub fn page(page: Page<T>, begins: bool, narrower: &str) -> Self {
        let count = page.rows.len();
        let has_more = page.next_cursor.is_some();
        let total = match (begins, has_more) {
            (true, true) => Some(format!("{count}+")),
            (true, false) => Some(count.to_string()),
            (false, _) => None,
        };
        let hint = has_more.then(|| {
            format!(
                "These are {count} of more. For the next page repeat the call with cursor set to nextCursor{}.",
                if narrower.is_empty() { String::new() } else { format!(", or narrow it by {narrower}") }
            )
        });
        let metadata = Metadata {
            has_more,
            returned_count: count,
            next_cursor: page.next_cursor,
            total_estimate: total.clone(),
            hint: hint.clone(),
            truncated: has_more,
            total_count: total,
            warning: hint,
            order: None,
        };
        Listed { status: Status::Success, data: page.rows, metadata }
    }

    pub fn in_order(mut self, order: &'static str) -> Self {
        self.metadata.order = Some(order);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_whether_there_is_more_and_how_to_get_it() {
        let page = |next: Option<&str>| Page { rows: vec![1, 2], next_cursor: next.map(str::to_owned) };
        let shown =
            |next, begins| serde_json::to_string(&Listed::page(page(next), begins, "status")).unwrap();
        insta::assert_snapshot!(shown(Some("c"), true), @r#"{"status":"success","data":[1,2],"metadata":{"hasMore":true,"returnedCount":2,"nextCursor":"c","totalEstimate":"2+","hint":"These are 2 of more. For the next page repeat the call with cursor set to nextCursor, or narrow it by status.","truncated":true,"totalCount":"2+","warning":"These are 2 of more. For the next page repeat the call with cursor set to nextCursor, or narrow it by status."}}"#);
        insta::assert_snapshot!(shown(None, true), @r#"{"status":"success","data":[1,2],"metadata":{"hasMore":false,"returnedCount":2,"totalEstimate":"2","truncated":false,"totalCount":"2"}}"#);
        insta::assert_snapshot!(shown(None, false), @r#"{"status":"success","data":[1,2],"metadata":{"hasMore":false,"returnedCount":2,"truncated":false}}"#);
    }
}
