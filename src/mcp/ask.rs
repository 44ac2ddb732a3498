//! A call that may ask a person: through the client's own form, if it can show one.
//!
//! In the newer era the call is answered with the form, and comes again with what was filled in. In
//! the older one the client is asked while the call waits, for so long and no longer. Whatever goes
//! wrong on the way, the client gets the tool's last answer, which says what is open.

use std::pin::{Pin, pin};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientResult, ElicitResult, ErrorData, InputRequest,
    InputRequests, InputRequiredResult, InputResponses, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Sleep;

use super::form::Unfilled;
use super::parked::{Call, Found, Open, Parked};
use super::server::{Server, unwanted_any_more};
use super::{form, tools};
use crate::error::Kind;
use crate::tool::ask::{Form, Speaker};
use crate::tool::dispatch::Reply;
use crate::tool::{Answer, JsonObject};

/// One call leads to so many forms; then its answer is told as it is.
const MOST_ROUNDS: usize = 5;
/// A client that is asked so much at once is asked no more: calls that wait hold their places.
const MOST_AT_ONCE: usize = 4;
/// What the only request of a round is called.
const FORM: &str = "form";

/// What one connection is being asked.
#[derive(Debug)]
pub(super) struct Asking {
    parked: Parked,
    at_once: Semaphore,
    patience: Duration,
}

impl Asking {
    pub fn new(patience: Duration) -> Self {
        Asking { parked: Parked::default(), at_once: Semaphore::new(MOST_AT_ONCE), patience }
    }
}

/// Where a call stands.
enum Step {
    Asks(Open),
    Ends(Reply, Option<String>),
}

struct Conversation<'a> {
    server: &'a Server,
    context: &'a RequestContext<RoleServer>,
    version: ProtocolVersion,
    call: Call,
}

/// Runs a call, and asks a person for what its answer leaves open.
pub(super) async fn call(
    server: &Server,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
    let (tool, arguments) = (name.into_owned(), arguments.unwrap_or_default());
    let Some(version) = server.asks(&tool).then(|| form::shown_by(context)).flatten() else {
        let reply = server.run(&tool, arguments, Speaker::Client, &context.ct).await?;
        return tools::answer(reply, None, context.protocol_version().as_ref());
    };
    let conversation = Conversation { server, context, version, call: Call { tool, arguments } };
    match request_state {
        _ if conversation.version < ProtocolVersion::V_2026_07_28 => conversation.older().await,
        None => conversation.newer(step(conversation.first().await?, 1)),
        Some(state) => conversation.resumed(&state, input_responses).await,
    }
}

