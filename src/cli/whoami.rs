//! `backoffice whoami`: whom a connection speaks for, and what that person may do.

use serde_json::{Value, json};

use super::output::{Output, text};
use super::{Globals, open};
use crate::config::Environment;
use crate::error::Result;

pub(super) fn run(globals: &Globals, environment: &Environment, output: &mut Output) -> Result<()> {
    let desk = open::desk(globals, environment, "cli")?;
    let told = desk.call("whoami", json!({}))?;
    if output.json {
        output.value(&told);
        return Ok(());
    }
    let list = |value: &Value| {
        let words: Vec<String> = value.as_array().into_iter().flatten().map(text).collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    };
    for (label, said) in [
        ("user", text(&told["user_id"])),
        ("name", text(&told["name"])),
        ("e-mail", text(&told["email"])),
        ("department", text(&told["department"])),
        ("roles", list(&told["roles"])),
        ("toolsets", list(&told["toolsets"])),
        ("project", text(&told["project_id"])),
        ("may not call", list(&told["may_not_call"])),
    ] {
        output.line(&format!("{label:<13} {said}"));
    }
    Ok(())
}
