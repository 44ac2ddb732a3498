//! How many requests of one client may be under way: the bound that keeps a client that floods, or
//! one that never reads its answers, from growing memory or holding others back.
//!
//! A request counts until its answer is written. While the places are taken, a few more requests
//! are read and wait; then nothing more is read, the client's own pipe fills, and it waits itself.

use std::collections::HashSet;
use std::sync::Mutex;

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// More than enough to share commits, few enough to be held in memory.
const MOST: usize = 32;

#[derive(Debug, Default)]
pub(super) struct InFlight {
    ids: Mutex<HashSet<RequestId>>,
    freed: Notify,
}

impl InFlight {
    pub fn has_place(&self) -> bool {
        self.ids.lock().is_ok_and(|ids| ids.len() < MOST)
    }

    /// Waits until a place is free. Only one reader waits, so no wake-up is lost.
    pub async fn place(&self) {
        while !self.has_place() {
            self.freed.notified().await;
        }
    }

    pub fn holds(&self, id: &RequestId) -> bool {
        self.ids.lock().is_ok_and(|ids| ids.contains(id))
    }

    pub fn take(&self, id: &RequestId) {
        if let Ok(mut ids) = self.ids.lock() {
            ids.insert(id.clone());
        }
    }

    pub fn free(&self, id: &RequestId) {
        if self.ids.lock().is_ok_and(|mut ids| ids.remove(id)) {
            self.freed.notify_one();
        }
    }
}
