//! What holds for every listing of the company: limits, cursors, two spellings.

use std::collections::BTreeSet;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::company::{Company, column};

/// A listing, two people who see several pages of it, filters, other filters, and the key of its rows.
struct Listing {
    tool: &'static str,
    callers: [&'static str; 2],
    filters: Value,
    others: Value,
    key: &'static str,
}

fn listings() -> Vec<Listing> {
    let listing = |tool, callers, filters, others, key| Listing { tool, callers, filters, others, key };
    vec![
        listing(
            "get_performance_reviews",
            ["eve.thompson", "alice.chen"],
            json!({}),
            json!({"due": true}),
            "review_id",
        ),
        listing(
            "list_budgets",
            ["eve.thompson", "bob.martinez"],
            json!({"year": 2025}),
            json!({"year": 2024}),
            "budget_id",
        ),
        listing("list_deals", ["eve.thompson", "carol.johnson"], json!({}), json!({"sort": "value"}), "_id"),
        listing(
            "list_employees",
            ["eve.thompson", "alice.chen"],
            json!({}),
            json!({"department": "ENG"}),
            "employee_id",
        ),
        listing(
            "list_invoices",
            ["eve.thompson", "bob.martinez"],
            json!({"vendor": "e"}),
            json!({"vendor": "a"}),
            "invoice_id",
        ),
        listing(
            "search_knowledge_base",
            ["eve.thompson", "marcus.johnson"],
            json!({"query": "the"}),
            json!({"query": "a"}),
            "article_id",
        ),
        listing(
            "search_tickets",
            ["eve.thompson", "dan.williams"],
            json!({"query": "they"}),
            json!({"query": "they", "status": "open"}),
            "ticket_id",
        ),
    ]
}

fn with(arguments: &Value, name: &str, value: impl Into<Value>) -> Value {
    let mut arguments = arguments.clone();
    arguments[name] = value.into();
    arguments
}

fn cursor(company: &Company, listing: &Listing, caller: &str) -> String {
    let page = company.value(caller, listing.tool, with(&listing.filters, "limit", 2));
    page["metadata"]["nextCursor"].as_str().unwrap_or_else(|| panic!("{}: {page}", listing.tool)).to_owned()
}

#[test]
fn pages_of_any_size_hold_the_same_rows_each_once() {
    let company = Company::new();
    for listing in listings() {
        for caller in listing.callers {
            let ids = |limit| {
                column(&json!(company.all(caller, listing.tool, listing.filters.clone(), limit)), listing.key)
            };
            let whole = ids(50);
            assert_eq!(whole.iter().collect::<BTreeSet<_>>().len(), whole.len(), "{}", listing.tool);
            for limit in [1, 4, 9] {
                assert_eq!(ids(limit), whole, "{} as {caller} by {limit}", listing.tool);
            }
        }
    }
}

#[test]
fn a_limit_is_from_1_to_50() {
    let company = Company::new();
    for listing in listings() {
        for limit in [json!(0), json!(51), json!(-1), json!(1.5), json!("5"), json!(true), json!(i64::MAX)] {
            let arguments = with(&listing.filters, "limit", limit.clone());
            assert_eq!(
                company.code("eve.thompson", listing.tool, arguments),
                "VALIDATION_ERROR",
                "{} {limit}",
                listing.tool
            );
        }
    }
}

#[test]
fn a_cursor_continues_its_own_listing_only() {
    let company = Company::new();
    for listing in listings() {
        let own = cursor(&company, &listing, "eve.thompson");
        let told = |caller: &str, tool: &str, filters: &Value, cursor: &str| {
            company.reply(caller, tool, with(filters, "cursor", cursor))
        };
        assert_eq!(told("eve.thompson", listing.tool, &listing.filters, &own)["status"], "success");
        let refused = |caller: &str, filters: &Value, cursor: &str| {
            let told = told(caller, listing.tool, filters, cursor);
            assert_eq!(
                told["code"], "INVALID_INPUT",
                "{} as {caller} with {filters} after {cursor:?}: {told}",
                listing.tool
            );
            assert_eq!(told["message"], "`cursor` does not belong to this listing");
        };
        refused(listing.callers[1], &listing.filters, &own);
        refused("eve.thompson", &listing.others, &own);
        for length in 0..own.len() {
            refused("eve.thompson", &listing.filters, &own[..length]);
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(&own).unwrap();
        for place in 0..bytes.len() {
            let mut forged = bytes.clone();
            forged[place] ^= 1;
            refused("eve.thompson", &listing.filters, &BASE64_URL_SAFE_NO_PAD.encode(&forged));
        }
        for nonsense in [
            "!",
            "0",
            "null",
            "-1",
            "AAAA",
            " ",
            "💣",
            "eyJpZCI6MX0=",
            &"A".repeat(5_000),
            &format!("{own}A"),
            &format!(" {own}"),
        ] {
            refused("eve.thompson", &listing.filters, nonsense);
        }
        for other in listings().iter().filter(|other| other.tool != listing.tool) {
            refused("eve.thompson", &listing.filters, &cursor(&company, other, "eve.thompson"));
        }
    }
}

/// What comes or goes between two pages neither repeats a row nor hides another.
#[test]
fn rows_that_go_between_two_pages_move_no_other() {
    let company = Company::new();
    let first = company.value("eve.thompson", "list_employees", json!({"limit": 10}));
    let rest = json!({"cursor": first["metadata"]["nextCursor"]});
    let before = company.data("eve.thompson", "list_employees", rest.clone());
    company.write("UPDATE employees SET active = 0 WHERE login = 'grace.okafor' OR login = 'aisha.rahman'");
    let after = column(&company.data("eve.thompson", "list_employees", rest), "employee_number");
    let gone = company.texts("SELECT number FROM employees WHERE login IN ('grace.okafor', 'aisha.rahman')");
    let expected: Vec<String> =
        column(&before, "employee_number").into_iter().filter(|number| !gone.contains(number)).collect();
    assert_eq!(after, expected);
}

#[test]
fn names_are_taken_in_two_spellings_but_not_in_both_at_once() {
    let company = Company::new();
    let id = company.text("SELECT employee_id FROM employees WHERE number = 'EMP061'");
    let (customer, deal) = (
        company.text("SELECT customer_id FROM customers LIMIT 1"),
        company.text("SELECT deal_id FROM deals WHERE stage = 'PROPOSAL' LIMIT 1"),
    );
    for (tool, snake, camel, value, others) in [
        ("get_employee", "employee_id", "employeeId", json!(id), json!({})),
        ("get_org_chart", "root_employee_id", "rootEmployeeId", json!(id), json!({})),
        ("get_org_chart", "max_depth", "maxDepth", json!(1), json!({})),
        ("get_expense_report", "employee_id", "employeeId", json!("EMP052"), json!({"month": "2025-09"})),
        ("update_salary", "new_salary", "newSalary", json!(40_000), json!({"employee_id": id})),
        ("delete_employee", "employee_id", "employeeId", json!(id), json!({})),
        (
            "approve_budget",
            "fiscal_year",
            "fiscalYear",
            json!(2026),
            json!({"department": "ENG", "amount": 1}),
        ),
        ("get_customer", "customer_id", "customerId", json!(customer), json!({})),
        ("list_deals", "min_value", "minValue", json!(100_000), json!({})),
        ("close_deal", "deal_id", "dealId", json!(deal), json!({"outcome": "won"})),
        ("get_knowledge_article", "article_id", "articleId", json!("KB-001"), json!({})),
        ("search_tickets", "customer_id", "customerId", json!(customer), json!({"query": "the"})),
    ] {
        let one = company.reply("eve.thompson", tool, with(&others, snake, value.clone()));
        assert_ne!(one["status"], "error", "{tool}: {one}");
        assert_eq!(company.reply("eve.thompson", tool, with(&others, camel, value.clone())), one, "{tool}");
        let both = with(&with(&others, snake, value.clone()), camel, value.clone());
        let (code, message) = company.refusal("eve.thompson", tool, both);
        assert_eq!(
            (code.as_str(), message),
            ("VALIDATION_ERROR", format!("`{snake}` is given twice, in two spellings"))
        );
        for unknown in [format!("{snake}s"), camel.to_uppercase(), format!("{camel} ")] {
            let arguments = with(&with(&others, snake, value.clone()), &unknown, value.clone());
            assert_eq!(company.code("eve.thompson", tool, arguments), "VALIDATION_ERROR", "{tool} {unknown}");
        }
    }
}
