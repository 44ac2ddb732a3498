use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::list_invoices::InvoiceView;
use super::model;
use super::rows::Rows;
use super::store::invoices;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::tool::confirm::{ConfirmedTool, Deed, Proposed};
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx};

/// Deletes an invoice that nobody has approved.
pub struct DeleteInvoice;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// UUID or number
    #[schemars(length(min = 1, max = 100))]
    invoice_id: String,
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

impl Tool for DeleteInvoice {
    type Args = Args;
    type Output = Proposed;

    const NAME: &'static str = "delete_invoice";
    const TITLE: &'static str = "Delete an invoice";
    const DESCRIPTION: &'static str =
        "Asks a person to agree that an invoice is deleted. Only pending or rejected ones.";
    const ACCESS: Access = Access::AnyOf(&[Role::FinanceWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ConfirmedTool for DeleteInvoice {
    const SERVER: &'static str = "finance";

    fn run(cx: &WriteCx<'_>, args: &Args) -> Result<Deed> {
        let Some(invoice) = invoices::find(cx.tx, &Rows::All, args.invoice_id.trim())? else {
            return Err(Error::not_found("Invoice not found. Verify the invoice ID is correct.")
                .hint("Use list_invoices to find valid IDs: a UUID or a number such as INV-2026-001")
                .detail("code", "INVOICE_NOT_FOUND"));
        };
        let today = cx.now.day();
        let (seq, number, status) = (invoice.seq, invoice.number.clone(), invoice.status.clone());
        if !matches!(status.as_str(), "pending" | "rejected") {
            let told = model::invoice_status(&status, &invoice.due_date, &today);
            return Err(Error::conflict(format!(
                "{number} is {told}; only pending or rejected invoices can be deleted"
            ))
            .hint("ask finance to void it instead")
            .detail("code", "CANNOT_DELETE_APPROVED_INVOICE"));
        }
        let fingerprint = invoices::fingerprint(cx.tx, seq)?;
        let question = format!(
            "Delete invoice {number} of {} over {} {}?",
            invoice.vendor_name, invoice.amount, invoice.currency
        );
        let ids = json!({"invoice_id": invoice.invoice_id, "invoiceId": invoice.invoice_id});
        let names = json!({
            "invoiceNumber": number, "vendorName": invoice.vendor_name, "amount": invoice.amount,
            "department": invoice.department, "reason": args.reason.as_deref().unwrap_or("No reason provided"),
        });
        let before = serde_json::to_value(InvoiceView::of(invoice, &today)).unwrap_or_default();
        invoices::delete(cx.write, seq, &cx.caller().uuid(), args.reason.as_deref(), cx.now)?;
        Ok(Deed {
            question,
            ids,
            names,
            warnings: Vec::new(),
            before,
            after: Value::Null,
            fingerprint,
            done: format!("Invoice {number} has been deleted."),
        })
    }
}
