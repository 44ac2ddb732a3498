//! Who is connected, for people to see.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::clock::Timestamp;
use crate::tool::session::Session;

/// The connections of a daemon, oldest first.
#[derive(Debug, Default)]
pub struct Clients(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    connected: BTreeMap<u64, (Timestamp, Arc<Session>)>,
    ever: u64,
}

impl Clients {
    /// Takes note of a connection until the guard is dropped.
    pub fn enter(self: &Arc<Self>, session: &Arc<Session>, now: Timestamp) -> Connected {
        let mut number = 0;
        if let Ok(mut inner) = self.0.lock() {
            inner.ever += 1;
            number = inner.ever;
            inner.connected.insert(number, (now, Arc::clone(session)));
        }
        Connected { clients: Arc::clone(self), number }
    }

    pub fn show(&self) -> Vec<Value> {
        let Ok(inner) = self.0.lock() else { return Vec::new() };
        let shown = inner.connected.values().map(|(since, session)| {
            let peer = session.peer();
            json!({
                "connection": session.client,
                "name": peer.map(|peer| &peer.name), "version": peer.map(|peer| &peer.version),
                "user_id": session.caller.user_id, "project_id": session.project,
                "read_only": session.read_only, "connected_at": since.rfc3339(), "calls": session.calls(),
            })
        });
        shown.collect()
    }
}

/// A connection that is there as long as this is.
#[derive(Debug)]
pub struct Connected {
    clients: Arc<Clients>,
    number: u64,
}

impl Drop for Connected {
    fn drop(&mut self) {
        if let Ok(mut inner) = self.clients.0.lock() {
            inner.connected.remove(&self.number);
        }
    }
}
