//! Ending an employment, changing a salary: nothing happens before a person has agreed.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;

use crate::company::{Company, NOBODYS};

#[test]
fn delete_employee_frank_davis() {
    let company = Company::new();
    let card = company.only_proposes("alice.chen", "delete_employee", json!({"employee_id": "frank.davis"}));
    assert_eq!(
        card["message"],
        "Delete employee Frank Davis (frank.davis@quillmere.example)? This action cannot be undone."
    );
    let told = &card["confirmationData"];
    assert_eq!((&told["name"], &told["mcpServer"]), (&json!("Frank Davis"), &json!("hr")));
    assert_eq!((&told["before"]["active"], &told["after"]["active"]), (&json!(true), &json!(false)));
    assert_eq!(told["employee_id"], told["before"]["employee_id"]);
    company.deny("alice.chen", &card);
    let card = company.only_proposes("alice.chen", "delete_employee", json!({"employee_id": "frank.davis"}));
    let done = company.approve("alice.chen", &card);
    assert_eq!(done["message"], "Employee Frank Davis has been deleted.");
    assert_eq!(company.data("alice.chen", "get_employee", json!({"employee_id": "EMP061"}))["active"], false);
    for (login, count) in [("alice.chen", 59), ("brian.adams", 2)] {
        let listed = company.all(login, "list_employees", json!({}), 50);
        assert_eq!(listed.len(), count, "{login}");
        assert!(listed.iter().all(|row| row["employee_number"] != "EMP061"));
    }
    let chart = company.data("brian.adams", "get_org_chart", json!({}));
    assert!(!chart.to_string().contains("Frank"), "{chart}");
    assert_eq!(company.text("SELECT terminated_on FROM employees WHERE number = 'EMP061'"), "2025-10-20");
}

