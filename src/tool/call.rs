//! A call under way: what is needed to authorize, answer, log and audit it.

use std::sync::Arc;

use serde_json::Value;

use super::ask::Speaker;
use super::dispatch::{Office, Quiet, Reply, Tell};
use super::render::render;
use super::session::Session;
use super::{Access, Answered, ErrorForm, Family, JsonObject, ToolDef, summary};
use crate::clock::Stopwatch;
use crate::db::{WriteTx, audit};
use crate::error::{Error, Kind, Result};

/// Begun when the tool is found, ended when the caller is told.
pub(super) struct Call {
    pub office: Arc<Office>,
    pub session: Arc<Session>,
    pub family: &'static Family,
    pub tool: &'static ToolDef,
    form: ErrorForm,
    correlation: Option<String>,
    pub speaker: Speaker,
    since: Stopwatch,
    tell: Tell,
}

impl Call {
    pub fn begin(
        office: &Arc<Office>,
        session: &Arc<Session>,
        family: &'static Family,
        tool: &'static ToolDef,
        arguments: &JsonObject,
        speaker: Speaker,
        tell: Tell,
    ) -> Self {
        let correlation = tool.correlation.and_then(|name| arguments.get(name)).and_then(Value::as_str);
        let correlation = correlation.map(|text| text.chars().take(128).collect::<String>());
        let call = Call {
            office: Arc::clone(office),
            session: Arc::clone(session),
            family,
            tool,
            form: (tool.errors)(arguments),
            correlation,
            speaker,
            since: Stopwatch::start(),
            tell,
        };
        session.count_call();
        if tracing::enabled!(tracing::Level::INFO) {
            let summary = ("input_params_summary".to_owned(), summary::of(tool, arguments));
            call.log("started", JsonObject::from_iter([summary]));
        }
        call
    }

    pub fn correlation(&self) -> Option<&str> {
        self.correlation.as_deref()
    }

    pub fn authorize(&self) -> Result<()> {
        let Access::AnyOf(roles) = self.tool.access else { return Ok(()) };
        if self.session.caller.has_any(roles) {
            return Ok(());
        }
        let needed: Vec<_> = roles.iter().map(|role| role.as_str()).collect();
        let entry = self.entry(Kind::Forbidden.word());
        self.office.db.submit(Box::new(Quiet(Some(move |tx: &WriteTx<'_>| audit::append(tx, &entry)))));
        Err(Error::forbidden(format!("`{}` needs one of the roles {}", self.tool.name, needed.join(", ")))
            .hint(format!(
                "`{}` holds {}; whoever keeps the directory can grant a role with `backoffice people grant`",
                self.session.caller.user_id,
                self.session.caller.held()
            )))
    }

    pub fn entry(&self, outcome: &str) -> audit::Entry {
        audit::Entry {
            id: 0,
            at: self.office.clock.now(),
            caller: self.session.caller.user_id.clone(),
            client: self.session.signature(),
            tool: self.tool.name.to_owned(),
            outcome: outcome.to_owned(),
            correlation_id: self.correlation.clone(),
            run_us: i64::try_from(self.since.elapsed().as_micros()).unwrap_or(i64::MAX),
            receipt: None,
        }
    }

    fn log(&self, stage: &str, mut fields: JsonObject) {
        fields.insert("client".to_owned(), self.session.signature().into());
        fields.extend(self.correlation.as_ref().map(|id| ("task_id".to_owned(), id.clone().into())));
        let name = self.tool.name;
        // Files may take long; what begins with them is told at once.
        let held = stage == "started" && !self.tool.touches_files();
        let fields = serde_json::to_string(&fields).unwrap_or_default();
        tracing::info!(held, event = format!("{name}_invocation_{stage}"), tool_name = name, fields);
    }

    pub fn end(self, outcome: Result<Answered>) {
        let duration_ms = self.since.elapsed().as_micros() as f64 / 1000.0;
        match outcome {
            Ok(answered) => {
                if tracing::enabled!(tracing::Level::INFO) {
                    let mut fields = answered.log;
                    fields.insert("success".to_owned(), true.into());
                    fields.insert("duration_ms".to_owned(), duration_ms.into());
                    self.log("completed", fields);
                }
                (self.tell)(Reply::Success(answered.answer));
            }
            Err(error) => {
                let facts: [(&str, Value); 4] = [
                    ("success", false.into()),
                    ("duration_ms", duration_ms.into()),
                    ("error_type", error.kind().word().into()),
                    ("error_message", summary::failure(&error).into()),
                ];
                self.log("failed", facts.map(|(name, value)| (name.to_owned(), value)).into_iter().collect());
                self.office.remember(&error);
                let failure = render(&error, self.form);
                (self.tell)(Reply::Failed { error, failure });
            }
        }
    }
}
