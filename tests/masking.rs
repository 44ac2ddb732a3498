//! No hidden value below its role: whoever asks whatever tool for whatever, what they may not see is in
//! no answer, no card, no cursor, no line of the trail or of the log.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use backoffice::families::company::FAMILIES;
use backoffice::tool::ToolDef;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::client::Client;
use crate::company::{Company, PERSONAS};
use crate::roles::calls;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secret {
    Pay,
    Phone,
    Contact,
}

/// What an unmistakable value begins with; the row's number follows.
const MARKS: [(&str, Secret); 6] = [
    ("76540000", Secret::Pay),
    ("999-00-00", Secret::Pay),
    ("999-777-00", Secret::Phone),
    ("888-666-00", Secret::Contact),
    ("secret-customer-00", Secret::Contact),
    ("secret-ticket-", Secret::Contact),
];

/// Salaries, numbers, phones and addresses that cannot be taken for anything else.
fn unmistakable() -> Company {
    let company = Company::new();
    company.write(
        "UPDATE employees SET salary = (7654000000 + seq) * 100, ssn = printf('999-00-%04d', seq),
             phone = printf('+1 999-777-%04d', seq)",
    );
    company.write(
        "UPDATE customers SET phone = printf('+1 888-666-%04d', seq),
             email = printf('secret-customer-%04d@example.com', seq)",
    );
    company.write("UPDATE tickets SET customer_email = printf('secret-ticket-%04d@example.com', seq) WHERE customer_id IS NOT NULL");
    company
}

/// The secrets in a text, each with two digits of its row's number.
fn secrets(text: &str) -> Vec<(Secret, u32)> {
    let text = text.replace(',', "");
    let found = MARKS.iter().flat_map(|(mark, secret)| {
        let places = text.match_indices(mark).map(|(at, _)| at + mark.len());
        places.map(|from| {
            (*secret, text.get(from..from + 2).and_then(|digits| digits.parse().ok()).unwrap_or(0))
        })
    });
    found.collect()
}

/// Everybody below a person and the person, by the numbers of their rows.
fn chain(company: &Company, login: &str) -> BTreeSet<u32> {
    let sql = format!(
        "WITH RECURSIVE below (seq) AS (
             SELECT seq FROM employees WHERE login = '{login}'
             UNION SELECT e.seq FROM employees e JOIN below b ON e.manager = b.seq)
         SELECT seq || '' FROM below"
    );
    company.texts(&sql).iter().map(|seq| seq.parse().unwrap()).collect()
}

/// What somebody may see, as the rules have it and not as the code does.
fn may_see(login: &str, chain: &BTreeSet<u32>, own: u32, (secret, row): (Secret, u32)) -> bool {
    match (secret, login) {
        (_, "eve.thompson")
        | (Secret::Pay | Secret::Phone, "alice.chen")
        | (Secret::Contact, "carol.johnson") => true,
        (Secret::Contact, _) => false,
        (Secret::Pay, "bob.martinez") => chain.contains(&row),
        (Secret::Phone, "bob.martinez" | "carol.johnson" | "dan.williams" | "nina.patel") => {
            chain.contains(&row)
        }
        (Secret::Pay | Secret::Phone, _) => row == own,
    }
}

/// Values that an argument of a name may have.
struct Pool {
    employees: Vec<String>,
    customers: Vec<String>,
    deals: Vec<String>,
    tickets: Vec<String>,
    invoices: Vec<String>,
    departments: Vec<String>,
}

impl Pool {
    fn of(company: &Company) -> Self {
        Pool {
            employees: company.texts("SELECT login FROM employees UNION SELECT number FROM employees UNION SELECT employee_id FROM employees"),
            customers: company.texts("SELECT customer_id FROM customers"),
            deals: company.texts("SELECT deal_id FROM deals"),
            tickets: company.texts("SELECT ticket_id FROM tickets"),
            invoices: company.texts("SELECT number FROM invoices UNION SELECT invoice_id FROM invoices"),
            departments: company.texts("SELECT code FROM departments UNION SELECT name FROM departments"),
        }
    }

