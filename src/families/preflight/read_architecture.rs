use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::repository;
use crate::error::Result;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// Reads the architecture as all decisions together have made it.
#[derive(Debug)]
pub struct ReadArchitecture;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// A folder of the repository; default: the connection's
    #[schemars(length(min = 1, max = 1000))]
    repo_path: Option<String>,
    /// Also tell which ADR set each value
    with_sources: Option<bool>,
}

type Categories = BTreeMap<String, BTreeMap<String, String>>;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    status: &'static str,
    architecture: Architecture,
    source_file: &'static str,
    /// By category and field: the UID of the ADR
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<Categories>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Disagreement>,
    /// ADRs edited after they were taken; they count as they were until a person reviews them
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suspended: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Architecture {
    uid: Option<String>,
    categories: Categories,
}

/// A field that two branches have set differently.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Disagreement {
    category: String,
    field: String,
    sides: Vec<Side>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Side {
    value: String,
    set_by: String,
}

impl Tool for ReadArchitecture {
    type Args = Args;
    type Output = Output;

    const NAME: &'static str = "read_architecture";
    const TITLE: &'static str = "Read the architecture";
    const DESCRIPTION: &'static str = "Reads what a repository's decisions (docs/adr) add up to, by category and \
        field. conflicts tells what merged branches have decided differently.";
    const ACCESS: Access = Access::Everyone;

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Clarification
    }
}

impl ReadTool for ReadArchitecture {
    const TOUCHES_FILES: bool = true;

    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Output> {
        let root = repository::root(cx.session, args.repo_path.as_deref())?;
        let known = repository::decisions(cx.tx, &root)?;
        let state = &known.state;
        let sources = args.with_sources.unwrap_or(false).then(|| {
            let fields = state.categories.iter().map(|(category, values)| {
                let set_by = values.iter().map(|(field, value)| (field.clone(), value.set_by.to_string()));
                (category.clone(), set_by.collect())
            });
            fields.collect()
        });
        let conflicts = state.conflicts.iter().map(|conflict| Disagreement {
            category: conflict.category.clone(),
            field: conflict.field.clone(),
            sides: conflict
                .sides
                .iter()
                .map(|side| Side { value: side.text.clone(), set_by: side.set_by.to_string() })
                .collect(),
        });
        Ok(Output {
            status: "success",
            architecture: Architecture {
                uid: state.uid.as_ref().map(ToString::to_string),
                categories: repository::as_decisions(state),
            },
            source_file: "docs/ARCHITECTURE_STATE.md",
            sources,
            conflicts: conflicts.collect(),
            suspended: known.suspended.into_iter().map(|record| record.file).collect(),
        })
    }
}
