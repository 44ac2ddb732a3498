//! What a tool is, and how a call runs.
//!
//! A tool is a type: its name, its text, its arguments, its output and its behaviour stand in one
//! file. Everything else is derived: the schema from the arguments, the read-only hint from the
//! trait, the role matrix and the README table from the list. A tool without a declared
//! [`Access`] does not compile.

pub mod ask;
mod call;
pub mod confirm;
pub mod cx;
pub mod dispatch;
pub mod envelope;
mod first_use;
pub mod follow;
pub mod offer;
mod office;
pub mod page;
pub mod render;
pub mod schema;
pub mod session;
pub mod shape;
mod spelling;
mod summary;
pub mod table;
mod transaction;

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use self::ask::{Form, FormOf};
use self::confirm::{ConfirmedTool, Execute};
pub use self::cx::{Place, ReadCx, WriteCx};
use self::follow::Look;
use self::offer::{Complete, Link, Prompt, Resources};
pub use self::render::ErrorForm;
use self::shape::Shape;
use self::table::Table;
use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::{Error, Result};
use crate::identity::Role;

pub type JsonObject = Map<String, Value>;

/// Who may call a tool. Row rules come on top, in the family.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    Everyone,
    AnyOf(&'static [Role]),
}

/// What every tool says about itself.
pub trait Tool: 'static {
    type Args: DeserializeOwned + JsonSchema + Send;
    type Output: Serialize + JsonSchema + Send;

    const NAME: &'static str;
    const TITLE: &'static str;
    /// One or two sentences that teach a model when and how to call it.
    const DESCRIPTION: &'static str;
    const ACCESS: Access;
    /// The argument that carries the caller's correlation id; it goes to logs and audit only.
    const CORRELATION: Option<&'static str> = None;
    /// How a person could be asked for what an answer leaves open, by a tool that has such answers.
    const FORM: Option<FormOf<Self::Output>> = None;

    /// The form of this call's errors; it may depend on the shape of the arguments.
    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::JsonRpc
    }

    /// What the log keeps of an answer: ids and counts, never content.
    fn log_fields(_: &Self::Output, _: &mut JsonObject) {}

    /// The resources an answer speaks of, for clients that can follow them.
    fn links(_: &Self::Output) -> Vec<Link> {
        Vec::new()
    }
}

/// A tool that reads. It gets a transaction that cannot write.
pub trait ReadTool: Tool {
    /// Whether `run` reads files, and so must not run on a thread that serves connections.
    const TOUCHES_FILES: bool = false;
    /// Whether rows are brought in step with the repository's files first. It touches files then.
    const FOLLOWS_FILES: bool = false;

    fn run(cx: &ReadCx<'_>, args: Self::Args) -> Result<Self::Output>;
}

/// A tool that writes.
pub trait WriteTool: Tool {
    /// What `prepare` found out, for `run` to recheck and use.
    type Prepared: Default + Send;

    /// Whether `prepare` or `finish` touch files or other processes, and so must not run on a
    /// thread that serves connections.
    const TOUCHES_FILES: bool = false;
    /// Whether the change takes something away that cannot be brought back.
    const DESTRUCTIVE: bool = false;
    /// Whether calling twice does the same as calling once.
    const IDEMPOTENT: bool = false;
    /// Whether the call starts again by itself when a file has changed meanwhile: what it adds does
    /// not depend on what somebody else has just added.
    const STARTS_AGAIN: bool = false;

    /// Reads files, parses, asks git: whatever is slow, before the transaction.
    fn prepare(_: &Place<'_>, _: &Self::Args) -> Result<Self::Prepared> {
        Ok(Self::Prepared::default())
    }

    /// Rechecks, loads, decides, saves. Short: the writer waits for it.
    fn run(cx: &WriteCx<'_>, args: &Self::Args, prepared: &Self::Prepared) -> Result<Self::Output>;

    /// Renames files and notifies, after the commit.
    fn finish(_: &Place<'_>, _: &Self::Prepared, _: &Self::Output) -> Result<()> {
        Ok(())
    }

    /// Takes away what `prepare` has laid out, when nothing was committed.
    fn abandon(_: &Self::Prepared) {}
}

/// A tool as the list holds it: its type is erased, its facts are data.
#[derive(Debug)]
pub struct ToolDef {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub access: Access,
    pub kind: ToolKind,
    pub correlation: Option<&'static str>,
    pub errors: fn(&JsonObject) -> ErrorForm,
    files: Files,
    asks: bool,
    input: fn() -> JsonObject,
    output: fn() -> JsonObject,
    pub(crate) call: CallFn,
    /// What is done once a person has agreed, by a tool that waits for one.
    pub(crate) execute: Option<Execute>,
    schemas: OnceLock<Schemas>,
}

/// What the type of a tool says about its effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    Read,
    Write { destructive: bool, idempotent: bool, touches_files: bool },
}

/// What a tool has to do with files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Files {
    Untouched,
    Touched,
    /// Touched, and rows are brought in step with them first.
    Followed,
}

