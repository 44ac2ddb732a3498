//! Customers and deals as one caller may see them.

use schemars::JsonSchema;
use serde::Serialize;

use super::store::customers::Customer;
use super::store::deals::Deal;
use crate::identity::{Caller, Role};
use crate::money::Cents;
use crate::sensitive::Masked;

#[derive(Debug, Serialize, JsonSchema)]
pub struct CustomerView {
    _id: String,
    name: String,
    email: Masked<String>,
    company: Option<String>,
    industry: Option<String>,
    phone: Masked<Option<String>>,
    address: Address,
    account_owner: Option<String>,
    tier: Option<String>,
    annual_revenue: Option<Cents>,
    created_at: String,
    updated_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Address {
    street: Option<String>,
    city: Option<String>,
    state: Option<String>,
    zip: Option<String>,
    country: Option<String>,
}

/// Who may reach customers directly.
const SEE_CONTACTS: &[Role] = &[Role::SalesWrite, Role::Executive];

impl CustomerView {
    pub fn of(customer: Customer, caller: &Caller) -> Self {
        let sees_contacts = caller.has_any(SEE_CONTACTS);
        CustomerView {
            _id: customer.customer_id,
            name: customer.name,
            email: customer.email.shown_if(sees_contacts),
            company: customer.company,
            industry: customer.industry,
            phone: customer.phone.shown_if(sees_contacts),
            address: Address {
                street: customer.street,
                city: customer.city,
                state: customer.state,
                zip: customer.zip,
                country: customer.country,
            },
            account_owner: customer.account_owner,
            tier: customer.tier,
            annual_revenue: customer.annual_revenue,
            created_at: customer.created_at.rfc3339(),
            updated_at: customer.updated_at.rfc3339(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DealView {
    _id: String,
    customer_id: String,
    customer_name: Option<String>,
    deal_name: String,
    value: Cents,
    currency: String,
    stage: String,
    probability: i64,
    expected_close_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual_close_date: Option<String>,
    owner: String,
    notes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss_reason: Option<String>,
    created_at: String,
    updated_at: String,
}

impl DealView {
    pub fn of(deal: Deal) -> Self {
        DealView {
            _id: deal.deal_id,
            customer_id: deal.customer_id,
            customer_name: deal.customer_name,
            deal_name: deal.deal_name,
            value: deal.value,
            currency: deal.currency,
            stage: deal.stage,
            probability: deal.probability,
            expected_close_date: deal.expected_close_date,
            actual_close_date: deal.actual_close_date,
            owner: deal.owner,
            notes: deal.notes,
            loss_reason: deal.loss_reason,
            created_at: deal.created_at.rfc3339(),
            updated_at: deal.updated_at.rfc3339(),
        }
    }
}
