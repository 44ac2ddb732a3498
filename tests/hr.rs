//! Employees, their reviews and days off: who sees which rows, and what of them.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::company::{Company, HIDDEN, NOBODYS, PERSONAS, column};

/// Everybody below a person and the person, straight from who reports to whom.
fn chain(company: &Company, login: &str) -> BTreeSet<String> {
    let sql = format!(
        "WITH RECURSIVE below (seq) AS (
             SELECT seq FROM employees WHERE login = '{login}'
             UNION SELECT e.seq FROM employees e JOIN below b ON e.manager = b.seq)
         SELECT number FROM employees WHERE seq IN below"
    );
    company.texts(&sql).into_iter().collect()
}

fn numbers(rows: &[Value]) -> BTreeSet<String> {
    let all: Vec<String> =
        rows.iter().map(|row| row["employee_number"].as_str().unwrap().to_owned()).collect();
    let set: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(set.len(), all.len(), "somebody is listed twice: {all:?}");
    set
}

#[test]
fn what_is_my_pto_balance() {
    let company = Company::new();
    let answer = company.value("marcus.johnson", "get_time_off_balances", json!({}));
    assert_eq!((&answer["status"], &answer["data"]["pto_balance"]), (&json!("success"), &json!(15)));
}

#[test]
fn who_on_my_team_has_performance_reviews_due() {
    let company = Company::new();
    let due = company.value("nina.patel", "get_performance_reviews", json!({"due": true}));
    let told: Vec<String> = due["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {} {}", row["due_date"], row["status"], row["employee_name"]))
        .collect();
    assert_snapshot!(told.join("\n"), @r#"
    "2025-10-14" "overdue" "Marcus Johnson"
    "2025-11-07" "due" "Elena Petrova"
    "#);
    assert_eq!(due["metadata"]["hasMore"], false);
}

