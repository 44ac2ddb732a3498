use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::rows::{self, Rows};
use super::store::employees;
use super::view::EmployeeView;
use crate::db::people;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::tool::confirm::{ConfirmedTool, Deed, Proposed};
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx};

/// Ends an employment.
pub struct DeleteEmployee;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// UUID, number or login
    #[schemars(length(min = 1, max = 100))]
    employee_id: String,
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

impl Tool for DeleteEmployee {
    type Args = Args;
    type Output = Proposed;

    const NAME: &'static str = "delete_employee";
    const TITLE: &'static str = "Delete an employee";
    const DESCRIPTION: &'static str =
        "Asks a person to agree that an employee is deleted. Not yourself, nobody with active reports.";
    const ACCESS: Access = Access::AnyOf(&[Role::HrWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ConfirmedTool for DeleteEmployee {
    const SERVER: &'static str = "hr";

    fn run(cx: &WriteCx<'_>, args: &Args) -> Result<Deed> {
        let employee = rows::find(cx, Rows::All, &args.employee_id)?;
        let (seq, name) = (employee.seq, employee.name());
        if !employee.active {
            return Err(Error::not_found(format!("{name} was deleted before"))
                .hint("list_employees shows who is active")
                .detail("code", "EMPLOYEE_NOT_FOUND"));
        }
        if cx.caller().employee_id.as_ref() == Some(&employee.employee_id) {
            return Err(Error::conflict("nobody can delete their own record")
                .hint("another person of HR has to ask for it")
                .detail("code", "CANNOT_DELETE_SELF"));
        }
        let reports = employees::count_reports(cx.tx, seq)?;
        if reports > 0 {
            let some = employees::reports(cx.tx, Some(seq), 3)?;
            let some: Vec<String> = some.iter().map(employees::Employee::name).collect();
            let report = if reports == 1 { "person reports" } else { "people report" };
            return Err(Error::conflict(format!("{reports} {report} to {name}: {}", listed(&some, reports)))
                .hint(format!(
                    "give them another manager first: get_org_chart with root_employee_id {} shows them",
                    employee.number
                ))
                .detail("code", "EMPLOYEE_HAS_REPORTS"));
        }
        let fingerprint = employees::fingerprint(cx.tx, seq)?;
        let ids = json!({"employee_id": employee.employee_id, "employeeId": employee.employee_id});
        let names = json!({
            "name": name, "employeeName": name, "employeeEmail": employee.email,
            "department": employee.department, "jobTitle": employee.title, "consequence": "their login loses its roles",
            "reason": args.reason.as_deref().unwrap_or("No reason provided"),
        });
        let question = format!("Delete employee {name} ({})? This action cannot be undone.", employee.email);
        let id = employee.employee_id.clone();
        let view = |employee| serde_json::to_value(EmployeeView::of(employee, cx.caller(), Rows::All));
        let before = view(employee).unwrap_or_default();
        employees::end(cx.write, seq, &cx.now.day(), cx.now)?;
        people::revoke_all(cx.write, &id)?;
        let after = view(rows::find(cx, Rows::All, &id)?).unwrap_or_default();
        Ok(Deed {
            question,
            ids,
            names,
            warnings: Vec::new(),
            before,
            after,
            fingerprint,
            done: format!("Employee {name} has been deleted."),
        })
    }
}

fn listed(some: &[String], all: i64) -> String {
    let more = all - some.len() as i64;
    match more {
        ..=0 => some.join(", "),
        _ => format!("{} and {more} more", some.join(", ")),
    }
}
