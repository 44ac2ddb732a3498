//! The tables of sales as files hold them.

use super::model::Stage;
use super::store::{customers, deals, pipeline};
use crate::tool::table::{Kind, Table, names_nothing, optional, required};

const NAME: Kind = Kind::Text(200);
const WORDS: Kind = Kind::Text(2000);

pub static TABLES: [Table; 3] = [
    Table {
        name: "customers",
        columns: &[
            required("customer_id", Kind::Text(24)),
            required("name", NAME),
            required("email", NAME),
            optional("company", NAME),
            optional("industry", NAME),
            optional("phone", Kind::Text(40)),
            optional("street", NAME),
            optional("city", NAME),
            optional("state", NAME),
            optional("zip", Kind::Text(20)),
            optional("country", NAME),
            optional("account_owner", NAME),
            optional("tier", Kind::OneOf(&["enterprise", "business", "startup", "free"])),
            optional("annual_revenue", Kind::Money),
            optional("created_at", Kind::Instant),
        ],
        put: customers::put,
        by_date: None,
        link: None,
        finish: None,
        pages: customers::rows,
        clear: customers::clear,
        count: customers::count,
    },
    Table {
        name: "deals",
        columns: &[
            required("deal_id", Kind::Text(24)),
            required("customer_id", Kind::Text(24)),
            required("deal_name", NAME),
            required("value", Kind::Money),
            optional("currency", Kind::Text(3)),
            required("stage", Kind::OneOf(&Stage::NAMES)),
            required("probability", Kind::Integer(0, 100)),
            required("expected_close_date", Kind::Date),
            optional("actual_close_date", Kind::Date),
            required("owner", NAME),
            optional("notes", WORDS),
            optional("loss_reason", WORDS),
            optional("created_at", Kind::Instant),
        ],
        put: |tx, entry, now| {
            let id = entry["customer_id"].text().unwrap_or_default();
            let customer = customers::seq_of(tx, id)?.ok_or_else(|| names_nothing("customer_id", id))?;
            deals::put(tx, entry, customer, now)
        },
        by_date: Some("created_at"),
        link: None,
        finish: None,
        pages: deals::rows,
        clear: deals::clear,
        count: deals::count,
    },
    Table {
        name: "targets",
        columns: &[required("quarter", Kind::Text(7)), required("target", Kind::Money)],
        put: |tx, entry, _| pipeline::put(tx, entry),
        by_date: None,
        link: None,
        finish: None,
        pages: pipeline::rows,
        clear: pipeline::clear,
        count: pipeline::count,
    },
];
