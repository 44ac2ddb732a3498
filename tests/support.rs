//! Tickets and articles: found by their words, seen by those who may, closed with a resolution.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use crate::company::{Company, column};

fn tickets(company: &Company, login: &str, query: &str) -> Vec<String> {
    column(&json!(company.all(login, "search_tickets", json!({"query": query}), 50)), "ticket_id")
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

/// Tickets whose texts hold something, as SQL has it.
fn holding(company: &Company, condition: &str) -> Vec<String> {
    company.texts(&format!(
        "SELECT ticket_id FROM (SELECT ticket_id, created_by, subject || ' ' || description AS text FROM tickets)
         WHERE {condition} ORDER BY ticket_id"
    ))
}

#[test]
fn words_phrases_exclusions_and_beginnings() {
    let company = Company::new();
    let cases = [
        ("login timeout", "text LIKE '%login%' AND text LIKE '%timeout%'"),
        ("LOGIN Timeout", "text LIKE '%login%' AND text LIKE '%timeout%'"),
        ("\"login timeout\"", "text LIKE '%login timeout%'"),
        ("login -timeout", "text LIKE '%login%' AND text NOT LIKE '%timeout%'"),
        ("login -\"login timeout\"", "text LIKE '%login%' AND text NOT LIKE '%login timeout%'"),
        (
            "-browser -weekend colleague",
            "text LIKE '%colleague%' AND text NOT LIKE '%browser%' AND text NOT LIKE '%weekend%'",
        ),
        ("timeo*", "text LIKE '%timeo%'"),
        ("timeo", "0"),
        ("nobodywritesthis", "0"),
    ];
    for (query, condition) in cases {
        let expected = holding(&company, condition);
        assert_eq!(sorted(tickets(&company, "dan.williams", query)), expected, "{query}");
        assert_eq!(expected.is_empty(), condition == "0", "{query} shows something");
    }
}

#[test]
fn who_opened_a_ticket_is_no_word_of_it() {
    let company = Company::new();
    let hex: String = "marcus.johnson".bytes().map(|byte| format!("{byte:02X}")).collect();
    for query in
        [format!("by{hex}"), format!("opener:by{hex}"), format!("by{}*", &hex[..4]), "by*".to_owned()]
    {
        let found = tickets(&company, "dan.williams", &query);
        let spoken = holding(&company, "text LIKE '% by%'");
        assert!(
            found.iter().all(|id| spoken.contains(id)) && (query == "by*" || found.is_empty()),
            "{query}: {found:?}"
        );
    }
}

#[test]
fn the_best_come_first_and_no_page_repeats() {
    let company = Company::new();
    for (tool, query) in [("search_tickets", "they"), ("search_knowledge_base", "the")] {
        let whole = company.all("dan.williams", tool, json!({"query": query}), 50);
        let scores: Vec<f64> = whole.iter().map(|row| row["_score"].as_f64().unwrap()).collect();
        assert!(whole.len() > 20 && scores.is_sorted_by(|a, b| a >= b), "{tool}: {scores:?}");
        let key = if tool == "search_tickets" { "ticket_id" } else { "article_id" };
        let ids = column(&json!(whole), key);
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        for limit in [3, 7] {
            let paged = company.all("dan.williams", tool, json!({"query": query}), limit);
            assert_eq!(column(&json!(paged), key), ids, "{tool} by {limit}");
        }
        let page = company.value("dan.williams", tool, json!({"query": query, "limit": 1}));
        assert_eq!(page["metadata"]["order"], "relevance");
        assert!(page["data"][0]["snippet"].as_str().unwrap().contains("**"), "{page}");
    }
}

/// A rank is made from everybody's words.
#[test]
fn the_own_tickets_have_no_score_and_the_newest_come_first() {
    let company = Company::new();
    for login in
        ["marcus.johnson", "frank.davis", "nina.patel", "carol.johnson", "bob.martinez", "alice.chen"]
    {
        let rows = company.all(login, "search_tickets", json!({"query": "colleague"}), 2);
        let expected = company.texts(&format!(
            "SELECT ticket_id FROM tickets WHERE created_by = '{login}' AND description LIKE '%colleague%' ORDER BY seq DESC"
        ));
        assert_eq!(column(&json!(rows), "ticket_id"), expected, "{login}");
        assert!(rows.iter().all(|row| row.get("_score").is_none() && row["created_by"] == login));
        let page = company.value(login, "search_tickets", json!({"query": "colleague", "limit": 50}));
        assert_eq!(page["metadata"]["order"], "newest first");
        let dates: Vec<&str> = rows.iter().map(|row| row["created_at"].as_str().unwrap()).collect();
        assert!(dates.is_sorted_by(|a, b| a >= b), "{dates:?}");
    }
    assert!(tickets(&company, "marcus.johnson", "colleague").len() >= 5);
    for login in ["eve.thompson", "dan.williams", "joana.ferreira"] {
        assert_eq!(
            sorted(tickets(&company, login, "colleague")),
            holding(&company, "text LIKE '%colleague%'"),
            "{login}"
        );
    }
}

#[test]
fn filters_narrow_a_search() {
    let company = Company::new();
    let customer = company.text("SELECT customer_id FROM tickets WHERE customer_id IS NOT NULL LIMIT 1");
    for (filters, condition) in [
        (json!({"status": "open"}), "status = 'open'".to_owned()),
        (json!({"priority": "critical"}), "priority = 'critical'".to_owned()),
        (json!({"status": "closed", "priority": "low"}), "status = 'closed' AND priority = 'low'".to_owned()),
        (json!({"customerId": customer}), format!("customer_id = '{customer}'")),
    ] {
        let mut arguments = filters.clone();
        arguments["query"] = "the".into();
        let rows = company.all("dan.williams", "search_tickets", arguments.clone(), 6);
        let sql = format!(
            "SELECT ticket_id FROM tickets JOIN (SELECT rowid FROM tickets_text WHERE tickets_text MATCH '{{subject description}} : the') w
             ON w.rowid = seq WHERE {condition}"
        );
        assert_eq!(sorted(column(&json!(rows), "ticket_id")), sorted(company.texts(&sql)), "{filters}");
        arguments["query"] = "colleague".into();
        let own = json!(company.all("marcus.johnson", "search_tickets", arguments, 3));
        assert!(column(&own, "created_by").iter().all(|by| by == "marcus.johnson"), "a filter opens nothing");
    }
    let category = company.text("SELECT category FROM articles WHERE status = 'published' LIMIT 1");
    let rows = company.all(
        "marcus.johnson",
        "search_knowledge_base",
        json!({"query": "the", "category": category.to_uppercase()}),
        2,
    );
    assert!(!rows.is_empty() && column(&json!(rows), "category").iter().all(|found| *found == category));
    for wrong in [
        json!({"query": "a", "status": "OPEN"}),
        json!({"query": "a", "priority": "urgent"}),
        json!({"query": ""}),
        json!({}),
    ] {
        assert_eq!(
            company.code("dan.williams", "search_tickets", wrong.clone()),
            "VALIDATION_ERROR",
            "{wrong}"
        );
    }
}

#[test]
fn only_published_articles_are_for_everybody() {
    let company = Company::new();
    let all = company.texts("SELECT article_id FROM articles ORDER BY article_id");
    let published =
        company.texts("SELECT article_id FROM articles WHERE status = 'published' ORDER BY article_id");
    assert!(published.len() < all.len());
    for (login, expected) in [
        ("dan.williams", &all),
        ("eve.thompson", &all),
        ("marcus.johnson", &published),
        ("nina.patel", &published),
    ] {
        let readable = all.iter().filter(|id| {
            company.reply(login, "get_knowledge_article", json!({"article_id": id}))["status"] == "success"
        });
        assert_eq!(&readable.cloned().collect::<Vec<_>>(), expected, "{login}");
        let found = company.all(login, "search_knowledge_base", json!({"query": "the"}), 9);
        assert!(column(&json!(found), "article_id").iter().all(|id| expected.contains(id)), "{login}");
    }
    let draft = company.text("SELECT article_id FROM articles WHERE status = 'draft' LIMIT 1");
    let told = |id: &str| {
        company.reply("marcus.johnson", "get_knowledge_article", json!({"article_id": id})).to_string()
    };
    assert_eq!(told(&draft), told("KB-999"), "a draft is not there");
    assert_snapshot!(told("KB-999"), @r#"{"status":"error","code":"ARTICLE_NOT_FOUND","message":"Article not found. Verify the article ID is correct.","suggestedAction":"Use search_knowledge_base to find article IDs such as KB-001"}"#);
}

/// A draft's words must not be felt in the order of what is published.
#[test]
fn a_draft_changes_no_score_of_what_is_published() {
    let company = Company::new();
    let scores =
        || json!(company.all("marcus.johnson", "search_knowledge_base", json!({"query": "login"}), 50));
    let before = scores();
    company.write(
        "UPDATE articles SET content = 'login login login', title = 'login' WHERE status <> 'published'",
    );
    assert_eq!(scores(), before);
    company.write("UPDATE articles SET status = 'archived' WHERE article_id = 'KB-001'");
    let ids = column(&scores(), "article_id");
    assert!(!ids.contains(&"KB-001".to_owned()), "{ids:?}");
}

#[test]
fn a_ticket_is_closed_with_a_resolution() {
    let company = Company::new();
    let id = company.text("SELECT ticket_id FROM tickets WHERE status = 'open' LIMIT 1");
    let wish = json!({"ticket_id": id, "resolution": "Turned it off and on again.", "resolution_type": "workaround", "customerNotified": false});
    let card = company.only_proposes("grace.okafor", "close_ticket", wish.clone());
    let told = &card["confirmationData"];
    assert_eq!(
        (&told["mcpServer"], &told["ticketId"], &told["customerNotified"]),
        (&json!("support"), &json!(id), &json!(false))
    );
    assert_eq!((&told["before"]["status"], &told["after"]["status"]), (&json!("open"), &json!("closed")));
    company.deny("grace.okafor", &card);
    let card = company.propose("grace.okafor", "close_ticket", wish.clone());
    let done = company.approve("grace.okafor", &card);
    assert_eq!(done["message"], format!("{id} is closed as workaround."));
    let (code, message) = company.refusal("eve.thompson", "close_ticket", wish);
    assert_eq!((code, message), ("ALREADY_CLOSED".to_owned(), format!("{id} is closed already")));
    assert_eq!(
        company.text(&format!(
            "SELECT resolution_type || ' ' || closed_by FROM tickets WHERE ticket_id = '{id}'"
        )),
        "workaround grace.okafor"
    );
    let resolved = company.text("SELECT ticket_id FROM tickets WHERE status = 'resolved' LIMIT 1");
    company.propose(
        "leo.fischer",
        "close_ticket",
        json!({"ticket_id": resolved, "resolution": "0123456789"}),
    );
    for wrong in [
        json!({"ticket_id": resolved, "resolution": "Too short"}),
        json!({"ticket_id": resolved, "resolution": "x".repeat(2001)}),
        json!({"ticket_id": resolved}),
        json!({"ticket_id": resolved, "resolution": "long enough", "resolution_type": "magic"}),
    ] {
        assert_eq!(company.code("grace.okafor", "close_ticket", wrong), "VALIDATION_ERROR");
    }
    let nobody = json!({"ticket_id": "TICK-9999", "resolution": "long enough"});
    assert_eq!(company.code("grace.okafor", "close_ticket", nobody), "TICKET_NOT_FOUND");
    for login in ["dan.williams", "amara.diallo", "carol.johnson", "marcus.johnson"] {
        let code =
            company.code(login, "close_ticket", json!({"ticket_id": resolved, "resolution": "long enough"}));
        assert_eq!(code, "INSUFFICIENT_PERMISSIONS", "{login}");
    }
}

/// Whether a query is a caller's own affair: found, or refused as what it is.
fn is_answered(company: &Company, query: &str) {
    for login in ["dan.williams", "marcus.johnson"] {
        for tool in ["search_tickets", "search_knowledge_base"] {
            let told = company.reply(login, tool, json!({"query": query, "limit": 1}));
            let code = told["code"].as_str().unwrap_or("none");
            assert!(
                ["none", "INVALID_INPUT", "VALIDATION_ERROR"].contains(&code),
                "{tool} {query:?}: {told}"
            );
        }
    }
}

#[test]
fn no_query_is_our_mistake() {
    let company = Company::new();
    let fixed = [
        "'; DROP TABLE tickets; --",
        "a\" OR \"b",
        "\"",
        "\"\"\"",
        "AND",
        "a AND",
        "OR NOT",
        "NEAR(a b, 3)",
        "a NEAR/2 b",
        "subject:login",
        "{subject description} : x",
        "^login",
        "login^2",
        "a + b",
        "(((((",
        ")))",
        "*",
        "**",
        "-",
        "--",
        "- - a",
        "-\"",
        "a -\"b",
        "\u{0}",
        "a\u{0}b",
        "\u{202e}nigol",
        "مرحبا بالعالم",
        "שלום",
        "🙂",
        "e\u{301}",
        "ﬁ",
        "½",
        "²",
        "٣",
        "a\tb\nc",
        "%_%",
        "\\",
        "$1",
        "?1",
        ":a",
        "@a",
        "NULL",
        "tickets_text",
        "rank",
        "a*b*",
        "*a",
        "col:a*",
        "\u{feff}a",
        "\u{d7ff}",
        "\u{10ffff}",
    ];
    for query in fixed {
        is_answered(&company, query);
    }
    for (piece, count) in [
        ("a ", 250),
        ("-a ", 166),
        ("a* ", 166),
        ("\"a\" ", 125),
        ("(", 500),
        ("\"", 500),
        ("a", 500),
        ("-\"a b\" ", 71),
        ("ä", 500),
        ("a -b ", 100),
        ("NOT ", 125),
    ] {
        is_answered(&company, piece.repeat(count).trim_end());
        is_answered(&company, format!("x {}", piece.repeat(count)).get(..500).unwrap_or("x"));
    }
    assert_eq!(
        company.code("dan.williams", "search_tickets", json!({"query": "a".repeat(10_000)})),
        "VALIDATION_ERROR"
    );
    assert_eq!(
        company.code("dan.williams", "search_tickets", json!({"query": "-login"})),
        "INVALID_INPUT",
        "nothing is looked for"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_generated_query_is_our_mistake(
        queries in prop::collection::vec("([-\"*:^(){}+,' ]|AND|OR|NOT|NEAR|subject|[a-c]|\\PC){1,60}", 100),
    ) {
        let company = Company::new();
        for query in &queries {
            is_answered(&company, query);
        }
    }
}
