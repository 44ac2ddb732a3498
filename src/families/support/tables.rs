//! The tables of support as files hold them.

use super::model::{ARTICLE_STATUSES, PRIORITIES, RESOLUTION_TYPES, STATUSES};
use super::store::{articles, tickets};
use crate::tool::table::{Kind, Table, optional, required};

const NAME: Kind = Kind::Text(200);

pub static TABLES: [Table; 2] = [
    Table {
        name: "tickets",
        columns: &[
            required("ticket_id", Kind::Text(40)),
            required("subject", NAME),
            required("description", Kind::Text(20_000)),
            required("status", Kind::OneOf(&STATUSES)),
            required("priority", Kind::OneOf(&PRIORITIES)),
            optional("customer_id", Kind::Text(40)),
            optional("customer_name", NAME),
            optional("customer_email", NAME),
            optional("assigned_to", NAME),
            optional("category", NAME),
            optional("tags", Kind::Words),
            required("created_by", Kind::Text(64)),
            optional("resolution", Kind::Text(2000)),
            optional("resolution_type", Kind::OneOf(&RESOLUTION_TYPES)),
            optional("created_at", Kind::Instant),
            optional("updated_at", Kind::Instant),
            optional("resolved_at", Kind::Instant),
        ],
        put: tickets::put,
        by_date: Some("created_at"),
        link: None,
        finish: None,
        pages: tickets::rows,
        clear: tickets::clear,
        count: tickets::count_all,
    },
    Table {
        name: "articles",
        columns: &[
            required("article_id", Kind::Text(40)),
            required("title", NAME),
            required("content", Kind::Text(50_000)),
            optional("summary", Kind::Text(2000)),
            optional("category", NAME),
            optional("tags", Kind::Words),
            optional("author", NAME),
            required("status", Kind::OneOf(&ARTICLE_STATUSES)),
            optional("view_count", Kind::Integer(0, i64::MAX)),
            optional("helpful_votes", Kind::Integer(0, i64::MAX)),
            optional("created_at", Kind::Instant),
            optional("updated_at", Kind::Instant),
        ],
        put: articles::put,
        by_date: None,
        link: None,
        finish: None,
        pages: articles::rows,
        clear: articles::clear,
        count: articles::count_all,
    },
];
