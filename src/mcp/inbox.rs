//! What one listener has not been told yet.
//!
//! Bounded by what it asked for: a change of something that is waiting to be told already adds
//! nothing. So a client that never reads costs no more than its own list of addresses, and nobody
//! waits for it.

use std::collections::BTreeSet;
use std::sync::Mutex;

use rmcp::model::SubscriptionFilter;
use tokio::sync::Notify;

use super::resources;
use crate::error::{Error, Result};
use crate::tool::Family;
use crate::tool::offer::{Changes, Scope};

/// More addresses than any client shows, few enough to be held for each of its subscriptions.
const MOST_URIS: usize = 1_000;

/// What a listener wants to hear of, and also what there is to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// That the list is another.
    pub list: bool,
    /// That the content of these is another.
    pub uris: BTreeSet<String>,
}

impl News {
    /// Reads what a subscription asks for.
    pub fn wanted(filter: &SubscriptionFilter) -> Result<Self> {
        let mut wanted = News { list: filter.resources_list_changed == Some(true), ..News::default() };
        filter.resource_subscriptions.iter().flatten().try_for_each(|uri| wanted.add(uri))?;
        Ok(wanted)
    }

    pub fn is_empty(&self) -> bool {
        !self.list && self.uris.is_empty()
    }

    fn add(&mut self, uri: &str) -> Result<()> {
        resources::check(uri)?;
        if self.uris.len() >= MOST_URIS && !self.uris.contains(uri) {
            return Err(Error::invalid(format!("a subscription has at most {MOST_URIS} resources"))
                .hint("listen to the changes of the list instead"));
        }
        self.uris.insert(uri.to_owned());
        Ok(())
    }
}

/// Filled by the thread that follows the changes, emptied by the task that tells them.
#[derive(Debug)]
pub(super) struct Inbox {
    pub scope: Scope,
    pub families: Vec<&'static Family>,
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Debug)]
struct State {
    wanted: News,
    untold: News,
    ended: bool,
}

impl Inbox {
    pub fn new(scope: Scope, families: Vec<&'static Family>, wanted: News) -> Self {
        let state = State { wanted, untold: News::default(), ended: false };
        Inbox { scope, families, state: Mutex::new(state), bell: Notify::new() }
    }

    /// Whether the resources of a family in a scope concern this listener.
    pub fn hears(&self, family: &Family, scope: &Scope) -> bool {
        self.scope == *scope && self.families.iter().any(|known| std::ptr::eq(*known, family))
    }

    pub fn put(&self, changes: &Changes) {
        let Ok(mut state) = self.state.lock() else { return };
        let State { wanted, untold, .. } = &mut *state;
        untold.list |= wanted.list && changes.listed;
        untold.uris.extend(changes.uris.iter().filter(|uri| wanted.uris.contains(*uri)).cloned());
        if !untold.is_empty() {
            self.bell.notify_one();
        }
    }

    /// Waits for news; there is none after the end.
    pub async fn next(&self) -> Option<News> {
        loop {
            match self.state.lock() {
                Ok(mut state) if !state.untold.is_empty() => return Some(std::mem::take(&mut state.untold)),
                Ok(state) if !state.ended => {}
                _ => return None,
            }
            self.bell.notified().await;
        }
    }

    /// Hears of one more resource.
    pub fn add(&self, uri: &str) -> Result<()> {
        self.state.lock().map_err(|_| Error::internal("the subscription has failed"))?.wanted.add(uri)
    }

    /// Hears of a resource no longer.
    pub fn remove(&self, uri: &str) {
        if let Ok(mut state) = self.state.lock() {
            state.wanted.uris.remove(uri);
            state.untold.uris.remove(uri);
        }
    }

    pub fn end(&self) {
        if let Ok(mut state) = self.state.lock() {
            state.ended = true;
        }
        self.bell.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(uris: &[&str]) -> Changes {
        Changes { last: 0, uris: uris.iter().map(ToString::to_string).collect(), listed: true }
    }

    #[tokio::test]
    async fn a_listener_that_is_behind_keeps_one_of_each_and_nothing_it_did_not_ask_for() {
        let wanted = News { list: true, uris: BTreeSet::from(["a".to_owned(), "b".to_owned()]) };
        let scope = Scope { project: "shop".to_owned(), documents: "/shop".into() };
        let inbox = Inbox::new(scope, Vec::new(), wanted.clone());
        for _ in 0..100_000 {
            inbox.put(&changes(&["a", "b", "c"]));
        }
        assert_eq!(inbox.next().await, Some(wanted));
        inbox.remove("b");
        inbox.put(&changes(&["b"]));
        assert_eq!(inbox.next().await, Some(News { list: true, ..News::default() }));
        inbox.end();
        assert_eq!(inbox.next().await, None);
    }

    #[test]
    fn addresses_are_bounded() {
        let mut wanted = News::default();
        for number in 0..MOST_URIS {
            wanted.add(&format!("x:{number}")).unwrap();
        }
        assert!(wanted.add("x:0").is_ok(), "known already");
        assert!(wanted.add("x:more").is_err());
        assert!(News::default().add(&"x".repeat(10_000)).is_err());
    }
}
