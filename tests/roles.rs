//! Who may call what, as it shows when everybody calls everything.

use backoffice::families::company::FAMILIES;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::company::{Company, PERSONAS};

/// A call that asks for something of somebody else's, and one that asks for what is the caller's own.
pub fn calls(company: &Company, tool: &str, login: &str) -> (Value, Value) {
    let first = |sql: &str| company.text(sql);
    let theirs = if login == "alice.chen" { "EMP030" } else { "EMP010" };
    let department = if login == "bob.martinez" { "LEGAL" } else { "FIN" };
    let own_department = first(&format!("SELECT department FROM employees WHERE login = '{login}'"));
    match tool {
        "get_employee" | "get_performance_reviews" | "get_time_off_balances" => {
            (json!({"employee_id": theirs}), json!({"employee_id": login}))
        }
        "get_org_chart" => (json!({"root_employee_id": theirs}), json!({"root_employee_id": login})),
        "delete_employee" => (json!({"employee_id": "EMP071"}), Value::Null),
        "update_salary" => (json!({"employee_id": "EMP071", "new_salary": 60_000}), Value::Null),
        "get_budget" => (json!({"department": department}), json!({"department": own_department})),
        "get_expense_report" => {
            let report = "SELECT r.employee_id || ' ' || r.month FROM expense_reports r JOIN employees e ON e.employee_id = r.employee_id";
            let find = |condition: &str| {
                let found = company.texts(&format!("{report} WHERE {condition} LIMIT 1")).into_iter().next();
                let found = found.unwrap_or_else(|| "nobody 2025-09".to_owned());
                let (employee, month) = found.split_once(' ').unwrap();
                json!({"employee_id": employee, "month": month})
            };
            let own = find(&format!("e.login = '{login}' OR r.department = '{own_department}'"));
            (find(&format!("r.department NOT IN ('{own_department}') AND e.login <> '{login}'")), own)
        }
        "delete_invoice" => (
            json!({"invoice_id": first("SELECT number FROM invoices WHERE status = 'pending'")}),
            Value::Null,
        ),
        "approve_budget" => (json!({"department": "ENG", "amount": 1, "fiscal_year": 2026}), Value::Null),
        "get_customer" | "delete_customer" => {
            (json!({"customer_id": first("SELECT customer_id FROM customers")}), Value::Null)
        }
        "close_deal" => (
            json!({"deal_id": first("SELECT deal_id FROM deals WHERE stage = 'PROPOSAL'"), "outcome": "won"}),
            Value::Null,
        ),
        "get_knowledge_article" => (
            json!({"article_id": first("SELECT article_id FROM articles WHERE status = 'draft'")}),
            json!({"article_id": "KB-001"}),
        ),
        "close_ticket" => {
            let ticket = first("SELECT ticket_id FROM tickets WHERE status = 'open'");
            (json!({"ticket_id": ticket, "resolution": "Done, as it seems."}), Value::Null)
        }
        "search_tickets" | "search_knowledge_base" => {
            (json!({"query": "the"}), json!({"query": "colleague"}))
        }
        "get_pipeline" | "list_budgets" | "list_deals" | "list_employees" | "list_invoices" => {
            (json!({}), json!({}))
        }
        tool => panic!("`{tool}` is new: which call of it shows who may do what?"),
    }
}

/// How many rows a table has that a listing could show.
fn most(company: &Company, tool: &str) -> Option<usize> {
    let sql = match tool {
        "list_employees" => "SELECT 1 || '' FROM employees WHERE active = 1",
        "list_budgets" => "SELECT 1 || '' FROM budgets WHERE fiscal_year = 2025",
        "list_invoices" => "SELECT 1 || '' FROM invoices",
        "list_deals" => "SELECT 1 || '' FROM deals",
        "search_tickets" => {
            "SELECT 1 || '' FROM tickets_text WHERE tickets_text MATCH '{subject description} : the'"
        }
        "search_knowledge_base" => "SELECT 1 || '' FROM articles_text WHERE articles_text MATCH 'the'",
        _ => return None,
    };
    Some(company.texts(sql).len())
}

/// `full`, `own rows`, or refused: `-`.
fn observed(company: &Company, tool: &str, login: &str) -> &'static str {
    let (all, own) = calls(company, tool, login);
    let told = company.reply(login, tool, all.clone());
    if told["code"] == "INSUFFICIENT_PERMISSIONS" {
        let own = if own.is_null() { all } else { own };
        assert_eq!(
            company.code(login, tool, own),
            "INSUFFICIENT_PERMISSIONS",
            "{login} {tool}: refused, but not always"
        );
        return "-";
    }
    if let Some(most) = most(company, tool) {
        let rows = company.all(login, tool, all, 50).len();
        assert!(rows <= most);
        return if rows == most { "full" } else { "own rows" };
    }
    match told["status"].as_str().unwrap() {
        "success" | "pending_confirmation" => "full",
        _ => {
            let code = told["code"].as_str().unwrap();
            assert!(code.ends_with("_NOT_FOUND"), "{login} {tool}: {told}");
            let own = company.reply(login, tool, own);
            let nothing_there = own["code"].as_str().is_some_and(|code| code == "EXPENSE_REPORT_NOT_FOUND");
            assert!(own["status"] == "success" || nothing_there, "{login} {tool}: {own}");
            "own rows"
        }
    }
}

#[test]
fn everybody_calls_everything() {
    let company = Company::new();
    let names = PERSONAS.map(|login| login.split('.').next().unwrap());
    let row = |name: &str, cells: [&str; 8]| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
        format!("{name:<24}{cells}")
    };
    let tools = FAMILIES.iter().flat_map(|family| family.tools);
    let rows = tools.map(|tool| row(tool.name, PERSONAS.map(|login| observed(&company, tool.name, login))));
    let table: Vec<String> = std::iter::once(row("", names)).chain(rows).collect();
    assert_snapshot!(table.join("\n"), @"
                                  eve    alice      bob    carol      dan     nina   marcus    frank
    delete_employee              full     full        -        -        -        -        -        -
    get_employee                 full     full own rows own rows own rows own rows own rows own rows
    get_org_chart                full     full own rows own rows own rows own rows        -        -
    get_performance_reviews      full     full own rows own rows own rows own rows own rows own rows
    get_time_off_balances        full     full own rows own rows own rows own rows own rows own rows
    list_employees               full     full own rows own rows own rows own rows        -        -
    update_salary                full     full        -        -        -        -        -        -
    approve_budget               full        -     full        -        -        -        -        -
    delete_invoice               full        -     full        -        -        -        -        -
    get_budget                   full own rows     full own rows own rows own rows        -        -
    get_expense_report           full own rows     full own rows own rows own rows own rows own rows
    list_budgets                 full own rows     full own rows own rows own rows        -        -
    list_invoices                full own rows     full own rows own rows own rows        -        -
    close_deal                   full        -        -     full        -        -        -        -
    delete_customer              full        -        -     full        -        -        -        -
    get_customer                 full        -        -     full        -        -        -        -
    get_pipeline                 full        -        -     full        -        -        -        -
    list_deals                   full own rows own rows     full own rows own rows own rows own rows
    close_ticket                 full        -        -        -        -        -        -        -
    get_knowledge_article        full own rows own rows own rows     full own rows own rows own rows
    search_knowledge_base        full own rows own rows own rows     full own rows own rows own rows
    search_tickets               full own rows own rows own rows     full own rows own rows own rows
    ");
}
