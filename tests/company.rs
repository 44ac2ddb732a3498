//! The sample company, as tests look at it: a call as one of its people, a card, a person's decision.

use std::sync::Arc;

use backoffice::tool::confirm::{Decided, Proof, decide};
use backoffice::tool::dispatch::Reply;
use backoffice::tool::render::Failure;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::office::{TestOffice, show};

/// Everybody the demonstration is about, from the one who sees most to the one who sees least.
pub const PERSONAS: [&str; 8] = [
    "eve.thompson",
    "alice.chen",
    "bob.martinez",
    "carol.johnson",
    "dan.williams",
    "nina.patel",
    "marcus.johnson",
    "frank.davis",
];

/// A UUID that nobody has.
pub const NOBODYS: &str = "00000000-0000-4000-8000-00000000ffff";

pub const HIDDEN: &str = "*** (Hidden)";

/// An office with the sample in it.
pub struct Company {
    pub office: TestOffice,
}

impl Company {
    pub fn new() -> Self {
        let company = Company { office: TestOffice::new() };
        company.office.pinned("eve.thompson");
        company
    }

    /// Closes the file, for another process to open it.
    pub fn leave(self) -> TempDir {
        let TestOffice { folder, office, .. } = self.office;
        drop(office);
        folder
    }

    /// The answer of a call that must succeed.
    pub fn value(&self, login: &str, tool: &str, arguments: Value) -> Value {
        self.office.value(&Arc::new(self.office.pinned(login)), tool, arguments)
    }

    /// What a page or a record of a call that must succeed is about.
    pub fn data(&self, login: &str, tool: &str, arguments: Value) -> Value {
        self.value(login, tool, arguments)["data"].take()
    }

    /// The whole reply, whatever it is.
    pub fn reply(&self, login: &str, tool: &str, arguments: Value) -> Value {
        match self.office.reply(&Arc::new(self.office.pinned(login)), tool, arguments) {
            Reply::Success(answer) => answer.value(),
            Reply::Failed { failure: Failure::InBand(value), .. } => value,
            failed @ Reply::Failed { .. } => panic!("{tool}: {}", show(&failed)),
        }
    }

    /// The code and message of a call that must fail.
    pub fn refusal(&self, login: &str, tool: &str, arguments: Value) -> (String, String) {
        let told = self.reply(login, tool, arguments);
        let text = |name: &str| told[name].as_str().unwrap_or_else(|| panic!("{tool}: {told}")).to_owned();
        assert_eq!(told["status"], "error", "{tool}: {told}");
        assert!(!text("suggestedAction").is_empty());
        (text("code"), text("message"))
    }

    pub fn code(&self, login: &str, tool: &str, arguments: Value) -> String {
        self.refusal(login, tool, arguments).0
    }

    /// All rows of a listing, page by page; whatever the pages say of themselves must be true.
    pub fn all(&self, login: &str, tool: &str, arguments: Value, limit: usize) -> Vec<Value> {
        let (mut rows, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let mut arguments = arguments.clone();
            (arguments["limit"], arguments["cursor"]) = (limit.into(), cursor);
            let page = self.value(login, tool, arguments);
            let (data, metadata) = (page["data"].as_array().unwrap(), &page["metadata"]);
            assert_eq!(metadata["returnedCount"], data.len());
            assert_eq!(metadata["hasMore"], metadata["truncated"]);
            assert_eq!(metadata["hasMore"], metadata["nextCursor"].is_string());
            rows.extend(data.iter().cloned());
            if metadata["hasMore"] == false {
                return rows;
            }
            assert_eq!(data.len(), limit, "a page in the middle is full");
            cursor = metadata["nextCursor"].clone();
        }
    }

    /// A card, of a call that must end in one.
    pub fn propose(&self, login: &str, tool: &str, arguments: Value) -> Value {
        let proposed = self.value(login, tool, arguments);
        assert_eq!(proposed["status"], "pending_confirmation", "{proposed}");
        let card = &proposed["confirmationData"];
        assert_eq!((&card["action"], &card["user"]), (&json!(tool), &json!(login)));
        assert_eq!(card["timestamp"], self.office.clock.now().0);
        let user = card["userId"].as_str().unwrap();
        assert!(uuid::Uuid::parse_str(user).is_ok(), "{user} is no UUID");
        assert!(card.get("before").is_some() && card.get("after").is_some(), "{card}");
        proposed
    }

    pub fn decide(&self, login: &str, proposed: &Value, approved: bool) -> Decided {
        let id = proposed["confirmationId"].as_str().unwrap();
        decide(&self.office.office, id, approved, Proof::by_terminal(login), "test").unwrap()
    }

    /// What a person's approval brings, which must succeed.
    pub fn approve(&self, login: &str, proposed: &Value) -> Value {
        let decided = self.decide(login, proposed, true);
        assert_eq!(decided.confirmation.state.as_str(), "executed", "{decided:?}");
        serde_json::from_str(&decided.confirmation.result.unwrap()).unwrap()
    }

    /// A person's refusal, which must change nothing at all.
    pub fn deny(&self, login: &str, proposed: &Value) {
        let before = self.stored();
        let decided = self.decide(login, proposed, false);
        assert_eq!(decided.confirmation.state.as_str(), "declined", "{decided:?}");
        assert_eq!(self.stored(), before, "denied, and changed all the same");
    }

    /// A card that is shown, and changes nothing by being shown.
    pub fn only_proposes(&self, login: &str, tool: &str, arguments: Value) -> Value {
        let before = self.stored();
        let proposed = self.propose(login, tool, arguments);
        assert_eq!(self.stored(), before, "{tool} has changed something before anybody agreed");
        proposed
    }

    /// The first column of a query, as text.
    pub fn texts(&self, sql: &str) -> Vec<String> {
        let read = self.office.office.db.read(|tx| tx.rows(sql, [], |row| row.get::<_, String>(0)));
        read.unwrap()
    }

    pub fn text(&self, sql: &str) -> String {
        self.texts(sql).into_iter().next().unwrap_or_else(|| panic!("no row: {sql}"))
    }

    pub fn write(&self, sql: &'static str) {
        self.office.office.db.write(move |tx| tx.execute(sql, [])).unwrap();
    }

    /// Fingerprints of all business data.
    pub fn stored(&self) -> Vec<(String, String)> {
        let tables = [
            "employees",
            "employee_chain",
            "salary_changes",
            "budgets",
            "invoices",
            "customers",
            "deals",
            "tickets",
        ];
        let fingerprint = |table: &str| {
            self.office.office.db.read(|tx| tx.fingerprint(&format!("SELECT * FROM {table}"), [])).unwrap()
        };
        tables.map(|table| (table.to_owned(), fingerprint(table))).to_vec()
    }
}

/// A column of rows, as texts.
pub fn column(rows: &Value, name: &str) -> Vec<String> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row[name].as_str().unwrap_or_else(|| panic!("{name} of {row}")).to_owned()).collect()
}
