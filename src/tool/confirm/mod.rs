//! Destructive writes that wait for a person.
//!
//! A tool that needs one is run in a savepoint that is rolled back: what it would change is the card a
//! person is shown, and its fingerprint. Approved, the very same code runs again and stays, if the rows
//! are still those of the card. No tool can approve: [`decide`] wants a [`Proof`] that only a person's
//! surfaces make.

mod decide;
mod proof;
mod verdicts;
pub mod words;

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

pub use self::decide::{Decided, Outcome, became_of, decide, outcome_at, reply};
pub use self::proof::{Proof, choose_pin, drop_pin, has_pin};
pub use self::verdicts::{Verdict, verdicts};
use super::ask::{Field, FieldKind, Form};
use super::envelope::Status;
use super::{Answered, ErasedWrite, JsonObject, Place, Tool, WriteCx, answered, decode};
use crate::clock::Timestamp;
use crate::db::confirmations::{self, Confirmation, State};
use crate::db::pins;
use crate::error::{Error, Result};

/// A person has so long.
const TTL_MS: i64 = 300_000;
/// More than a person can look at; then an agent must wait for one.
const MOST_WAITING: i64 = 50;

/// What a destructive tool has done, or would have.
#[derive(Debug)]
pub struct Deed {
    /// What a person is asked, in a sentence.
    pub question: String,
    /// What it is about: an object of ids, which go into receipts, too…
    pub ids: Value,
    /// …and one of names and circumstances, which are for the card only.
    pub names: Value,
    /// What a person should know before they agree.
    pub warnings: Vec<String>,
    /// The rows as they were and as they are now, as the caller may see them.
    pub before: Value,
    pub after: Value,
    /// Of the stored rows as they were, whole.
    pub fingerprint: String,
    /// What is answered once it is done, in a sentence.
    pub done: String,
}

/// A write that happens only when a person has agreed.
pub trait ConfirmedTool: Tool<Output = Proposed> {
    /// The family, as the card calls it.
    const SERVER: &'static str;

    /// Rechecks, loads, decides, saves, and tells what it did. Runs twice: for the card, and for real.
    fn run(cx: &WriteCx<'_>, args: &Self::Args) -> Result<Deed>;
}

/// What such a tool answers: the card, or what was done once a person has agreed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proposed {
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_data: Option<JsonObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<JsonObject>,
    /// Whether the client's own form may be used to ask.
    #[serde(skip)]
    may_be_asked: bool,
}

