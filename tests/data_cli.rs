//! The sample company, a person's own data, and the directory, from the command line.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Ran, backoffice};

struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Desk(tempfile::tempdir().unwrap())
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        backoffice(self.0.path(), arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        ran.json()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn count(&self, table: &str) -> Value {
        self.json(&["sample", "status"])["tables"][table].clone()
    }
}

const EMPLOYEES: &str = "employee_id,number,login,first_name,last_name,email,department,manager,salary\n";

fn employee(number: usize, login: &str, manager: &str) -> String {
    format!(
        "11111111-1111-4111-8111-{number:012},E{number},{login},Ann,Lee,{login}@x.example,ENG,{manager},1000.50\n"
    )
}

#[test]
fn the_sample_comes_by_itself_goes_when_told_and_can_be_made_larger() {
    let desk = Desk::new();
    assert_eq!(desk.json(&["sample", "status"])["origins"]["sample"], Value::Null);
    desk.run(&["--as", "nina.patel", "call", "list_employees"]);
    assert_eq!([desk.count("hr.employees"), desk.count("support.tickets")], [json!(63), json!(400)]);
    assert_eq!(desk.run(&["sample", "load"]).code, 5, "there is data already");
    assert_eq!(desk.run(&["sample", "clear"]).code, 5, "whoever is not there cannot be asked");
    assert_eq!(desk.run(&["sample", "clear", "--yes"]).code, 0);
    assert_eq!(desk.count("hr.employees"), 0);
    let listed = desk.json(&["call", "list_employees"]);
    assert_eq!(listed["data"], json!([]), "what was cleared does not come back by itself");
    assert_eq!(desk.run(&["sample", "load"]).code, 0);
    let made =
        desk.json(&["sample", "generate", "--employees", "200", "--tickets", "50", "--invoices", "30"]);
    assert_eq!(
        made["generated"],
        json!({"hr.employees": 200, "finance.invoices": 30, "support.tickets": 50})
    );
    assert_eq!([desk.count("hr.employees"), desk.count("finance.invoices")], [json!(263), json!(150)]);
    assert_eq!(desk.run(&["sample", "reset", "--yes"]).code, 0);
    assert_eq!(desk.count("hr.employees"), 63);
    assert_eq!(desk.run(&["--as", "alice.chen", "sample", "reset", "--yes"]).code, 4);
}

