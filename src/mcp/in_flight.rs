//! How many requests of one client may be under way: the bound that keeps a client that floods, or
//! one that never reads its answers, from growing memory or holding others back.
//!
//! A request counts until its answer is written. While the places are taken nothing more is read,
//! so the client's own pipe or socket fills, and it waits.

use std::collections::HashSet;
use std::sync::Mutex;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::Notify;

/// More than enough to share commits, few enough to be held in memory.
pub const MOST: usize = 32;

#[derive(Debug, Default)]
pub(super) struct InFlight {
    ids: Mutex<HashSet<RequestId>>,
    freed: Notify,
}

impl InFlight {
    /// Waits until a place is free. Only one reader waits, so no wake-up is lost.
    pub async fn place(&self) {
        while self.ids.lock().is_ok_and(|ids| ids.len() >= MOST) {
            self.freed.notified().await;
        }
    }

    /// Takes note of a message that came in; the id it uses a second time, if it does. A
    /// subscription stays open and takes no place; a request that is cancelled is never answered,
    /// so it gives its place back here.
    pub fn came(&self, message: &RxJsonRpcMessage<RoleServer>) -> Option<RequestId> {
        match message {
            JsonRpcMessage::Request(request) => {
                let stays = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
                let new = stays || self.ids.lock().is_ok_and(|mut ids| ids.insert(request.id.clone()));
                return (!new).then(|| request.id.clone());
            }
            JsonRpcMessage::Notification(note) => {
                if let ClientNotification::CancelledNotification(cancelled) = &note.notification {
                    self.free(cancelled.params.request_id.as_ref());
                }
            }
            _ => {}
        }
        None
    }

    /// Gives a place back.
    pub fn free(&self, id: Option<&RequestId>) {
        if let (Some(id), Ok(mut ids)) = (id, self.ids.lock())
            && ids.remove(id)
        {
            self.freed.notify_one();
        }
    }
}

/// The request that a message answers.
pub(super) fn answered(message: &TxJsonRpcMessage<RoleServer>) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(response.id.clone()),
        JsonRpcMessage::Error(error) => error.id.clone(),
        _ => None,
    }
}
