//! Deleting invoices, approving budgets: nothing happens before a person has agreed.

use insta::assert_snapshot;
use serde_json::json;

use crate::company::{Company, NOBODYS};

fn invoice(company: &Company, condition: &str) -> String {
    company.text(&format!("SELECT number FROM invoices WHERE deleted_at IS NULL AND {condition} LIMIT 1"))
}

#[test]
fn an_invoice_that_nobody_approved_is_deleted() {
    let company = Company::new();
    for condition in [
        "status = 'pending' AND due_date < '2025-10-20'",
        "status = 'pending' AND due_date >= '2025-10-20'",
        "status = 'rejected'",
    ] {
        let number = invoice(&company, condition);
        let wish = json!({"invoice_id": number, "reason": "Sent twice"});
        let card = company.only_proposes("bob.martinez", "delete_invoice", wish.clone());
        let told = &card["confirmationData"];
        assert_eq!((&told["mcpServer"], &told["after"]), (&json!("finance"), &json!(null)));
        assert_eq!(
            (&told["invoiceNumber"], &told["before"]["invoice_number"]),
            (&json!(number), &json!(number))
        );
        company.deny("bob.martinez", &card);
        let card = company.propose("bob.martinez", "delete_invoice", wish.clone());
        let done = company.approve("bob.martinez", &card);
        assert_eq!(done["message"], format!("Invoice {number} has been deleted."));
        let left = company.all("bob.martinez", "list_invoices", json!({}), 50);
        assert!(left.iter().all(|row| row["invoice_number"] != number), "{number}");
        let again = company.refusal("bob.martinez", "delete_invoice", wish.clone());
        let never = company.refusal("bob.martinez", "delete_invoice", json!({"invoice_id": NOBODYS}));
        assert_eq!((again.0.as_str(), &again), ("INVOICE_NOT_FOUND", &never));
    }
    assert_eq!(company.text("SELECT count(*) || '' FROM invoices"), "120", "the rows are kept");
}

#[test]
fn an_approved_or_paid_invoice_stays() {
    let company = Company::new();
    for status in ["approved", "paid"] {
        let number = invoice(&company, &format!("status = '{status}'"));
        let (code, message) = company.refusal("eve.thompson", "delete_invoice", json!({"invoiceId": number}));
        assert_eq!(code, "CANNOT_DELETE_APPROVED_INVOICE");
        assert_eq!(
            message,
            format!("{number} is {status}; only pending or rejected invoices can be deleted")
        );
    }
    let number = invoice(&company, "status = 'pending'");
    let card = company.propose("hannah.weiss", "delete_invoice", json!({"invoice_id": number}));
    company.write("UPDATE invoices SET status = 'approved'");
    let decided = company.decide("hannah.weiss", &card, true);
    assert_eq!(decided.confirmation.state.as_str(), "failed", "approved meanwhile");
    assert_eq!(company.text("SELECT count(*) || '' FROM invoices WHERE deleted_at IS NULL"), "120");
    for login in ["peter.novak", "nina.patel", "alice.chen", "marcus.johnson"] {
        let code = company.code(login, "delete_invoice", json!({"invoice_id": number}));
        assert_eq!(code, "INSUFFICIENT_PERMISSIONS", "{login}");
    }
}

#[test]
fn a_budget_is_approved_to_the_cent() {
    let company = Company::new();
    let wish = json!({"department": "Engineering", "amount": 1_000_000.01, "fiscal_year": 2026, "notes": "Less than planned"});
    let card = company.only_proposes("bob.martinez", "approve_budget", wish.clone());
    assert_snapshot!(card["message"].as_str().unwrap(), @"Approve the budget of Engineering for 2026 with 1,000,000.01 USD (planned: 4,015,200)?");
    assert_eq!(card["confirmationData"]["mcpServer"], "finance");
    company.deny("bob.martinez", &card);
    let card = company.propose("bob.martinez", "approve_budget", wish);
    let after = &card["confirmationData"]["after"];
    company.approve("bob.martinez", &card);
    let budget = company.data("bob.martinez", "get_budget", json!({"department": "ENG", "year": 2026}));
    assert_eq!(&budget, after, "what was shown is what was done");
    assert_eq!((&budget["status"], &budget["allocated_amount"]), (&json!("approved"), &json!(1_000_000.01)));
    assert_eq!(
        (&budget["approved_by"], &budget["notes"]),
        (&card["confirmationData"]["userId"], &json!("Less than planned"))
    );
    let quarters = budget["quarters"].as_array().unwrap().iter();
    let cents: i64 =
        quarters.map(|quarter| (quarter["allocated_amount"].as_f64().unwrap() * 100.0).round() as i64).sum();
    assert_eq!(cents, 100_000_001);
}