    fn value(&self, name: &str, schema: &Value, dice: usize) -> Value {
        let pick = |values: &[String]| Value::from(values[dice % values.len()].as_str());
        let one_of = |values: &[&str]| Value::from(values[dice % values.len()]);
        if let Some(choices) = schema["enum"].as_array() {
            return choices[dice % choices.len()].clone();
        }
        match name {
            "employee_id" | "root_employee_id" => pick(&self.employees),
            "customer_id" => pick(&self.customers),
            "deal_id" => pick(&self.deals),
            "ticket_id" => pick(&self.tickets),
            "invoice_id" => pick(&self.invoices),
            "department" => pick(&self.departments),
            "article_id" => format!("KB-{:03}", dice % 64).into(),
            "month" => format!("2025-{:02}", dice % 12 + 1).into(),
            "quarter" if schema["type"] == "string" => format!("2025-Q{}", dice % 4 + 1).into(),
            "year" | "fiscal_year" => json!(2024 + dice % 3),
            "query" => {
                one_of(&["the", "secret*", "login timeout", "customer -refund", "\"example com\"", "999 777"])
            }
            "vendor" => one_of(&["e", "99", "an", "office", "secret"]),
            "owner" => one_of(&["kwame.asante@quillmere.example", "nina.patel@quillmere.example"]),
            "closing_from" | "closing_to" | "effective_date" => {
                one_of(&["2025-10-01", "2025-10-31", "2026-01-01"])
            }
            "category" => one_of(&["Billing", "Authentication"]),
            "cursor" => one_of(&["", "AAAA"]),
            _ => match schema["type"].as_str() {
                Some("boolean") => json!(dice.is_multiple_of(2)),
                Some("integer") => json!(dice % 10 + 1),
                Some("number") => json!(dice % 100_000),
                _ => "some words of a person".into(),
            },
        }
    }

    /// All that is needed, and about half of what is not; a cursor rarely.
    fn arguments(&self, tool: &ToolDef, dice: &[usize]) -> Value {
        let input = &tool.schemas().input;
        let is_needed = |name: &str| {
            input
                .get("required")
                .is_some_and(|needed| needed.as_array().unwrap().iter().any(|each| each == name))
        };
        let members = input["properties"].as_object().unwrap().iter().zip(dice);
        let taken = members.filter(|((name, _), dice)| {
            is_needed(name) || *dice % if *name == "cursor" { 19 } else { 2 } == 0
        });
        taken.map(|((name, schema), dice)| (name.clone(), self.value(name, schema, dice / 2))).collect()
    }
}

fn tools() -> impl Iterator<Item = &'static ToolDef> {
    FAMILIES.into_iter().flat_map(|family| family.tools)
}

/// Everything that is kept of what somebody has asked for.
fn cards(company: &Company, login: &str) -> String {
    let kept =
        "SELECT message || card || target || fingerprint || coalesce(result, '') || coalesce(reason, '')";
    company.texts(&format!("{kept} FROM confirmations WHERE caller = '{login}'")).join("\n")
}

#[test]
fn nobody_sees_what_is_hidden_from_them() {
    let company = unmistakable();
    let pool = Pool::of(&company);
    let people = PERSONAS.map(|login| {
        let own = company.text(&format!("SELECT seq || '' FROM employees WHERE login = '{login}'"));
        (login, chain(&company, login), own.parse::<u32>().unwrap())
    });
    let seen = PERSONAS.map(|_| Cell::new(0));
    let dice =
        prop::collection::vec(prop::collection::vec(0_usize..10_000, 8), tools().count() * PERSONAS.len());
    let config = ProptestConfig {
        cases: 8,
        failure_persistence: None,
        max_shrink_iters: 32,
        ..ProptestConfig::default()
    };
    let run = TestRunner::new(config).run(&dice, |dice| {
        company.office.clock.advance(Duration::from_secs(301));
        let mut dice = dice.iter();
        for ((login, chain, own), seen) in people.iter().zip(&seen) {
            let check = |text: &str, place: &str| {
                let found = secrets(text);
                seen.set(seen.get() + found.len());
                let hidden = found.into_iter().find(|secret| !may_see(login, chain, *own, *secret));
                prop_assert!(hidden.is_none(), "{login} sees {hidden:?} in {place}: {text}");
                Ok(())
            };
            let own_row = company.reply(login, "get_employee", json!({"employee_id": login}));
            check(&own_row.to_string(), "their own row")?;
            for tool in tools() {
                let arguments = pool.arguments(tool, dice.next().unwrap());
                let told = company.reply(login, tool.name, arguments.clone());
                check(&told.to_string(), &format!("{} {arguments}", tool.name))?;
                if let Some(cursor) = told["metadata"]["nextCursor"].as_str() {
                    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).unwrap();
                    check(&String::from_utf8_lossy(&bytes), "a cursor")?;
                    let key = i64::from_be_bytes(bytes[bytes.len() - 8..].try_into().unwrap());
                    prop_assert!(key < 10_000, "the key {key} is no row's number");
                }
            }
            check(&cards(&company, login), "a card")?;
        }
        Ok(())
    });
    run.unwrap();
    let trail = company.texts("SELECT caller || client || tool || outcome || coalesce(correlation_id, '') || coalesce(receipt, '') FROM audit");
    assert!(trail.len() > 1_000 && secrets(&trail.join("\n")).is_empty(), "the trail holds nobody's secrets");
    for (login, seen) in PERSONAS.iter().zip(seen) {
        let sees_much = ["eve.thompson", "alice.chen", "carol.johnson"].contains(login);
        assert!(
            seen.get() > if sees_much { 20 } else { 0 },
            "{login} sees {} values: is it looked for at all?",
            seen.get()
        );
    }
}

