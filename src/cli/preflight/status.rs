//! `backoffice preflight status`: the open sessions of this repository.

use serde_json::{Value, json};

use super::Preflight;
use crate::cli::output::Output;
use crate::cli::style::{Style, printable};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::families::preflight::sessions::Standing;

pub(super) fn run(office: &Preflight, output: &mut Output) -> Result<()> {
    let now = office.desk.office.clock.now();
    let sessions = office.open_sessions()?;
    let sessions =
        sessions.into_iter().map(|session| office.standing(session)).collect::<Result<Vec<_>>>()?;
    if output.json {
        let told: Vec<Value> = sessions.iter().map(|standing| as_json(standing, now)).collect();
        output.value(&json!({ "sessions": told }));
        return Ok(());
    }
    if sessions.is_empty() {
        output.note("no session is open in this repository; `backoffice preflight \"INTENTION\"` begins one");
        return Ok(());
    }
    for (at, standing) in sessions.iter().enumerate() {
        if at > 0 {
            output.line("");
        }
        show(output, standing, now);
    }
    output.note(
        "`backoffice preflight resume` goes on with the newest, `backoffice preflight reset` drops them",
    );
    Ok(())
}

/// A session with its questions and the answers it has.
pub(super) fn show(output: &mut Output, standing: &Standing, now: Timestamp) {
    let session = &standing.session;
    let intention = output.paint(Style::Strong, &printable(&session.intention));
    output.line(&intention);
    let until = session.expires_at().rfc3339();
    let state = if session.has_expired(now) {
        output.paint(Style::Waiting, &format!("expired at {until}"))
    } else {
        format!("open until {until}")
    };
    output.line(&format!("  session   {}", session.session_id));
    output.line(&format!("  state     {state}"));
    for line in questions(standing) {
        output.line(&format!("  {line}"));
    }
}

/// What is known and what is asked, a line each.
pub(super) fn questions(standing: &Standing) -> Vec<String> {
    let detected = standing.detected();
    let detected =
        detected.iter().map(|(label, value)| format!("detected  {}: {}", printable(label), printable(value)));
    let questions = standing.questions();
    let asked = questions.iter().map(|(question, answer)| match answer {
        Some(answer) => {
            let values = printable(&shown(standing, &question.id).join(", "));
            format!("answered  {} = {values} ({})", printable(&question.id), answer.by.word())
        }
        None => format!("open      {}  {}", printable(&question.id), printable(&question.question)),
    });
    detected.chain(asked).collect()
}

/// The values with what `Other` stands for; `Other` itself where nobody has said it yet.
fn shown(standing: &Standing, id: &str) -> Vec<String> {
    let values = standing.values(id);
    let raw = standing.session.answers.raw(id).unwrap_or_default();
    if values.is_empty() { raw.to_vec() } else { values }
}

fn as_json(standing: &Standing, now: Timestamp) -> Value {
    let session = &standing.session;
    let questions = standing.questions().into_iter().map(|(question, answer)| {
        let mut told = json!({
            "id": question.id, "type": question.kind.word(), "question": question.question,
            "answered": answer.is_some(),
        });
        match answer {
            Some(answer) => {
                told["values"] = json!(shown(standing, &question.id));
                told["answered_by"] = answer.by.word().into();
            }
            None if !question.options.is_empty() => told["options"] = json!(question.options),
            None => {}
        }
        told
    });
    let detected: Vec<Value> =
        standing.detected().iter().map(|(label, value)| json!({ "label": label, "value": value })).collect();
    json!({
        "session_id": session.session_id,
        "status": if session.has_expired(now) { "expired" } else { "open" },
        "intention": session.intention,
        "context": session.context,
        "created_at": session.created_at.rfc3339(),
        "expires_at": session.expires_at().rfc3339(),
        "detected": detected,
        "questions": questions.collect::<Vec<Value>>(),
    })
}
