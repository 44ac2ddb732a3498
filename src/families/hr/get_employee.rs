use schemars::JsonSchema;
use serde::Deserialize;

use super::rows::{self, ALL_EMPLOYEES};
use super::view::EmployeeView;
use crate::error::Result;
use crate::identity::Role;
use crate::tool::envelope::Success;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Tells what there is about one employee.
pub struct GetEmployee;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// UUID, number (EMP001) or login
    #[schemars(length(min = 1, max = 100))]
    employee_id: String,
}

impl Tool for GetEmployee {
    type Args = Args;
    type Output = Success<EmployeeView>;

    const NAME: &'static str = "get_employee";
    const TITLE: &'static str = "Get an employee";
    const DESCRIPTION: &'static str =
        "Tells what you may know of an employee. Everybody sees themselves, managers the people below them.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::Employee, Role::HrRead, Role::HrWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetEmployee {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let rows = rows::of(cx, ALL_EMPLOYEES)?;
        let employee = rows::find(cx, rows, &args.employee_id)?;
        Ok(Success::of(EmployeeView::of(employee, cx.caller(), rows)))
    }
}