#[test]
fn a_hidden_address_cannot_be_searched_for() {
    let company = unmistakable();
    let ticket = company.text("SELECT customer_email FROM tickets WHERE customer_email IS NOT NULL LIMIT 1");
    for login in PERSONAS {
        for tool in ["search_tickets", "search_knowledge_base"] {
            let found = company.data(login, tool, json!({"query": ticket}));
            assert_eq!(found, json!([]), "{login} {tool}");
        }
    }
}

/// Deciding leaves nothing in the trail either.
#[test]
fn a_decision_leaves_ids_in_the_trail_and_no_values() {
    let company = unmistakable();
    for approved in [true, false] {
        let raise = json!({"employee_id": "EMP052", "new_salary": 4_321_987});
        let card = company.propose("alice.chen", "update_salary", raise);
        company.decide("alice.chen", &card, approved);
    }
    let id = company.text("SELECT customer_id FROM customers LIMIT 1");
    let card = company.propose("carol.johnson", "delete_customer", json!({"customer_id": id}));
    company.approve("carol.johnson", &card);
    let trail = company
        .texts("SELECT json_object('caller', caller, 'outcome', outcome, 'receipt', receipt) FROM audit")
        .join("\n");
    assert!(secrets(&trail).is_empty() && !trail.contains("4321987"), "{trail}");
    assert!(trail.contains(&id) && trail.contains("declined") && trail.contains("executed"), "{trail}");
}

/// The real program, as each of the eight, with everything that is logged.
#[test]
fn the_log_holds_nobodys_secrets() {
    let company = unmistakable();
    let (pool, home) = (Pool::of(&company), company.office.folder.path().join("home"));
    let calls =
        PERSONAS.map(|login| tools().map(|tool| calls(&company, tool.name, login).0).collect::<Vec<Value>>());
    let folder = company.leave();
    for (place, login) in PERSONAS.into_iter().enumerate() {
        let mut command = crate::client::command(folder.path());
        command.env("BACKOFFICE_HOME", &home).env("BACKOFFICE_LOG", "backoffice=trace,trace");
        let mut client = Client::spawn(command, &["--as", login]);
        client.initialize("2025-11-25");
        for (tool, sensible) in tools().zip(&calls[place]) {
            client.call(tool.name, sensible.clone());
            let dice: Vec<usize> = (0..8).map(|member| 2 * (37 * place + 11 * member)).collect();
            let mut arguments = pool.arguments(tool, &dice);
            if let Some(salary) = arguments.get_mut("new_salary") {
                *salary = json!(4_321_987);
            }
            client.call(tool.name, arguments);
        }
        client.leave();
    }
    let files = fs::read_dir(home.join("logs")).unwrap();
    let log: String = files.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    for tool in tools() {
        assert!(log.contains(&format!("{}_invocation_completed", tool.name)), "{} was never done", tool.name);
    }
    let told: Vec<&str> = log.lines().filter(|line| !secrets(line).is_empty()).collect();
    assert!(told.is_empty(), "{told:?}");
    for words in ["4321987", "some words of a person"] {
        let told: Vec<&str> = log.lines().filter(|line| line.contains(words)).collect();
        assert!(told.is_empty(), "{told:?}");
    }
}
