//! Forms of the newer era that nobody has filled in yet.
//!
//! The client gets a random name for each and brings it back with what was filled in. The name is good
//! for one try, for a few minutes, on this connection, and for the same call. Everything it stands
//! for stays here, so there is nothing in it to be forged.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::clock::Timestamp;
use crate::tool::ask::Form;
use crate::tool::{Answer, JsonObject};

/// More than a person looks at; the oldest gives way.
const MOST: usize = 16;
const MINUTES: i64 = 5;

/// A call as the client made it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub tool: String,
    pub arguments: JsonObject,
}

/// A form, and what is answered if nobody fills it in.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub form: Form,
    pub answer: Answer,
    /// How many forms this call has led to.
    pub round: usize,
}

#[derive(Debug)]
struct Waiting {
    name: String,
    since: Timestamp,
    spent: bool,
    call: Call,
    open: Open,
}

#[derive(Debug, Default)]
pub(super) struct Parked(Mutex<VecDeque<Waiting>>);

/// What a name stands for.
#[derive(Debug)]
pub(super) enum Found {
    Open(Open),
    /// The form was taken before, or comes too late; what is answered without it still holds.
    Past(Open),
    Nothing,
}

impl Parked {
    pub fn put(&self, name: String, call: Call, open: Open, since: Timestamp) {
        let Ok(mut waiting) = self.0.lock() else { return };
        while waiting.len() >= MOST {
            waiting.pop_front();
        }
        waiting.push_back(Waiting { name, since, spent: false, call, open });
    }

    /// Takes the form that a name stands for, once.
    pub fn take(&self, name: &str, call: &Call, now: Timestamp) -> Found {
        let Ok(mut waiting) = self.0.lock() else { return Found::Nothing };
        let Some(found) = waiting.iter_mut().find(|one| one.name == name && one.call == *call) else {
            return Found::Nothing;
        };
        if found.spent || found.since.plus_minutes(MINUTES) <= now {
            return Found::Past(found.open.clone());
        }
        found.spent = true;
        Found::Open(found.open.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str) -> Call {
        Call { tool: tool.to_owned(), arguments: JsonObject::new() }
    }

    fn parked(names: impl Iterator<Item = usize>) -> Parked {
        let parked = Parked::default();
        for name in names {
            let form = Form {
                message: name.to_string(),
                fields: Vec::new(),
                with: JsonObject::new(),
                into: None,
                decides: None,
            };
            let answer = Answer { json: "{}".to_owned(), links: Vec::new(), form: None };
            parked.put(name.to_string(), call("t"), Open { form, answer, round: 1 }, Timestamp(0));
        }
        parked
    }

    #[test]
    fn a_name_is_good_once_for_its_call_and_for_five_minutes() {
        let parked = parked(0..4);
        let just = Timestamp(5 * 60_000 - 1);
        assert!(matches!(parked.take("0", &call("t"), just), Found::Open(open) if open.form.message == "0"));
        assert!(matches!(parked.take("0", &call("t"), just), Found::Past(_)), "again");
        assert!(matches!(parked.take("1", &call("other"), just), Found::Nothing), "another call");
        assert!(matches!(parked.take("2", &call("t"), Timestamp(5 * 60_000)), Found::Past(_)));
        assert!(matches!(parked.take("unknown", &call("t"), just), Found::Nothing));
    }

    #[test]
    fn the_oldest_gives_way() {
        let parked = parked(0..MOST + 3);
        assert!(matches!(parked.take("2", &call("t"), Timestamp(0)), Found::Nothing));
        assert!(matches!(parked.take("3", &call("t"), Timestamp(0)), Found::Open(_)));
        assert_eq!(parked.0.lock().unwrap().len(), MOST);
    }
}
