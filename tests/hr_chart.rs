//! Who reports to whom: depth, width, cycles.

use std::collections::BTreeMap;

use backoffice::families::hr::store::chain;
use serde_json::{Value, json};

use crate::company::Company;

/// Everybody in a chart: how many reports of theirs are shown, and how many are counted only.
fn people(node: &Value) -> BTreeMap<String, (usize, i64)> {
    let (mut all, mut open) = (BTreeMap::new(), vec![node]);
    while let Some(node) = open.pop() {
        let reports: Vec<&Value> = node["reports"].as_array().into_iter().flatten().collect();
        if let Some(id) = node["employee_id"].as_str() {
            let counts = (reports.len(), node["more_reports"].as_i64().unwrap_or(0));
            assert!(all.insert(id.to_owned(), counts).is_none(), "{id} is drawn twice");
        }
        open.extend(reports);
    }
    all
}

fn reports(company: &Company) -> BTreeMap<String, i64> {
    let sql = "SELECT m.employee_id || ' ' || (SELECT count(*) FROM employees e WHERE e.manager = m.seq AND e.active = 1)
               FROM employees m";
    let rows = company.texts(sql).into_iter();
    rows.map(|row| row.split_once(' ').map(|(id, count)| (id.to_owned(), count.parse().unwrap())).unwrap())
        .collect()
}

/// Changes who reports to whom, as an import does.
fn rearrange(company: &Company, sql: &'static str) {
    let changed = company.office.office.db.write(move |tx| {
        tx.execute(sql, [])?;
        chain::renew(tx)
    });
    changed.unwrap();
}

const CROWD: &str = "INSERT INTO employees (employee_id, number, first_name, last_name, email, department, manager, created_at, updated_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    SELECT 'crowd-' || i, 'CROWD' || i, 'Ann', 'Crowd' || i, 'crowd' || i || '@quillmere.example', 'IT',
           (SELECT seq FROM employees WHERE number = 'EMP061'), 0, 0 FROM n";

#[test]
fn at_every_depth_everybody_is_shown_or_counted() {
    let company = Company::new();
    let all = reports(&company);
    let depths: Vec<usize> = (1..=10)
        .map(|depth| {
            let chart = people(&company.data("samira.haddad", "get_org_chart", json!({"max_depth": depth})));
            for (id, (shown, more)) in &chart {
                assert_eq!(*shown as i64 + more, all[id], "{id} at depth {depth}");
            }
            chart.len()
        })
        .collect();
    assert!(depths.is_sorted() && depths[0] == 1 + 7 && depths[9] == 60, "{depths:?}");
    let default = company.data("eve.thompson", "get_org_chart", json!({}));
    assert_eq!(default, company.data("eve.thompson", "get_org_chart", json!({"max_depth": 3})));
    assert_eq!(default["name"], "Eve Thompson");
    for depth in [0, 11] {
        assert_eq!(
            company.code("eve.thompson", "get_org_chart", json!({"max_depth": depth})),
            "VALIDATION_ERROR"
        );
    }
}

#[test]
fn a_manager_draws_what_is_below_and_no_more() {
    let company = Company::new();
    let own = company.data("alex.turner", "get_org_chart", json!({"maxDepth": 10}));
    assert_eq!((&own["name"], people(&own).len()), (&json!("Alex Turner"), 10));
    let part = company.data("alex.turner", "get_org_chart", json!({"root_employee_id": "EMP056"}));
    assert_eq!((&part["name"], people(&part).len()), (&json!("Ravi Subramanian"), 4));
    for above in ["EMP001", "EMP002", "EMP063", "nobody"] {
        let asked = json!({"root_employee_id": above});
        assert_eq!(company.code("alex.turner", "get_org_chart", asked), "EMPLOYEE_NOT_FOUND", "{above}");
    }
}

#[test]
fn a_chart_is_bounded_and_counts_whom_it_leaves_out() {
    let company = Company::new();
    rearrange(&company, CROWD);
    let frank = company.data("alice.chen", "get_org_chart", json!({"root_employee_id": "EMP061"}));
    assert_eq!((people(&frank).len(), &frank["more_reports"]), (250, &json!(51)));
    let all = reports(&company);
    let whole = people(&company.data("alice.chen", "get_org_chart", json!({"max_depth": 10})));
    assert_eq!(whole.len(), 250);
    for (id, (shown, more)) in whole {
        assert_eq!(shown as i64 + more, all[&id], "{id}");
    }
}

#[test]
fn too_many_people_at_the_top_are_counted_too() {
    let company = Company::new();
    rearrange(&company, CROWD);
    rearrange(&company, "UPDATE employees SET manager = NULL WHERE number LIKE 'CROWD%'");
    let tops = company.data("alice.chen", "get_org_chart", json!({"max_depth": 1}));
    assert_eq!(
        (&tops["employee_id"], &tops["name"]),
        (&Value::Null, &json!("Everybody who reports to nobody"))
    );
    assert_eq!((people(&tops).len(), &tops["more_reports"]), (250, &json!(51)));
}

/// An import may say anything: two who manage each other, or somebody who manages themselves.
#[test]
fn a_cycle_of_managers_does_no_harm() {
    let company = Company::new();
    rearrange(
        &company,
        "UPDATE employees SET manager = (SELECT seq FROM employees WHERE number = 'EMP061') WHERE number = 'EMP001'",
    );
    let chart =
        company.data("alice.chen", "get_org_chart", json!({"root_employee_id": "EMP001", "max_depth": 10}));
    let drawn = people(&chart);
    assert_eq!(drawn.len(), 60);
    assert!(drawn.values().all(|(_, more)| *more == 0), "everybody is shown: {chart}");
    let tops = company.data("alice.chen", "get_org_chart", json!({}));
    assert_eq!(people(&tops).len(), 0, "nobody is at the top: {tops}");
    let seen = company.all("brian.adams", "list_employees", json!({}), 50);
    assert_eq!(seen.len(), 60, "everybody is below the one above the top");
    let own = company.all("nina.patel", "list_employees", json!({}), 50);
    assert_eq!(own.len(), 5, "who is not in the cycle sees what they saw");
    assert_eq!(company.code("frank.davis", "list_employees", json!({})), "INSUFFICIENT_PERMISSIONS");
    assert_eq!(
        company.code("frank.davis", "get_employee", json!({"employee_id": "EMP001"})),
        "EMPLOYEE_NOT_FOUND"
    );
}

#[test]
fn nobody_is_their_own_report() {
    let company = Company::new();
    rearrange(&company, "UPDATE employees SET manager = seq WHERE number = 'EMP051'");
    let chart = company.data("nina.patel", "get_org_chart", json!({}));
    assert_eq!((people(&chart).len(), &chart["more_reports"]), (5, &Value::Null));
    assert_eq!(company.all("nina.patel", "list_employees", json!({}), 2).len(), 5);
    let due = company.data("nina.patel", "get_performance_reviews", json!({"due": true}));
    assert_eq!(due.as_array().unwrap().len(), 2, "the own review is not the team's");
    let reported = company.refusal("alice.chen", "delete_employee", json!({"employee_id": "EMP051"}));
    assert!(reported.1.starts_with("4 people report to Nina Patel"), "{reported:?}");
}
