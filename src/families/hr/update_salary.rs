use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::model;
use super::rows::{self, Rows};
use super::store::employees::{self, Employee};
use super::store::salaries::{self, Change};
use super::view::EmployeeView;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::money::Cents;
use crate::tool::confirm::{ConfirmedTool, Deed, Proposed};
use crate::tool::table::{day_begins, is_date};
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx};

/// Changes what somebody earns, at once or from a later day on.
pub struct UpdateSalary;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// UUID, number or login
    #[schemars(length(min = 1, max = 100))]
    employee_id: String,
    /// Per year, in USD
    #[schemars(range(min = 0, max = 10_000_000))]
    new_salary: f64,
    /// YYYY-MM-DD; default: at once
    #[schemars(length(max = 10))]
    effective_date: Option<String>,
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

impl Tool for UpdateSalary {
    type Args = Args;
    type Output = Proposed;

    const NAME: &'static str = "update_salary";
    const TITLE: &'static str = "Update a salary";
    const DESCRIPTION: &'static str =
        "Asks a person to agree to a new salary, from now or from effective_date on.";
    const ACCESS: Access = Access::AnyOf(&[Role::HrWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ConfirmedTool for UpdateSalary {
    const SERVER: &'static str = "hr";

    fn run(cx: &WriteCx<'_>, args: &Args) -> Result<Deed> {
        let employee = rows::find(cx, Rows::All, &args.employee_id)?;
        if !employee.active {
            return Err(rows::not_found(&args.employee_id));
        }
        let salary = Cents::from_number(args.new_salary)
            .ok_or_else(|| Error::invalid("`new_salary` is no amount").detail("field", "new_salary"))?;
        let later = later(args.effective_date.as_deref(), &cx.now.day())?;
        let mut warnings = warnings(cx, &employee, salary)?;
        let today = cx.now.day();
        if let Some(past) = args.effective_date.as_deref().filter(|date| *date < today.as_str()) {
            warnings.push(format!("{past} is past: the salary changes now, and not from then on"));
        }
        let fingerprint =
            employees::fingerprint(cx.tx, employee.seq)? + &salaries::fingerprint(cx.tx, employee.seq)?;
        let (seq, name, id) = (employee.seq, employee.name(), employee.employee_id.clone());
        let old = employee.salary.reveal().unwrap_or_default();
        let percent = model::percent(old, salary);
        let from = later.as_ref().map_or(String::new(), |(date, _)| format!(", from {date} on"));
        let question = format!(
            "Change the salary of {name} ({}) from {old} to {salary} {}{}{from}?",
            employee.email,
            employee.currency,
            percent.map_or(String::new(), |percent| format!(" ({percent:+} %)")),
        );
        let names = json!({
            "name": name, "employeeName": name, "employeeEmail": employee.email, "department": employee.department,
            "currentSalary": old, "newSalary": salary, "difference": salary - old, "percent": percent,
            "effectiveDate": args.effective_date, "reason": args.reason,
        });
        let view = |employee| serde_json::to_value(EmployeeView::of(employee, cx.caller(), Rows::All));
        let before = view(employee).unwrap_or_default();
        let mut after = before.clone();
        match &later {
            Some((date, due_at)) => {
                let by = &cx.caller().user_id;
                let reason = args.reason.as_deref();
                let change = Change {
                    employee: seq,
                    salary,
                    effective_date: date,
                    due_at: *due_at,
                    reason,
                    ordered_by: by,
                };
                salaries::schedule(cx.write, &change)?;
                after["scheduled"] = json!({"salary": salary, "effective_date": date});
            }
            None => {
                employees::set_salary(cx.write, seq, salary, cx.now)?;
                after = view(rows::find(cx, Rows::All, &id)?).unwrap_or_default();
            }
        }
        Ok(Deed {
            question,
            ids: json!({"employee_id": id, "employeeId": id}),
            names,
            warnings,
            before,
            after,
            fingerprint,
            done: format!("The salary of {name} is changed{from}."),
        })
    }
}

/// A day after today and when it begins; none if it is at once.
fn later(date: Option<&str>, today: &str) -> Result<Option<(String, i64)>> {
    let Some(date) = date else { return Ok(None) };
    let begins = day_begins(date).filter(|_| is_date(date)).ok_or_else(|| {
        Error::invalid("`effective_date` is no day")
            .hint("write it as YYYY-MM-DD, or leave it out for now")
            .detail("field", "effective_date")
    })?;
    Ok((date > today).then(|| (date.to_owned(), begins)))
}

fn warnings(cx: &WriteCx<'_>, employee: &Employee, salary: Cents) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    if let Some(grade) = &employee.grade
        && let Some(band) = employees::band(cx.tx, grade)?
    {
        warnings.extend(model::outside_of_band(grade, band, salary));
    }
    if cx.caller().employee_id.as_ref() == Some(&employee.employee_id) {
        warnings.push("this is your own salary".to_owned());
    }
    Ok(warnings)
}
