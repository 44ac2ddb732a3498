//! Customers, deals, the pipeline, and how deals and customers end.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::company::{Company, HIDDEN, column};

const NOBODY: &str = "ffffffffffffffffffffffff";

fn deal(company: &Company, condition: &str) -> String {
    company.text(&format!("SELECT deal_id FROM deals WHERE {condition} ORDER BY seq LIMIT 1"))
}

#[test]
fn show_me_top_5_deals_closing_this_month() {
    let company = Company::new();
    let month =
        json!({"closing_from": "2025-10-01", "closing_to": "2025-10-31", "sort": "value", "limit": 5});
    let top = company.value("carol.johnson", "list_deals", month);
    let ids = column(&top["data"], "_id");
    let expected = company.texts(
        "SELECT deal_id FROM deals WHERE stage NOT LIKE 'CLOSED%' AND expected_close_date BETWEEN '2025-10-01' AND '2025-10-31'
         ORDER BY value DESC, seq DESC LIMIT 5",
    );
    assert_eq!((ids, top["data"].as_array().unwrap().len()), (expected, 5));
    assert_eq!(
        (&top["metadata"]["hasMore"], &top["metadata"]["totalEstimate"]),
        (&json!(true), &json!("5+"))
    );
}

#[test]
fn deals_come_in_three_orders() {
    let company = Company::new();
    for (sort, order) in [
        (Value::Null, "seq DESC"),
        (json!("recent"), "seq DESC"),
        (json!("value"), "value DESC, seq DESC"),
        (json!("close_date"), "expected_close_date, seq"),
    ] {
        let rows = company.all("carol.johnson", "list_deals", json!({"sort": sort}), 13);
        let expected = company.texts(&format!("SELECT deal_id FROM deals ORDER BY {order}"));
        assert_eq!(column(&json!(rows), "_id"), expected, "{sort}");
    }
}

#[test]
fn filters_of_deals_narrow_together() {
    let company = Company::new();
    let listed =
        |filters: Value| column(&json!(company.all("eve.thompson", "list_deals", filters, 50)), "_id");
    let sql = |condition: &str| {
        company.texts(&format!("SELECT deal_id FROM deals WHERE {condition} ORDER BY seq DESC"))
    };
    let kwame = "kwame.asante@quillmere.example";
    for (filters, condition) in [
        (json!({"stage": "PROPOSAL"}), "stage = 'PROPOSAL'".to_owned()),
        (json!({"owner": "Kwame.Asante@quillmere.example "}), format!("owner = '{kwame}'")),
        (json!({"min_value": 60_000}), "value >= 6000000".to_owned()),
        (
            json!({"minValue": 60_000.01, "stage": "CLOSED_WON"}),
            "value > 6000000 AND stage = 'CLOSED_WON'".to_owned(),
        ),
        (
            json!({"closing_to": "2025-10-20"}),
            "expected_close_date <= '2025-10-20' AND stage NOT LIKE 'CLOSED%'".to_owned(),
        ),
        (
            json!({"closingFrom": "2025-10-20", "stage": "CLOSED_LOST"}),
            "expected_close_date >= '2025-10-20' AND stage = 'CLOSED_LOST'".to_owned(),
        ),
        (json!({"min_value": 1e300}), "0".to_owned()),
    ] {
        assert_eq!(listed(filters.clone()), sql(&condition), "{filters}");
    }
    for wrong in [
        json!({"stage": "proposal"}),
        json!({"min_value": -1}),
        json!({"closing_from": "2025-02-30"}),
        json!({"closing_to": "31.10.2025"}),
        json!({"sort": "name"}),
        json!({"owner": ""}),
    ] {
        assert_eq!(company.code("eve.thompson", "list_deals", wrong.clone()), "VALIDATION_ERROR", "{wrong}");
    }
}

#[test]
fn without_a_sales_role_one_sees_the_own_deals() {
    let company = Company::new();
    for login in ["nina.patel", "marcus.johnson", "frank.davis", "alice.chen", "dan.williams"] {
        let own =
            company.texts(&format!("SELECT deal_id FROM deals WHERE owner = '{login}@quillmere.example'"));
        for sort in ["recent", "value", "close_date"] {
            let rows = company.data(login, "list_deals", json!({"sort": sort}));
            assert_eq!(column(&rows, "_id"), own, "{login} {sort}");
            let others = json!({"sort": sort, "owner": "kwame.asante@quillmere.example"});
            assert_eq!(company.data(login, "list_deals", others), json!([]), "{login} {sort}");
        }
        for (tool, arguments) in
            [("get_pipeline", json!({})), ("get_customer", json!({"customer_id": NOBODY}))]
        {
            assert_eq!(company.code(login, tool, arguments), "INSUFFICIENT_PERMISSIONS", "{login} {tool}");
        }
    }
    assert_eq!(company.data("marcus.johnson", "list_deals", json!({})).as_array().unwrap().len(), 1);
}

