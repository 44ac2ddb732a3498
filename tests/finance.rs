//! Budgets, invoices, expenses: who sees whose, and what is found by which words.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::NaiveDate;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::company::{Company, NOBODYS, column};

#[test]
fn whats_our_q4_budget_against_actual_spend() {
    let company = Company::new();
    let answer = company.value("eve.thompson", "list_budgets", json!({}));
    assert_eq!(answer["data"].as_array().unwrap().len(), 10);
    assert_snapshot!(answer["totals"]["quarters"][3], @r#"{"quarter":4,"allocated_amount":3729500,"spent_amount":608375.43,"remaining_amount":3121124.57}"#);
    let sum = |name: &str| {
        let rows = answer["data"].as_array().unwrap().iter();
        let cents: i64 =
            rows.map(|row| (row["quarters"][3][name].as_f64().unwrap() * 100.0).round() as i64).sum();
        cents as f64 / 100.0
    };
    for name in ["allocated_amount", "spent_amount", "remaining_amount"] {
        assert_eq!(answer["totals"]["quarters"][3][name].as_f64().unwrap(), sum(name), "{name}");
    }
    let part = company.value("eve.thompson", "list_budgets", json!({"limit": 1}));
    assert_eq!(part["totals"], answer["totals"], "a page counts all that fits");
}

#[test]
fn a_budget_is_whole_or_of_a_quarter() {
    let company = Company::new();
    let of = |quarter: Value| {
        company.data("bob.martinez", "get_budget", json!({"department": "ENG", "quarter": quarter}))
    };
    let year = of(Value::Null);
    let quarters: Vec<Value> = (1..=4).map(|quarter| of(json!(quarter))).collect();
    for (quarter, part) in (1..).zip(&quarters) {
        assert_eq!(part["quarter"], quarter);
        assert_eq!(part["allocated_amount"], year["quarters"][quarter - 1]["allocated_amount"]);
        assert_eq!(part["quarters"], year["quarters"]);
    }
    let sum: f64 = quarters.iter().map(|part| part["allocated_amount"].as_f64().unwrap()).sum();
    assert_eq!((year["allocated_amount"].as_f64(), year.get("quarter")), (Some(sum), None));
    assert_eq!(year["fiscal_year"], 2025, "this year, where none is named");
    for wrong in [json!({"quarter": 0}), json!({"quarter": 5}), json!({"year": 1999}), json!({"year": 2101})]
    {
        let mut arguments = wrong.clone();
        arguments["department"] = "ENG".into();
        assert_eq!(company.code("bob.martinez", "get_budget", arguments), "VALIDATION_ERROR", "{wrong}");
    }
    let none = json!({"department": "ENG", "year": 2001});
    assert_eq!(
        company.refusal("bob.martinez", "get_budget", none),
        ("BUDGET_NOT_FOUND".to_owned(), "there is no budget of Engineering for 2001".to_owned())
    );
}

#[test]
fn a_manager_sees_the_money_of_the_own_department() {
    let company = Company::new();
    let codes = company.texts("SELECT code FROM departments ORDER BY code");
    for (login, own) in
        [("nina.patel", "ENG"), ("dan.williams", "SUPPORT"), ("alice.chen", "HR"), ("carol.johnson", "SALES")]
    {
        for code in &codes {
            let told = company.reply(login, "get_budget", json!({"department": code}));
            let nothing = company.reply(login, "get_budget", json!({"department": code, "year": 2001}));
            match code == own {
                true => assert_eq!(told["status"], "success", "{login} {code}"),
                false => assert_eq!(
                    told.to_string(),
                    nothing.to_string().replace("2001", "2025"),
                    "{login} {code}"
                ),
            }
        }
        let name = company.text(&format!("SELECT name FROM departments WHERE code = '{own}'"));
        let budgets = company.value(login, "list_budgets", json!({}));
        assert_eq!(column(&budgets["data"], "department"), [name.as_str()]);
        assert_eq!(budgets["totals"]["allocated_amount"], budgets["data"][0]["allocated_amount"]);
        let other = company.value(login, "list_budgets", json!({"department": "FIN"}));
        assert_eq!((&other["data"], &other["totals"]["allocated_amount"]), (&json!([]), &json!(0)));
        let invoices = json!(company.all(login, "list_invoices", json!({}), 3));
        let ids = company
            .texts(&format!("SELECT invoice_id FROM invoices WHERE department = '{own}' ORDER BY seq DESC"));
        assert_eq!(column(&invoices, "invoice_id"), ids, "{login}");
        assert_eq!(company.data(login, "list_invoices", json!({"department": "FIN"})), json!([]));
        assert_eq!(
            company.data(login, "list_invoices", json!({"vendor": "zz", "department": "FIN"})),
            json!([])
        );
    }
}

#[test]
fn employees_see_no_budgets_and_no_invoices() {
    let company = Company::new();
    for login in ["marcus.johnson", "frank.davis"] {
        for (tool, arguments) in [
            ("get_budget", json!({"department": "ENG"})),
            ("list_budgets", json!({})),
            ("list_invoices", json!({})),
        ] {
            assert_eq!(company.code(login, tool, arguments), "INSUFFICIENT_PERMISSIONS", "{login} {tool}");
        }
    }
}

#[test]
fn expenses_are_the_own_ones_the_departments_or_all() {
    let company = Company::new();
    let reports =
        company.texts("SELECT employee_id || ' ' || month || ' ' || department FROM expense_reports");
    let id =
        |login: &str| company.text(&format!("SELECT employee_id FROM employees WHERE login = '{login}'"));
    for (login, department) in [
        ("eve.thompson", "%"),
        ("bob.martinez", "%"),
        ("peter.novak", "%"),
        ("nina.patel", "ENG"),
        ("dan.williams", "SUPPORT"),
        ("alice.chen", "HR"),
        ("marcus.johnson", ""),
        ("frank.davis", ""),
    ] {
        let own = id(login);
        for report in &reports {
            let [employee, month, of] = report.split(' ').collect::<Vec<_>>()[..] else { panic!("{report}") };
            let told =
                company.reply(login, "get_expense_report", json!({"employee_id": employee, "month": month}));
            let expected = department == "%" || department == of || employee == own;
            assert_eq!(told["status"] == "success", expected, "{login} {report}: {told}");
            if !expected {
                let nobody = company.reply(
                    login,
                    "get_expense_report",
                    json!({"employee_id": NOBODYS, "month": month}),
                );
                assert_eq!(
                    told.to_string().replace(employee, "ID"),
                    nobody.to_string().replace(NOBODYS, "ID")
                );
                assert_eq!(told["code"], "EXPENSE_REPORT_NOT_FOUND");
            }
        }
    }
}

#[test]
fn an_expense_report_adds_up() {
    let company = Company::new();
    let report = company.data(
        "marcus.johnson",
        "get_expense_report",
        json!({"employeeId": "marcus.johnson", "month": "2025-09"}),
    );
    let items = report["items"].as_array().unwrap();
    let cents: i64 = items.iter().map(|item| (item["amount"].as_f64().unwrap() * 100.0).round() as i64).sum();
    assert_eq!((report["total_amount"].as_f64().unwrap() * 100.0).round() as i64, cents);
    assert_eq!(report["item_count"], items.len());
    for month in ["2025-13", "2025-00", "2025/09", "25-09-1", "2025-9", "september"] {
        let asked = json!({"employee_id": "EMP052", "month": month});
        assert_eq!(
            company.code("marcus.johnson", "get_expense_report", asked),
            "VALIDATION_ERROR",
            "{month}"
        );
    }
}

#[test]
fn what_is_pending_past_its_date_is_overdue() {
    let company = Company::new();
    let listed = |status: &str| company.all("bob.martinez", "list_invoices", json!({"status": status}), 4);
    let ids = |rows: &[Value]| column(&json!(rows), "invoice_id");
    let sql = |condition: &str| {
        company.texts(&format!(
            "SELECT invoice_id FROM invoices WHERE status = 'pending' AND {condition} ORDER BY seq DESC"
        ))
    };
    let (overdue, pending) = (listed("overdue"), listed("pending"));
    assert!(overdue.len() >= 8 && !pending.is_empty());
    assert_eq!(
        (ids(&overdue), ids(&pending)),
        (sql("due_date < '2025-10-20'"), sql("due_date >= '2025-10-20'"))
    );
    for (rows, status) in [(&overdue, "overdue"), (&pending, "pending")] {
        assert!(rows.iter().all(|row| row["status"] == status), "{status}");
    }
    let all: usize = ["pending", "overdue", "approved", "paid", "rejected"]
        .map(|status| listed(status).len())
        .iter()
        .sum();
    let whole = company.all("bob.martinez", "list_invoices", json!({}), 50);
    assert_eq!((all, whole.len()), (120, 120));
    assert_eq!(whole.iter().filter(|row| row["status"] == "overdue").count(), overdue.len());
    let soonest = pending.iter().map(|row| row["due_date"].as_str().unwrap().to_owned()).min().unwrap();
    let day = |text: &str| text.parse::<NaiveDate>().unwrap();
    let days = (day(&soonest) - day("2025-10-20")).num_days();
    company.office.clock.advance(Duration::from_secs(days as u64 * 86_400));
    assert_eq!(listed("overdue").len(), overdue.len(), "on its due date nothing is late");
    company.office.clock.advance(Duration::from_secs(86_400));
    assert!(listed("overdue").len() > overdue.len());
}

#[test]
fn a_vendor_is_found_by_any_part_of_the_name() {
    let company = Company::new();
    company.write(
        "UPDATE invoices SET vendor_name = '100% Café_\"Zoë\" O''Brien' WHERE number = 'INV-2025-108'",
    );
    let found = |vendor: &str| {
        let rows = company.all("bob.martinez", "list_invoices", json!({"vendor": vendor}), 50);
        let mut names = column(&json!(rows), "vendor_name");
        names.dedup();
        names
    };
    let special = ["100% Café_\"Zoë\" O'Brien"];
    for part in [
        "%",
        "_",
        "\"",
        "0%",
        "é_",
        "\"Z",
        "100%",
        "00% c",
        "_\"Zo",
        "zoë",
        "O'Brien",
        "\"Zoë\" o'b",
        " 100% ",
    ] {
        assert_eq!(found(part), special, "{part}");
    }
    for nothing in [
        "%%",
        "__",
        "\\",
        "%a",
        "100%%",
        "\"\"\"",
        "OR",
        "AND xyz",
        "NEAR(a b)",
        "x*y",
        "'; DROP TABLE invoices",
    ] {
        let names = found(nothing);
        let part = nothing.to_lowercase();
        assert!(names.iter().all(|name| name.to_lowercase().contains(&part)), "{nothing}: {names:?}");
    }
    let expected = company.texts("SELECT DISTINCT vendor_name FROM invoices WHERE vendor_name LIKE '%tw%'");
    let short: BTreeSet<String> = found("tw").into_iter().collect();
    assert!(!expected.is_empty());
    assert_eq!(short, expected.into_iter().collect());
    assert_eq!(company.code("bob.martinez", "list_invoices", json!({"vendor": ""})), "VALIDATION_ERROR");
}

#[test]
fn filters_of_invoices_narrow_together() {
    let company = Company::new();
    let listed = |filters: Value| company.all("eve.thompson", "list_invoices", filters, 50);
    let vendor = company.text("SELECT vendor_name FROM invoices WHERE department = 'ENG' LIMIT 1");
    for part in [&vendor[..2], &vendor[..5]] {
        let rows = listed(json!({"vendor": part, "department": "Engineering", "status": "paid"}));
        let expected = company.texts(&format!(
            "SELECT invoice_id FROM invoices WHERE vendor_name LIKE '%{part}%' AND department = 'ENG' AND status = 'paid'
             ORDER BY seq DESC"
        ));
        assert_eq!(column(&json!(rows), "invoice_id"), expected);
    }
    assert_eq!(company.code("eve.thompson", "list_invoices", json!({"status": "late"})), "VALIDATION_ERROR");
    assert_eq!(
        company.code("eve.thompson", "list_invoices", json!({"department": "Nowhere"})),
        "DEPARTMENT_NOT_FOUND"
    );
    assert_eq!(listed(json!({"vendor": "nobody at all"})), Vec::<Value>::new());
}