impl Conversation<'_> {
    async fn first(&self) -> Result<Reply, ErrorData> {
        let Call { tool, arguments } = &self.call;
        self.server.run(tool, arguments.clone(), Speaker::Client, &self.context.ct).await
    }

    fn ends(&self, reply: Reply, note: Option<String>) -> Result<CallToolResponse, ErrorData> {
        tools::answer(reply, note, Some(&self.version))
    }

    /// Calls again with what a person has filled in.
    async fn again(&self, open: Open, filled_in: Result<JsonObject, Unfilled>) -> Result<Step, ErrorData> {
        let Open { form, answer, round } = open;
        if let Some(id) = &form.decides {
            return self.decided(id, answer, filled_in).await;
        }
        let values = match filled_in {
            Ok(values) => values,
            Err(unfilled) => return Ok(Step::Ends(Reply::Success(answer), Some(unfilled.note))),
        };
        let arguments = form.arguments(&self.call.arguments, values);
        let reply = self.server.run(&self.call.tool, arguments, Speaker::Person, &self.context.ct).await?;
        Ok(match reply {
            Reply::Failed { error, .. } if error.kind() == Kind::Invalid => {
                Step::Ends(Reply::Success(answer), Some(form::refused(error.message())))
            }
            reply => step(reply, round + 1),
        })
    }

    /// Takes down what a person has decided about a confirmation. Whatever keeps that from being done,
    /// the confirmation still waits, and the answer says so.
    async fn decided(
        &self,
        id: &str,
        answer: Answer,
        filled_in: Result<JsonObject, Unfilled>,
    ) -> Result<Step, ErrorData> {
        let approved = match filled_in {
            Ok(values) => values.get("approve").and_then(Value::as_bool).unwrap_or(false),
            Err(Unfilled { declined: true, .. }) => false,
            Err(Unfilled { note, .. }) => return Ok(Step::Ends(Reply::Success(answer), Some(note))),
        };
        let reply = self.server.decide(id, approved).await?;
        Ok(match reply {
            Ok(reply) => Step::Ends(reply, None),
            Err(error) => Step::Ends(Reply::Success(answer), Some(form::refused(error.message()))),
        })
    }

    /// The newer era: the answer is the form, and a name for what waits for it.
    fn newer(&self, step: Step) -> Result<CallToolResponse, ErrorData> {
        let open = match step {
            Step::Asks(open) => open,
            Step::Ends(reply, note) => return self.ends(reply, note),
        };
        let Some(asked) = form::request(&open.form, &self.version) else {
            return self.ends(Reply::Success(open.answer), Some(form::NOT_SHOWN.to_owned()));
        };
        let office = &self.server.office;
        let name = office.ids.uuid();
        self.server.asking.parked.put(name.clone(), self.call.clone(), open, office.clock.now());
        let asked = InputRequests::from([(FORM.to_owned(), InputRequest::Elicitation(asked))]);
        Ok(InputRequiredResult::new(Some(asked), Some(name)).into())
    }

    async fn resumed(
        &self,
        state: &str,
        responses: Option<InputResponses>,
    ) -> Result<CallToolResponse, ErrorData> {
        let open = match self.server.asking.parked.take(state, &self.call, self.server.office.clock.now()) {
            Found::Open(open) => open,
            Found::Past(open) if open.form.decides.is_some() => {
                let id = open.form.decides.unwrap_or_default();
                let reply = self.server.became_of(&id).unwrap_or(Reply::Success(open.answer));
                return self.ends(reply, None);
            }
            Found::Past(Open { answer, .. }) => {
                let note = "The form for this was filled in before, or too late.".to_owned();
                return self.ends(Reply::Success(answer), Some(note));
            }
            // Another process may have asked. The client has brought the call again, so it is answered
            // as one; to ask again could go on for ever.
            Found::Nothing => {
                let note = "The form for this is not known here any more, and was not taken.".to_owned();
                return self.ends(self.first().await?, Some(note));
            }
        };
        let Some(response) = responses.and_then(|mut responses| responses.remove(FORM)) else {
            let Open { form, answer, round } = open;
            return self.newer(asks(form, answer, round + 1));
        };
        let result: Option<ElicitResult> = serde_json::from_value(response).ok();
        let values = form::values(&open.form, result.as_ref());
        self.newer(self.again(open, values).await?)
    }

    /// The older era: asked while the call waits.
    async fn older(&self) -> Result<CallToolResponse, ErrorData> {
        let mut step = step(self.first().await?, 1);
        let mut patience = pin!(tokio::time::sleep(self.server.asking.patience));
        loop {
            match step {
                Step::Ends(reply, note) => return self.ends(reply, note),
                Step::Asks(open) => {
                    let values = self.show(&open.form, patience.as_mut()).await?;
                    step = self.again(open, values).await?;
                }
            }
        }
    }

    /// Shows a form and waits; the error is for a call that nobody wants any more.
    async fn show(
        &self,
        form: &Form,
        patience: Pin<&mut Sleep>,
    ) -> Result<Result<JsonObject, Unfilled>, ErrorData> {
        let not_shown = || Ok(Err(form::NOT_SHOWN.to_owned().into()));
        let Ok(_place) = self.server.asking.at_once.try_acquire() else { return not_shown() };
        let Some(request) = form::request(form, &self.version) else { return not_shown() };
        let request = ServerRequest::ElicitRequest(request);
        let sent = self.context.peer.send_request_with_option(request, PeerRequestOptions::no_options());
        let Ok(mut sent) = sent.await else { return not_shown() };
        let given_up = tokio::select! {
            biased;
            answer = &mut sent.rx => {
                let Ok(Ok(ClientResult::ElicitResult(result))) = answer else { return not_shown() };
                return Ok(form::values(form, Some(&result)));
            }
            () = self.context.ct.cancelled() => Err(unwanted_any_more()),
            // Nobody is there to be told.
            () = self.server.gone.cancelled() => return not_shown(),
            () = patience => {
                let seconds = self.server.asking.patience.as_secs();
                let note = format!("A form for this was shown, and nobody filled it in within {seconds} s.");
                Ok(Err(note.into()))
            }
        };
        // The form must not stay on the screen; but a client that does not read must not hold the call.
        let gone = self.server.gone.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = sent.cancel(Some("the form is no longer needed".to_owned())) => {}
                () = gone.cancelled() => {}
            }
        });
        given_up
    }
}

fn step(reply: Reply, round: usize) -> Step {
    match reply {
        Reply::Success(mut answer) => match answer.form.take() {
            Some(form) => asks(form, answer, round),
            None => Step::Ends(Reply::Success(answer), None),
        },
        failed @ Reply::Failed { .. } => Step::Ends(failed, None),
    }
}

fn asks(form: Form, answer: Answer, round: usize) -> Step {
    match round <= MOST_ROUNDS {
        true => Step::Asks(Open { form, answer, round }),
        false => Step::Ends(Reply::Success(answer), None),
    }
}