/// The published schemas, and the compiled form that enforces the first of them.
#[derive(Debug)]
pub struct Schemas {
    pub input: JsonObject,
    pub output: JsonObject,
    pub shape: Shape,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CallFn {
    Read(fn(&ReadCx<'_>, JsonObject) -> Result<Answered>),
    Write(fn(&Place<'_>, JsonObject) -> Result<Box<dyn ErasedWrite>>),
}

/// What a tool has answered, as the JSON it was written as, the resources it speaks of, and the form
/// for what it leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub json: String,
    pub links: Vec<Link>,
    pub form: Option<Form>,
}

impl Answer {
    /// The answer as a tree, for whoever looks into it.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.json).unwrap_or_default()
    }
}

/// A success: the answer and what the log keeps of it.
#[derive(Debug)]
pub(crate) struct Answered {
    pub answer: Answer,
    pub log: JsonObject,
}

/// A prepared write whose types are erased.
pub(crate) trait ErasedWrite: Send {
    fn run(&mut self, cx: &WriteCx<'_>) -> Result<()>;
    fn finish(&mut self, place: &Place<'_>) -> Result<()>;
    fn abandon(&mut self);
    /// Prepares anew, if the tool is one that starts again.
    fn start_again(&mut self, place: &Place<'_>) -> Result<bool>;
    fn answer(&self) -> Result<Answered>;
}

impl ToolDef {
    pub const fn read<T: ReadTool>() -> Self {
        let files = match (T::FOLLOWS_FILES, T::TOUCHES_FILES) {
            (true, _) => Files::Followed,
            (false, true) => Files::Touched,
            (false, false) => Files::Untouched,
        };
        Self::new::<T>(ToolKind::Read, files, CallFn::Read(run_read::<T>), None)
    }

    pub const fn write<T: WriteTool>() -> Self {
        let kind = ToolKind::Write {
            destructive: T::DESTRUCTIVE,
            idempotent: T::IDEMPOTENT,
            touches_files: T::TOUCHES_FILES,
        };
        let files = if T::TOUCHES_FILES { Files::Touched } else { Files::Untouched };
        Self::new::<T>(kind, files, CallFn::Write(prepare_write::<T>), None)
    }

    pub const fn confirmed<T: ConfirmedTool>() -> Self {
        let kind = ToolKind::Write { destructive: true, idempotent: false, touches_files: false };
        let call = CallFn::Write(confirm::propose::<T>);
        Self::new::<T>(kind, Files::Untouched, call, Some(confirm::execute::<T>))
    }

    const fn new<T: Tool>(kind: ToolKind, files: Files, call: CallFn, execute: Option<Execute>) -> Self {
        ToolDef {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            access: T::ACCESS,
            kind,
            correlation: T::CORRELATION,
            errors: T::errors,
            files,
            asks: T::FORM.is_some() || execute.is_some(),
            input: schema::input::<T::Args>,
            output: schema::output::<T::Output>,
            call,
            execute,
            schemas: OnceLock::new(),
        }
    }

    /// The schemas, made when they are first asked for: a start needs none of them.
    pub fn schemas(&self) -> &Schemas {
        self.schemas.get_or_init(|| {
            let input = (self.input)();
            let shape = Shape::compile(&Value::Object(input.clone()));
            Schemas { input, output: (self.output)(), shape }
        })
    }

    pub fn is_read(&self) -> bool {
        self.kind == ToolKind::Read
    }

    /// Whether a call must not run on a thread that serves connections.
    pub fn touches_files(&self) -> bool {
        self.files != Files::Untouched
    }

    /// Whether rows are to be brought in step with the files before a call.
    pub(crate) fn follows_files(&self) -> bool {
        self.files == Files::Followed
    }

    /// Whether it happens only when a person has agreed.
    pub fn is_confirmed(&self) -> bool {
        self.execute.is_some()
    }

    /// Whether an answer may come with a form.
    pub fn asks(&self) -> bool {
        self.asks
    }
}

fn decode<T: Tool>(arguments: JsonObject) -> Result<T::Args> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Error::invalid("the arguments do not fit together").because(error))
}

fn run_read<T: ReadTool>(cx: &ReadCx<'_>, arguments: JsonObject) -> Result<Answered> {
    answered::<T>(&T::run(cx, decode::<T>(arguments)?)?)
}

fn prepare_write<T: WriteTool>(place: &Place<'_>, arguments: JsonObject) -> Result<Box<dyn ErasedWrite>> {
    let args = decode::<T>(arguments)?;
    let prepared = T::prepare(place, &args)?;
    Ok(Box::new(TypedWrite::<T> { args, prepared, output: None }))
}

fn answered<T: Tool>(output: &T::Output) -> Result<Answered> {
    let json = serde_json::to_string(output)
        .map_err(|error| Error::internal("the answer cannot be written as JSON").because(error))?;
    let mut log = JsonObject::new();
    T::log_fields(output, &mut log);
    Ok(Answered {
        answer: Answer { json, links: T::links(output), form: T::FORM.and_then(|form| form(output)) },
        log,
    })
}

struct TypedWrite<T: WriteTool> {
    args: T::Args,
    prepared: T::Prepared,
    output: Option<T::Output>,
}

impl<T: WriteTool> ErasedWrite for TypedWrite<T> {
    fn run(&mut self, cx: &WriteCx<'_>) -> Result<()> {
        self.output = Some(T::run(cx, &self.args, &self.prepared)?);
        Ok(())
    }

    fn finish(&mut self, place: &Place<'_>) -> Result<()> {
        match &self.output {
            Some(output) => T::finish(place, &self.prepared, output),
            None => Ok(()),
        }
    }

    fn abandon(&mut self) {
        T::abandon(&self.prepared);
    }

    fn start_again(&mut self, place: &Place<'_>) -> Result<bool> {
        if T::STARTS_AGAIN {
            self.prepared = T::prepare(place, &self.args)?;
        }
        Ok(T::STARTS_AGAIN)
    }

    fn answer(&self) -> Result<Answered> {
        let output = self.output.as_ref().ok_or_else(|| Error::internal("a write gave no answer"))?;
        answered::<T>(output)
    }
}

/// A folder of tools, one subject.
#[derive(Debug)]
pub struct Family {
    /// Also the name of its toolset.
    pub name: &'static str,
    /// What a model is told of it before it sees any tool: when to use what, in a sentence or two.
    pub guide: &'static str,
    /// Whether its tools belong to every toolset.
    pub everywhere: bool,
    pub tools: &'static [ToolDef],
    pub resources: Option<&'static Resources>,
    pub prompts: &'static [Prompt],
    /// Completes the arguments of its templates and prompts.
    pub complete: Option<Complete>,
    /// What becomes due by time alone.
    pub sweep: Option<Sweep>,
    /// Brings its rows in step with a repository's files.
    pub look: Option<Look>,
    /// What the calls of a worker keep alive.
    pub heartbeat: Option<Heartbeat>,
    /// Whether every read is a line of the audit trail, too.
    pub audits_reads: bool,
    /// Whether arguments may be spelt in camelCase as well.
    pub takes_camel_case: bool,
    /// What is done before its data is used for the first time.
    pub first_use: Option<FirstUse>,
    /// What a person can put in and take out as files.
    pub tables: &'static [Table],
}

impl Family {
    /// A family of nothing, for the fields that another one does not need.
    pub const EMPTY: Family = Family {
        name: "",
        guide: "",
        everywhere: false,
        tools: &[],
        resources: None,
        prompts: &[],
        complete: None,
        sweep: None,
        look: None,
        heartbeat: None,
        audits_reads: false,
        takes_camel_case: false,
        first_use: None,
        tables: &[],
    };
}

/// Whatever is written becomes due a minute later at the earliest: the shortest lease is that long.
pub const SOONEST_DUE_MS: i64 = 60_000;

/// Work that becomes due by time alone: done before anything of its family is read or written.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// When something becomes due next, if anything ever will.
    pub next_due: fn(&ReadTx<'_>) -> Result<Option<Timestamp>>,
    pub run: fn(&WriteTx<'_>, Timestamp) -> Result<()>,
}

impl Sweep {
    pub fn is_due(&self, tx: &ReadTx<'_>, now: Timestamp) -> Result<bool> {
        Ok((self.next_due)(tx)?.is_some_and(|due| due <= now))
    }
}

/// What is done once in the life of a file, when it is first needed.
#[derive(Clone, Copy, Debug)]
pub struct FirstUse {
    pub is_due: fn(&ReadTx<'_>) -> Result<bool>,
    pub run: fn(&WriteTx<'_>, Timestamp) -> Result<()>,
}

/// Keeps alive what the given workers hold.
pub type Heartbeat = fn(&WriteTx<'_>, &[String], Timestamp) -> Result<()>;