#[test]
fn amounts_are_shared_without_losing_a_cent() {
    let company = Company::new();
    for (department, amount) in
        [("EXEC", 0.0_f64), ("OPS", 0.01), ("LEGAL", 0.03), ("IT", 1_000_000_000_000.0)]
    {
        let wish = json!({"department": department, "amount": amount, "fiscal_year": 2026});
        let card = company.propose("bob.martinez", "approve_budget", wish);
        company.approve("bob.martinez", &card);
        let sum = format!(
            "SELECT (q1_allocated + q2_allocated + q3_allocated + q4_allocated) || '' FROM budgets
             WHERE department = '{department}' AND fiscal_year = 2026"
        );
        assert_eq!(company.text(&sum), ((amount * 100.0).round() as i64).to_string());
    }
}

#[test]
fn who_may_approve_which_budget() {
    let company = Company::new();
    let approve =
        |department: &str, year: i64| json!({"department": department, "amount": 1, "fiscal_year": year});
    let told: Vec<String> = [
        ("FIN", 2026),
        ("ENG", 2025),
        ("OPS", 2025),
        ("ENG", 2024),
        ("HR", 2026),
        ("ENG", 2030),
        ("Nowhere", 2026),
    ]
    .map(|(department, year)| {
        let (code, message) = company.refusal("bob.martinez", "approve_budget", approve(department, year));
        format!("{code}: {message}")
    })
    .to_vec();
    assert_snapshot!(told.join("\n"), @"
    SEPARATION_OF_DUTIES: you have submitted the budget of Finance for 2026 yourself
    OPERATION_FAILED: the budget of Engineering for 2025 is active; only a draft or submitted one can be approved
    OPERATION_FAILED: the budget of Operations for 2025 is approved; only a draft or submitted one can be approved
    OPERATION_FAILED: the budget of Engineering for 2024 is closed; only a draft or submitted one can be approved
    OPERATION_FAILED: the budget of Human Resources for 2026 is approved; only a draft or submitted one can be approved
    BUDGET_NOT_FOUND: there is no budget of Engineering for 2030
    DEPARTMENT_NOT_FOUND: there is no department `Nowhere`
    ");
    for login in ["eve.thompson", "hannah.weiss"] {
        company.propose(login, "approve_budget", approve("FIN", 2026));
    }
    for login in ["michael.roberts", "nina.patel", "carol.johnson", "frank.davis"] {
        let code = company.code(login, "approve_budget", approve("ENG", 2026));
        assert_eq!(code, "INSUFFICIENT_PERMISSIONS", "{login}");
    }
    for amount in [json!(-0.01), json!("1"), json!(1.1e12), json!(null)] {
        let wish = json!({"department": "ENG", "amount": amount, "fiscal_year": 2026});
        assert_eq!(company.code("bob.martinez", "approve_budget", wish), "VALIDATION_ERROR", "{amount}");
    }
    let more = json!({"department": "ENG", "amount": 5_000_000, "fiscal_year": 2026});
    let card = company.propose("bob.martinez", "approve_budget", more);
    let planned = json!(["5,000,000 is more than the 4,015,200 that was planned"]);
    assert_eq!(card["confirmationData"]["warnings"], planned);
}

#[test]
fn two_cards_for_one_budget_and_the_second_comes_too_late() {
    let company = Company::new();
    let wish = |amount: i64| json!({"department": "ENG", "amount": amount, "fiscal_year": 2026});
    let cards = [1_000, 2_000].map(|amount| company.propose("bob.martinez", "approve_budget", wish(amount)));
    company.approve("bob.martinez", &cards[0]);
    let late = company.decide("bob.martinez", &cards[1], true);
    assert_eq!(late.confirmation.state.as_str(), "failed");
    let budget = company.data("bob.martinez", "get_budget", json!({"department": "ENG", "year": 2026}));
    assert_eq!(budget["allocated_amount"], 1_000);
}
