//! `backoffice adr search`: `backoffice search` among the decisions.

use clap::Args;

use crate::cli::open::Desk;
use crate::cli::output::Output;
use crate::cli::search::{Wanted, find};
use crate::error::Result;

/// Every word must occur, or begin a word that does; "quoted words" occur in their order.
#[derive(Args, Debug)]
#[command(after_help = examples!["backoffice adr search oauth clerk"])]
pub(super) struct SearchArgs {
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
}

pub(super) fn run(desk: &Desk, output: &mut Output, args: &SearchArgs) -> Result<()> {
    find(desk, output, &Wanted { words: &args.words, kinds: &["adr"], limit: 50 })
}