#[test]
fn who_cannot_be_deleted() {
    let company = Company::new();
    let left = company.text("SELECT number FROM employees WHERE login = 'arjun.desai'");
    let told: Vec<String> = ["alice.chen", "EMP051", "EMP002", left.as_str(), NOBODYS]
        .map(|id| {
            let (code, message) =
                company.refusal("alice.chen", "delete_employee", json!({"employee_id": id}));
            format!("{code}: {message}")
        })
        .to_vec();
    assert_snapshot!(told.join("\n"), @"
    CANNOT_DELETE_SELF: nobody can delete their own record
    EMPLOYEE_HAS_REPORTS: 4 people report to Nina Patel: Marcus Johnson, Hugo Nilsson, Elena Petrova and 1 more
    EMPLOYEE_HAS_REPORTS: 4 people report to James Wilson: Brian Adams, Alice Chen, Helen Papadakis and 1 more
    EMPLOYEE_NOT_FOUND: Arjun Desai was deleted before
    EMPLOYEE_NOT_FOUND: Employee with ID 00000000-0000-4000-8000-00000000ffff not found. Verify the employee ID is correct.
    ");
    for login in ["eve.thompson", "alice.chen"] {
        company.propose(login, "delete_employee", json!({"employee_id": "EMP061", "reason": login}));
    }
    for login in ["samira.haddad", "bob.martinez", "brian.adams", "nina.patel", "frank.davis"] {
        let code = company.code(login, "delete_employee", json!({"employee_id": "EMP061"}));
        assert_eq!(code, "INSUFFICIENT_PERMISSIONS", "{login}");
    }
}

#[test]
fn whoever_got_reports_meanwhile_stays() {
    let company = Company::new();
    let card = company.propose("alice.chen", "delete_employee", json!({"employee_id": "EMP061"}));
    company.write("UPDATE employees SET manager = (SELECT seq FROM employees WHERE number = 'EMP061') WHERE number = 'EMP062'");
    let before = company.stored();
    let decided = company.decide("alice.chen", &card, true);
    assert_eq!(decided.confirmation.state.as_str(), "failed");
    let reason = decided.confirmation.reason.unwrap();
    assert!(reason.starts_with("1 person reports to Frank Davis: Diana Kowalski"), "{reason}");
    assert_eq!(company.stored(), before);
}

#[test]
fn a_salary_is_changed_when_a_person_agrees() {
    let company = Company::new();
    let wish = json!({"employee_id": "EMP052", "new_salary": 95_000.5, "reason": "Grew into the role"});
    let card = company.only_proposes("alice.chen", "update_salary", wish.clone());
    assert_snapshot!(card["message"].as_str().unwrap(), @"Change the salary of Marcus Johnson (marcus.johnson@quillmere.example) from 94,000 to 95,000.50 USD (+1.1 %)?");
    let told = &card["confirmationData"];
    assert_eq!(
        [&told["currentSalary"], &told["newSalary"], &told["difference"], &told["percent"]],
        [&json!(94_000), &json!(95_000.5), &json!(1_000.5), &json!(1.1)]
    );
    assert_eq!((&told["before"]["salary"], &told["after"]["salary"]), (&json!(94_000), &json!(95_000.5)));
    assert_eq!(told["warnings"], json!(["95,000.50 is above the band of grade L3, 70,000 to 95,000"]));
    company.deny("alice.chen", &card);
    let salary =
        || company.data("marcus.johnson", "get_employee", json!({"employee_id": "EMP052"}))["salary"].clone();
    assert_eq!(salary(), 94_000);
    let card = company.propose("alice.chen", "update_salary", wish);
    company.approve("alice.chen", &card);
    assert_eq!(salary(), 95_000.5);
}

#[test]
fn a_band_is_warned_about_on_both_sides() {
    let company = Company::new();
    let warnings = |salary: i64| {
        let wish = json!({"employee_id": "EMP052", "new_salary": salary});
        company.propose("eve.thompson", "update_salary", wish)["confirmationData"]["warnings"].clone()
    };
    assert_eq!(warnings(69_999), json!(["69,999 is below the band of grade L3, 70,000 to 95,000"]));
    assert!(warnings(70_000).is_null() && warnings(95_000).is_null());
    assert_eq!(warnings(0), json!(["0 is below the band of grade L3, 70,000 to 95,000"]));
    let own = company.propose(
        "alice.chen",
        "update_salary",
        json!({"employee_id": "EMP010", "new_salary": 250_000}),
    );
    assert_eq!(own["confirmationData"]["warnings"], json!(["this is your own salary"]));
}

#[test]
fn a_later_salary_is_in_force_when_its_day_begins() {
    let company = Company::new();
    let wish = json!({"employeeId": "EMP052", "newSalary": 90_000, "effectiveDate": "2025-11-01"});
    let card = company.only_proposes("alice.chen", "update_salary", wish);
    let after = &card["confirmationData"]["after"];
    assert_eq!(after["salary"], 94_000, "not yet");
    assert_eq!(after["scheduled"], json!({"salary": 90_000, "effective_date": "2025-11-01"}));
    let done = company.approve("alice.chen", &card);
    assert_eq!(done["message"], "The salary of Marcus Johnson is changed, from 2025-11-01 on.");
    let salary =
        || company.data("marcus.johnson", "get_employee", json!({"employee_id": "EMP052"}))["salary"].clone();
    assert_eq!(salary(), 94_000);
    let midnight = 1_761_955_200_000 - company.office.clock.now().0;
    company.office.clock.advance(Duration::from_millis(midnight as u64 - 1));
    assert_eq!(salary(), 94_000, "one millisecond before midnight");
    company.office.clock.advance(Duration::from_millis(1));
    assert_eq!(salary(), 90_000);
}

#[test]
fn whoever_has_left_before_the_day_keeps_their_last_salary() {
    let company = Company::new();
    let later = json!({"employee_id": "EMP061", "new_salary": 50_000, "effective_date": "2025-11-01"});
    let card = company.propose("alice.chen", "update_salary", later);
    company.approve("alice.chen", &card);
    let card = company.propose("alice.chen", "delete_employee", json!({"employee_id": "EMP061"}));
    company.approve("alice.chen", &card);
    company.office.clock.advance(Duration::from_secs(30 * 86_400));
    let frank = company.data("alice.chen", "get_employee", json!({"employee_id": "EMP061"}));
    assert_eq!((&frank["salary"], &frank["active"]), (&json!(36_500), &json!(false)));
    let gone = json!({"employee_id": "EMP061", "new_salary": 60_000});
    assert_eq!(company.code("alice.chen", "update_salary", gone), "EMPLOYEE_NOT_FOUND");
}

#[test]
fn salaries_and_days_that_are_none_are_refused() {
    let company = Company::new();
    let with = |name: &str, value: serde_json::Value| {
        let mut wish = json!({"employee_id": "EMP052", "new_salary": 90_000});
        wish[name] = value;
        company.code("alice.chen", "update_salary", wish)
    };
    for salary in [json!(-1), json!(10_000_001), json!("90000"), json!(1e300), json!([])] {
        assert_eq!(with("new_salary", salary.clone()), "VALIDATION_ERROR", "{salary}");
    }
    for day in ["2025-02-30", "tomorrow", "01.11.2025", "2025-13-01", "2025-1-1", ""] {
        let code = with("effective_date", json!(day));
        assert!(code == "INVALID_INPUT" || code == "VALIDATION_ERROR", "{day}: {code}");
    }
    for login in ["bob.martinez", "nina.patel", "samira.haddad", "marcus.johnson"] {
        let raise = json!({"employee_id": "EMP052", "new_salary": 90_000});
        assert_eq!(company.code(login, "update_salary", raise), "INSUFFICIENT_PERMISSIONS", "{login}");
    }
}