/// Does a confirmed tool's work, whichever tool it is.
pub(crate) type Execute = fn(&WriteCx<'_>, JsonObject) -> Result<Deed>;

pub(super) fn execute<T: ConfirmedTool>(cx: &WriteCx<'_>, arguments: JsonObject) -> Result<Deed> {
    T::run(cx, &decode::<T>(arguments)?)
}

pub(super) fn propose<T: ConfirmedTool>(
    _: &Place<'_>,
    arguments: JsonObject,
) -> Result<Box<dyn ErasedWrite>> {
    Ok(Box::new(Proposal::<T> { arguments, proposed: None, tool: PhantomData }))
}

/// A call that ends in a card.
struct Proposal<T> {
    arguments: JsonObject,
    proposed: Option<Proposed>,
    tool: PhantomData<fn() -> T>,
}

impl<T: ConfirmedTool> ErasedWrite for Proposal<T> {
    fn run(&mut self, cx: &WriteCx<'_>) -> Result<()> {
        let deed = cx.write.rehearse(|| execute::<T>(cx, self.arguments.clone()))?;
        self.proposed = Some(keep(cx, T::NAME, T::SERVER, &self.arguments, &deed)?);
        Ok(())
    }

    fn finish(&mut self, _: &Place<'_>) -> Result<()> {
        Ok(())
    }

    fn abandon(&mut self) {}

    fn start_again(&mut self, _: &Place<'_>) -> Result<bool> {
        Ok(false)
    }

    fn answer(&self) -> Result<Answered> {
        let proposed = self.proposed.as_ref().ok_or_else(|| Error::internal("a proposal gave no card"))?;
        let mut answered = answered::<T>(proposed)?;
        answered.answer.form = form(proposed);
        answered.log.insert("confirmation_id".to_owned(), json!(proposed.confirmation_id));
        Ok(answered)
    }
}

/// Stores what waits. The same wish while one waits already is that one.
fn keep(
    cx: &WriteCx<'_>,
    tool: &'static str,
    server: &'static str,
    arguments: &JsonObject,
    deed: &Deed,
) -> Result<Proposed> {
    let caller = cx.caller();
    let expires_at = Timestamp(cx.now.0.saturating_add(TTL_MS));
    let new = Confirmation {
        confirmation_id: cx.ids.uuid(),
        tool: tool.to_owned(),
        arguments: Value::Object(arguments.clone()).to_string(),
        caller: caller.user_id.clone(),
        client: cx.session.signature(),
        message: deed.question.clone(),
        card: Value::Object(card(cx, tool, server, deed, expires_at)).to_string(),
        target: deed.ids.to_string(),
        fingerprint: deed.fingerprint.clone(),
        state: State::Pending,
        created_at: cx.now,
        expires_at,
        decided_at: None,
        decided_how: None,
        result: None,
        reason: None,
    };
    let kept =
        match confirmations::alike(cx.tx, &new)?.filter(|old| outcome_at(old, cx.now) == Outcome::Pending) {
            Some(old) => old,
            None => {
                if confirmations::count_waiting(cx.tx, &caller.user_id, cx.now)? >= MOST_WAITING {
                    return Err(Error::conflict(format!("{MOST_WAITING} writes wait for a person already"))
                        .hint("wait until some of them are decided or have expired (5 minutes)"));
                }
                confirmations::insert(cx.write, &new)?;
                new
            }
        };
    cx.session.expects(&kept.confirmation_id);
    Ok(Proposed {
        status: Status::PendingConfirmation,
        confirmation_id: Some(kept.confirmation_id),
        message: Some(kept.message),
        confirmation_data: serde_json::from_str(&kept.card).ok(),
        data: None,
        may_be_asked: !pins::any(cx.tx)?,
    })
}

fn card(cx: &WriteCx<'_>, tool: &str, server: &str, deed: &Deed, expires_at: Timestamp) -> JsonObject {
    let caller = cx.caller();
    let mut card = JsonObject::new();
    card.insert("action".to_owned(), tool.into());
    card.insert("mcpServer".to_owned(), server.into());
    card.insert("userId".to_owned(), caller.uuid().into());
    card.insert("user".to_owned(), caller.user_id.clone().into());
    card.insert("timestamp".to_owned(), cx.now.0.into());
    card.insert("expiresAt".to_owned(), expires_at.rfc3339().into());
    let told = [&deed.ids, &deed.names].into_iter().filter_map(Value::as_object).flatten();
    card.extend(told.map(|(name, value)| (name.clone(), value.clone())));
    if !deed.warnings.is_empty() {
        card.insert("warnings".to_owned(), deed.warnings.clone().into());
    }
    card.insert("before".to_owned(), deed.before.clone());
    card.insert("after".to_owned(), deed.after.clone());
    card
}

/// The form that asks a person through the client.
fn form(proposed: &Proposed) -> Option<Form> {
    let (id, message) = (proposed.confirmation_id.as_ref()?, proposed.message.as_ref()?);
    let approve = Field {
        name: "approve".to_owned(),
        title: "Do it?".to_owned(),
        description: Some("It happens once, if the data has not changed meanwhile".to_owned()),
        required: true,
        kind: FieldKind::YesNo { default: Some(false) },
    };
    let card = proposed.confirmation_data.clone().unwrap_or_default();
    proposed.may_be_asked.then(|| Form {
        message: words::of(message, &Value::Object(card)),
        fields: vec![approve],
        with: JsonObject::new(),
        into: None,
        decides: Some(id.clone()),
    })
}
