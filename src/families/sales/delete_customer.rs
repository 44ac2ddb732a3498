use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::get_customer::found;
use super::store::{customers, deals};
use super::views::CustomerView;
use crate::error::Result;
use crate::identity::Role;
use crate::tool::confirm::{ConfirmedTool, Deed, Proposed};
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx};

/// So many open deals are named on the card.
const MOST_NAMED: i64 = 10;

/// Deletes a customer.
pub struct DeleteCustomer;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    #[schemars(length(min = 1, max = 100))]
    customer_id: String,
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

impl Tool for DeleteCustomer {
    type Args = Args;
    type Output = Proposed;

    const NAME: &'static str = "delete_customer";
    const TITLE: &'static str = "Delete a customer";
    const DESCRIPTION: &'static str =
        "Asks a person to agree that a customer is deleted; the card names the deals that are open.";
    const ACCESS: Access = Access::AnyOf(&[Role::SalesWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ConfirmedTool for DeleteCustomer {
    const SERVER: &'static str = "sales";

    fn run(cx: &WriteCx<'_>, args: &Args) -> Result<Deed> {
        let customer = found(customers::find(cx.tx, args.customer_id.trim())?)?;
        let (seq, called, id) = (customer.seq, customer.called(), customer.customer_id.clone());
        let (count, open) = (deals::count_open(cx.tx, seq)?, deals::open_of(cx.tx, seq, MOST_NAMED)?);
        // The card names the deals, so they are part of what must not have changed.
        let fingerprint = customers::fingerprint(cx.tx, seq)? + &deals::fingerprint_open(cx.tx, seq)?;
        let named: Vec<Value> = open
            .iter()
            .map(|deal| json!({"_id": deal.deal_id, "deal_name": deal.deal_name, "value": deal.value, "stage": deal.stage}))
            .collect();
        let names = json!({
            "customerName": customer.name, "company": customer.company, "openDeals": count, "openDealsNamed": named,
            "reason": args.reason.as_deref().unwrap_or("No reason provided"),
        });
        let warning = (count > 0).then(|| {
            let names: Vec<&str> = open.iter().take(3).map(|deal| deal.deal_name.as_str()).collect();
            let (deals, more) = (
                if count == 1 { "deal with them is" } else { "deals with them are" },
                if count > names.len() as i64 { " …" } else { "" },
            );
            format!("{count} {deals} open and will be gone, too: {}{more}", names.join(", "))
        });
        let before = serde_json::to_value(CustomerView::of(customer, cx.caller())).unwrap_or_default();
        customers::delete(cx.write, seq, &cx.caller().uuid(), args.reason.as_deref(), cx.now)?;
        Ok(Deed {
            question: format!("Delete customer {called}?"),
            ids: json!({"customer_id": id, "customerId": id}),
            names,
            warnings: warning.into_iter().collect(),
            before,
            after: Value::Null,
            fingerprint,
            done: format!("Customer {called} has been deleted."),
        })
    }
}
