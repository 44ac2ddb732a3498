//! `backoffice adr why FIELD`: the decisions that have set a field, oldest first.

use clap::Args;
use serde_json::{Value, json};

use super::{Decisions, NONE_YET, path};
use crate::cli::output::Output;
use crate::cli::style::{Style, printable};
use crate::error::{Error, Result, nearest};
use crate::families::preflight::documents::fold::Step;
use crate::families::preflight::documents::{Adr, State, names};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice adr why Authentication.Strategy",
    "backoffice adr why strategy --json",
])]
pub(super) struct WhyArgs {
    /// Category and field, or just the field if only one category has it
    field: String,
}

pub(super) fn run(decisions: &Decisions, output: &mut Output, args: &WhyArgs) -> Result<()> {
    let state = &decisions.state;
    let (category, field) = find(state, &args.field)?;
    let told: Vec<(Step, Option<&Adr>)> = state
        .why(&category, &field)
        .into_iter()
        .map(|step| {
            let adr = decisions.library.adrs.iter().find(|adr| adr.uid == step.uid);
            (step, adr.map(AsRef::as_ref))
        })
        .collect();
    let value = state.value(&category, &field);
    let conflict = state.conflicts.iter().any(|known| known.category == category && known.field == field);
    if output.json {
        let steps = told.iter().map(|(step, adr)| {
            json!({
                "uid": step.uid.as_str(), "value": step.new, "was": step.old,
                "date": adr.map(|adr| &adr.date), "title": adr.map(|adr| &adr.title),
                "provenance": adr.and_then(|adr| provenance(adr, &category, &field)),
                "path": adr.map(path),
            })
        });
        output.value(&json!({
            "category": category, "field": field, "value": value.map(|value| &value.text),
            "conflict": conflict, "steps": steps.collect::<Vec<Value>>(),
        }));
        return Ok(());
    }
    let holds = value.map(|value| printable(&value.text)).unwrap_or_default();
    let heading = format!("{}.{} = {holds}", printable(&category), printable(&field));
    let heading = output.paint(Style::Strong, &heading);
    output.line(&heading);
    let rows: Vec<Vec<String>> = told
        .iter()
        .map(|(step, adr)| {
            let said_by = adr.and_then(|adr| provenance(adr, &category, &field)).unwrap_or("-");
            let date = adr.map_or_else(|| step.uid.time().day(), |adr| adr.date.clone());
            let title =
                adr.map_or("(its document is lost; others carry its value)", |adr| adr.title.as_str());
            [date.as_str(), step.uid.as_str(), &step.new, said_by, title].map(printable).to_vec()
        })
        .collect();
    output.table(&["DATE", "ADR", "VALUE", "BY", "TITLE"], &rows);
    if conflict {
        output.note("decisions disagree: they did not know of each other; the next `backoffice preflight` asks which value holds");
    }
    Ok(())
}

/// Who the value comes from, if the decision tells.
fn provenance(adr: &Adr, category: &str, field: &str) -> Option<&'static str> {
    let is_meant = |about: &str| {
        let (of, name) = about.split_once('.')?;
        let same = same_category(of, category) && names::key(name) == names::key(field);
        same.then_some(())
    };
    let answer = adr.answers.iter().find(|answer| is_meant(&answer.about).is_some())?;
    Some(answer.provenance.word())
}

fn same_category(one: &str, other: &str) -> bool {
    names::key(&names::category(one)) == names::key(&names::category(other))
}

/// The field that is meant, as the decisions spell it.
fn find(state: &State, named: &str) -> Result<(String, String)> {
    let fields = state.categories.iter();
    let all: Vec<(String, String)> = fields
        .flat_map(|(category, fields)| fields.keys().map(|field| (category.clone(), field.clone())))
        .collect();
    let is_meant = |(category, field): &&(String, String)| match named.split_once('.') {
        Some((of, name)) => same_category(of, category) && names::key(name) == names::key(field),
        None => names::key(named) == names::key(field),
    };
    let found: Vec<&(String, String)> = all.iter().filter(is_meant).collect();
    let shown = |fields: &[&(String, String)]| -> Vec<String> {
        fields.iter().map(|(category, field)| format!("{category}.{field}")).collect()
    };
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] if all.is_empty() => Err(Error::not_found(format!("nothing has set `{named}`")).hint(NONE_YET)),
        [] => {
            let known = shown(&all.iter().collect::<Vec<_>>());
            let near = near(named, &all).map(|near| format!("did you mean `{near}`? "));
            Err(Error::not_found(format!("no decision has set `{named}`"))
                .detail("candidates", known.clone())
                .hint(format!("{}decided are {}", near.unwrap_or_default(), known.join(", "))))
        }
        several => {
            let candidates = shown(several);
            Err(Error::invalid(format!("several categories have a field `{named}`"))
                .detail("candidates", candidates.clone())
                .hint(format!("say which: {}", candidates.join(", "))))
        }
    }
}

/// A field with a name that is nearly the one that was meant.
fn near(named: &str, all: &[(String, String)]) -> Option<String> {
    let lower = named.to_lowercase();
    let spelled = |(category, field): &(String, String)| match lower.contains('.') {
        true => format!("{category}.{field}").to_lowercase(),
        false => field.to_lowercase(),
    };
    let spellings: Vec<String> = all.iter().map(spelled).collect();
    let near = nearest(&lower, spellings.iter().map(String::as_str))?;
    let (category, field) = &all[spellings.iter().position(|spelling| spelling == near)?];
    Some(format!("{category}.{field}"))
}
