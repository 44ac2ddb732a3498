//! `backoffice adr show`: all that a decision says.

use std::sync::Arc;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::{Decisions, path};
use crate::cli::completions::decisions;
use crate::cli::output::Output;
use crate::cli::style::printable_line;
use crate::error::{Error, Result};
use crate::families::preflight::documents::{Adr, Uid};

#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice adr show 20261118T051234.994Z-A470",
    "backoffice adr show 20261118T0512 --json",
])]
pub(super) struct ShowArgs {
    /// Its UID, the beginning of it, or the name of its file
    #[arg(value_name = "UID", add = ArgValueCompleter::new(decisions))]
    named: String,
}

pub(super) fn run(known: &Decisions, output: &mut Output, args: &ShowArgs) -> Result<()> {
    let adr = find(&known.library.adrs, &args.named)?;
    let text = known.text(adr)?;
    if output.json {
        let changes = adr.changes.iter().map(|change| {
            json!({
                "category": change.category, "field": change.field, "value": change.value,
                "was": change.was.as_ref().map(|was| &was.text),
            })
        });
        output.value(&json!({
            "uid": adr.uid.as_str(), "date": adr.date, "category": adr.category, "title": adr.title,
            "status": known.status(adr, &text), "path": path(adr),
            "previous": adr.previous.as_ref().map(Uid::as_str),
            "changes": changes.collect::<Vec<Value>>(), "content": text,
        }));
        return Ok(());
    }
    text.trim_start_matches('\u{feff}').lines().for_each(|line| output.line(&printable_line(line)));
    Ok(())
}

/// The one decision that is meant.
fn find<'a>(adrs: &'a [Arc<Adr>], named: &str) -> Result<&'a Adr> {
    let file = named.rsplit(['/', '\\']).next().unwrap_or(named);
    let is_exact = |adr: &&Arc<Adr>| adr.uid.as_str() == named || adr.file == file;
    let begins = |adr: &&Arc<Adr>| adr.file.starts_with(file) || adr.uid.as_str().starts_with(named);
    let exact: Vec<&Arc<Adr>> = adrs.iter().filter(is_exact).collect();
    let found =
        if exact.is_empty() && !file.is_empty() { adrs.iter().filter(begins).collect() } else { exact };
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Error::not_found(format!("there is no decision `{named}`"))
            .hint("`backoffice adr list` shows what there is")),
        several => {
            let files: Vec<&str> = several.iter().map(|adr| adr.file.as_str()).collect();
            Err(Error::invalid(format!("`{named}` is the beginning of several decisions"))
                .detail("candidates", files.clone())
                .hint(format!("they are {}", files.join(", "))))
        }
    }
}