#[test]
fn show_me_employee_abc123() {
    let company = Company::new();
    assert_snapshot!(company.reply("alice.chen", "get_employee", json!({"employee_id": "ABC123"})), @r#"{"status":"error","code":"EMPLOYEE_NOT_FOUND","message":"Employee with ID ABC123 not found. Verify the employee ID is correct.","suggestedAction":"Use list_employees to find valid employee IDs: a UUID, a number such as EMP001, or a login such as nina.patel"}"#);
}

#[test]
fn show_me_all_employee_salaries() {
    let company = Company::new();
    assert_snapshot!(company.reply("frank.davis", "list_employees", json!({})), @r#"{"status":"error","code":"INSUFFICIENT_PERMISSIONS","message":"`list_employees` needs one of the roles hr-read, hr-write, manager, executive","suggestedAction":"`frank.davis` holds employee; whoever keeps the directory can grant a role with `backoffice people grant`"}"#);
}

#[test]
fn list_all_employees() {
    let company = Company::new();
    let first = company.value("alice.chen", "list_employees", json!({}));
    let metadata = &first["metadata"];
    assert_eq!(first["data"].as_array().unwrap().len(), 50);
    assert_eq!(
        [&metadata["hasMore"], &metadata["truncated"], &metadata["returnedCount"]],
        [&json!(true), &json!(true), &json!(50)]
    );
    assert_eq!((&metadata["totalEstimate"], &metadata["totalCount"]), (&json!("50+"), &json!("50+")));
    assert_eq!(metadata["hint"], metadata["warning"]);
    assert_snapshot!(metadata["hint"].as_str().unwrap(), @"These are 50 of more. For the next page repeat the call with cursor set to nextCursor, or narrow it by department.");
    let rest = company.value("alice.chen", "list_employees", json!({"cursor": metadata["nextCursor"]}));
    assert_eq!(rest["metadata"], json!({"hasMore": false, "returnedCount": 10, "truncated": false}));
    let pages = [&first["data"], &rest["data"]].map(|rows| rows.as_array().unwrap().clone());
    let active = company.texts("SELECT number FROM employees WHERE active = 1");
    assert_eq!(numbers(&pages.concat()), active.into_iter().collect());
    let sorted: Vec<String> = pages
        .concat()
        .iter()
        .map(|row| format!("{} {}", row["last_name"].as_str().unwrap(), row["first_name"].as_str().unwrap()))
        .collect();
    assert!(sorted.is_sorted_by_key(|name| name.to_ascii_lowercase()), "{sorted:?}");
}

#[test]
fn a_manager_sees_the_chain_below_and_nobody_else() {
    let company = Company::new();
    let everybody = company.texts("SELECT number FROM employees");
    let active: BTreeSet<String> =
        company.texts("SELECT number FROM employees WHERE active = 1").into_iter().collect();
    for login in ["nina.patel", "alex.turner", "james.wilson", "brian.adams", "carol.johnson", "bob.martinez"]
    {
        let below = chain(&company, login);
        let listed = numbers(&company.all(login, "list_employees", json!({}), 7));
        assert_eq!(listed, below.intersection(&active).cloned().collect(), "{login}");
        for number in &everybody {
            let told = company.reply(login, "get_employee", json!({"employee_id": number}));
            assert_eq!(told["status"] == "success", below.contains(number), "{login} {number}: {told}");
        }
    }
    let turner = chain(&company, "alex.turner");
    assert!(turner.contains("EMP051") && turner.contains("EMP052"), "direct and indirect");
}

#[test]
fn without_a_role_only_the_own_row_is_there() {
    let company = Company::new();
    for (login, own) in [("marcus.johnson", "EMP052"), ("frank.davis", "EMP061")] {
        let seen: Vec<String> = company
            .texts("SELECT number FROM employees ORDER BY seq")
            .into_iter()
            .filter(|number| {
                company.reply(login, "get_employee", json!({"employee_id": number}))["status"] == "success"
            })
            .collect();
        assert_eq!(seen, [own]);
        for tool in ["list_employees", "get_org_chart"] {
            assert_eq!(company.code(login, tool, json!({})), "INSUFFICIENT_PERMISSIONS");
        }
    }
}

/// Nobody learns from a refusal who there is.
#[test]
fn a_hidden_row_and_no_row_are_told_in_the_same_words() {
    let company = Company::new();
    let hidden = company.text("SELECT employee_id FROM employees WHERE number = 'EMP001'");
    let cases = [
        ("marcus.johnson", "get_employee"),
        ("nina.patel", "get_employee"),
        ("nina.patel", "get_org_chart"),
        ("marcus.johnson", "get_performance_reviews"),
        ("nina.patel", "get_performance_reviews"),
        ("marcus.johnson", "get_time_off_balances"),
        ("dan.williams", "get_time_off_balances"),
    ];
    for (login, tool) in cases {
        let name = if tool == "get_org_chart" { "root_employee_id" } else { "employee_id" };
        let told = |id: &str| {
            let told = company.reply(login, tool, json!({name: id}));
            assert_eq!(told["code"], "EMPLOYEE_NOT_FOUND", "{login} {tool}: {told}");
            told.to_string().replacen(id, "ID", 1)
        };
        let nothing = told(NOBODYS);
        for there in [hidden.as_str(), "EMP001", "eve.thompson", "EVE.THOMPSON"] {
            assert_eq!(told(there), nothing, "{login} {tool} {there}");
        }
    }
}

#[test]
fn somebody_is_found_by_each_of_their_ids() {
    let company = Company::new();
    let id = company.text("SELECT employee_id FROM employees WHERE number = 'EMP052'");
    let told =
        |reference: &str| company.reply("alice.chen", "get_employee", json!({"employee_id": reference}));
    let expected = told("EMP052");
    assert_eq!(expected["data"]["manager_name"], "Nina Patel");
    for reference in [&id, &id.to_uppercase(), "emp052", "marcus.johnson", "Marcus.Johnson", " EMP052 "] {
        assert_eq!(told(reference), expected, "{reference}");
    }
}

/// Salary and number, then phone: shown (+) or hidden (-).
fn seen_of(company: &Company, login: &str, number: &str) -> String {
    let row = company.data(login, "get_employee", json!({"employee_id": number}));
    let mark = |name: &str| if row[name] == HIDDEN { '-' } else { '+' };
    assert_eq!(mark("salary"), mark("ssn"), "they are hidden alike");
    assert!(row["email"].as_str().unwrap().ends_with("@quillmere.example"), "the work e-mail is for all");
    format!("{login} of {number}: salary {} phone {}", mark("salary"), mark("phone"))
}

#[test]
fn what_is_hidden_of_whom() {
    let company = Company::new();
    let cases = [
        ("eve.thompson", "EMP052"),
        ("alice.chen", "EMP052"),
        ("samira.haddad", "EMP052"),
        ("samira.haddad", "EMP011"),
        ("bob.martinez", "EMP021"),
        ("michael.roberts", "EMP020"),
        ("peter.novak", "EMP024"),
        ("nina.patel", "EMP052"),
        ("nina.patel", "EMP051"),
        ("james.wilson", "EMP010"),
        ("marcus.johnson", "EMP052"),
        ("carol.johnson", "EMP033"),
    ];
    let seen: Vec<String> = cases.iter().map(|(login, number)| seen_of(&company, login, number)).collect();
    assert_snapshot!(seen.join("\n"), @"
    eve.thompson of EMP052: salary + phone +
    alice.chen of EMP052: salary + phone +
    samira.haddad of EMP052: salary - phone +
    samira.haddad of EMP011: salary + phone +
    bob.martinez of EMP021: salary + phone +
    michael.roberts of EMP020: salary + phone +
    peter.novak of EMP024: salary + phone +
    nina.patel of EMP052: salary - phone +
    nina.patel of EMP051: salary + phone +
    james.wilson of EMP010: salary - phone +
    marcus.johnson of EMP052: salary + phone +
    carol.johnson of EMP033: salary - phone +
    ");
    assert_eq!(
        company.code("peter.novak", "get_employee", json!({"employee_id": "EMP052"})),
        "EMPLOYEE_NOT_FOUND"
    );
    let listed = company.data("nina.patel", "list_employees", json!({}));
    for row in listed.as_array().unwrap() {
        assert_eq!(
            row["salary"] == HIDDEN,
            row["employee_number"] != "EMP051",
            "a list hides what a record hides"
        );
    }
}

#[test]
fn reviews_are_of_the_chain_of_oneself_or_for_hr_of_all() {
    let company = Company::new();
    let whose = |login: &str, arguments: Value| -> BTreeSet<String> {
        let rows = company.all(login, "get_performance_reviews", arguments, 9);
        let dates: Vec<&str> = rows.iter().map(|row| row["due_date"].as_str().unwrap()).collect();
        assert!(dates.is_sorted_by(|a, b| a >= b), "the newest first: {dates:?}");
        rows.iter().map(|row| row["employee_id"].as_str().unwrap().to_owned()).collect()
    };
    let ids = |numbers: &BTreeSet<String>| -> BTreeSet<String> {
        let sql = |number: &String| {
            format!("SELECT employee_id FROM employees WHERE active = 1 AND number = '{number}'")
        };
        numbers.iter().flat_map(|number| company.texts(&sql(number))).collect()
    };
    let reviewed: BTreeSet<String> = company
        .texts("SELECT DISTINCT e.employee_id FROM reviews r JOIN employees e ON e.seq = r.employee")
        .into_iter()
        .collect();
    assert_eq!(whose("alice.chen", json!({})), reviewed);
    assert_eq!(whose("eve.thompson", json!({})), reviewed);
    let mut below = chain(&company, "alex.turner");
    below.remove("EMP050");
    assert_eq!(whose("alex.turner", json!({})), ids(&below).intersection(&reviewed).cloned().collect());
    let own = [company.text("SELECT employee_id FROM employees WHERE number = 'EMP052'")].into();
    assert_eq!(whose("marcus.johnson", json!({})), own);
    assert_eq!(whose("nina.patel", json!({"employee_id": "EMP052"})), own);
    assert_eq!(whose("samira.haddad", json!({})).len(), 1, "hr-read is not enough for others' reviews");
}

#[test]
fn reviews_that_are_due_are_those_not_held_within_thirty_days() {
    let company = Company::new();
    let rows = company.all("alice.chen", "get_performance_reviews", json!({"due": true}), 5);
    let dates: Vec<&str> = rows.iter().map(|row| row["due_date"].as_str().unwrap()).collect();
    assert!(dates.is_sorted() && dates.iter().all(|date| *date <= "2025-11-19"), "{dates:?}");
    for row in &rows {
        let expected = if row["due_date"].as_str().unwrap() < "2025-10-20" { "overdue" } else { "due" };
        assert_eq!(row["status"], expected);
        assert!(row.get("review_date").is_none() && row.get("overall_rating").is_none(), "{row}");
    }
    let expected = company.texts(
        "SELECT review_id FROM reviews r JOIN employees e ON e.seq = r.employee
         WHERE review_date IS NULL AND due_date <= '2025-11-19' AND e.active = 1 ORDER BY due_date, r.seq",
    );
    assert_eq!(column(&json!(rows), "review_id"), expected);
}

#[test]
fn days_off_are_shown_to_oneself_managers_and_hr() {
    let company = Company::new();
    let asked = |login: &str| company.reply(login, "get_time_off_balances", json!({"employeeId": "EMP052"}));
    let seen: Vec<&str> = PERSONAS.into_iter().filter(|login| asked(login)["status"] == "success").collect();
    assert_eq!(seen, ["eve.thompson", "alice.chen", "nina.patel", "marcus.johnson"]);
    let (code, message) = company.refusal("marcus.johnson", "get_time_off_balances", json!({"year": 2001}));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("EMPLOYEE_NOT_FOUND", "no days off are known of Marcus Johnson in 2001")
    );
    for year in [1999, 2101] {
        assert_eq!(
            company.code("marcus.johnson", "get_time_off_balances", json!({"year": year})),
            "VALIDATION_ERROR"
        );
    }
}

#[test]
fn a_department_goes_by_its_name_or_its_code() {
    let company = Company::new();
    let engineers = |text: &str| company.data("alice.chen", "list_employees", json!({"department": text}));
    let expected = engineers("ENG");
    assert_eq!(expected.as_array().unwrap().len(), 10);
    for text in ["Engineering", "engineering", "eng", " ENG "] {
        assert_eq!(engineers(text), expected, "{text}");
    }
    let told = company.reply("alice.chen", "list_employees", json!({"department": "Enginering"}));
    assert_snapshot!(told, @r#"{"status":"error","code":"DEPARTMENT_NOT_FOUND","message":"there is no department `Enginering`","suggestedAction":"did you mean `Engineering`?"}"#);
    let nina = company.data("nina.patel", "list_employees", json!({"department": "HR"}));
    assert_eq!(nina, json!([]), "a filter opens nothing");
}
