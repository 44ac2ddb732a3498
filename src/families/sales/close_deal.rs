use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::model::{Stage, is_closed};
use super::store::deals::{self, Deal, End};
use super::views::DealView;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::money::Cents;
use crate::tool::confirm::{ConfirmedTool, Deed, Proposed};
use crate::tool::{Access, ErrorForm, JsonObject, Tool, WriteCx};

/// Closes a deal as won or lost.
pub struct CloseDeal;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Won,
    Lost,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    #[schemars(length(min = 1, max = 100))]
    deal_id: String,
    outcome: Outcome,
    /// If won: the final value
    #[schemars(range(min = 0))]
    actual_value: Option<f64>,
    /// If lost: why
    #[schemars(length(max = 1000))]
    loss_reason: Option<String>,
    #[schemars(length(max = 1000))]
    notes: Option<String>,
}

impl Tool for CloseDeal {
    type Args = Args;
    type Output = Proposed;

    const NAME: &'static str = "close_deal";
    const TITLE: &'static str = "Close a deal";
    const DESCRIPTION: &'static str = "Asks a person to agree that an open deal is closed as won or lost.";
    const ACCESS: Access = Access::AnyOf(&[Role::SalesWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ConfirmedTool for CloseDeal {
    const SERVER: &'static str = "sales";

    fn run(cx: &WriteCx<'_>, args: &Args) -> Result<Deed> {
        let load = || {
            deals::find(cx.tx, args.deal_id.trim())?.ok_or_else(|| {
                Error::not_found("Deal not found. Verify the deal ID is correct.")
                    .hint("Use list_deals to find deal IDs: 24 hex digits")
                    .detail("code", "DEAL_NOT_FOUND")
            })
        };
        let deal: Deal = load()?;
        if is_closed(&deal.stage) {
            return Err(Error::conflict(format!("{} is closed already: {}", deal.deal_name, deal.stage))
                .hint("a closed deal stays as it is; list_deals with a stage shows the open ones")
                .detail("code", "ALREADY_CLOSED"));
        }
        let won = args.outcome == Outcome::Won;
        let misplaced = [
            (won && args.loss_reason.is_some(), "loss_reason"),
            (!won && args.actual_value.is_some(), "actual_value"),
        ];
        if let Some((_, field)) = misplaced.iter().find(|(misplaced, _)| *misplaced) {
            return Err(Error::invalid(format!("`{field}` does not fit the outcome"))
                .hint("actual_value is for a deal that was won, loss_reason for one that was lost")
                .detail("field", *field));
        }
        let value = match args.actual_value {
            Some(value) => Cents::from_number(value).ok_or_else(|| {
                Error::invalid("`actual_value` is no amount").detail("field", "actual_value")
            })?,
            None => deal.value,
        };
        let stage = if won { Stage::ClosedWon } else { Stage::ClosedLost };
        let (seq, name) = (deal.seq, deal.deal_name.clone());
        let outcome = if won { "won" } else { "lost" };
        let fingerprint = deals::fingerprint(cx.tx, seq)?;
        let ids = json!({"deal_id": deal.deal_id, "dealId": deal.deal_id});
        let names = json!({
            "dealName": name, "customerName": deal.customer_name, "value": deal.value, "actualValue": value,
            "currentStage": deal.stage, "newStage": stage.as_str(), "outcome": outcome,
            "lossReason": args.loss_reason, "notes": args.notes,
        });
        let question = format!("Close the deal {name} as {outcome}, with {value} {}?", deal.currency);
        let before = serde_json::to_value(DealView::of(deal)).unwrap_or_default();
        let end = End {
            stage: stage.as_str(),
            probability: if won { 100 } else { 0 },
            value,
            day: &cx.now.day(),
            loss_reason: args.loss_reason.as_deref(),
            notes: args.notes.as_deref(),
        };
        deals::close(cx.write, seq, &end, cx.now)?;
        let after = serde_json::to_value(DealView::of(load()?)).unwrap_or_default();
        Ok(Deed {
            question,
            ids,
            names,
            warnings: Vec::new(),
            before,
            after,
            fingerprint,
            done: format!("The deal {name} is closed as {outcome}."),
        })
    }
}
