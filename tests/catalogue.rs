//! Properties over every tool: a new one is covered the day it is added.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use backoffice::families;
use backoffice::identity::Role;
use backoffice::tool::dispatch::Reply;
use backoffice::tool::{Access, Family, ToolDef, shape};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::office::TestOffice;

fn tools() -> impl Iterator<Item = (&'static Family, &'static ToolDef)> {
    families::ALL.iter().flat_map(|family| family.tools.iter().map(move |tool| (*family, tool)))
}

#[test]
fn names_are_short_plain_unique_and_in_order() {
    let mut seen = BTreeSet::new();
    for (_, tool) in tools() {
        let plain = tool.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(plain && (1..=32).contains(&tool.name.len()), "{}", tool.name);
        assert!(seen.insert(tool.name), "{} is there twice", tool.name);
    }
    for family in families::ALL {
        assert!(family.tools.is_sorted_by_key(|tool| tool.name), "{}", family.name);
    }
    assert!(families::ALL[1..].is_sorted_by_key(|family| family.name));
}

/// The published surface. A change here is a change for every client.
#[test]
fn every_tool_keeps_its_contract() {
    let mut expected = BTreeSet::new();
    for (family, tool) in tools() {
        let contract = json!({
            "name": tool.name, "toolset": family.name, "title": tool.title, "description": tool.description,
            "kind": format!("{:?}", tool.kind), "access": format!("{:?}", tool.access),
            "input": tool.schemas().input, "output": tool.schemas().output,
        });
        expected.insert(format!("{}.snap", tool.name));
        insta::with_settings!({snapshot_path => "contracts", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_json_snapshot!(tool.name, contract);
        });
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contracts");
    let kept = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let kept = kept.filter(|name| name.ends_with(".snap"));
    assert_eq!(kept.collect::<BTreeSet<_>>(), expected, "a contract without a tool");
}

#[test]
fn the_role_matrix() {
    let rows: Vec<String> = tools()
        .map(|(_, tool)| {
            let roles = match tool.access {
                Access::Everyone => "everyone".to_owned(),
                Access::AnyOf(roles) => roles.iter().map(Role::to_string).collect::<Vec<_>>().join(" "),
            };
            format!("{}: {roles}", tool.name)
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @"
    get_confirmation: everyone
    whoami: everyone
    approve_artifact: everyone
    list_artifacts: everyone
    read_artifact: everyone
    store_artifact: everyone
    validate_artifact: everyone
    search_docs: everyone
    approve_budget: finance-write executive
    delete_invoice: finance-write executive
    get_budget: finance-read finance-write manager executive
    get_expense_report: employee finance-read finance-write manager executive
    list_budgets: finance-read finance-write manager executive
    list_invoices: finance-read finance-write manager executive
    delete_employee: hr-write executive
    get_employee: employee hr-read hr-write manager executive
    get_org_chart: hr-read hr-write manager executive
    get_performance_reviews: employee hr-write manager executive
    get_time_off_balances: employee hr-read hr-write manager executive
    list_employees: hr-read hr-write manager executive
    update_salary: hr-write executive
    confirm_reservation: everyone
    get_next_available_id: everyone
    list_reservations: everyone
    release_reservation: everyone
    reserve_id_range: everyone
    read_architecture: everyone
    require_clarification: everyone
    close_deal: sales-write executive
    delete_customer: sales-write executive
    get_customer: sales-read sales-write executive
    get_pipeline: sales-read sales-write executive
    list_deals: employee sales-read sales-write manager executive
    close_ticket: support-write executive
    get_knowledge_article: employee support-read support-write executive
    search_knowledge_base: employee support-read support-write executive
    search_tickets: employee support-read support-write executive
    add_task: everyone
    complete_task: everyone
    delete_task: everyone
    get_next_task: everyone
    list_tasks: everyone
    update_task: everyone
    update_task_status: everyone
    ");
}

/// What some client or other refuses, with the whole list of tools.
fn portable(schema: &Value, path: &str, problems: &mut Vec<String>) {
    match schema {
        Value::Bool(true) => problems.push(format!("{path} is a bare `true`")),
        Value::Object(object) => {
            for word in ["$ref", "$defs", "definitions"] {
                if object.contains_key(word) {
                    problems.push(format!("{path} holds {word}"));
                }
            }
            for (name, member) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
                portable(member, &format!("{path}.{name}"), problems);
            }
            for word in ["items", "additionalProperties"] {
                object
                    .get(word)
                    .into_iter()
                    .for_each(|member| portable(member, &format!("{path}.{word}"), problems));
            }
            for word in ["anyOf", "oneOf", "allOf"] {
                for member in object.get(word).and_then(Value::as_array).into_iter().flatten() {
                    portable(member, &format!("{path}.{word}"), problems);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn schemas_are_portable_and_every_bound_is_enforced() {
    for (_, tool) in tools() {
        let schemas = tool.schemas();
        for (side, schema) in [("input", &schemas.input), ("output", &schemas.output)] {
            assert_eq!(schema.get("type"), Some(&json!("object")), "{} {side}", tool.name);
            for word in ["oneOf", "anyOf", "allOf"] {
                assert!(!schema.contains_key(word), "{} {side} has a root {word}", tool.name);
            }
            let mut problems = Vec::new();
            portable(&Value::Object(schema.clone()), side, &mut problems);
            assert!(problems.is_empty(), "{}: {problems:?}", tool.name);
        }
        assert_eq!(schemas.input["additionalProperties"], false, "{} takes unknown arguments", tool.name);
        let unenforced = shape::unenforced(&Value::Object(schemas.input.clone()));
        assert!(unenforced.is_empty(), "{} publishes but does not enforce {unenforced:?}", tool.name);
    }
}

/// What a model pays before it has called anything: four characters a token.
#[test]
fn the_list_of_tools_stays_within_its_budget() {
    let sizes: Vec<(usize, &str)> = tools()
        .map(|(_, tool)| {
            let shown = json!({"name": tool.name, "description": tool.description, "input_schema": tool.schemas().input});
            (shown.to_string().len() / 4, tool.name)
        })
        .collect();
    let total: usize = sizes.iter().map(|(tokens, _)| tokens).sum();
    assert!(total <= 10_000, "{total} tokens: {sizes:?}");
    assert!(total / sizes.len() <= 200, "{} tokens a tool on average: {sizes:?}", total / sizes.len());
}

#[test]
fn the_readme_shows_the_tools_as_they_are() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let table = backoffice::cli::tools_markdown();
    assert!(
        readme.contains(&table),
        "put the output of `backoffice tools --markdown` into the README:\n{table}"
    );
}

/// Any JSON at all, of a size a test can afford.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop_oneof![Just("US"), Just("TASK-001"), Just("shop"), Just("pending"), Just("../..")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((".{0,8}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a caller sends to whatever tool, the mistake is never ours.
    #[test]
    fn no_argument_is_our_mistake(values in prop::collection::vec(anything(), 12), unknown in any::<bool>()) {
        let office = TestOffice::new();
        let session = Arc::new(office.owner());
        for (_, tool) in tools() {
            let names = tool.schemas().input.get("properties").and_then(Value::as_object).into_iter().flat_map(|members| members.keys());
            let mut arguments: Value = names.cloned().zip(values.iter().cloned()).collect();
            if unknown {
                arguments["nobody_knows_me"] = json!(1);
            }
            if let Reply::Failed { error, .. } = office.reply(&session, tool.name, arguments.clone()) {
                let ours = matches!(error.kind(), backoffice::error::Kind::Internal | backoffice::error::Kind::Storage);
                prop_assert!(!ours, "{} {}: {:?}", tool.name, arguments, error);
            } else {
                prop_assert!(!unknown, "{} took an unknown argument", tool.name);
            }
        }
    }
}
