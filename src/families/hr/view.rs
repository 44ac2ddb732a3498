//! An employee as one caller may see them.

use schemars::JsonSchema;
use serde::Serialize;

use super::rows::Rows;
use super::store::employees::Employee;
use crate::identity::{Caller, Role};
use crate::money::Cents;
use crate::sensitive::Masked;

#[derive(Debug, Serialize, JsonSchema)]
pub struct EmployeeView {
    employee_id: String,
    employee_number: String,
    first_name: String,
    last_name: String,
    email: String,
    department: String,
    job_title: Option<String>,
    manager_id: Option<String>,
    manager_name: Option<String>,
    hire_date: Option<String>,
    salary: Masked<Option<Cents>>,
    ssn: Masked<Option<String>>,
    phone: Masked<Option<String>>,
    location: Option<String>,
    active: bool,
    created_at: String,
    updated_at: String,
}

/// Who sees what somebody earns.
const SEE_SALARIES: &[Role] = &[Role::HrWrite, Role::FinanceRead, Role::Executive];

impl EmployeeView {
    /// `rows` is how the caller came by the row: a manager calls the people below.
    pub fn of(employee: Employee, caller: &Caller, rows: Rows) -> Self {
        let own = caller.employee_id.as_ref() == Some(&employee.employee_id);
        let sees_salary = own || caller.has_any(SEE_SALARIES);
        let sees_phone = sees_salary || caller.has_any(&[Role::HrRead]) || matches!(rows, Rows::Chain(_));
        EmployeeView {
            employee_id: employee.employee_id,
            employee_number: employee.number,
            first_name: employee.first_name,
            last_name: employee.last_name,
            email: employee.email,
            department: employee.department,
            job_title: employee.title,
            manager_id: employee.manager_id,
            manager_name: employee.manager_name,
            hire_date: employee.hire_date,
            salary: employee.salary.shown_if(sees_salary),
            ssn: employee.ssn.shown_if(sees_salary),
            phone: employee.phone.shown_if(sees_phone),
            location: employee.location,
            active: employee.active,
            created_at: employee.created_at.rfc3339(),
            updated_at: employee.updated_at.rfc3339(),
        }
    }
}
