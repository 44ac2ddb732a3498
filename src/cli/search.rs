//! `backoffice search WORDS`: decisions, tasks and artifacts by their words.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::Globals;
use super::open::{self, Desk};
use super::output::{Output, text};
use super::style::Style;
use crate::config::Environment;
use crate::error::Result;

/// Every word must occur, or begin a word that does; "quoted words" occur in their order.
#[derive(Args, Debug)]
#[command(after_help = examples![
    "backoffice search oauth",
    "backoffice search '\"session token\" cookie' --kind adr",
])]
pub(super) struct SearchArgs {
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only these: adr, task, artifact
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<Kind>,
    /// Show so many at most
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=50))]
    limit: u8,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Adr,
    Task,
    Artifact,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Adr => "adr",
            Kind::Task => "task",
            Kind::Artifact => "artifact",
        }
    }
}

/// What to look for; no kinds means all of them.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    pub words: &'a [String],
    pub kinds: &'a [&'a str],
    pub limit: u8,
}

pub(super) fn run(
    globals: &Globals,
    environment: &Environment,
    output: &mut Output,
    args: &SearchArgs,
) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    let kinds: Vec<&str> = args.kinds.iter().map(|kind| kind.word()).collect();
    find(&desk, output, &Wanted { words: &args.words, kinds: &kinds, limit: args.limit })
}

/// Looks, and shows what was found.
pub(super) fn find(desk: &Desk, output: &mut Output, wanted: &Wanted<'_>) -> Result<()> {
    let kinds = if wanted.kinds.is_empty() { Value::Null } else { json!(wanted.kinds) };
    let query = wanted.words.join(" ");
    let found = desk.call("search_docs", json!({ "query": query, "kinds": kinds, "limit": wanted.limit }))?;
    if output.json {
        output.value(&found);
        return Ok(());
    }
    let hits = found["hits"].as_array().map(Vec::as_slice).unwrap_or_default();
    if hits.is_empty() {
        output.note("nothing was found");
    }
    for hit in hits {
        let title = output.paint(Style::Strong, &text(&hit["title"]));
        output.line(&format!("{title}  {}", text(&hit["path"])));
        output.line(&format!("    {}", output.paint(Style::Faint, &text(&hit["snippet"]))));
    }
    if !found["next_cursor"].is_null() {
        output.note("there is more: name more words, or raise --limit");
    }
    Ok(())
}
