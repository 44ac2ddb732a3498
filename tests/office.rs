//! A back office of its own for every test: a real file, a clock that stands still, ids that count.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backoffice::clock::{Clock, Timestamp};
use backoffice::config::model::ModelEnvironment;
use backoffice::db::{Mode, people};
use backoffice::families;
use backoffice::id::Ids;
use backoffice::paths::Home;
use backoffice::tool::Family;
use backoffice::tool::dispatch::{Office, Reply};
use backoffice::tool::render::Failure;
use backoffice::tool::session::{Session, Toolsets, Wish};
use serde_json::Value;
use tempfile::TempDir;

/// 2025-10-20T14:30:05.123Z
pub const START: Timestamp = Timestamp(1_760_970_605_123);

pub struct TestOffice {
    pub folder: TempDir,
    pub office: Arc<Office>,
    pub clock: Clock,
    model: ModelEnvironment,
}

impl TestOffice {
    pub fn new() -> Self {
        Self::with(families::ALL)
    }

    pub fn with(families: &'static [&'static Family]) -> Self {
        let (folder, model) = (tempfile::tempdir().unwrap(), ModelEnvironment::default());
        let clock = Clock::fixed(START);
        let office = open(folder.path(), families, &clock, Mode::Full, &model);
        TestOffice { folder, office, clock, model }
    }

    /// One that has a language model to ask.
    pub fn with_model(model: ModelEnvironment) -> Self {
        let TestOffice { folder, office, clock, .. } = Self::new();
        drop(office);
        let office = open(folder.path(), families::ALL, &clock, Mode::Full, &model);
        TestOffice { folder, office, clock, model }
    }

    /// The same file in a new process's eyes.
    pub fn reopened(self, mode: Mode) -> Self {
        let TestOffice { folder, office, clock, model } = self;
        drop(office);
        let office = open(folder.path(), families::ALL, &clock, mode, &model);
        TestOffice { folder, office, clock, model }
    }

    /// A connection of the owner, in no repository, in the project `shop`.
    pub fn owner(&self) -> Session {
        let caller = self.office.db.read(people::owner).unwrap();
        self.connection(Session::new(caller, Toolsets::All, "test".to_owned()))
    }

    /// A connection that was started with `--as`.
    pub fn pinned(&self, login: &str) -> Session {
        let wish = Wish { caller: Some(login.to_owned()), ..Wish::default() };
        self.connection(self.office.connect(&wish, "test".to_owned()).unwrap())
    }

    fn connection(&self, mut session: Session) -> Session {
        session.stand_in(None, Some("shop")).unwrap();
        session
    }

    /// A connection in a repository that holds the given files.
    pub fn in_repository(&self, files: &[&str]) -> Session {
        let root = self.repository();
        fs::create_dir_all(root.join(".git")).unwrap();
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "# text\n").unwrap();
        }
        let mut session = self.owner();
        session.stand_in(Some(&root), None).unwrap();
        session
    }

    pub fn repository(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    /// Calls as the owner.
    pub fn call(&self, tool: &str, arguments: Value) -> String {
        self.call_as(self.owner(), tool, arguments)
    }

    /// Calls, and shows the whole reply.
    pub fn call_as(&self, session: Session, tool: &str, arguments: Value) -> String {
        show(&self.reply(&Arc::new(session), tool, arguments))
    }

    pub fn reply(&self, session: &Arc<Session>, tool: &str, arguments: Value) -> Reply {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let reply = self.office.call(session, tool, arguments);
        if let Reply::Success(answer) = &reply {
            self.keeps_its_promise(session, tool, &answer.value());
        }
        reply
    }

    /// Clients check an answer against the schema the tool has published: so does every test.
    fn keeps_its_promise(&self, session: &Session, tool: &str, value: &Value) {
        let (_, tool) = self.office.find(session, tool).unwrap();
        let schema = Value::Object(tool.schemas().output.clone());
        if let Err(error) = jsonschema::validate(&schema, value) {
            panic!("{} breaks its own output schema: {error}", tool.name);
        }
    }

    /// The answer of a call that must succeed.
    pub fn value(&self, session: &Arc<Session>, tool: &str, arguments: Value) -> Value {
        match self.reply(session, tool, arguments) {
            Reply::Success(answer) => answer.value(),
            failed @ Reply::Failed { .. } => panic!("{tool}: {}", show(&failed)),
        }
    }
}

fn open(
    folder: &Path,
    families: &'static [&'static Family],
    clock: &Clock,
    mode: Mode,
    model: &ModelEnvironment,
) -> Arc<Office> {
    let home = Home::at(folder.join("home"));
    let office = Office::open(home, mode, "olivia", families, clock.clone(), Ids::counting()).unwrap();
    Arc::new(office.with_model(model.clone()))
}

/// A reply as it leaves: the JSON of a success, the code, message and data of a JSON-RPC error, or
/// the text of a failed result.
pub fn show(reply: &Reply) -> String {
    match reply {
        Reply::Success(answer) => serde_json::to_string_pretty(&answer.value()).unwrap(),
        Reply::Failed { failure: Failure::Protocol { code, message, data }, .. } => {
            let data = data.as_ref().map_or(String::new(), |data| format!("\n{data}"));
            format!("{code} {message}{data}")
        }
        Reply::Failed { failure: Failure::InBand(value), .. } => format!("failed {value}"),
    }
}
