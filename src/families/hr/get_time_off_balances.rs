use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::TIME_OFF;
use super::rows;
use super::store::time_off::{self, Balance};
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::money::Cents;
use crate::tool::envelope::Success;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Tells how many days off somebody has left.
pub struct GetTimeOffBalances;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// UUID, number or login; default: yourself
    #[schemars(length(min = 1, max = 100))]
    employee_id: Option<String>,
    /// Default: this year
    #[schemars(range(min = 2000, max = 2100))]
    year: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Balances {
    employee_id: String,
    employee_name: String,
    year: i64,
    /// Vacation days that are left
    pto_balance: Cents,
    balances: Vec<BalanceView>,
}

/// In days.
#[derive(Debug, Serialize, JsonSchema)]
struct BalanceView {
    type_code: String,
    type_name: &'static str,
    entitlement: Cents,
    carryover: Cents,
    used: Cents,
    pending: Cents,
    available: Cents,
}

impl Tool for GetTimeOffBalances {
    type Args = Args;
    type Output = Success<Balances>;

    const NAME: &'static str = "get_time_off_balances";
    const TITLE: &'static str = "Get time-off balances";
    const DESCRIPTION: &'static str =
        "Tells how many days off are left: pto_balance is vacation. Without employee_id your own.";
    const ACCESS: Access =
        Access::AnyOf(&[Role::Employee, Role::HrRead, Role::HrWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetTimeOffBalances {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let employee = match &args.employee_id {
            Some(reference) => rows::find(cx, rows::of(cx, &[Role::HrRead, Role::HrWrite])?, reference)?,
            None => rows::myself(cx)?,
        };
        let this_year = cx.now.day()[..4].parse().unwrap_or(2000);
        let year = args.year.unwrap_or(this_year);
        let found = time_off::of(cx.tx, employee.seq, year)?;
        if found.is_empty() {
            return Err(Error::not_found(format!("no days off are known of {} in {year}", employee.name()))
                .hint("leave `year` out for this year, or ask HR to enter them")
                .detail("code", "EMPLOYEE_NOT_FOUND"));
        }
        let balances: Vec<BalanceView> = TIME_OFF
            .iter()
            .filter_map(|(code, name)| {
                found.iter().find(|row| row.type_code == *code).map(|row| shown(row, name))
            })
            .collect();
        let vacation = balances.iter().find(|balance| balance.type_code == "VACATION");
        Ok(Success::of(Balances {
            employee_name: employee.name(),
            employee_id: employee.employee_id,
            year,
            pto_balance: vacation.map_or(Cents(0), |balance| balance.available),
            balances,
        }))
    }
}

fn shown(balance: &Balance, type_name: &'static str) -> BalanceView {
    // Days are kept in hundredths, as money is, and are written the same way.
    let [entitlement, carryover, used, pending] =
        [balance.entitlement, balance.carryover, balance.used, balance.pending].map(Cents);
    BalanceView {
        type_code: balance.type_code.clone(),
        type_name,
        available: entitlement + carryover - used - pending,
        entitlement,
        carryover,
        used,
        pending,
    }
}
