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
