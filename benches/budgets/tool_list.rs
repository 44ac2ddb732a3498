//! What the list of tools costs a model: name, description and input schema, four characters a
//! token.

use serde_json::{Value, json};

use super::Outcome;
use super::report::{Budget, Report};
use super::server::Server;
use super::site::Site;

const CHARACTERS_A_TOKEN: usize = 4;

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    for (toolsets, budget) in [("all", 10_000.0), ("workflow", 5_000.0)] {
        let mut command = site.program(&site.home(&format!("list-{toolsets}"))?);
        command.arg("--toolsets").arg(toolsets);
        let answer = Server::start(command)?.request("tools/list", &json!({}))?;
        let tools = answer["tools"].as_array().ok_or("tools/list has no tools")?;
        let seen: usize = tools.iter().map(tokens).sum();
        let whole = answer.to_string().chars().count() / CHARACTERS_A_TOKEN;
        let figures = format!("{} tools; {whole} with output schemas and hints", tools.len());
        let what = format!("tools/list with `{toolsets}`");
        report.judge(what, Budget::AtMost(budget, " tokens"), seen as f64, figures);
    }
    Ok(())
}

fn tokens(tool: &Value) -> usize {
    let shown = json!({
        "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"],
    });
    shown.to_string().chars().count() / CHARACTERS_A_TOKEN
}
