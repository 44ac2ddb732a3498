use schemars::JsonSchema;
use serde::Deserialize;

use super::store::customers::{self, Customer};
use super::views::CustomerView;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::tool::envelope::Success;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Tells what there is about a customer.
pub struct GetCustomer;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// 24 hex digits, as in a deal's customer_id
    #[schemars(length(min = 1, max = 100))]
    customer_id: String,
}

impl Tool for GetCustomer {
    type Args = Args;
    type Output = Success<CustomerView>;

    const NAME: &'static str = "get_customer";
    const TITLE: &'static str = "Get a customer";
    const DESCRIPTION: &'static str =
        "Tells what there is about a customer; how to reach them only to who may write to them.";
    const ACCESS: Access = Access::AnyOf(&[Role::SalesRead, Role::SalesWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetCustomer {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let customer = found(customers::find(cx.tx, args.customer_id.trim())?)?;
        Ok(Success::of(CustomerView::of(customer, cx.caller())))
    }
}

pub fn found(customer: Option<Customer>) -> Result<Customer> {
    customer.ok_or_else(|| {
        Error::not_found("Customer not found. Verify the customer ID is correct.")
            .hint("Use list_deals to find customer IDs: 24 hex digits")
            .detail("code", "CUSTOMER_NOT_FOUND")
    })
}
