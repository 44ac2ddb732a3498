use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{Quarter, Stage, is_closed};
use super::store::pipeline;
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::money::Cents;
use crate::tool::envelope::Success;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Sums up the deals of a quarter.
pub struct GetPipeline;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// YYYY-Qn; default: this one
    #[schemars(length(min = 7, max = 7))]
    quarter: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Pipeline {
    quarter: String,
    stages: BTreeMap<&'static str, StageView>,
    /// All open deals
    total_pipeline: Cents,
    /// The same, each by its probability
    weighted_pipeline: Cents,
    closed_won: Cents,
    target: Option<Cents>,
    /// What was won of the target, in percent
    attainment_pct: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
struct StageView {
    count: i64,
    value: Cents,
}

impl Tool for GetPipeline {
    type Args = Args;
    type Output = Success<Pipeline>;

    const NAME: &'static str = "get_pipeline";
    const TITLE: &'static str = "Get the pipeline";
    const DESCRIPTION: &'static str =
        "Sums up a quarter's deals by stage: open, weighted, won, target, attainment.";
    const ACCESS: Access = Access::AnyOf(&[Role::SalesRead, Role::SalesWrite, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetPipeline {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let quarter = match &args.quarter {
            Some(text) => Quarter::parse(text),
            None => Quarter::around(&cx.now.day()),
        };
        let quarter = quarter.ok_or_else(|| {
            Error::invalid("`quarter` is no quarter, expected YYYY-Qn such as 2026-Q4")
                .detail("field", "quarter")
                .reason("invalid_argument")
        })?;
        let sums = pipeline::of(cx.tx, &quarter.from, &quarter.before)?;
        let open = || sums.iter().filter(|sum| !is_closed(&sum.stage));
        let stages = Stage::NAMES.map(|name| {
            let sum = sums.iter().find(|sum| sum.stage == name);
            (name, sum.map_or(StageView::default(), |sum| StageView { count: sum.count, value: sum.value }))
        });
        let stages = BTreeMap::from(stages);
        let closed_won = stages.get(Stage::ClosedWon.as_str()).map_or(Cents(0), |won| won.value);
        let target = pipeline::target(cx.tx, &quarter.name)?;
        let share = |target: Cents| (closed_won.0 as f64 / target.0 as f64 * 1000.0).round() / 10.0;
        Ok(Success::of(Pipeline {
            total_pipeline: open().map(|sum| sum.value).sum(),
            weighted_pipeline: open().map(|sum| sum.weighted).sum(),
            closed_won,
            attainment_pct: target.filter(|target| target.0 > 0).map(share),
            target,
            stages,
            quarter: quarter.name,
        }))
    }
}
