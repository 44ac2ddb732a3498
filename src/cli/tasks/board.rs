//! `backoffice tasks board`: what is pending, in progress and done, side by side.

use serde_json::{Value, json};

use super::reference::number_of;
use crate::cli::open::Desk;
use crate::cli::output::{Output, text};
use crate::cli::style::{Style, fit};
use crate::error::Result;

const STATUSES: [(&str, &str); 3] =
    [("pending", "PENDING"), ("in_progress", "IN PROGRESS"), ("completed", "COMPLETED")];
/// Without a terminal there is no width to go by.
const WIDTH_OF_A_PIPE: usize = 120;
/// So many of each list; a board is for the eye.
const MOST: usize = 15;

pub(super) fn run(desk: &Desk, output: &mut Output) -> Result<()> {
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    let mut json = serde_json::Map::new();
    for (status, heading) in STATUSES {
        let (queued, more_queued) =
            tasks(desk, json!({ "project_id": desk.session.project, "status": status, "limit": 50 }))?;
        let (mine, more_mine) = match status {
            "in_progress" => (Vec::new(), false),
            _ => tasks(desk, json!({ "user_id": desk.session.caller.user_id, "status": status }))?,
        };
        let more = more_queued || more_mine;
        let mut cards: Vec<String> = queued
            .iter()
            .map(|task| format!("{} {}", text(&task["task_id"]), text(&task["description"])))
            .chain(mine.iter().map(|task| {
                let number = number_of(desk, &task["task_id"]).unwrap_or_default();
                format!("#{number} {}", text(&task["title"]))
            }))
            .collect();
        json.insert(status.to_owned(), json!({ "queue": queued, "personal": mine, "more": more }));
        let heading = format!("{heading} ({}{})", cards.len(), if more { "+" } else { "" });
        if cards.len() > MOST {
            let beyond = cards.len() - MOST;
            cards.truncate(MOST);
            cards.push(format!("… and {beyond} more"));
        }
        columns.push((heading, cards));
    }
    if output.json {
        output.value(&Value::Object(json));
    } else {
        draw(output, &columns);
    }
    Ok(())
}

/// A page of tasks, and whether there are more.
fn tasks(desk: &Desk, arguments: Value) -> Result<(Vec<Value>, bool)> {
    let answer = desk.call("list_tasks", arguments)?;
    Ok((answer["tasks"].as_array().cloned().unwrap_or_default(), answer["next_cursor"].is_string()))
}

fn draw(output: &mut Output, columns: &[(String, Vec<String>)]) {
    let width = output.width.unwrap_or(WIDTH_OF_A_PIPE);
    let room = (width.saturating_sub(2 * (columns.len() - 1)) / columns.len()).max(12);
    let line = |cells: Vec<String>| cells.join("  ").trim_end().to_owned();
    let padded = |text: &str| {
        let cut = fit(text, room);
        let gap = room.saturating_sub(console::measure_text_width(&cut));
        cut + &" ".repeat(gap)
    };
    let headings = columns.iter().map(|(heading, _)| output.paint(Style::Strong, &padded(heading)));
    let headings = line(headings.collect());
    output.line(&headings);
    let rows = columns.iter().map(|(_, cards)| cards.len()).max().unwrap_or(0);
    for row in 0..rows {
        let cells = columns.iter().map(|(_, cards)| padded(cards.get(row).map_or("", String::as_str)));
        output.line(&line(cells.collect()));
    }
}