#[test]
fn every_problem_of_a_file_is_told_with_its_line_and_nothing_is_imported() {
    let desk = Desk::new();
    desk.write("departments.csv", "code,name\neng,Engineering\n");
    assert_eq!(desk.json(&["import", "hr.departments", "departments.csv"])["imported"], 1);
    let file = [
        EMPLOYEES,
        &employee(1, "ann", ""),
        "nonsense,E2,bob,,Lee,b@x,NOWHERE,E9,much\n",
        &employee(3, "cy", "E8"),
    ];
    desk.write("people.csv", &file.concat());
    let refused = desk.run(&["import", "hr.employees", "people.csv"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert_snapshot!(refused.stderr, @r#"
    line 3: `employee_id` is "nonsense", expected a UUID
    line 3: `first_name` is missing
    line 3: `salary` is "much", expected an amount
    line 4: `manager` names `E8`, which is not there
    error: 2 of 3 rows do not fit into hr.employees; nothing was imported
    hint: mend them, or import the others with --skip-bad
    "#);
    assert_eq!(desk.count("hr.employees"), 0);
    let checked = desk.json(&["import", "hr.employees", "people.csv", "--skip-bad", "--dry-run"]);
    assert_eq!([&checked["imported"], &checked["skipped"]], [&json!(1), &json!(2)]);
    assert_eq!(desk.count("hr.employees"), 0, "a dry run writes nothing");
    let imported = desk.json(&["import", "hr.employees", "people.csv", "--skip-bad"]);
    assert_eq!([&imported["imported"], &imported["skipped"]], [&json!(1), &json!(2)]);
    assert_eq!(desk.count("hr.employees"), 1);
    let who = desk.json(&["--as", "ann", "whoami"]);
    assert_eq!(
        (&who["employee_id"], &who["roles"]),
        (&json!("11111111-1111-4111-8111-000000000001"), &json!(["employee"]))
    );
    assert_eq!(desk.count("support.tickets"), 0, "own data does not bring the sample along");
    assert_eq!(desk.run(&["sample", "reset", "--yes"]).code, 5, "own data is not thrown away");
    let same_number =
        employee(1, "eve", "").replace("111,E1", "112,E1").replacen("1111-1111", "1111-2222", 1);
    desk.write("twice.csv", &[EMPLOYEES, &same_number].concat());
    let taken = desk.run(&["import", "hr.employees", "twice.csv"]);
    assert_eq!(taken.code, 2, "{}", taken.stderr);
    assert!(taken.stderr.contains("UNIQUE constraint failed: employees.number"), "{}", taken.stderr);
}

#[test]
fn managers_may_stand_after_their_people_and_even_in_a_circle() {
    let desk = Desk::new();
    desk.write("departments.csv", "code,name\nENG,Engineering\n");
    desk.run(&["import", "hr.departments", "departments.csv"]);
    let file = [
        EMPLOYEES,
        &employee(1, "ann", "E2"),
        &employee(2, "bob", "E3"),
        &employee(3, "cy", "E1"),
        &employee(4, "di", "bob"),
    ];
    desk.write("people.csv", &file.concat());
    assert_eq!(desk.json(&["import", "hr.employees", "people.csv"])["imported"], 4);
    desk.run(&["people", "grant", "bob", "manager"]);
    let listed = desk.json(&["--as", "bob", "call", "list_employees"]);
    assert_eq!(listed["data"].as_array().unwrap().len(), 4, "{listed}");
    desk.run(&["people", "grant", "di", "manager"]);
    let listed = desk.json(&["--as", "di", "call", "list_employees"]);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_exported_can_be_imported_again_as_it_was() {
    let (from, to) = (Desk::new(), Desk::new());
    from.run(&["sample", "load"]);
    let tables = from.json(&["sample", "status"])["tables"].clone();
    for table in tables.as_object().unwrap().keys() {
        let name = format!("{table}.{}", if table.contains("sales") { "jsonl" } else { "csv" });
        assert_eq!(from.run(&["export", table, &name]).code, 0, "{table}");
        to.write(&name, &from.read(&name));
        let imported = to.json(&["import", table, &name]);
        assert_eq!(imported["imported"], tables[table], "{table}");
        assert_eq!(to.run(&["export", table, &format!("again-{name}")]).code, 0);
        assert_eq!(to.read(&format!("again-{name}")), from.read(&name), "{table}");
    }
    assert_eq!(
        from.run(&["export", "hr.employees", "hr.employees.csv"]).code,
        5,
        "a file is not overwritten"
    );
    assert_eq!(from.run(&["--as", "alice.chen", "export", "hr.employees"]).code, 4);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(from.0.path().join("hr.employees.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

/// What a file says nothing about stays, and what is the owner's own is not a file's business.
#[test]
fn an_import_changes_what_it_names_and_nothing_else() {
    let desk = Desk::new();
    desk.write("departments.csv", "code,name\nENG,Engineering\n");
    desk.run(&["import", "hr.departments", "departments.csv"]);
    desk.write("people.csv", &[EMPLOYEES, &employee(1, "ann", ""), &employee(2, "olivia", "E1")].concat());
    desk.run(&["import", "hr.employees", "people.csv"]);
    let me = desk.json(&["whoami"]);
    assert_eq!(
        (&me["user_id"], &me["name"], &me["email"]),
        (&json!("olivia"), &json!("olivia"), &json!("olivia@localhost"))
    );
    assert_eq!(me["employee_id"], "11111111-1111-4111-8111-000000000002");
    let fewer = "employee_id,number,first_name,last_name,email,department\n11111111-1111-4111-8111-000000000001,E1,Anna,Lee,a@x.example,ENG\n";
    desk.write("fewer.csv", fewer);
    assert_eq!(desk.json(&["import", "hr.employees", "fewer.csv"])["imported"], 1);
    let ann = desk.json(&["call", "get_employee", r#"{"employee_id":"ann"}"#])["data"].clone();
    assert_eq!((&ann["first_name"], &ann["salary"]), (&json!("Anna"), &json!(1000.5)));
    desk.write("report.csv", "report_id,number,employee,department,title,month,status\n11111111-1111-4111-8111-000000000009,X1,E1,ENG,Trip,2026-01,draft\n");
    desk.write(
        "items.csv",
        "report,line,expense_date,category,description,amount\nX1,1,2026-01-05,MEALS,Lunch,9.50\n",
    );
    desk.run(&["import", "finance.expense_reports", "report.csv"]);
    for _ in 0..2 {
        desk.run(&["import", "finance.expense_items", "items.csv"]);
    }
    assert_eq!(desk.count("finance.expense_items"), 1);
    desk.write("load.csv", "code,name\nOPS,Operations\n");
    assert_eq!(desk.run(&["sample", "load"]).code, 5, "own data is not replaced by a sample");
    assert_eq!(desk.run(&["sample", "generate", "--tickets", "5"]).code, 5);
    assert_eq!(desk.count("hr.employees"), 2);
}

/// Newest first means what it says, whatever the order of a file.
#[test]
fn an_import_is_put_in_the_order_of_its_dates() {
    let desk = Desk::new();
    desk.write("departments.csv", "code,name\nENG,Engineering\n");
    desk.run(&["import", "hr.departments", "departments.csv"]);
    let row = |number: usize, day: &str| {
        format!("11111111-1111-4111-8111-{number:012},INV-{number},Acme,1,ENG,paid,{day},{day}\n")
    };
    let headings = "invoice_id,number,vendor_name,amount,department,status,invoice_date,due_date\n";
    desk.write(
        "invoices.csv",
        &[headings, &row(3, "2026-03-01"), &row(1, "2026-01-01"), &row(2, "2026-02-01")].concat(),
    );
    desk.run(&["import", "finance.invoices", "invoices.csv"]);
    let listed = desk.json(&["call", "list_invoices"]);
    let numbers: Vec<&str> = listed["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["invoice_number"].as_str().unwrap())
        .collect();
    assert_eq!(numbers, ["INV-3", "INV-2", "INV-1"]);
}

#[test]
fn the_directory_is_kept_by_its_owner() {
    let desk = Desk::new();
    let added = desk.json(&["people", "add", "Ann.Lee", "--name", "Ann Lee", "--role", "hr-read"]);
    assert_eq!((&added["user_id"], &added["roles"]), (&json!("ann.lee"), &json!(["employee", "hr-read"])));
    desk.run(&["people", "grant", "ann.lee", "hr-write", "manager"]);
    desk.run(&["people", "revoke", "ann.lee", "hr-read"]);
    assert_eq!(
        desk.json(&["--as", "ann.lee", "whoami"])["roles"],
        json!(["employee", "manager", "hr-write"])
    );
    let wrong = desk.run(&["people", "grant", "ann.lee", "hr_write"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("did you mean `hr-write`?"), "{}", wrong.stderr);
    assert_eq!(desk.run(&["people", "grant", "nobody", "manager"]).code, 3);
    assert_eq!(desk.run(&["--as", "ann.lee", "people", "grant", "ann.lee", "executive"]).code, 4);
    assert_eq!(desk.run(&["people", "remove", "olivia"]).code, 5, "the owner stays");
    assert_eq!(desk.run(&["people", "remove", "ann.lee"]).code, 0);
    assert_eq!(desk.run(&["--as", "ann.lee", "whoami"]).code, 3);
}