#[test]
fn how_to_reach_a_customer_is_for_those_who_may_write_to_them() {
    let company = Company::new();
    let id = company.text("SELECT customer_id FROM customers WHERE phone IS NOT NULL LIMIT 1");
    for (login, hidden) in [
        ("eve.thompson", false),
        ("carol.johnson", false),
        ("andre.baptiste", false),
        ("kwame.asante", true),
        ("megan.obrien", true),
    ] {
        let row = company.data(login, "get_customer", json!({"customerId": id.to_uppercase()}));
        assert_eq!([row["email"] == HIDDEN, row["phone"] == HIDDEN], [hidden, hidden], "{login}: {row}");
        assert!(row["company"].is_string() && row["address"]["city"].is_string());
    }
    let told = |login: &str| company.reply(login, "get_customer", json!({"customer_id": NOBODY}));
    assert_snapshot!(told("carol.johnson"), @r#"{"status":"error","code":"CUSTOMER_NOT_FOUND","message":"Customer not found. Verify the customer ID is correct.","suggestedAction":"Use list_deals to find customer IDs: 24 hex digits"}"#);
    assert_eq!(told("kwame.asante"), told("carol.johnson"));
}

#[test]
fn a_pipeline_sums_up_its_quarter() {
    let company = Company::new();
    let quarter = company.data("kwame.asante", "get_pipeline", json!({}));
    assert_eq!((&quarter["quarter"], &quarter["target"]), (&json!("2025-Q4"), &json!(1_060_000)));
    assert_eq!(quarter, company.data("carol.johnson", "get_pipeline", json!({"quarter": "2025-Q4"})));
    let cents = |sql: &str| company.text(sql).parse::<f64>().unwrap() / 100.0;
    let open = "FROM deals WHERE stage NOT LIKE 'CLOSED%' AND expected_close_date BETWEEN '2025-10-01' AND '2025-12-31'";
    assert_eq!(quarter["total_pipeline"].as_f64(), Some(cents(&format!("SELECT sum(value) || '' {open}"))));
    assert_eq!(
        quarter["weighted_pipeline"].as_f64(),
        Some(cents(&format!("SELECT sum(value * probability / 100) || '' {open}")))
    );
    let won = cents(
        "SELECT sum(value) || '' FROM deals WHERE stage = 'CLOSED_WON' AND actual_close_date >= '2025-10-01'",
    );
    assert_eq!(quarter["closed_won"].as_f64(), Some(won));
    assert_eq!(quarter["attainment_pct"].as_f64(), Some((won / 10_600.0 * 10.0).round() / 10.0));
    let empty = company.data("carol.johnson", "get_pipeline", json!({"quarter": "2031-Q1"}));
    assert_eq!((&empty["total_pipeline"], &empty["attainment_pct"]), (&json!(0), &Value::Null));
    for wrong in ["2025-Q5", "2025-04", "Q4-2025", "2025-Q", "2025_Q4"] {
        assert_eq!(
            company.code("carol.johnson", "get_pipeline", json!({"quarter": wrong})),
            "VALIDATION_ERROR",
            "{wrong}"
        );
    }
}

#[test]
fn a_deal_is_closed_as_won_or_lost() {
    let company = Company::new();
    for (wish, stage, probability) in [
        (json!({"outcome": "won", "actual_value": 12_345.67, "notes": "Signed"}), "CLOSED_WON", 100),
        (json!({"outcome": "won"}), "CLOSED_WON", 100),
        (json!({"outcome": "lost", "loss_reason": "Price"}), "CLOSED_LOST", 0),
        (json!({"outcome": "lost"}), "CLOSED_LOST", 0),
    ] {
        let id = deal(&company, "stage = 'NEGOTIATION'");
        let mut arguments = wish.clone();
        arguments["deal_id"] = json!(id);
        let card = company.only_proposes("carol.johnson", "close_deal", arguments.clone());
        let told = &card["confirmationData"];
        assert_eq!(
            (&told["mcpServer"], &told["dealId"], &told["newStage"]),
            (&json!("sales"), &json!(id), &json!(stage))
        );
        assert_eq!(
            (&told["before"]["stage"], &told["after"]["stage"]),
            (&json!("NEGOTIATION"), &json!(stage))
        );
        company.deny("carol.johnson", &card);
        let card = company.propose("carol.johnson", "close_deal", arguments.clone());
        let expected = card["confirmationData"]["after"].clone();
        company.approve("carol.johnson", &card);
        let rows = company.all("carol.johnson", "list_deals", json!({"stage": stage}), 50);
        let closed = rows.iter().find(|row| row["_id"] == json!(id)).unwrap();
        assert_eq!(closed, &expected);
        assert_eq!(
            (&closed["probability"], &closed["actual_close_date"]),
            (&json!(probability), &json!("2025-10-20"))
        );
        assert_eq!(closed.get("loss_reason"), wish.get("loss_reason"));
        assert_eq!(wish.get("actual_value").unwrap_or(&told["before"]["value"]), &closed["value"]);
        let (code, message) = company.refusal("eve.thompson", "close_deal", arguments);
        assert_eq!(code, "ALREADY_CLOSED");
        assert!(message.ends_with(&format!("is closed already: {stage}")), "{message}");
    }
}

#[test]
fn a_deal_that_cannot_be_closed_so() {
    let company = Company::new();
    let id = deal(&company, "stage = 'PROPOSAL'");
    let cases = [
        json!({"deal_id": id, "outcome": "won", "loss_reason": "Price"}),
        json!({"deal_id": id, "outcome": "lost", "actual_value": 1}),
        json!({"deal_id": id, "outcome": "won", "actual_value": -1}),
        json!({"deal_id": id, "outcome": "maybe"}),
        json!({"deal_id": NOBODY, "outcome": "won"}),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .map(|wish| {
            let (code, message) = company.refusal("carol.johnson", "close_deal", wish);
            format!("{code}: {message}")
        })
        .collect();
    assert_snapshot!(told.join("\n"), @r#"
    INVALID_INPUT: `loss_reason` does not fit the outcome
    INVALID_INPUT: `actual_value` does not fit the outcome
    VALIDATION_ERROR: `actual_value` is -1, expected a number of 0 or more
    VALIDATION_ERROR: `outcome` is "maybe", expected one of won, lost
    DEAL_NOT_FOUND: Deal not found. Verify the deal ID is correct.
    "#);
    for login in ["kwame.asante", "dan.williams", "nina.patel", "marcus.johnson"] {
        let code = company.code(login, "close_deal", json!({"deal_id": id, "outcome": "won"}));
        assert_eq!(code, "INSUFFICIENT_PERMISSIONS", "{login}");
    }
}

#[test]
fn a_customer_with_open_deals_is_deleted_knowingly() {
    let company = Company::new();
    let id = company.text(
        "SELECT c.customer_id FROM customers c JOIN deals d ON d.customer = c.seq
         WHERE d.stage NOT LIKE 'CLOSED%' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    );
    let open = company.texts(&format!(
        "SELECT deal_name FROM deals WHERE stage NOT LIKE 'CLOSED%'
         AND customer = (SELECT seq FROM customers WHERE customer_id = '{id}') ORDER BY value DESC, seq"
    ));
    let card = company.only_proposes("carol.johnson", "delete_customer", json!({"customer_id": id}));
    let told = &card["confirmationData"];
    assert_eq!(
        (&told["openDeals"], column(&told["openDealsNamed"], "deal_name")),
        (&json!(open.len()), open.clone())
    );
    let warning = told["warnings"][0].as_str().unwrap();
    assert!(
        open.len() > 1
            && warning.starts_with(&format!(
                "{} deals with them are open and will be gone, too: {}",
                open.len(),
                open[0]
            )),
        "{warning}"
    );
    assert_eq!((&told["before"]["_id"], &told["after"]), (&json!(id), &Value::Null));
    company.deny("carol.johnson", &card);
    company.data("carol.johnson", "get_customer", json!({"customer_id": id}));
    let card = company.propose("carol.johnson", "delete_customer", json!({"customer_id": id}));
    company.approve("carol.johnson", &card);
    for tool in ["get_customer", "delete_customer"] {
        assert_eq!(company.code("carol.johnson", tool, json!({"customer_id": id})), "CUSTOMER_NOT_FOUND");
    }
    let deal = company.text(&format!(
        "SELECT d.deal_id FROM deals d JOIN customers c ON c.seq = d.customer
         WHERE c.customer_id = '{id}' AND d.stage NOT LIKE 'CLOSED%' LIMIT 1"
    ));
    let close = json!({"deal_id": deal, "outcome": "won"});
    assert_eq!(
        company.code("carol.johnson", "close_deal", close),
        "DEAL_NOT_FOUND",
        "gone with the customer"
    );
    for login in ["kwame.asante", "nina.patel", "frank.davis"] {
        assert_eq!(
            company.code(login, "delete_customer", json!({"customer_id": id})),
            "INSUFFICIENT_PERMISSIONS",
            "{login}"
        );
    }
}

#[test]
fn one_open_deal_is_one() {
    let company = Company::new();
    let id = company.text(
        "SELECT c.customer_id FROM customers c JOIN deals d ON d.customer = c.seq
         WHERE d.stage NOT LIKE 'CLOSED%' GROUP BY 1 HAVING count(*) = 1 ORDER BY 1 LIMIT 1",
    );
    let name = company.text(&format!(
        "SELECT d.deal_name FROM deals d JOIN customers c ON c.seq = d.customer
         WHERE c.customer_id = '{id}' AND d.stage NOT LIKE 'CLOSED%'"
    ));
    let card = company.propose("carol.johnson", "delete_customer", json!({"customer_id": id}));
    assert_eq!(
        card["confirmationData"]["warnings"],
        json!([format!("1 deal with them is open and will be gone, too: {name}")])
    );
}
